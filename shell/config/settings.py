"""Which configuration counts: flags, environment, project, user, built-in. Pure."""

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any, TypeVar

from actors.models.names import DEFAULT_MODEL
from shell.arguments import Options, StartError, readable
from shell.config.file import Read
from shell.config.problems import problems
from shell.config.schema import FILE, Budget, FileConfig, config_of

BUILT_IN = FileConfig(
    model=DEFAULT_MODEL,
    agent="build",
    permission_mode="default",
    max_depth=3,
    max_concurrent_agents=10,
    background_placement="local",
)
ABOVE_DEFAULT = ("auto-edit", "yolo")
Number = TypeVar("Number", int, float)


def layered(*layers: FileConfig) -> FileConfig:
    """Lay configurations over each other, the strongest first; rules are no part of it."""
    merged: dict[str, Any] = {}
    for layer in reversed(layers):
        _lay(asdict(replace(layer, rules=())), merged)
    return config_of(merged)


def of_flags(options: Options) -> FileConfig:
    """Say as configuration what the command line asks for.

    Raises:
        StartError: a value that no file could hold either.
    """
    flags = FileConfig(
        model=options.model,
        agent=options.agent,
        permission_mode=options.permission_mode,
        max_depth=options.max_depth,
        budget=Budget(turns=options.max_turns, seconds=options.time_limit_s),
    )
    _check_model(options.model, "--model")
    return flags


def of_environment(environment: Mapping[str, str]) -> FileConfig:
    """Say as configuration what the environment asks for; empty is nothing.

    Raises:
        StartError: a value that no file could hold either.
    """
    model = readable(environment.get("GREENROOM_MODEL", "")) or None
    _check_model(model, "GREENROOM_MODEL")
    return FileConfig(model=model)


def of_trusted(project: Read) -> tuple[FileConfig, tuple[str, ...]]:
    """Take from a trusted project what a project may say, and tell what does not count."""
    config = project.config
    if config.permission_mode not in ABOVE_DEFAULT:
        return config, ()
    place = project.place("permission_mode")
    told = f"{place}: {config.permission_mode} is never taken from a project"
    return replace(config, permission_mode=None), (told,)


def of_untrusted(project: FileConfig, below: FileConfig) -> FileConfig:
    """Take from a project that is not trusted only the limits that are tighter than those below."""
    wanted, there = project.budget, below.budget
    return FileConfig(
        max_depth=_lower(project.max_depth, below.max_depth),
        max_concurrent_agents=_lower(project.max_concurrent_agents, below.max_concurrent_agents),
        budget=Budget(
            **{
                each.name: _lower(getattr(wanted, each.name), getattr(there, each.name))
                for each in fields(Budget)
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
    for _, why in problems({"model": name}, FILE) if name is not None else ():
        message = f"{said_by}: {why}"
        raise StartError(message)
