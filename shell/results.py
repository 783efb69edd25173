"""What a headless run comes to: one object, built from the events as they pass. Pure."""

from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict

from messages.base import Message
from messages.content import Usage
from messages.turns import (
    ReplyCompleted,
    SessionConfigured,
    ToolEnded,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
)


class Denial(BaseModel):
    """A call that was not allowed."""

    model_config = ConfigDict(frozen=True)

    agent: str
    tool: str
    target: str
    reason: str


class Result(BaseModel):
    """The result object of `json` and `stream-json`."""

    model_config = ConfigDict(frozen=True)

    type: Literal["result"] = "result"
    subtype: Literal["success", "error"]
    session_id: str
    agent: str
    result: str
    stop_reason: str | None
    num_turns: int
    """Replies of the model."""
    duration_s: float
    usage: Usage
    denials: tuple[Denial, ...]
    error: str | None


@dataclass(frozen=True, slots=True)
class Tally:
    """What has passed so far."""

    session_id: str = ""
    agent: str = ""
    replies: int = 0
    usage: Usage = field(default_factory=Usage)
    denials: tuple[Denial, ...] = ()
    last: TurnCompleted | TurnFailed | TurnInterrupted | None = None

    def add(self, event: Message, source: str) -> "Tally":
        """Count an event of the agent at `source`."""
        match event:
            case SessionConfigured():
                return replace(self, session_id=event.session_id, agent=event.agent)
            case ReplyCompleted():
                usage = self.usage + event.usage
                return replace(self, replies=self.replies + 1, usage=usage)
            case ToolEnded(status="denied"):
                denial = Denial(
                    agent=source, tool=event.tool, target=event.target, reason=event.text
                )
                return replace(self, denials=(*self.denials, denial))
            case TurnCompleted() | TurnFailed() | TurnInterrupted():
                return replace(self, last=event)
            case _:
                return self

    def result(self, duration_s: float, error: str | None = None) -> Result:
        """Close the tally; `error` says why there is no completed turn."""
        last = self.last
        if error is None and not isinstance(last, TurnCompleted):
            error = last.detail if isinstance(last, TurnFailed) else "interrupted"
        text = last.text if isinstance(last, TurnCompleted) else last.partial if last else ""
        return Result(
            subtype="success" if error is None else "error",
            session_id=self.session_id,
            agent=self.agent,
            result=text,
            stop_reason=last.stop_reason if isinstance(last, TurnCompleted) else None,
            num_turns=self.replies,
            duration_s=round(duration_s, 3),
            usage=self.usage,
            denials=self.denials,
            error=error,
        )
