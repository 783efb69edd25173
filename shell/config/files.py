"""The configuration files there are, and the rules in them; loads nothing heavy."""

from dataclasses import dataclass
from pathlib import Path

from actors.tools.workspace import Workspace
from messages.rules import RuleSource
from shell.arguments import StartError
from shell.config.file import ConfigFileError, Read, read_config
from shell.config.project import project_config


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a run's configuration is looked for."""

    user: Path
    workspace: Workspace
    trusted: bool
    ours: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Files:
    """The files that there are, and what is to be told of one that does not count."""

    user: Read | None = None
    project: Read | None = None
    notices: tuple[str, ...] = ()


def read_files(sources: Sources) -> Files:
    """Read the user's file, and the project's.

    Raises:
        StartError: with everything that is wrong, each a line with file, line and key.
    """
    problems: list[str] = []
    notices: list[str] = []
    user = project = None
    try:
        user = read_config(sources.user)
    except ConfigFileError as error:
        problems.extend(error.problems)
    try:
        project = project_config(sources.workspace, sources.ours)
    except ConfigFileError as error:
        if sources.trusted:
            problems.extend(error.problems)
        else:  # what is not believed must not keep us from starting either
            notices.append(f"{error.problems[0]}; the file does not count")
    if problems:
        raise StartError(*problems)
    return Files(user, project, tuple(notices))


def rules_of(files: Files, *, trusted: bool) -> tuple[RuleSource, ...]:
    """Take the user's rules, then the project's; of one not trusted no allow is heard."""
    return (
        *_rules("user", files.user, trusted=True),
        *_rules("project", files.project, trusted=trusted),
    )


def _rules(whose: str, read: Read | None, *, trusted: bool) -> tuple[RuleSource, ...]:
    if not read or not read.config.rules:
        return ()
    name = f"{whose} rules, {read.path}"
    return (RuleSource(name=name, rules=read.config.rules, trusted=trusted),)
