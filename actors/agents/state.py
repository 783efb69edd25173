"""The state of a turn, and one step of it being worked out.

Idle → opening (the prompt goes to disk) → thinking → acting → settling (results go to disk) →
thinking … → closing (the end goes to disk) → idle.
"""

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from actors.agents.effects import Effect, Report, Write
from messages.approvals import ApprovalRequest
from messages.content import ToolUseBlock, Usage
from messages.tools import Plan
from messages.transcript import Record
from messages.turns import AgentEvent, Prompt, ReplyCompleted, ToolStatus, TurnEnded, TurnFailed

MOST_TITLE_CHARS = 200


class Stage(Enum):
    """Where a turn is."""

    IDLE = auto()
    OPENING = auto()
    THINKING = auto()
    ACTING = auto()
    SETTLING = auto()
    CLOSING = auto()


class CallStage(Enum):
    """Where a tool call is."""

    WAITING = auto()
    PLANNING = auto()
    PEEKING = auto()
    """May its file be read, on which the plan depends?"""
    JUDGING = auto()
    PARKED = auto()
    STARTING = auto()
    RUNNING = auto()
    DONE = auto()


@dataclass(frozen=True, slots=True)
class Call:
    """One `tool_use` on its way to its one result."""

    use: ToolUseBlock
    changes: bool
    stage: CallStage = CallStage.WAITING
    plan: Plan | None = None
    approval: str = ""
    """The id of its request to a person, once there is one."""
    approved: bool = False
    """A person said yes to exactly this plan."""
    consent: ApprovalRequest | None = None
    """After a resume: what a person said yes to; it holds if the new plan is the same."""
    settled: tuple[ToolStatus, str] | None = None
    """After a resume: a person's answer that is the call's end, and what the model reads of it."""
    query: str = ""
    """The id of its last question to the permission engine; an answer to any other is late."""
    drifts: int = 0
    """How often its target changed between plan and run."""
    mark: int = 0
    """The record that must be on disk before it runs."""

    @property
    def title(self) -> str:
        """What people see of it, also before it is planned."""
        if self.plan:
            return self.plan.title
        words = [each for each in self.use.input.values() if isinstance(each, str)]
        return " ".join((self.use.name, *words[:1]))[:MOST_TITLE_CHARS]


@dataclass(frozen=True, slots=True)
class Turn:
    """Everything an agent's turn depends on; the conversation itself is the history's."""

    asker: str = ""
    """Whose address its approval ids begin with."""
    run: int = 1
    """Which opening of the session this is; the end of its approval ids."""
    cwd: str = ""
    """Where calls run; a person's yes is bound to it."""
    asked: int = 0
    """Counts approval requests."""
    judged: int = 0
    """Counts questions to the permission engine."""
    reading: frozenset[str] = frozenset()
    """Names of the tools that only read."""
    number: int = 0
    stage: Stage = Stage.IDLE
    calls: tuple[Call, ...] = ()
    request: int = 0
    """Counts model requests."""
    written: int = 0
    """The last mark that was given out."""
    synced: int = 0
    """The last mark that is on disk."""
    cancelled: frozenset[int] = frozenset()
    """Turns that were cancelled before they began; their prompts may still be on their way."""
    stopping: bool = False
    """The running turn was cancelled; what it started is coming to its end."""
    unwritable: str = ""
    """Why nothing of the running turn can be recorded any more; it is stopping then."""
    ending: TurnEnded | None = None
    usage: Usage = Usage()  # noqa: RUF009  (frozen, so it may be shared)
    queue: tuple[Prompt, ...] = ()


@dataclass(frozen=True, slots=True)
class Past:
    """What the records of earlier runs leave an agent with."""

    turn: Turn = Turn()
    records: tuple[Record, ...] = ()
    """The agent's own, for its history."""
    reply: ReplyCompleted | None = None
    """The last reply, when its turn is open."""


class Step:
    """One step being worked out: the next state, and what it wants done so far."""

    def __init__(self, turn: Turn) -> None:
        """Start from a state."""
        self.turn = turn
        self.effects: list[Effect] = []

    def set(self, **changes: Any) -> None:  # noqa: ANN401  (`replace` checks the names)
        """Change the state."""
        self.turn = replace(self.turn, **changes)

    def do(self, effect: Effect) -> None:
        """Want something done."""
        self.effects.append(effect)

    def report(self, event: AgentEvent) -> None:
        """Want those above told."""
        self.do(Report(event))

    def write(self, record: Record) -> None:
        """Want a record on disk, under the next mark."""
        if not self.turn.unwritable:
            self.set(written=self.turn.written + 1)
            self.do(Write(self.turn.written, record))

    def close(self, ending: TurnEnded) -> None:
        """Want the turn's end on disk; then it is reported."""
        turn = self.turn
        if turn.unwritable:
            ending = TurnFailed(
                turn=turn.number, reason="journal", detail=turn.unwritable, usage=turn.usage
            )
        self.set(stage=Stage.CLOSING, ending=ending)
        self.write(ending)

    def call(self, call_id: str, *stages: CallStage) -> Call | None:
        """Find a call in one of `stages`; what comes for any other is late."""
        for call in self.turn.calls:
            if call.use.id == call_id and call.stage in stages:
                return call
        return None

    def put(self, call: Call, **changes: Any) -> Call:  # noqa: ANN401  (`replace` checks the names)
        """Change one call."""
        new = replace(call, **changes)
        calls = tuple(new if each.use.id == call.use.id else each for each in self.turn.calls)
        self.set(calls=calls)
        return new
