"""The state of an agent's turn.

Idle → recording prompt → thinking (→ retrying) → acting → recording results → thinking … →
recording end → idle. The recording stages wait until their records are on disk.
"""

from dataclasses import dataclass, field
from enum import Enum, auto

from actors.agents.turn.limits import LimitReached, TimerState, UsageTotals
from actors.agents.turn.retry import RetryState
from actors.agents.turn.self_messages import PlanFileChecked
from actors.agents.turn.subagent_table import SubagentTable
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
    """Stage of a turn."""

    IDLE = auto()
    RECORDING_PROMPT = auto()
    THINKING = auto()
    RETRYING = auto()
    """A request failed and is sent again after a delay."""
    ACTING = auto()
    RECORDING_RESULTS = auto()
    RECORDING_END = auto()


class SlotState(Enum):
    """State of an agent's concurrency slot."""

    NOT_NEEDED = auto()
    """The primary agent needs none."""
    NONE = auto()
    PENDING = auto()
    HELD = auto()


class CallStage(Enum):
    """Stage of a tool call."""

    WAITING = auto()
    PLANNING = auto()
    CHECKING_READ = auto()
    """The permission engine decides whether the agent may read the file the plan depends on."""
    EVALUATING = auto()
    AWAITING_APPROVAL = auto()
    AWAITING_SPAWN = auto()
    """The supervisor decides whether a subagent may be started for it."""
    STARTING = auto()
    """The record of its start is being written."""
    RUNNING = auto()
    DONE = auto()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One `tool_use` block and its progress toward its one result."""

    tool_use: ToolUseBlock
    is_changing: bool
    stage: CallStage = CallStage.WAITING
    plan: CallPlan | None = None
    approval_id: str = ""
    """Id of its approval request; empty: none yet."""
    approval_reason: str = ""
    """Why it needs approval: the rule and source that decided."""
    is_approved: bool = False
    """The user approved exactly this plan, with these `resolved_requests`."""
    resolved_requests: tuple[PermissionRequest, ...] = ()
    """The permission requests the user was shown, links resolved."""
    recorded_approval: ApprovalRequest | None = None
    """After a resume: the request the user approved; it is valid if the new plan is the same."""
    final_result: tuple[ToolStatus, str] | None = None
    """After a resume: the result that the user's recorded answer gives the call."""
    switch_proposal: AgentSwitchProposal | None = None
    """After a resume: the switch that the recorded answer confirmed."""
    decision_id: str = ""
    """Id of its last permission evaluation; decisions with another id are late."""
    read_policy: FileReadPolicy | None = None
    """Policy for each file it opens, where it opens many."""
    target_changes: int = 0
    """How often its target changed between plan and run."""
    start_append_id: int = 0
    """The append that must be on disk before it runs."""
    subagent_started: SubagentStarted | None = None
    """The subagent that runs it, if one does."""

    @property
    def title(self) -> str:
        """What the user sees of it, also before it is planned."""
        if self.plan:
            return self.plan.title
        texts = [value for value in self.tool_use.input.values() if isinstance(value, str)]
        return " ".join((self.tool_use.name, *texts[:1]))[:MAX_TITLE_CHARS]


@dataclass(frozen=True, slots=True)
class PrimaryAgent:
    """An agent that the session can be switched to."""

    name: str
    max_mode: PermissionMode = "yolo"
    """The loosest mode it may use."""


@dataclass(frozen=True, slots=True)
class PendingSwitch:
    """A switch of the primary agent that is not on disk yet."""

    append_id: int
    switched: AgentSwitched


@dataclass(frozen=True)
class AgentState:
    """Everything an agent's turn depends on, except the conversation itself."""

    agent_address: str = ""
    """Its approval ids start with this address."""
    run: int = 1
    """Number of this run of the session; part of its approval ids."""
    incarnation: int = 1
    """Incarnation of the agent; part of its approval ids after a crash.

    A subagent's next task starts above all incarnations of the one before, so that no id repeats.
    """
    cwd: str = ""
    """Where calls run; an approval is bound to it."""
    approval_count: int = 0
    """Approval requests so far."""
    evaluation_count: int = 0
    """Permission evaluations so far."""
    jitter_seed: str = ""
    """Seed of retry jitter; contains the session id, so that programs do not retry together."""
    model: str = ""
    """Model of the next request."""
    max_mode: PermissionMode = "yolo"
    """The loosest mode the agent may use, whichever primary agent is active."""
    primary_agents: tuple[PrimaryAgent, ...] = ()
    """Agents that the session can be switched to; empty for a subagent."""
    agent: str = "build"
    """Name of the active definition."""
    previous_agent: str = "build"
    """The agent that a switch without a name goes back to."""
    plan_file: str = ""
    """Path of the plan file, as the model reads it."""
    switch_count: int = 0
    """Switches of the primary agent so far."""
    pending_switches: tuple[PendingSwitch, ...] = ()
    """Switches that are not on disk yet."""
    model_limits: ModelLimitsFound | None = None
    """Limits that the server reported; None: unknown."""
    limits_requested_for: str = ""
    """The model whose limits were looked up."""
    totals: UsageTotals = UsageTotals()  # noqa: RUF009  (frozen, so it may be shared)
    read_only_tools: frozenset[str] = frozenset()
    """Names of the tools that only read."""
    turn_number: int = 0
    stage: TurnStage = TurnStage.IDLE
    calls: tuple[ToolCall, ...] = ()
    request_number: int = 0
    """Model requests so far."""
    retry: RetryState = RetryState()  # noqa: RUF009  (as above)
    malformed_replies: int = 0
    """Consecutive replies with a call whose arguments were not valid JSON."""
    timer: TimerState = TimerState()  # noqa: RUF009  (as above)
    last_append_id: int = 0
    """The last append id used."""
    synced_append_id: int = 0
    """The last append that is on disk."""
    failed_append_id: int = 0
    """The last append that failed; its records are written with the next one."""
    persistence: PersistenceChanged = PersistenceChanged(state="ok")  # noqa: RUF009  (as above)
    """The last status that was reported."""
    cancelled_turns: frozenset[int] = frozenset()
    """Turns cancelled before they started; their prompts may still arrive."""
    is_stopping: bool = False
    """The current turn was cancelled and waits for what it started to end."""
    limit_reached: LimitReached | None = None
    """The limit that ends the current turn; None while stopping: the user stopped it."""
    pending_end: TurnEnded | None = None
    one_shot: bool = False
    """The agent ends with its first turn."""
    last_task_number: int = 0
    """Number of the last task taken."""
    slot: SlotState = SlotState.NOT_NEEDED
    budget_exhausted: str = ""
    """Which limit of an ancestor forbids further requests; empty: none."""
    subagents: SubagentTable = field(default_factory=SubagentTable)
    usage: Usage = Usage()  # noqa: RUF009  (as above)
    queued_prompts: tuple[StartTurn, ...] = ()

    @property
    def id_suffix(self) -> str:
        """End of its approval ids, unique per run and incarnation."""
        return f"{self.run}.{self.incarnation}" if self.incarnation > 1 else f"{self.run}"


@dataclass(frozen=True, slots=True)
class RestoredState:
    """What an agent starts with: a new state, or one restored from the session's records."""

    state: AgentState = AgentState()
    records: tuple[Record, ...] = ()
    """The agent's own records, for its conversation history."""
    open_reply: ReplyCompleted | None = None
    """The last reply, if its turn is open."""
    initial_state: AgentState | None = None
    """State of the same agent without records; None: `state` has none."""
    has_records: bool = False
    """It has records that must be read first."""
    task: AssignTask | None = None
    """The task it is started for."""
    pending_switch: PlanFileChecked | None = None
    """Switch of the primary agent to make first; None: none."""


def get_next_turn_number(turn: AgentState) -> int:
    """Return the first turn number that no prompt has used."""
    return 1 + max(turn.turn_number, *(prompt.turn for prompt in turn.queued_prompts), 0)
