"""The configuration of a run, from all its layers, or everything that is wrong with them."""

from collections.abc import Mapping
from dataclasses import dataclass

from actors.permissions.rules import warnings
from messages.rules import RuleSource
from shell.arguments import Options
from shell.config import settings
from shell.config.files import Files, Sources, read_files, rules_of
from shell.config.schema import FileConfig


@dataclass(frozen=True, slots=True)
class Configuration:
    """What counts, and what is to be told of what does not."""

    settings: FileConfig
    rules: tuple[RuleSource, ...]
    """The user's, then the project's."""
    notices: tuple[str, ...]


def configured(options: Options, environment: Mapping[str, str], sources: Sources) -> Configuration:
    """Read the files and lay all layers over each other.

    Raises:
        StartError: with everything that is wrong, each a line with file, line and key.
    """
    files = read_files(sources)
    flags, variables = settings.of_flags(options), settings.of_environment(environment)
    user = files.user.config if files.user else FileConfig()
    brought, told = _brought(files, settings.layered(user, settings.BUILT_IN), sources)
    counts = settings.layered(flags, variables, brought, user, settings.BUILT_IN)
    heard = rules_of(files, trusted=sources.trusted)
    warned = (text for source in heard if source.trusted for text in _warned(source))
    return Configuration(counts, heard, (*files.notices, *told, *warned))


def _brought(
    files: Files, below: FileConfig, sources: Sources
) -> tuple[FileConfig, tuple[str, ...]]:
    if not files.project:
        return FileConfig(), ()
    if sources.trusted:
        return settings.of_trusted(files.project)
    return settings.of_untrusted(files.project.config, below), ()


def _warned(source: RuleSource) -> tuple[str, ...]:
    return tuple(f"{source.name}: {text}" for text in warnings(source.rules))
