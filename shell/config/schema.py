"""Every key of a configuration file, with its type and range.

Plain dataclasses and functions instead of pydantic, so that `greenroom permissions check` starts
in a tenth of a second.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from actors.permissions.rule_matching import find_rule_problem
from actors.tools.tool_list import TOOL_LIST
from messages.effort import EFFORT_LEVELS, Effort
from messages.placement import Placement
from messages.policy import Action, PermissionMode, Rule

CONFIG_FORMAT = 1
"""Version of the file format; the default of files that do not name one."""
MAX_MODEL_NAME_CHARS = 200
MAX_AGENT_NAME_CHARS = 48
_AGENT_NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
MAX_FACTOR = 1_000_000
"""Upper bound of weights and prices."""
MIN_SHARE = 0.1
"""Lower bound of `compact.threshold`: a shorter conversation gains nothing."""
Validator = Callable[[object], str]
"""Returns the problem with a value; empty if it is valid."""


@dataclass(frozen=True, slots=True)
class BudgetConfig:
    """Limits of a session; None: unlimited."""

    turns: int | None = None
    """Model requests of the primary agent per prompt."""
    tokens: int | None = None
    """Input and output tokens of the whole tree."""
    seconds: float | None = None
    spawns: int | None = None


@dataclass(frozen=True, slots=True)
class WeightsConfig:
    """How much one token of each kind counts against `budget.tokens`; None: 1."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


@dataclass(frozen=True, slots=True)
class PricesConfig:
    """Prices of one model for a million tokens of each kind, in any currency."""

    input: float
    output: float
    cache_read: float
    cache_write: float


@dataclass(frozen=True, slots=True)
class ModelsConfig:
    """Models for certain work; None: the same as for everything else."""

    small: str | None = None
    """For the built-in agent `explore`."""


SandboxMode = Literal["auto", "require", "off"]


@dataclass(frozen=True, slots=True)
class SandboxConfig:
    """How commands are confined; None: as built in."""

    mode: SandboxMode | None = None
    write: list[str] | None = None
    """Folders outside the workspace that commands may change."""
    hide: list[str] | None = None
    """Files and folders that commands cannot read."""


@dataclass(frozen=True, slots=True)
class ReviewConfig:
    """Settings of reviews."""

    model: str | None = None
    """None: the model of the session."""


@dataclass(frozen=True, slots=True)
class CompactConfig:
    """Compaction of long conversations; None: not set."""

    model: str | None = None
    """Writes the summaries."""
    threshold: float | None = None
    """Share of the usable context window at which it starts."""
    remote: bool | None = None
    """Whether the provider may summarize."""


@dataclass(frozen=True, slots=True)
class FileConfig:
    """One layer of configuration, such as a file; None: not set."""

    model: str | None = None
    effort: Effort | None = None
    background_placement: Placement | None = None
    agent: str | None = None
    permission_mode: PermissionMode | None = None
    max_depth: int | None = None
    max_concurrent_agents: int | None = None
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    models: ModelsConfig = field(default_factory=ModelsConfig)
    compact: CompactConfig = field(default_factory=CompactConfig)
    review: ReviewConfig = field(default_factory=ReviewConfig)
    weights: WeightsConfig = field(default_factory=WeightsConfig)
    prices: dict[str, PricesConfig] = field(default_factory=dict[str, PricesConfig])
    """By model."""
    sandbox: SandboxConfig = field(default_factory=SandboxConfig)
    rules: tuple[Rule, ...] = ()
    """In order: the last match wins."""


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table that has these keys and no others."""

    keys: dict[str, "ValueSchema"]
    required: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableListSchema:
    """A list of tables of one kind."""

    item: TableSchema


@dataclass(frozen=True, slots=True)
class TableMapSchema:
    """A table whose keys are names, each with a table of one kind."""

    check_name: Validator
    item: TableSchema


ValueSchema: TypeAlias = Validator | TableSchema | TableListSchema | TableMapSchema


def build_config(document: dict[str, Any]) -> FileConfig:
    """Build a layer from a document that is valid for `FILE_SCHEMA`."""
    values = {key: value for key, value in document.items() if key != "format"}
    sections: dict[str, Any] = {
        "budget": BudgetConfig(**document.get("budget", {})),
        "models": ModelsConfig(**document.get("models", {})),
        "compact": CompactConfig(**document.get("compact", {})),
        "review": ReviewConfig(**document.get("review", {})),
        "weights": WeightsConfig(**document.get("weights", {})),
        "prices": {
            model: PricesConfig(**prices) for model, prices in document.get("prices", {}).items()
        },
        "sandbox": SandboxConfig(**document.get("sandbox", {})),
        "rules": tuple(Rule(**rule) for rule in document.get("rules", ())),
    }
    return FileConfig(**{**values, **sections})


def check_model_name(value: object) -> str:
    """Return why a value cannot name a model; empty if it can."""
    if not isinstance(value, str):
        return "must be a string in quotes"
    if not value.strip() or not value.isprintable() or len(value) > MAX_MODEL_NAME_CHARS:
        return f"must be one line of 1 to {MAX_MODEL_NAME_CHARS} printable characters"
    return ""


def _whole_number(minimum: int, maximum: int | None = None) -> Validator:
    def check(value: object) -> str:
        if not isinstance(value, int) or isinstance(value, bool):
            return "must be a whole number"
        if maximum is None:
            return "" if value >= minimum else f"must be {minimum} or more"
        return "" if minimum <= value <= maximum else f"must be from {minimum} to {maximum}"

    return check


def _check_positive_number(value: object) -> str:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return "must be a number"
    return "" if 0 < value < float("inf") else "must be above 0"


def _check_share(value: object) -> str:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return "must be a number"
    return "" if MIN_SHARE <= value <= 1 else f"must be from {MIN_SHARE:g} to 1"


def _check_switch(value: object) -> str:
    return "" if isinstance(value, bool) else "must be true or false"


def _check_factor(value: object) -> str:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return "must be a number"
    return "" if 0 <= value <= MAX_FACTOR else f"must be from 0 to {MAX_FACTOR:,}"


def _check_paths(value: object) -> str:
    is_list = isinstance(value, list) and all(
        isinstance(path, str) and path.startswith(("/", "~/"))
        for path in value  # pyright: ignore[reportUnknownVariableType]
    )
    return "" if is_list else "must be a list of paths that start with / or ~/"


def _one_of(*words: str) -> Validator:
    problem = f"must be {', '.join(words[:-1])} or {words[-1]}"
    return lambda value: "" if isinstance(value, str) and value in words else problem


def _check_permission(value: object) -> str:
    if not isinstance(value, str):
        return "must be a string in quotes"
    return find_rule_problem(Rule(permission=value, pattern="*", action="ask"), TOOL_LIST)


def _check_pattern(value: object) -> str:
    if not isinstance(value, str):
        return "must be a string in quotes"
    return find_rule_problem(Rule(permission="*", pattern=value, action="ask"), TOOL_LIST)


def _check_agent_name(value: object) -> str:
    is_name = (
        isinstance(value, str)
        and 0 < len(value) <= MAX_AGENT_NAME_CHARS
        and set(value) <= _AGENT_NAME_CHARS
        and not value.startswith("-")
    )
    problem = f"must be a name of a-z, 0-9 and -, at most {MAX_AGENT_NAME_CHARS} characters"
    return "" if is_name else problem


def _check_format(value: object) -> str:
    unsupported = f"is {value}, but this version supports only {CONFIG_FORMAT}; upgrade Greenroom"
    return _whole_number(1)(value) or ("" if value == CONFIG_FORMAT else unsupported)


_TOKEN_KINDS = {
    "input": _check_factor,
    "output": _check_factor,
    "cache_read": _check_factor,
    "cache_write": _check_factor,
}
_RULE_SCHEMA = TableSchema(
    {
        "permission": _check_permission,
        "pattern": _check_pattern,
        "action": _one_of(*get_args(Action)),
        "agent": _check_agent_name,
    },
    required=("permission", "pattern", "action"),
)
FILE_SCHEMA = TableSchema(
    {
        "model": check_model_name,
        "effort": _one_of(*EFFORT_LEVELS),
        "background_placement": _one_of(*get_args(Placement)),
        "agent": _check_agent_name,
        "permission_mode": _one_of(*get_args(PermissionMode)),
        "max_depth": _whole_number(0, 100),
        "max_concurrent_agents": _whole_number(1, 1_000),
        "budget": TableSchema(
            {
                "turns": _whole_number(1),
                "tokens": _whole_number(1),
                "seconds": _check_positive_number,
                "spawns": _whole_number(0),
            }
        ),
        "models": TableSchema({"small": check_model_name}),
        "compact": TableSchema(
            {"model": check_model_name, "threshold": _check_share, "remote": _check_switch}
        ),
        "review": TableSchema({"model": check_model_name}),
        "weights": TableSchema({**_TOKEN_KINDS}),
        "prices": TableMapSchema(
            check_model_name, TableSchema({**_TOKEN_KINDS}, required=tuple(_TOKEN_KINDS))
        ),
        "sandbox": TableSchema(
            {
                "mode": _one_of(*get_args(SandboxMode)),
                "write": _check_paths,
                "hide": _check_paths,
            }
        ),
        "rules": TableListSchema(_RULE_SCHEMA),
        "format": _check_format,
    }
)
