"""The configuration of a run, from all its layers, or everything that is wrong with them."""

from collections.abc import Mapping
from dataclasses import dataclass

from actors.permissions.rules import find_rule_warnings
from actors.tools.tool_list import DECLARED_TOOLS
from messages.policy import RuleSource
from shell.cli.arguments import LaunchOptions
from shell.config import config_layers
from shell.config.config_discovery import (
    ConfigFiles,
    ConfigLocations,
    build_rule_sources,
    read_config_files,
)
from shell.config.schema import FileConfig


@dataclass(frozen=True, slots=True)
class EffectiveConfig:
    """What counts, and what is to be told of what does not."""

    settings: FileConfig
    rules: tuple[RuleSource, ...]
    """The user's, then the project's."""
    notices: tuple[str, ...]


def load_effective_config(
    options: LaunchOptions, environment: Mapping[str, str], locations: ConfigLocations
) -> EffectiveConfig:
    """Read the files and lay all layers over each other.

    Raises:
        StartError: with everything that is wrong, each a line with file, line and key.
    """
    files = read_config_files(locations)
    flags, variables = (
        config_layers.config_from_flags(options),
        config_layers.config_from_environment(environment),
    )
    user = files.user.config if files.user else FileConfig()
    brought, told = _brought(
        files, config_layers.merge_layers(user, config_layers.DEFAULT_CONFIG), locations
    )
    counts = config_layers.merge_layers(
        flags, variables, brought, user, config_layers.DEFAULT_CONFIG
    )
    heard = build_rule_sources(files, trusted=locations.trusted)
    warned = (text for source in heard if source.trusted for text in _warned(source))
    return EffectiveConfig(counts, heard, (*files.notices, *told, *warned))


def _brought(
    files: ConfigFiles, below: FileConfig, sources: ConfigLocations
) -> tuple[FileConfig, tuple[str, ...]]:
    if not files.project:
        return FileConfig(), ()
    if sources.trusted:
        return config_layers.filter_trusted_project(files.project)
    return config_layers.filter_untrusted_project(files.project.config, below), ()


def _warned(source: RuleSource) -> tuple[str, ...]:
    return tuple(
        f"{source.name}: {text}" for text in find_rule_warnings(source.rules, DECLARED_TOOLS)
    )
