"""What a headless run comes to: one object, built from the events as they pass. Pure."""

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from messages.address import PRIMARY, is_subagent
from messages.base import Message
from messages.content import Usage, text_of
from messages.models import LimitReason
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

UNSAVED = "this run is not in the session, which could not be written: {detail}"


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
    def limited(self) -> bool:
        """A limit of the user's ended it."""
        return self.stop_reason in get_args(LimitReason)

    @property
    def status(self) -> int:
        """The exit status that says so."""
        return 3 if self.limited else 0 if self.error is None else 1


@dataclass(frozen=True, slots=True)
class ResultBuilder:
    """What has passed so far."""

    session_id: str = ""
    agent: str = ""
    replies: int = 0
    said: str = ""
    """Text of the last reply that had some."""
    settled: Usage = field(default_factory=Usage)
    """Of the turns that have ended."""
    running: Usage = field(default_factory=Usage)
    below: Usage = field(default_factory=Usage)
    """Of all subagents."""
    denials: tuple[Denial, ...] = ()
    last: TurnCompleted | TurnFailed | TurnInterrupted | None = None
    disk: PersistenceChanged = PersistenceChanged(state="well")  # noqa: RUF009  (frozen, so it may be shared)
    """How the disk was last."""

    def add(self, event: Message, source: str) -> "ResultBuilder":
        """Count an event of the agent at `source`."""
        if isinstance(event, PersistenceChanged):
            return replace(self, disk=event)
        return self._below(event, source) if is_subagent(source) else self._own(event)

    def _own(self, event: Message) -> "ResultBuilder":  # noqa: PLR0911  (a case an event)
        match event:
            case SessionConfigured():
                return replace(self, session_id=event.session_id, agent=event.agent)
            case AgentSwitched():
                return replace(self, agent=event.agent)
            case ReplyCompleted():
                said, running = text_of(event.content) or self.said, self.running + event.usage
                return replace(self, replies=self.replies + 1, said=said, running=running)
            case ModelRetrying():
                return replace(self, running=self.running + event.usage)
            case ToolEnded(status="denied"):
                return self._denied(event, PRIMARY)
            case TurnCompleted() | TurnFailed() | TurnInterrupted():
                settled = self.settled + event.usage  # with the requests that failed for good
                return replace(self, last=event, settled=settled, running=Usage())
            case _:
                return self

    def _below(self, event: Message, source: str) -> "ResultBuilder":
        """Count what a subagent uses and is denied; its turns are not the run's."""
        match event:
            case ReplyCompleted() | ModelRetrying():
                return replace(self, below=self.below + event.usage)
            case ToolEnded(status="denied"):
                return self._denied(event, source)
            case _:
                return self

    def _denied(self, event: ToolEnded, source: str) -> "ResultBuilder":
        denial = Denial(agent=source, tool=event.tool, target=event.target, reason=event.text)
        return replace(self, denials=(*self.denials, denial))

    def result(self, duration_s: float, error: str | None = None) -> Result:
        """Close the tally; `error` says why there is no completed turn."""
        last = self.last
        if error is None and not isinstance(last, TurnCompleted):
            error = last.detail if isinstance(last, TurnFailed) else "interrupted"
        if error is None and self.disk.state == "failing":
            error = UNSAVED.format(detail=self.disk.detail)
        return Result(
            subtype="success" if error is None else "error",
            session_id=self.session_id,
            agent=self.agent,
            result=self._text(),
            stop_reason=self._stop_reason(),
            num_turns=self.replies,
            duration_s=round(duration_s, 3),
            usage=self.settled + self.running + self.below,
            denials=self.denials,
            error=error,
        )

    def _text(self) -> str:
        """The answer, or what there is of one."""
        if isinstance(self.last, TurnCompleted):
            return self.last.text
        return (self.last.partial if self.last else "") or self.said

    def _stop_reason(self) -> str | None:
        match self.last:
            case TurnCompleted():
                return self.last.stop_reason
            case TurnFailed() if self.last.reason in get_args(LimitReason):
                return self.last.reason
            case _:
                return None


_BLANK = ResultBuilder()


def counts(event: Message, source: str) -> bool:
    """Whether a tally takes anything from an event of the agent at `source`."""
    return _BLANK.add(event, source) is not _BLANK
