"""The result object of a headless run, built from its events. Pure."""

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from actors.sandbox.policy import Enforcement
from messages.address import PRIMARY, is_subagent
from messages.base import Message
from messages.content import Usage, join_text
from messages.failure_reasons import LimitReason
from messages.reviews import ReviewEnded, ReviewOutput
from messages.subagents import SubagentEnded, SubagentStarted, SubagentStatus
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
from shell.headless.event_queue import RunEnded
from shell.headless.review_result import (
    REVIEW_STATUSES,
    check_findings,
    get_review_error,
)
from shell.view.review_text import format_review_markdown

UNSAVED_ERROR = "this run could not be saved in the session: {detail}"


class Denial(BaseModel):
    """A denied call."""

    model_config = ConfigDict(frozen=True)

    agent: str
    tool: str
    target: str
    reason: str


class BackgroundTask(BaseModel):
    """A task that the primary agent ran in the background."""

    model_config = ConfigDict(frozen=True)

    agent: str
    description: str
    status: SubagentStatus | Literal["running"]


class Result(BaseModel):
    """The result object of `--output-format json` and `stream-json`."""

    model_config = ConfigDict(frozen=True)

    type: Literal["result"] = "result"
    subtype: Literal["success", "error", "denied"]
    """denied: a call was denied because no user could be asked."""
    session_id: str
    agent: str
    result: str
    stop_reason: str | None
    num_turns: int
    """Replies of the model, subagents excluded."""
    duration_s: float
    usage: Usage
    denials: tuple[Denial, ...]
    background: tuple[BackgroundTask, ...]
    """Left out of the output if there were none."""
    error: str | None
    sandbox: Enforcement | None = None
    """What confined the run's commands. Left out of the output if nothing did."""
    review: ReviewOutput | None = None
    """Only of `greenroom review`."""
    status: int = Field(exclude=True)
    """The exit status of the program."""


@dataclass(frozen=True, slots=True)
class ResultBuilder:
    """Accumulates the events of a run."""

    session_id: str = ""
    agent: str = ""
    reply_count: int = 0
    last_text: str = ""
    """Text of the last reply that has text."""
    ended_turns_usage: Usage = field(default_factory=Usage)
    current_turn_usage: Usage = field(default_factory=Usage)
    subagent_usage: Usage = field(default_factory=Usage)
    denials: tuple[Denial, ...] = ()
    background: tuple[BackgroundTask, ...] = ()
    """Background tasks of the primary agent, in the order of their starts."""
    unasked_count: int = 0
    """Calls that were denied because no user could be asked."""
    sandbox: Enforcement | None = None
    """As in `Result`."""
    review_end: ReviewEnded | None = None
    """How the run's review ended."""
    turn_end: TurnCompleted | TurnFailed | TurnInterrupted | None = None
    persistence: PersistenceChanged = PersistenceChanged(state="ok")  # noqa: RUF009  (frozen, so it may be shared)

    def with_event(self, event: Message, source: str) -> "ResultBuilder":
        """Return a copy that includes an event of the agent at `source`."""
        if isinstance(event, PersistenceChanged):
            return replace(self, persistence=event)
        if is_subagent(source):
            return self._with_subagent_event(event, source)
        return self._with_primary_event(event)

    def _with_primary_event(self, event: Message) -> "ResultBuilder":  # noqa: PLR0911  (one case per event)
        match event:
            case SessionConfigured():
                return replace(self, session_id=event.session_id, agent=event.agent)
            case AgentSwitched():
                return replace(self, agent=event.agent)
            case ReplyCompleted():
                return replace(
                    self,
                    reply_count=self.reply_count + 1,
                    last_text=join_text(event.content) or self.last_text,
                    current_turn_usage=self.current_turn_usage + event.usage,
                )
            case ModelRetrying():
                return replace(self, current_turn_usage=self.current_turn_usage + event.usage)
            case ToolEnded(status="denied"):
                return self._with_denial(event, PRIMARY)
            case SubagentStarted(is_background=True):
                task = BackgroundTask(
                    agent=event.child, description=event.description, status="running"
                )
                return replace(self, background=(*self.background, task))
            case SubagentEnded():
                return self._with_task_end(event)
            case TurnCompleted() | TurnFailed() | TurnInterrupted():
                # The event's usage includes requests that failed, unlike the sum of the replies.
                total = self.ended_turns_usage + event.usage
                return replace(
                    self, turn_end=event, ended_turns_usage=total, current_turn_usage=Usage()
                )
            case _:
                return self

    def _with_subagent_event(self, event: Message, source: str) -> "ResultBuilder":
        """Include a subagent's usage and denials; its turns are not the run's."""
        match event:
            case ReplyCompleted() | ModelRetrying():
                return replace(self, subagent_usage=self.subagent_usage + event.usage)
            case TurnFailed() | TurnInterrupted():
                return replace(self, subagent_usage=self.subagent_usage + event.request.usage)
            case ToolEnded(status="denied"):
                return self._with_denial(event, source)
            case _:
                return self

    def _with_task_end(self, ended: SubagentEnded) -> "ResultBuilder":
        background = tuple(
            task.model_copy(update={"status": ended.status})
            if (task.agent, task.status) == (ended.child, "running")
            else task
            for task in self.background
        )
        return replace(self, background=background)

    def _with_denial(self, event: ToolEnded, source: str) -> "ResultBuilder":
        denial = Denial(agent=source, tool=event.tool, target=event.target, reason=event.text)
        unasked_count = self.unasked_count + event.no_user
        return replace(self, denials=(*self.denials, denial), unasked_count=unasked_count)

    def with_review(self, ended: ReviewEnded) -> "ResultBuilder":
        """Return a copy that includes the end of the run's review."""
        return replace(self, review_end=ended)

    def with_sandbox(self, enforcement: Enforcement | None) -> "ResultBuilder":
        """Return a copy that says what confined the run's commands."""
        return replace(self, sandbox=enforcement)

    def build(
        self,
        duration_s: float,
        run_end: RunEnded | None = None,
        *,
        allow_denials: bool = False,
        fail_on: int | None = None,
    ) -> Result:
        """Return the result; `run_end`: the run ended before its turn or its review.

        `fail_on` is the lowest priority of findings that change the exit status.
        """
        error = run_end.error if run_end else self._get_error()
        status = run_end.exit_status if run_end else self._get_status()
        if self.review_end is not None and run_end is None and error is None:
            error, status = check_findings(self.review_end, fail_on)
        is_denied = error is None and self.unasked_count > 0 and not allow_denials
        return Result(
            subtype="denied" if is_denied else "success" if error is None else "error",
            status=5 if is_denied else status,
            sandbox=self.sandbox,
            review=self.review_end.output if self.review_end else None,
            session_id=self.session_id,
            agent=self.agent,
            result=self._get_text(),
            stop_reason=self._get_stop_reason(),
            num_turns=self.reply_count,
            duration_s=round(duration_s, 3),
            usage=self.ended_turns_usage + self.current_turn_usage + self.subagent_usage,
            denials=self.denials,
            background=self.background,
            error=error,
        )

    def _get_error(self) -> str | None:
        if self.review_end is not None and self.review_end.output is None:
            return get_review_error(self.review_end)
        if self.review_end is not None:
            return self._get_write_error()
        if not isinstance(self.turn_end, TurnCompleted):
            return self.turn_end.detail if isinstance(self.turn_end, TurnFailed) else "interrupted"
        return self._get_write_error()

    def _get_write_error(self) -> str | None:
        if self.persistence.state == "failing":
            return UNSAVED_ERROR.format(detail=self.persistence.detail)
        return None

    def _get_status(self) -> int:
        """Return 1 for a failure, also of the disk, then 3 for a limit, then 0."""
        if self._get_error() is None:
            return 0
        if self.review_end is not None and self.persistence.state != "failing":
            return REVIEW_STATUSES[self.review_end.status]
        is_limited = self._get_stop_reason() in get_args(LimitReason)
        return 3 if is_limited and self.persistence.state != "failing" else 1

    def _get_text(self) -> str:
        """Return the answer, or the part of it that arrived."""
        if self.review_end is not None:
            return format_review_markdown(self.review_end)
        if isinstance(self.turn_end, TurnCompleted):
            return self.turn_end.text
        return (self.turn_end.partial_text if self.turn_end else "") or self.last_text

    def _get_stop_reason(self) -> str | None:
        match self.turn_end:
            case TurnCompleted():
                return self.turn_end.stop_reason
            case TurnFailed() if self.turn_end.reason in get_args(LimitReason):
                return self.turn_end.reason
            case _:
                return None


_EMPTY = ResultBuilder()


def affects_result(event: Message, source: str) -> bool:
    """Return whether an event of the agent at `source` changes a `ResultBuilder`."""
    return _EMPTY.with_event(event, source) is not _EMPTY
