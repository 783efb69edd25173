"""The state of an agent, composed of parts that do not know each other.

Each part is a value with its own pure functions; `state_machine` and its handlers combine them.
"""

from dataclasses import dataclass, field
from enum import Enum, auto

from actors.agents.turn.agent_identity import AgentIdentity
from actors.agents.turn.agent_selection import AgentSelection
from actors.agents.turn.compaction_state import CompactionState
from actors.agents.turn.limits import LimitReached, UsageTotals
from actors.agents.turn.model_state import ModelState
from actors.agents.turn.pending_context import ContextState
from actors.agents.turn.persistence_state import PersistenceState
from actors.agents.turn.prompt_queue import PromptQueue
from actors.agents.turn.review_table import ReviewTable
from actors.agents.turn.self_messages import PlanFileChecked
from actors.agents.turn.subagent_table import SubagentTable
from actors.agents.turn.turn_state import TurnState
from messages.journal import Record
from messages.subagents import AssignTask
from messages.turns import ReplyCompleted


class SlotState(Enum):
    """State of an agent's concurrency slot."""

    NOT_NEEDED = auto()
    """The primary agent needs none."""
    NONE = auto()
    PENDING = auto()
    HELD = auto()


class SnapshotState(Enum):
    """State of the snapshots of a turn."""

    NONE = auto()
    """The turn has changed nothing yet, or no snapshot can be taken."""
    TAKING_FIRST = auto()
    HAS_FIRST = auto()
    TAKING_LAST = auto()
    """The turn's end is recorded when this snapshot is taken."""


@dataclass(frozen=True, slots=True)
class LimitPause:
    """Whether the agent pauses at a limit, and what the user answered."""

    question_id: str = ""
    """Id of the open question to the user; empty: none."""
    reached: LimitReached | None = None
    """The limit that the open question is about; None: there is no question."""
    recorded_id: str = ""
    """After a resume: id of a question that the earlier run left open."""
    is_held: bool = False
    """An ancestor asks the user."""
    stopped: LimitReached | None = None
    """A limit that was not extended: no further request is sent."""

    @property
    def is_paused(self) -> bool:
        """Nothing new may start."""
        return self.is_held or self.reached is not None


@dataclass(frozen=True)
class AgentState:
    """Everything an agent's turn depends on, except the conversation itself."""

    identity: AgentIdentity = field(default_factory=AgentIdentity)
    selection: AgentSelection = field(default_factory=AgentSelection)
    model: ModelState = field(default_factory=ModelState)
    prompts: PromptQueue = field(default_factory=PromptQueue)
    context: ContextState = field(default_factory=ContextState)
    turn: TurnState = field(default_factory=TurnState)
    persistence: PersistenceState = field(default_factory=PersistenceState)
    totals: UsageTotals = field(default_factory=UsageTotals)
    subagents: SubagentTable = field(default_factory=SubagentTable)
    reviews: ReviewTable = field(default_factory=ReviewTable)
    slot: SlotState = SlotState.NOT_NEEDED
    pause: LimitPause = LimitPause()
    compaction: CompactionState = field(default_factory=CompactionState)
    snapshot: SnapshotState = SnapshotState.NONE

    @property
    def awaited_ids(self) -> frozenset[str]:
        """Ids of all evaluations and questions to the user that the agent waits for."""
        question_id = self.pause.question_id
        own_ids = self.turn.awaited_ids | frozenset((question_id,) if question_id else ())
        return own_ids | self.reviews.awaited_ids | self.context.awaited_ids


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
    has_crashed: bool = False
    """The agent alone crashed and was restarted, which stopped its subtree."""
    task: AssignTask | None = None
    """The task it is started for."""
    pending_switch: PlanFileChecked | None = None
    """Switch of the primary agent to make first; None: none."""
