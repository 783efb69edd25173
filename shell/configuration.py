"""The configuration of a run, from all its layers, or everything that is wrong with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from actors.permissions.rules import warnings
from actors.session import AGENT
from actors.tools.workspace import Workspace
from messages.rules import Source
from shell import settings
from shell.arguments import Options, StartError
from shell.config_file import ConfigFileError, Read, read_config
from shell.config_schema import FileConfig
from shell.project import project_config


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


@dataclass(frozen=True, slots=True)
class Configuration:
    """What counts, and what is to be told of what does not."""

    settings: FileConfig
    rules: tuple[Source, ...]
    """The user's, then the project's."""
    notices: tuple[str, ...]


def configured(options: Options, environment: Mapping[str, str], sources: Sources) -> Configuration:
    """Read the files and lay all layers over each other.

    Raises:
        StartError: with everything that is wrong, each a line with file, line and key.
    """
    files = _files(sources)
    flags, variables = settings.of_flags(options), settings.of_environment(environment)
    user = files.user.config if files.user else FileConfig()
    brought, told = _brought(files, settings.layered(user, settings.BUILT_IN), sources)
    counts = settings.layered(flags, variables, brought, user, settings.BUILT_IN)
    _require_agent(counts, files)
    heard = (
        *_rules("user", files.user, trusted=True),
        *_rules("project", files.project, trusted=sources.trusted),
    )
    warned = (text for source in heard if source.trusted for text in _warned(source))
    return Configuration(counts, heard, (*files.notices, *told, *warned))


def _files(sources: Sources) -> Files:
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


def _brought(
    files: Files, below: FileConfig, sources: Sources
) -> tuple[FileConfig, tuple[str, ...]]:
    if not files.project:
        return FileConfig(), ()
    if sources.trusted:
        return settings.of_trusted(files.project)
    return settings.of_untrusted(files.project.config, below), ()


def _rules(whose: str, read: Read | None, *, trusted: bool) -> tuple[Source, ...]:
    """Name the rules of a file; of one that is not trusted the engine hears no allow."""
    if not read or not read.config.rules:
        return ()
    name = f"{whose} rules, {read.path}"
    return (Source(name=name, rules=read.config.rules, trusted=trusted),)


def _warned(source: Source) -> tuple[str, ...]:
    return tuple(f"{source.name}: {text}" for text in warnings(source.rules))


def _require_agent(counts: FileConfig, files: Files) -> None:
    if counts.agent == AGENT:
        return
    read = [each for each in (files.project, files.user) if each]
    said = [each.place("agent") for each in read if each.config.agent == counts.agent]
    message = f"{said[0]}: there is no agent {counts.agent}; there is: {AGENT}"
    raise StartError(message)
