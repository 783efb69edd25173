"""The state of a turn.

Idle → opening (the prompt goes to disk) → thinking (→ waiting, to ask again) → acting → settling
(results go to disk) → thinking … → closing (the end goes to disk) → idle.
"""

from dataclasses import dataclass, field
from enum import Enum, auto

from actors.agents.turn.limits import LimitReached, TimerState, UsageTotals
from actors.agents.turn.retry import RetryState
from actors.agents.turn.self_messages import PlanFileChecked
from actors.agents.turn.subagent_table import Family
from messages.approvals import ApprovalRequest
from messages.content import ToolUseBlock, Usage
from messages.journal import Record
from messages.model_events import ModelLimitsFound
from messages.policy import FileReadPolicy, PermissionMode, PermissionRequest
from messages.subagents import AssignTask, SubagentStarted
from messages.tool_calls import AgentSwitchProposal, CallPlan
from messages.turns import (
    AgentSwitched,
    PersistenceChanged,
    ReplyCompleted,
    StartTurn,
    ToolStatus,
    TurnEnded,
)

MAX_TITLE_CHARS = 200


class TurnStage(Enum):
    """Where a turn is."""

    IDLE = auto()
    RECORDING_PROMPT = auto()
    THINKING = auto()
    RETRYING = auto()
    """A request failed, and is sent again after a while."""
    ACTING = auto()
    RECORDING_RESULTS = auto()
    RECORDING_END = auto()


class SlotState(Enum):
    """Whether an agent may work, where only so many may at once."""

    NOT_NEEDED = auto()
    """The primary works without one."""
    NONE = auto()
    PENDING = auto()
    HELD = auto()


class CallStage(Enum):
    """Where a tool call is."""

    WAITING = auto()
    PLANNING = auto()
    CHECKING_READ = auto()
    """May its file be read, on which the plan depends?"""
    EVALUATING = auto()
    AWAITING_APPROVAL = auto()
    AWAITING_SPAWN = auto()
    """May a subagent be started for it?"""
    STARTING = auto()
    RUNNING = auto()
    DONE = auto()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One `tool_use` on its way to its one result."""

    tool_use: ToolUseBlock
    is_changing: bool
    stage: CallStage = CallStage.WAITING
    plan: CallPlan | None = None
    approval_id: str = ""
    """The id of its request to a person, once there is one."""
    approval_reason: str = ""
    """Why it needs one: the rule and source that decided."""
    is_approved: bool = False
    """A person said yes to exactly this plan, while it came to `parts`."""
    resolved_requests: tuple[PermissionRequest, ...] = ()
    """What it came to, links followed, when a person was asked."""
    recorded_approval: ApprovalRequest | None = None
    """After a resume: what a person said yes to; it holds if the new plan is the same."""
    final_result: tuple[ToolStatus, str] | None = None
    """After a resume: a person's answer that is the call's end, and what the model reads of it."""
    switch_proposal: AgentSwitchProposal | None = None
    """After a resume: what that answer was the yes to."""
    decision_id: str = ""
    """The id of its last question to the permission engine; an answer to any other is late."""
    read_policy: FileReadPolicy | None = None
    """What each file is judged by, where it opens many."""
    target_changes: int = 0
    """How often its target changed between plan and run."""
    start_append_id: int = 0
    """The record that must be on disk before it runs."""
    subagent_started: SubagentStarted | None = None
    """Who carries it out, where a subagent does."""

    @property
    def title(self) -> str:
        """What people see of it, also before it is planned."""
        if self.plan:
            return self.plan.title
        words = [each for each in self.tool_use.input.values() if isinstance(each, str)]
        return " ".join((self.tool_use.name, *words[:1]))[:MAX_TITLE_CHARS]


@dataclass(frozen=True, slots=True)
class PrimaryAgent:
    """Who may have the session."""

    name: str
    max_mode: PermissionMode = "yolo"
    """The loosest mode that it works in."""


@dataclass(frozen=True, slots=True)
class PendingSwitch:
    """A switch on its way to the disk."""

    append_id: int
    switched: AgentSwitched


@dataclass(frozen=True)
class AgentState:
    """Everything an agent's turn depends on; the conversation itself is the history's."""

    agent_address: str = ""
    """Whose address its approval ids begin with."""
    run: int = 1
    """Which opening of the session this is; the end of its approval ids."""
    incarnation: int = 1
    """Which incarnation of its agent this is; after a crash, ids say it too.

    A later start of a subagent begins above all lives of the one before: no id or mark comes again.
    """
    cwd: str = ""
    """Where calls run; a person's yes is bound to it."""
    approval_count: int = 0
    """Counts approval requests."""
    evaluation_count: int = 0
    """Counts questions to the permission engine."""
    jitter_seed: str = ""
    """Draws the jitter of waits: the session's id, so that programs do not come back together."""
    model: str = ""
    """Who is asked next."""
    max_mode: PermissionMode = "yolo"
    """The loosest mode that it works in, whoever has the session."""
    primary_agents: tuple[PrimaryAgent, ...] = ()
    """Who may have the session; empty: none but this one."""
    agent: str = "build"
    """Who has it now."""
    previous_agent: str = "build"
    """Who had it before, and gets it back."""
    plan_file: str = ""
    """Where plans are written, as the model is told."""
    switch_count: int = 0
    """Counts switches from one agent to another."""
    pending_switches: tuple[PendingSwitch, ...] = ()
    """Switches on their way to the disk."""
    model_limits: ModelLimitsFound | None = None
    """What its server said of it; None: nothing."""
    limits_requested_for: str = ""
    """The model whose server was asked what it takes."""
    totals: UsageTotals = UsageTotals()  # noqa: RUF009  (frozen, so it may be shared)
    read_only_tools: frozenset[str] = frozenset()
    """Names of the tools that only read."""
    turn_number: int = 0
    stage: TurnStage = TurnStage.IDLE
    calls: tuple[ToolCall, ...] = ()
    request_number: int = 0
    """Counts model requests."""
    retry: RetryState = RetryState()  # noqa: RUF009  (as above)
    malformed_replies: int = 0
    """Replies in a row with a call whose arguments were not JSON."""
    timer: TimerState = TimerState()  # noqa: RUF009  (as above)
    last_append_id: int = 0
    """The last mark that was given out."""
    synced_append_id: int = 0
    """The last mark that is on disk."""
    failed_append_id: int = 0
    """The last mark that the disk refused; what it was for comes with the next."""
    persistence: PersistenceChanged = PersistenceChanged(state="well")  # noqa: RUF009  (as above)
    """The last that people were told of it."""
    cancelled_turns: frozenset[int] = frozenset()
    """Turns that were cancelled before they began; their prompts may still be on their way."""
    is_stopping: bool = False
    """The running turn was cancelled; what it started is coming to its end."""
    limit_reached: LimitReached | None = None
    """The limit that ends the running turn; None: if it is stopping, a person stopped it."""
    pending_end: TurnEnded | None = None
    one_shot: bool = False
    """The agent ends with its first turn."""
    last_task_number: int = 0
    """The start of the errand that was taken up last."""
    slot: SlotState = SlotState.NOT_NEEDED
    budget_exhausted: str = ""
    """Why an agent above lets nobody go on; empty: they may."""
    subagents: Family = field(default_factory=Family)
    usage: Usage = Usage()  # noqa: RUF009  (as above)
    queued_prompts: tuple[StartTurn, ...] = ()

    @property
    def id_suffix(self) -> str:
        """What keeps its ids apart from those of other runs and lives."""
        return f"{self.run}.{self.incarnation}" if self.incarnation > 1 else f"{self.run}"


@dataclass(frozen=True, slots=True)
class RestoredState:
    """What the records of earlier runs leave an agent with."""

    state: AgentState = AgentState()
    records: tuple[Record, ...] = ()
    """The agent's own, for its history."""
    open_reply: ReplyCompleted | None = None
    """The last reply, when its turn is open."""
    initial_state: AgentState | None = None
    """The turn of such an agent without a past; None: `turn` is."""
    has_records: bool = False
    """It has a past that has to be read first."""
    task: AssignTask | None = None
    """What it is started for."""
    pending_switch: PlanFileChecked | None = None
    """Who is to have the session in this run; None: who has it."""


def get_next_turn_number(turn: AgentState) -> int:
    """Say which number no prompt has had yet."""
    return 1 + max(turn.turn_number, *(prompt.turn for prompt in turn.queued_prompts), 0)
