"""Merges the layers of configuration: flags, environment, project, user, built-in. Pure."""

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any, TypeVar, get_args

from actors.models.model_names import DEFAULT_MODEL
from shell.config.config_file import ConfigFile
from shell.config.schema import (
    FILE_SCHEMA,
    BudgetConfig,
    FileConfig,
    SandboxConfig,
    SandboxMode,
    WeightsConfig,
    build_config,
)
from shell.config.validation import find_problems
from shell.startup.errors import StartError
from shell.startup.options import LaunchOptions
from shell.text.sanitize import replace_invalid_utf8

DEFAULT_CONFIG = FileConfig(
    model=DEFAULT_MODEL,
    agent="build",
    permission_mode="default",
    max_depth=3,
    max_concurrent_agents=10,
)
LOOSER_MODES = ("auto-edit", "yolo")
_SANDBOX_MODES: dict[str, SandboxMode] = {mode: mode for mode in get_args(SandboxMode)}
NOT_A_PROJECTS_KEY = "a project cannot set it"
Number = TypeVar("Number", int, float)


def merge_layers(*layers: FileConfig) -> FileConfig:
    """Merge layers, highest precedence first; rules are not merged."""
    merged: dict[str, Any] = {}
    for layer in reversed(layers):
        _merge_into(merged, asdict(replace(layer, rules=())))
    return build_config(merged)


def config_from_flags(options: LaunchOptions) -> FileConfig:
    """Return the layer of the command line.

    Raises:
        StartError: a value would be invalid in a file too.
    """
    _check_model(options.model, "--model")
    return FileConfig(
        model=options.model,
        agent=options.agent,
        permission_mode=options.permission_mode,
        max_depth=options.max_depth,
        budget=BudgetConfig(turns=options.max_turns, seconds=options.time_limit_s),
    )


def config_from_environment(environment: Mapping[str, str]) -> FileConfig:
    """Return the layer of the environment; empty variables are ignored.

    Raises:
        StartError: a value would be invalid in a file too.
    """
    model = replace_invalid_utf8(environment.get("GREENROOM_MODEL", "")) or None
    _check_model(model, "GREENROOM_MODEL")
    text = environment.get("GREENROOM_SANDBOX", "")
    mode = _SANDBOX_MODES.get(text)
    if text and mode is None:
        message = f"GREENROOM_SANDBOX must be one of {', '.join(_SANDBOX_MODES)}"
        raise StartError(message)
    return FileConfig(model=model, sandbox=SandboxConfig(mode=mode))


def filter_trusted_project(project: ConfigFile) -> tuple[FileConfig, tuple[str, ...]]:
    """Return what a trusted project may set, and notices about what is ignored."""
    config, notices = project.config, list[str]()
    if config.permission_mode in LOOSER_MODES:
        location = project.format_location("permission_mode")
        notices.append(f"{location}: {config.permission_mode} is ignored; {NOT_A_PROJECTS_KEY}")
        config = replace(config, permission_mode=None)
    own_keys: list[tuple[str, ...]] = [("prices", model) for model in config.prices]
    if config.weights != WeightsConfig():
        own_keys.append(("weights",))
    if (config.sandbox.mode or "require") != "require":
        own_keys.append(("sandbox", "mode"))
    own_keys += [("sandbox", key) for key in ("write", "hide") if getattr(config.sandbox, key)]
    for key in own_keys:
        notices.append(f"{project.format_location(*key)} is ignored; {NOT_A_PROJECTS_KEY}")
    required = SandboxConfig(mode="require" if config.sandbox.mode == "require" else None)
    config = replace(config, weights=WeightsConfig(), prices={}, sandbox=required)
    return config, tuple(notices)


def filter_untrusted_project(project: FileConfig, lower_layers: FileConfig) -> FileConfig:
    """Return what an untrusted project may set: limits tighter than those of the lower layers."""
    budget, lower_budget = project.budget, lower_layers.budget
    return FileConfig(
        max_depth=_keep_if_lower(project.max_depth, lower_layers.max_depth),
        max_concurrent_agents=_keep_if_lower(
            project.max_concurrent_agents, lower_layers.max_concurrent_agents
        ),
        budget=BudgetConfig(
            **{
                limit.name: _keep_if_lower(
                    getattr(budget, limit.name), getattr(lower_budget, limit.name)
                )
                for limit in fields(BudgetConfig)
            }
        ),
    )


def _merge_into(lower: dict[str, Any], upper: Mapping[str, Any]) -> None:
    for name, value in upper.items():
        if isinstance(value, dict):
            _merge_into(lower.setdefault(name, {}), value)  # pyright: ignore[reportUnknownArgumentType]
        elif value is not None:
            lower[name] = value


def _keep_if_lower(value: Number | None, lower_layer: Number | None) -> Number | None:
    return value if value is not None and (lower_layer is None or value < lower_layer) else None


def _check_model(name: str | None, source: str) -> None:
    for _, problem in find_problems({"model": name}, FILE_SCHEMA) if name is not None else ():
        message = f"{source}: {problem}"
        raise StartError(message)
