"""Which configuration counts: flags, environment, project, user, built-in. Pure."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from shell.arguments import Options, StartError, readable
from shell.config_file import Read
from shell.config_schema import Budget, FileConfig

DEFAULT_MODEL = "claude-sonnet-5-5"
BUILT_IN = FileConfig(
    model=DEFAULT_MODEL,
    agent="build",
    permission_mode="default",
    max_depth=3,
    max_concurrent_agents=10,
    background_placement="local",
)
ABOVE_DEFAULT = ("auto-edit", "yolo")
LIMITS = ("max_depth", "max_concurrent_agents")
BUDGETS = tuple(Budget.model_fields)
Number = TypeVar("Number", int, float)


def layered(*layers: FileConfig) -> FileConfig:
    """Lay configurations over each other, the strongest first; rules are no part of it."""
    merged: dict[str, Any] = {}
    for layer in reversed(layers):
        _lay(layer.model_dump(exclude_none=True, exclude={"rules"}), merged)
    return FileConfig.model_validate(merged)


def of_flags(options: Options) -> FileConfig:
    """Say as configuration what the command line asks for.

    Raises:
        StartError: a value that no file could hold either.
    """
    budget = {"turns": options.max_turns, "seconds": options.time_limit_s}
    given = {
        "model": options.model,
        "permission_mode": options.permission_mode,
        "budget": budget,
    }
    return _given(given, {"model": "--model"})


def of_environment(environment: Mapping[str, str]) -> FileConfig:
    """Say as configuration what the environment asks for; empty is nothing.

    Raises:
        StartError: a value that no file could hold either.
    """
    model = readable(environment.get("GREENROOM_MODEL", "")) or None
    return _given({"model": model}, {"model": "GREENROOM_MODEL"})


def of_trusted(project: Read) -> tuple[FileConfig, tuple[str, ...]]:
    """Take from a trusted project what a project may say, and tell what does not count."""
    config = project.config
    if config.permission_mode not in ABOVE_DEFAULT:
        return config, ()
    place = project.place("permission_mode")
    told = f"{place}: {config.permission_mode} is never taken from a project"
    return config.model_copy(update={"permission_mode": None}), (told,)


def of_untrusted(project: FileConfig, below: FileConfig) -> FileConfig:
    """Take from a project that is not trusted only the limits that are tighter than those below."""
    limits = {name: _lower(getattr(project, name), getattr(below, name)) for name in LIMITS}
    budget = {
        name: _lower(getattr(project.budget, name), getattr(below.budget, name)) for name in BUDGETS
    }
    return FileConfig.model_validate({**limits, "budget": budget})


def _lay(upper: Mapping[str, Any], lower: dict[str, Any]) -> None:
    for name, value in upper.items():
        if isinstance(value, dict):
            _lay(value, lower.setdefault(name, {}))  # pyright: ignore[reportUnknownArgumentType]
        else:
            lower[name] = value


def _lower(wanted: Number | None, below: Number | None) -> Number | None:
    return wanted if wanted is not None and (below is None or wanted < below) else None


def _given(values: Mapping[str, object], names: Mapping[str, str]) -> FileConfig:
    try:
        return FileConfig.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        why = first.get("ctx", {}).get("error") or first["msg"]
        message = f"{names.get(str(first['loc'][0]), first['loc'][0])}: {why}"
        raise StartError(message) from None
