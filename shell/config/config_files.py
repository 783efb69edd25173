"""Reads the user's and the project's configuration files, and the rules in them."""

import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from actors.paths.workspace import Workspace
from messages.policy import RuleSource
from shell.config.config_file import ConfigFile, ConfigFileError, read_config_file
from shell.config.trust_store import PROJECT_CONFIG
from shell.startup.errors import StartError

MAX_WARNINGS = 20
"""Warnings about the rules of one file that are shown."""


@dataclass(frozen=True, slots=True)
class ConfigLocations:
    """Where the configuration of a run is."""

    user_file: Path
    workspace: Workspace
    trusted: bool
    user_owned_files: tuple[Path, ...]
    """The user's own configuration; never a project's, even inside its folder."""


@dataclass(frozen=True, slots=True)
class ConfigFiles:
    """The configuration files that exist."""

    user: ConfigFile | None = None
    project: ConfigFile | None = None
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
        if locations.trusted:
            problems.extend(error.problems)
        else:  # an untrusted file must not keep the program from starting
            notices.append(f"{error.problems[0]}; the file is ignored")
    if problems:
        raise StartError(*problems)
    for file in (user, project if locations.trusted else None):
        if file and file.config.rules:
            notices += _list_warnings(file, locations.workspace)
    return ConfigFiles(user, project, tuple(notices))


def _list_warnings(file: ConfigFile, workspace: Workspace) -> list[str]:
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


def build_rule_sources(files: ConfigFiles, *, trusted: bool) -> tuple[RuleSource, ...]:
    """Return the user's rules, then the project's; an untrusted source can only tighten."""
    return (
        *_make_source("user", files.user, trusted=True),
        *_make_source("project", files.project, trusted=trusted),
    )


def _make_source(owner: str, file: ConfigFile | None, *, trusted: bool) -> tuple[RuleSource, ...]:
    if not file or not file.config.rules:
        return ()
    name = f"{owner} rules, {file.path}"
    return (RuleSource(name=name, rules=file.config.rules, trusted=trusted),)
