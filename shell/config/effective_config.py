"""The effective configuration of a run, merged from all layers."""

from collections.abc import Mapping
from dataclasses import dataclass

from messages.policy import RuleSource
from shell.config import config_layers
from shell.config.config_files import (
    ConfigFiles,
    ConfigLocations,
    build_rule_sources,
    read_config_files,
)
from shell.config.schema import FileConfig
from shell.startup.options import LaunchOptions


@dataclass(frozen=True, slots=True)
class EffectiveConfig:
    """The settings and rules in effect, and notices about what is ignored."""

    settings: FileConfig
    rules: tuple[RuleSource, ...]
    """The user's, then the project's."""
    notices: tuple[str, ...]


def load_effective_config(
    options: LaunchOptions, environment: Mapping[str, str], locations: ConfigLocations
) -> EffectiveConfig:
    """Read the files and merge all layers.

    Raises:
        StartError: with every problem, each one line with file, line and key.
    """
    files = read_config_files(locations)
    flags = config_layers.config_from_flags(options)
    variables = config_layers.config_from_environment(environment)
    user = files.user.config if files.user else FileConfig()
    lower_layers = config_layers.merge_layers(user, config_layers.DEFAULT_CONFIG)
    project, notices = _filter_project(files, lower_layers)
    settings = config_layers.merge_layers(flags, variables, project, lower_layers)
    sources = build_rule_sources(files)
    return EffectiveConfig(settings, sources, (*files.notices, *notices))


def _filter_project(
    files: ConfigFiles, lower_layers: FileConfig
) -> tuple[FileConfig, tuple[str, ...]]:
    if not files.project:
        return FileConfig(), ()
    if files.trusted:
        return config_layers.filter_trusted_project(files.project)
    return config_layers.filter_untrusted_project(files.project.config, lower_layers), ()
