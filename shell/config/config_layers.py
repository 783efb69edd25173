"""Which configuration counts: flags, environment, project, user, built-in. Pure."""

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any, TypeVar

from actors.models.model_names import DEFAULT_MODEL
from shell.cli.arguments import LaunchOptions, StartError, replace_invalid_utf8
from shell.config.config_file import ConfigFile
from shell.config.schema import FILE_SCHEMA, BudgetConfig, FileConfig, build_config
from shell.config.validation import find_problems

DEFAULT_CONFIG = FileConfig(
    model=DEFAULT_MODEL,
    agent="build",
    permission_mode="default",
    max_depth=3,
    max_concurrent_agents=10,
    background_placement="local",
)
LOOSER_MODES = ("auto-edit", "yolo")
Number = TypeVar("Number", int, float)


def merge_layers(*layers: FileConfig) -> FileConfig:
    """Lay configurations over each other, the strongest first; rules are no part of it."""
    merged: dict[str, Any] = {}
    for layer in reversed(layers):
        _lay(asdict(replace(layer, rules=())), merged)
    return build_config(merged)


def config_from_flags(options: LaunchOptions) -> FileConfig:
    """Say as configuration what the command line asks for.

    Raises:
        StartError: a value that no file could hold either.
    """
    flags = FileConfig(
        model=options.model,
        agent=options.agent,
        permission_mode=options.permission_mode,
        max_depth=options.max_depth,
        budget=BudgetConfig(turns=options.max_turns, seconds=options.time_limit_s),
    )
    _check_model(options.model, "--model")
    return flags


def config_from_environment(environment: Mapping[str, str]) -> FileConfig:
    """Say as configuration what the environment asks for; empty is nothing.

    Raises:
        StartError: a value that no file could hold either.
    """
    model = replace_invalid_utf8(environment.get("GREENROOM_MODEL", "")) or None
    _check_model(model, "GREENROOM_MODEL")
    return FileConfig(model=model)


def filter_trusted_project(project: ConfigFile) -> tuple[FileConfig, tuple[str, ...]]:
    """Take from a trusted project what a project may say, and tell what does not count."""
    config = project.config
    if config.permission_mode not in LOOSER_MODES:
        return config, ()
    place = project.format_location("permission_mode")
    told = f"{place}: {config.permission_mode} is never taken from a project"
    return replace(config, permission_mode=None), (told,)


def filter_untrusted_project(project: FileConfig, lower_layers: FileConfig) -> FileConfig:
    """Take from a project that is not trusted only the limits that are tighter than those below."""
    wanted, there = project.budget, lower_layers.budget
    return FileConfig(
        max_depth=_lower(project.max_depth, lower_layers.max_depth),
        max_concurrent_agents=_lower(
            project.max_concurrent_agents, lower_layers.max_concurrent_agents
        ),
        budget=BudgetConfig(
            **{
                each.name: _lower(getattr(wanted, each.name), getattr(there, each.name))
                for each in fields(BudgetConfig)
            }
        ),
    )


def _lay(upper: Mapping[str, Any], lower: dict[str, Any]) -> None:
    for name, value in upper.items():
        if isinstance(value, dict):
            _lay(value, lower.setdefault(name, {}))  # pyright: ignore[reportUnknownArgumentType]
        elif value is not None:
            lower[name] = value


def _lower(wanted: Number | None, below: Number | None) -> Number | None:
    return wanted if wanted is not None and (below is None or wanted < below) else None


def _check_model(name: str | None, said_by: str) -> None:
    for _, why in find_problems({"model": name}, FILE_SCHEMA) if name is not None else ():
        message = f"{said_by}: {why}"
        raise StartError(message)
