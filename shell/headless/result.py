"""What a headless run comes to: one object, built from the events as they pass. Pure."""

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from messages.address import PRIMARY, is_subagent
from messages.base import Message
from messages.content import Usage, join_text
from messages.model_events import LimitReason
from messages.turns import (
    AgentSwitched,
    ModelRetrying,
    PersistenceChanged,
    ReplyCompleted,
    SessionConfigured,
    ToolEnded,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
)

UNSAVED_ERROR = "this run is not in the session, which could not be written: {detail}"


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

    @property
    def is_limited(self) -> bool:
        """A limit of the user's ended it."""
        return self.stop_reason in get_args(LimitReason)

    @property
    def status(self) -> int:
        """The exit status that says so."""
        return 3 if self.is_limited else 0 if self.error is None else 1


@dataclass(frozen=True, slots=True)
class ResultBuilder:
    """What has passed so far."""

    session_id: str = ""
    agent: str = ""
    reply_count: int = 0
    last_text: str = ""
    """Text of the last reply that had some."""
    ended_turns_usage: Usage = field(default_factory=Usage)
    """Of the turns that have ended."""
    current_turn_usage: Usage = field(default_factory=Usage)
    subagent_usage: Usage = field(default_factory=Usage)
    """Of all subagents."""
    denials: tuple[Denial, ...] = ()
    turn_end: TurnCompleted | TurnFailed | TurnInterrupted | None = None
    persistence: PersistenceChanged = PersistenceChanged(state="well")  # noqa: RUF009  (frozen, so it may be shared)
    """How the disk was last."""

    def with_event(self, event: Message, source: str) -> "ResultBuilder":
        """Count an event of the agent at `source`."""
        if isinstance(event, PersistenceChanged):
            return replace(self, persistence=event)
        return self._below(event, source) if is_subagent(source) else self._own(event)

    def _own(self, event: Message) -> "ResultBuilder":  # noqa: PLR0911  (a case an event)
        match event:
            case SessionConfigured():
                return replace(self, session_id=event.session_id, agent=event.agent)
            case AgentSwitched():
                return replace(self, agent=event.agent)
            case ReplyCompleted():
                said, running = (
                    join_text(event.content) or self.last_text,
                    self.current_turn_usage + event.usage,
                )
                return replace(
                    self,
                    reply_count=self.reply_count + 1,
                    last_text=said,
                    current_turn_usage=running,
                )
            case ModelRetrying():
                return replace(self, current_turn_usage=self.current_turn_usage + event.usage)
            case ToolEnded(status="denied"):
                return self._denied(event, PRIMARY)
            case TurnCompleted() | TurnFailed() | TurnInterrupted():
                settled = (
                    self.ended_turns_usage + event.usage
                )  # with the requests that failed for good
                return replace(
                    self, turn_end=event, ended_turns_usage=settled, current_turn_usage=Usage()
                )
            case _:
                return self

    def _below(self, event: Message, source: str) -> "ResultBuilder":
        """Count what a subagent uses and is denied; its turns are not the run's."""
        match event:
            case ReplyCompleted() | ModelRetrying():
                return replace(self, subagent_usage=self.subagent_usage + event.usage)
            case ToolEnded(status="denied"):
                return self._denied(event, source)
            case _:
                return self

    def _denied(self, event: ToolEnded, source: str) -> "ResultBuilder":
        denial = Denial(agent=source, tool=event.tool, target=event.target, reason=event.text)
        return replace(self, denials=(*self.denials, denial))

    def build(self, duration_s: float, error: str | None = None) -> Result:
        """Close the tally; `error` says why there is no completed turn."""
        last = self.turn_end
        if error is None and not isinstance(last, TurnCompleted):
            error = last.detail if isinstance(last, TurnFailed) else "interrupted"
        if error is None and self.persistence.state == "failing":
            error = UNSAVED_ERROR.format(detail=self.persistence.detail)
        return Result(
            subtype="success" if error is None else "error",
            session_id=self.session_id,
            agent=self.agent,
            result=self._text(),
            stop_reason=self._stop_reason(),
            num_turns=self.reply_count,
            duration_s=round(duration_s, 3),
            usage=self.ended_turns_usage + self.current_turn_usage + self.subagent_usage,
            denials=self.denials,
            error=error,
        )

    def _text(self) -> str:
        """The answer, or what there is of one."""
        if isinstance(self.turn_end, TurnCompleted):
            return self.turn_end.text
        return (self.turn_end.partial_text if self.turn_end else "") or self.last_text

    def _stop_reason(self) -> str | None:
        match self.turn_end:
            case TurnCompleted():
                return self.turn_end.stop_reason
            case TurnFailed() if self.turn_end.reason in get_args(LimitReason):
                return self.turn_end.reason
            case _:
                return None


_BLANK = ResultBuilder()


def affects_result(event: Message, source: str) -> bool:
    """Whether a tally takes anything from an event of the agent at `source`."""
    return _BLANK.with_event(event, source) is not _BLANK
