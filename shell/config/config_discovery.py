"""The configuration files there are, and the rules in them; loads nothing heavy."""

from dataclasses import dataclass
from pathlib import Path

from actors.paths.workspace import Workspace
from messages.policy import RuleSource
from shell.cli.arguments import StartError
from shell.config.config_file import ConfigFile, ConfigFileError, read_config_file
from shell.config.project_trust import read_project_config


@dataclass(frozen=True, slots=True)
class ConfigLocations:
    """Where a run's configuration is looked for."""

    user_file: Path
    workspace: Workspace
    trusted: bool
    user_owned_files: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class ConfigFiles:
    """The files that there are, and what is to be told of one that does not count."""

    user: ConfigFile | None = None
    project: ConfigFile | None = None
    notices: tuple[str, ...] = ()


def read_config_files(locations: ConfigLocations) -> ConfigFiles:
    """Read the user's file, and the project's.

    Raises:
        StartError: with everything that is wrong, each a line with file, line and key.
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
        else:  # what is not believed must not keep us from starting either
            notices.append(f"{error.problems[0]}; the file does not count")
    if problems:
        raise StartError(*problems)
    return ConfigFiles(user, project, tuple(notices))


def build_rule_sources(files: ConfigFiles, *, trusted: bool) -> tuple[RuleSource, ...]:
    """Take the user's rules, then the project's; of one not trusted no allow is heard."""
    return (
        *_rules("user", files.user, trusted=True),
        *_rules("project", files.project, trusted=trusted),
    )


def _rules(whose: str, read: ConfigFile | None, *, trusted: bool) -> tuple[RuleSource, ...]:
    if not read or not read.config.rules:
        return ()
    name = f"{whose} rules, {read.path}"
    return (RuleSource(name=name, rules=read.config.rules, trusted=trusted),)
