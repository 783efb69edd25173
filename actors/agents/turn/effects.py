"""What a turn wants done; the agent has one method for each and does them in order."""

from dataclasses import dataclass

from messages.address import Address
from messages.approvals import AnyApprovalRequest, ApprovalDecided, ApprovalUnavailable
from messages.journal import Record
from messages.permissions import PermissionDecision
from messages.policy import FileReadPolicy
from messages.subagents import AncestorBudgetExhausted, SubagentStarted
from messages.tool_calls import CallPlan, SubagentTask
from messages.turns import AgentEvent, AgentSwitched


@dataclass(frozen=True, slots=True)
class WriteRecord:
    """Put a record into the session, in one piece with the others of its step.

    `Appended(mark)` comes back for the last of them.
    """

    append_id: int
    record: Record


@dataclass(frozen=True, slots=True)
class RetryWrites:
    """Put what the disk refused into the session, as an append of its own; `mark` as above."""

    append_id: int


@dataclass(frozen=True, slots=True)
class PublishEvent:
    """Tell those above."""

    event: AgentEvent


@dataclass(frozen=True, slots=True)
class SendModelRequest:
    """Send the whole conversation; all of it is on disk."""

    request_number: int


@dataclass(frozen=True, slots=True)
class CancelModelRequest:
    """Close the stream, or end the wait before it is opened again; its end still comes back."""


@dataclass(frozen=True, slots=True)
class ScheduleRetry:
    """Let a server rest before a request is sent again; `RetryDelayElapsed` comes back."""

    request_number: int
    """The one that failed."""
    delay_s: float


@dataclass(frozen=True, slots=True)
class LookUpLimits:
    """Find out what a model takes; `ModelLimitsFound` comes back, and nothing waits for it."""

    model: str


@dataclass(frozen=True, slots=True)
class StartTimer:
    """Let the time limit of a turn run; `TurnTimerStopped` comes back."""

    turn: int
    remaining_s: float


@dataclass(frozen=True, slots=True)
class PauseTimer:
    """Stop the clock; its `TurnTimerStopped` still comes back."""


@dataclass(frozen=True, slots=True)
class PlanCall:
    """Find out what a call would touch."""

    call_id: str


@dataclass(frozen=True, slots=True)
class CheckRead:
    """Ask the permission engine whether the file may be read that a plan looked into."""

    id: str
    call_id: str
    target: str


@dataclass(frozen=True, slots=True)
class EvaluateCall:
    """Ask the permission engine about a plan."""

    id: str
    """Of the question; the verdict has it."""
    call_id: str
    plan: CallPlan


@dataclass(frozen=True, slots=True)
class RequestApproval:
    """Send an approval request up."""

    id: str
    call_id: str
    plan: CallPlan
    decision: PermissionDecision


@dataclass(frozen=True, slots=True)
class TightenProfile:
    """Have the permission engine go by another agent already; it may do less than this one."""

    agent: str


@dataclass(frozen=True, slots=True)
class ApplyAgent:
    """Work as another agent from now on, since it is on disk."""

    switched: AgentSwitched


@dataclass(frozen=True, slots=True)
class RunCall:
    """Carry a plan out."""

    call_id: str
    plan: CallPlan
    read_policy: FileReadPolicy | None = None


@dataclass(frozen=True, slots=True)
class CancelCall:
    """Cancel a call's work; its end still comes back."""

    call_id: str


@dataclass(frozen=True, slots=True)
class AskForSpawn:
    """Ask whether one more subagent may be started; `SpawnAdmitted` or `SpawnRejected` comes back."""

    call_id: str
    task: SubagentTask


@dataclass(frozen=True, slots=True)
class StartChild:
    """Start a subagent, or give a living one a further task; its end comes back."""

    started: SubagentStarted
    prompt: str
    is_alive: bool = False
    """It is there, and only has to be told."""
    has_records: bool = False
    """It goes on from its records."""


@dataclass(frozen=True, slots=True)
class StopChild:
    """Let a subagent end its task, and stop it by force when it takes too long."""

    child: Address
    task_number: int


@dataclass(frozen=True, slots=True)
class ForceStopChild:
    """Stop a subagent that did not end its task in time."""

    child: Address


@dataclass(frozen=True, slots=True)
class AskForSlot:
    """Ask to work."""


@dataclass(frozen=True, slots=True)
class ReturnSlot:
    """Let others work."""

    under: Address | None = None
    """Who has ended, with all below; None: this agent waits, and those below go on."""


@dataclass(frozen=True, slots=True)
class ForwardUp:
    """Hand a question of those below to whoever is above."""

    request: AnyApprovalRequest


@dataclass(frozen=True, slots=True)
class ForwardDown:
    """Hand an answer on towards who asked."""

    outcome: ApprovalDecided | ApprovalUnavailable


@dataclass(frozen=True, slots=True)
class WithdrawSubtree:
    """Take back every question of those at and below an agent; before anything is aborted."""

    under: Address


@dataclass(frozen=True, slots=True)
class BroadcastToChildren:
    """Tell each living child."""

    message: AncestorBudgetExhausted


@dataclass(frozen=True, slots=True)
class RejectPrompt:
    """Tell who sent the prompt at hand that none is taken."""


@dataclass(frozen=True, slots=True)
class Finish:
    """End: the one turn is over."""


ChildEffect = (
    AskForSpawn
    | StartChild
    | StopChild
    | ForceStopChild
    | AskForSlot
    | ReturnSlot
    | ForwardUp
    | ForwardDown
    | WithdrawSubtree
    | BroadcastToChildren
    | RejectPrompt
    | Finish
)
ModelEffect = SendModelRequest | CancelModelRequest | ScheduleRetry | LookUpLimits
SwitchEffect = TightenProfile | ApplyAgent
TimerEffect = StartTimer | PauseTimer
Effect = (
    WriteRecord
    | RetryWrites
    | PublishEvent
    | ModelEffect
    | TimerEffect
    | SwitchEffect
    | PlanCall
    | CheckRead
    | EvaluateCall
    | RequestApproval
    | RunCall
    | CancelCall
    | ChildEffect
)
