"""The state of a turn.

Idle → opening (the prompt goes to disk) → thinking (→ waiting, to ask again) → acting → settling
(results go to disk) → thinking … → closing (the end goes to disk) → idle.
"""

from dataclasses import dataclass, field
from enum import Enum, auto

from actors.agents.family import Family
from actors.agents.limits import LimitReached, TimerState, UsageTotals
from actors.agents.retry import RetryState
from messages.approvals import ApprovalRequest
from messages.content import ToolUseBlock, Usage
from messages.models import ModelLimitsFound
from messages.rules import FileReadPolicy, PermissionMode, PermissionRequest
from messages.subagents import AssignTask, SubagentStarted
from messages.tools import AgentSwitchProposal, CallPlan
from messages.transcript import Record
from messages.turns import (
    AgentSwitched,
    PersistenceChanged,
    PlanFileChecked,
    ReplyCompleted,
    StartTurn,
    ToolStatus,
    TurnEnded,
)

MOST_TITLE_CHARS = 200


class TurnStage(Enum):
    """Where a turn is."""

    IDLE = auto()
    OPENING = auto()
    THINKING = auto()
    WAITING = auto()
    """A request failed, and is sent again after a while."""
    ACTING = auto()
    SETTLING = auto()
    CLOSING = auto()


class SlotState(Enum):
    """Whether an agent may work, where only so many may at once."""

    NEEDLESS = auto()
    """The primary works without one."""
    NONE = auto()
    ASKED = auto()
    HELD = auto()


class CallStage(Enum):
    """Where a tool call is."""

    WAITING = auto()
    PLANNING = auto()
    PEEKING = auto()
    """May its file be read, on which the plan depends?"""
    JUDGING = auto()
    PARKED = auto()
    ADMITTING = auto()
    """May a subagent be started for it?"""
    STARTING = auto()
    RUNNING = auto()
    DONE = auto()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One `tool_use` on its way to its one result."""

    use: ToolUseBlock
    changes: bool
    stage: CallStage = CallStage.WAITING
    plan: CallPlan | None = None
    approval: str = ""
    """The id of its request to a person, once there is one."""
    asked: str = ""
    """Why it needs one: the rule and source that decided."""
    approved: bool = False
    """A person said yes to exactly this plan, while it came to `parts`."""
    resolved_requests: tuple[PermissionRequest, ...] = ()
    """What it came to, links followed, when a person was asked."""
    consent: ApprovalRequest | None = None
    """After a resume: what a person said yes to; it holds if the new plan is the same."""
    settled: tuple[ToolStatus, str] | None = None
    """After a resume: a person's answer that is the call's end, and what the model reads of it."""
    switch_proposal: AgentSwitchProposal | None = None
    """After a resume: what that answer was the yes to."""
    query: str = ""
    """The id of its last question to the permission engine; an answer to any other is late."""
    read_policy: FileReadPolicy | None = None
    """What each file is judged by, where it opens many."""
    drifts: int = 0
    """How often its target changed between plan and run."""
    mark: int = 0
    """The record that must be on disk before it runs."""
    started: SubagentStarted | None = None
    """Who carries it out, where a subagent does."""

    @property
    def title(self) -> str:
        """What people see of it, also before it is planned."""
        if self.plan:
            return self.plan.title
        words = [each for each in self.use.input.values() if isinstance(each, str)]
        return " ".join((self.use.name, *words[:1]))[:MOST_TITLE_CHARS]


@dataclass(frozen=True, slots=True)
class PrimaryAgent:
    """Who may have the session."""

    name: str
    max_mode: PermissionMode = "yolo"
    """The loosest mode that it works in."""


@dataclass(frozen=True, slots=True)
class PendingSwitch:
    """A switch on its way to the disk."""

    mark: int
    switched: AgentSwitched


@dataclass(frozen=True)
class AgentState:
    """Everything an agent's turn depends on; the conversation itself is the history's."""

    asker: str = ""
    """Whose address its approval ids begin with."""
    run: int = 1
    """Which opening of the session this is; the end of its approval ids."""
    life: int = 1
    """Which incarnation of its agent this is; after a crash, ids say it too.

    A later start of a subagent begins above all lives of the one before: no id or mark comes again.
    """
    cwd: str = ""
    """Where calls run; a person's yes is bound to it."""
    asked: int = 0
    """Counts approval requests."""
    judged: int = 0
    """Counts questions to the permission engine."""
    seed: str = ""
    """Draws the jitter of waits: the session's id, so that programs do not come back together."""
    model: str = ""
    """Who is asked next."""
    max_mode: PermissionMode = "yolo"
    """The loosest mode that it works in, whoever has the session."""
    primaries: tuple[PrimaryAgent, ...] = ()
    """Who may have the session; empty: none but this one."""
    agent: str = "build"
    """Who has it now."""
    before: str = "build"
    """Who had it before, and gets it back."""
    plan_file: str = ""
    """Where plans are written, as the model is told."""
    switches: int = 0
    """Counts switches from one agent to another."""
    switching: tuple[PendingSwitch, ...] = ()
    """Switches on their way to the disk."""
    measured: ModelLimitsFound | None = None
    """What its server said of it; None: nothing."""
    asked_about: str = ""
    """The model whose server was asked what it takes."""
    account: UsageTotals = UsageTotals()  # noqa: RUF009  (frozen, so it may be shared)
    reading: frozenset[str] = frozenset()
    """Names of the tools that only read."""
    number: int = 0
    stage: TurnStage = TurnStage.IDLE
    calls: tuple[ToolCall, ...] = ()
    request: int = 0
    """Counts model requests."""
    tries: RetryState = RetryState()  # noqa: RUF009  (as above)
    malformed: int = 0
    """Replies in a row with a call whose arguments were not JSON."""
    clock: TimerState = TimerState()  # noqa: RUF009  (as above)
    written: int = 0
    """The last mark that was given out."""
    synced: int = 0
    """The last mark that is on disk."""
    refused: int = 0
    """The last mark that the disk refused; what it was for comes with the next."""
    disk: PersistenceChanged = PersistenceChanged(state="well")  # noqa: RUF009  (as above)
    """The last that people were told of it."""
    cancelled: frozenset[int] = frozenset()
    """Turns that were cancelled before they began; their prompts may still be on their way."""
    stopping: bool = False
    """The running turn was cancelled; what it started is coming to its end."""
    limit: LimitReached | None = None
    """The limit that ends the running turn; None: if it is stopping, a person stopped it."""
    ending: TurnEnded | None = None
    one_shot: bool = False
    """The agent ends with its first turn."""
    errand: int = 0
    """The start of the errand that was taken up last."""
    place: SlotState = SlotState.NEEDLESS
    over: str = ""
    """Why an agent above lets nobody go on; empty: they may."""
    family: Family = field(default_factory=Family)
    usage: Usage = Usage()  # noqa: RUF009  (as above)
    queue: tuple[StartTurn, ...] = ()

    @property
    def era(self) -> str:
        """What keeps its ids apart from those of other runs and lives."""
        return f"{self.run}.{self.life}" if self.life > 1 else f"{self.run}"


@dataclass(frozen=True, slots=True)
class RestoredState:
    """What the records of earlier runs leave an agent with."""

    turn: AgentState = AgentState()
    records: tuple[Record, ...] = ()
    """The agent's own, for its history."""
    reply: ReplyCompleted | None = None
    """The last reply, when its turn is open."""
    blank: AgentState | None = None
    """The turn of such an agent without a past; None: `turn` is."""
    on_disk: bool = False
    """It has a past that has to be read first."""
    errand: AssignTask | None = None
    """What it is started for."""
    begin: PlanFileChecked | None = None
    """Who is to have the session in this run; None: who has it."""


def next_prompt(turn: AgentState) -> int:
    """Say which number no prompt has had yet."""
    return 1 + max(turn.number, *(prompt.turn for prompt in turn.queue), 0)
