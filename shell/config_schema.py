"""What a configuration file may say: every key, its type and its range."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from messages.permissions import Action

Placement = Literal["local", "process"]
Mode = Literal["default", "auto-edit", "plan", "yolo"]

MOST_AT_ONCE = 1_000
DEEPEST = 100
_NAME_CHARS = 200


def _plain(text: str) -> str:
    """Take a name of one line that can be shown as it is."""
    if not text.strip() or not text.isprintable() or len(text) > _NAME_CHARS:
        message = f"must be one line of 1 to {_NAME_CHARS} printable characters"
        raise ValueError(message)
    return text


Name = Annotated[str, AfterValidator(_plain)]
Positive = Annotated[int, Field(gt=0)]
AgentName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,47}$")]


class Section(BaseModel):
    """A table of the file: nothing unknown, nothing converted."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Budget(Section):
    """What the session may use before it ends; None: as much as it takes."""

    turns: Positive | None = None
    """Model requests of the primary agent."""
    tokens: Positive | None = None
    """Input and output, of the whole tree."""
    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    spawns: Annotated[int, Field(ge=0)] | None = None


class RuleEntry(Section):
    """One `[[rules]]` table; their order is kept, the last match wins."""

    permission: Name
    pattern: Annotated[str, Field(min_length=1)]
    action: Action
    agent: AgentName | None = None


class Review(Section):
    """What `greenroom review` uses."""

    model: Name | None = None


class Compact(Section):
    """When and by which model a long conversation is summed up."""

    model: Name | None = None
    threshold: Annotated[float, Field(gt=0, le=1)] | None = None
    """Share of the model's context."""
    remote: bool | None = None


class FileConfig(Section):
    """A whole file; None is what it does not say."""

    model: Name | None = None
    agent: AgentName | None = None
    permission_mode: Mode | None = None
    max_depth: Annotated[int, Field(ge=0, le=DEEPEST)] | None = None
    max_concurrent_agents: Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] | None = None
    background_placement: Placement | None = None
    budget: Budget = Budget()
    rules: Annotated[tuple[RuleEntry, ...], Field(strict=False)] = ()
    review: Review = Review()
    compact: Compact = Compact()
