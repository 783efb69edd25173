"""What a configuration file may say: every key, its type and its range.

Plain values and checks, since `greenroom permissions check` reads rules in a tenth of a second.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from actors.permissions.rules import find_rule_problem
from actors.tools.tool_list import DECLARED_TOOLS
from messages.policy import Action, PermissionMode, Rule

CONFIG_FORMAT = 1
"""Of configuration files; one that does not say so is of the first."""
Placement = Literal["local", "process"]
Validator = Callable[[object], str]
"""Says what a value must be; empty: it is."""


@dataclass(frozen=True, slots=True)
class BudgetConfig:
    """What the session may use before it ends; None: as much as it takes."""

    turns: int | None = None
    """Model requests of the primary agent."""
    tokens: int | None = None
    """Input and output, of the whole tree."""
    seconds: float | None = None
    spawns: int | None = None


@dataclass(frozen=True, slots=True)
class ReviewConfig:
    """What `greenroom review` uses."""

    model: str | None = None


@dataclass(frozen=True, slots=True)
class CompactConfig:
    """When and by which model a long conversation is summed up."""

    model: str | None = None
    threshold: float | None = None
    """Share of the model's context."""
    remote: bool | None = None


@dataclass(frozen=True, slots=True)
class FileConfig:
    """A whole file, or a layer like one; None is what it does not say."""

    model: str | None = None
    agent: str | None = None
    permission_mode: PermissionMode | None = None
    max_depth: int | None = None
    max_concurrent_agents: int | None = None
    background_placement: Placement | None = None
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    rules: tuple[Rule, ...] = ()
    """Their order is kept: the last match wins."""
    review: ReviewConfig = field(default_factory=ReviewConfig)
    compact: CompactConfig = field(default_factory=CompactConfig)


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table with these keys and no others."""

    keys: dict[str, "ValueSchema"]
    required: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableListSchema:
    """A list of tables of one kind."""

    item: TableSchema


ValueSchema: TypeAlias = Validator | TableSchema | TableListSchema


def build_config(document: dict[str, Any]) -> FileConfig:
    """Take a document that `FILE` has nothing against."""
    said = {key: value for key, value in document.items() if key != "format"}
    sections: dict[str, Any] = {
        "budget": BudgetConfig(**document.get("budget", {})),
        "rules": tuple(Rule(**each) for each in document.get("rules", ())),
        "review": ReviewConfig(**document.get("review", {})),
        "compact": CompactConfig(**document.get("compact", {})),
    }
    return FileConfig(**{**said, **sections})


def _whole(least: int, most: int | None = None) -> Validator:
    def check(value: object) -> str:
        if not isinstance(value, int) or isinstance(value, bool):
            return "must be a whole number"
        if value < least or (most is not None and value > most):
            return f"must be {least} or more" if most is None else f"must be from {least} to {most}"
        return ""

    return check


def _above_zero(most: float = float("inf")) -> Validator:
    def check(value: object) -> str:
        if not isinstance(value, int | float) or isinstance(value, bool):
            return "must be a number"
        if not 0 < value <= most or value == float("inf"):
            return "must be above 0" + ("" if most == float("inf") else f", at most {most}")
        return ""

    return check


def _one_of(*words: str) -> Validator:
    told = f"must be {', '.join(words[:-1])} or {words[-1]}"
    return lambda value: "" if isinstance(value, str) and value in words else told


def check_name(value: object) -> str:
    """Say what keeps a value from naming a model or an agent; empty: nothing."""
    if not isinstance(value, str):
        return "must be a text in quotes"
    if not value.strip() or not value.isprintable() or len(value) > _NAME_CHARS:
        return f"must be one line of 1 to {_NAME_CHARS} printable characters"
    return ""


def _permission(value: object) -> str:
    if not isinstance(value, str):
        return "must be a text in quotes"
    return find_rule_problem(Rule(permission=value, pattern="*", action="ask"), DECLARED_TOOLS)


def _pattern(value: object) -> str:
    return "" if isinstance(value, str) and value else "must be a text in quotes, not empty"


def _agent(value: object) -> str:
    fits = (
        isinstance(value, str) and 0 < len(value) <= _AGENT_CHARS and set(value) <= _AGENT_LETTERS
    )
    named = fits and not str(value).startswith("-")
    return "" if named else f"must be a name of a-z, 0-9 and -, at most {_AGENT_CHARS} characters"


def _flag(value: object) -> str:
    return "" if isinstance(value, bool) else "must be true or false"


def _format(value: object) -> str:
    later = f"is {value}, and this version knows up to {CONFIG_FORMAT}; it takes a later Greenroom"
    return _whole(1)(value) or ("" if value == CONFIG_FORMAT else later)


_NAME_CHARS = 200
_AGENT_CHARS = 48
_AGENT_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")

_RULE = TableSchema(
    {
        "permission": _permission,
        "pattern": _pattern,
        "action": _one_of(*get_args(Action)),
        "agent": _agent,
    },
    required=("permission", "pattern", "action"),
)
FILE_SCHEMA = TableSchema(
    {
        "model": check_name,
        "agent": _agent,
        "permission_mode": _one_of(*get_args(PermissionMode)),
        "max_depth": _whole(0, 100),
        "max_concurrent_agents": _whole(1, 1_000),
        "background_placement": _one_of("local", "process"),
        "budget": TableSchema(
            {"turns": _whole(1), "tokens": _whole(1), "seconds": _above_zero(), "spawns": _whole(0)}
        ),
        "rules": TableListSchema(_RULE),
        "review": TableSchema({"model": check_name}),
        "compact": TableSchema({"model": check_name, "threshold": _above_zero(1), "remote": _flag}),
        "format": _format,
    }
)
