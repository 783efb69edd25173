"""Reads the user's and the project's configuration files, and the rules in them."""

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from actors.paths.workspace import Workspace
from messages.policy import RuleSource
from shell.config.config_file import ConfigFile, ConfigFileError, read_config_file
from shell.config.project_allowances import (
    MAX_RULES_IN_NOTICE,
    Allowances,
    AllowRule,
    format_allow_rules,
    list_new_allow_rules,
)
from shell.config.trust_store import PROJECT_CONFIG
from shell.startup.errors import StartError

MAX_WARNINGS = 20
"""Warnings about the rules of one file that are shown."""


@dataclass(frozen=True, slots=True)
class ConfigLocations:
    """Where the configuration of a run is."""

    user_file: Path
    workspace: Workspace
    approved: Allowances | None
    """What the user has let the project allow; None: the project is not trusted."""
    user_owned_files: tuple[Path, ...]
    """The user's own configuration; never a project's, even inside its folder."""
    list_agent_names: Callable[[], Collection[str]]
    """Returns the agents that rules may name; called only if a rule names one."""


@dataclass(frozen=True, slots=True)
class ConfigFiles:
    """The configuration files that exist."""

    user: ConfigFile | None = None
    project: ConfigFile | None = None
    trusted: bool = False
    """The project's file takes effect; otherwise it can only restrict."""
    notices: tuple[str, ...] = ()
    """Why an untrusted project's file is ignored, and warnings about rules."""


def read_config_files(locations: ConfigLocations) -> ConfigFiles:
    """Read the user's file and the project's.

    Raises:
        StartError: with every problem, each one line with file, line and key.
    """
    problems: list[str] = []
    notices: list[str] = []
    user = project = None
    try:
        user = read_config_file(locations.user_file)
    except ConfigFileError as error:
        problems.extend(error.problems)
    try:
        project = read_project_config(locations.workspace, locations.user_owned_files)
    except ConfigFileError as error:
        if locations.approved is not None:
            problems.extend(error.problems)
        else:  # an untrusted file must not keep the program from starting
            notices.append(f"{error.problems[0]}; the file is ignored")
    new_rules = _list_new_rules(project, locations.approved)
    if project and new_rules:
        notices.append(_format_growth_notice(project, new_rules))
    trusted = locations.approved is not None and not new_rules
    if user:
        notices += _list_unknown_agents(user, locations.list_agent_names)
        notices += _list_warnings(user, locations.workspace)
    if project and trusted:  # the agents of an untrusted project are not known
        problems += _list_unknown_agents(project, locations.list_agent_names)
        notices += _list_warnings(project, locations.workspace)
    if problems:
        raise StartError(*problems)
    return ConfigFiles(user, project, trusted, tuple(notices))


def _list_new_rules(
    project: ConfigFile | None, approved: Allowances | None
) -> tuple[AllowRule, ...]:
    """List what the project allows that it did not allow when the user was asked."""
    if project is None or approved is None:
        return ()
    return list_new_allow_rules({str(PROJECT_CONFIG): project.config.rules}, approved)


def _format_growth_notice(project: ConfigFile, new_rules: tuple[AllowRule, ...]) -> str:
    shown = "; ".join(format_allow_rules(new_rules, MAX_RULES_IN_NOTICE))
    return (
        f"{project.path} allows more than when you trusted this folder ({shown}), so it can only "
        "restrict. Restart Greenroom to be asked again."
    )


def _list_unknown_agents(
    file: ConfigFile, list_agent_names: Callable[[], Collection[str]]
) -> list[str]:
    named = {index: rule.agent for index, rule in enumerate(file.config.rules) if rule.agent}
    known = list_agent_names() if named else ()
    return [
        f"{file.format_location('rules', index, 'agent')}: there is no agent {agent}; "
        "greenroom agents lists all"
        for index, agent in named.items()
        if agent not in known
    ]


def _list_warnings(file: ConfigFile, workspace: Workspace) -> list[str]:
    if not file.config.rules:
        return []
    from shell.config.rule_linter import make_rule_linter  # noqa: PLC0415  (only if there are rules)

    warnings = make_rule_linter(workspace).find_warnings(file.config.rules)
    lines = [
        f"{file.format_location('rules', index)}: {warning}"
        for index, warning in islice(warnings.items(), MAX_WARNINGS)
    ]
    more = len(warnings) - len(lines)
    return [*lines, *([f"{file.path}: {more} more rules with warnings"] if more else [])]


def read_project_config(
    workspace: Workspace, user_owned_files: tuple[Path, ...]
) -> ConfigFile | None:
    """Read the project's configuration file; None if it has none.

    Raises:
        ConfigFileError: the file cannot be used.
    """
    path = workspace.root / PROJECT_CONFIG
    real_path = Path(os.path.realpath(path))
    if real_path in user_owned_files:
        return None
    if not real_path.is_relative_to(workspace.root):
        raise ConfigFileError((f"{path}: is a link to a file outside the workspace",))
    return read_config_file(path)


def build_rule_sources(files: ConfigFiles) -> tuple[RuleSource, ...]:
    """Return the user's rules, then the project's; an untrusted source can only tighten."""
    return (
        *_make_source("user", files.user, trusted=True),
        *_make_source("project", files.project, trusted=files.trusted),
    )


def _make_source(owner: str, file: ConfigFile | None, *, trusted: bool) -> tuple[RuleSource, ...]:
    if not file or not file.config.rules:
        return ()
    name = f"{owner} rules, {file.path}"
    return (RuleSource(name=name, rules=file.config.rules, trusted=trusted),)
