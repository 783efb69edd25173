"""Effects that a turn requests; the agent executes them in order."""

from dataclasses import dataclass

from actors.prompt_context.attachments import PlannedAttachment
from actors.prompt_context.environment_text import EnvironmentScope, KnownEnvironment
from messages.address import Address
from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecided,
    ApprovalUnavailable,
    WithdrawApprovals,
)
from messages.compaction import CompactionTrigger
from messages.failure_reasons import LimitReason
from messages.journal import Record
from messages.permissions import PermissionDecision
from messages.policy import CommandSandbox, FileReadPolicy
from messages.reviews import ReviewTarget
from messages.snapshots import SnapshotMoment
from messages.subagents import AncestorBudgetExhausted, PauseWork, ResumeWork, SubagentStarted
from messages.tool_calls import CallPlan, SubagentTask
from messages.turns import AgentEvent, AgentSwitched, StartTurn
from messages.user_questions import UserQuestion


@dataclass(frozen=True, slots=True)
class WriteRecord:
    """Append a record to the session, in one group with the other records of this transition.

    Answered by `Appended` with the id of the last record of the group.
    """

    append_id: int
    record: Record


@dataclass(frozen=True, slots=True)
class RetryWrites:
    """Append the records that could not be written, under an id of their own."""

    append_id: int


@dataclass(frozen=True, slots=True)
class PublishEvent:
    """Report an event to the parent, or to the console for the primary agent."""

    event: AgentEvent


@dataclass(frozen=True, slots=True)
class PrepareContext:
    """Read the environment and plan the attachments; answered by `ContextPrepared`."""

    turn: int
    scope: EnvironmentScope
    known: KnownEnvironment | None
    """What the model knows of the environment, if the scope is `changes`."""
    model: str
    mentions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvaluateAttachment:
    """Ask the permission engine whether a file may be attached."""

    id: str
    plan: CallPlan


@dataclass(frozen=True, slots=True)
class ReadAttachments:
    """Read files that the permission engine allows; answered by `AttachmentsRead`."""

    turn: int
    planned: tuple[PlannedAttachment, ...]


@dataclass(frozen=True, slots=True)
class SendModelRequest:
    """Send the whole conversation to the model; all of it is on disk."""

    request_number: int


@dataclass(frozen=True, slots=True)
class CancelModelRequest:
    """Close the stream, or end the delay before a retry; the job's outcome still arrives."""


@dataclass(frozen=True, slots=True)
class ScheduleRetry:
    """Wait before a failed request is sent again; answered by `RetryDelayElapsed`."""

    request_number: int
    """The failed request."""
    delay_s: float


@dataclass(frozen=True, slots=True)
class LookUpLimits:
    """Look up a model's limits; answered by `ModelLimitsFound`, which nothing waits for."""

    model: str


@dataclass(frozen=True, slots=True)
class StartTimer:
    """Start the timer of the turn's time limit; answered by `TurnTimerStopped`."""

    turn: int
    remaining_s: float


@dataclass(frozen=True, slots=True)
class PauseTimer:
    """Pause the timer; its `TurnTimerStopped` still arrives."""


@dataclass(frozen=True, slots=True)
class PlanCall:
    """Determine what a call would do, without side effects."""

    call_id: str


@dataclass(frozen=True, slots=True)
class CheckRead:
    """Ask the permission engine whether the agent may read the file that a plan depends on."""

    id: str
    call_id: str
    target: str


@dataclass(frozen=True, slots=True)
class EvaluateCall:
    """Ask the permission engine for a decision about a plan."""

    id: str
    """Id of the evaluation; the decision repeats it."""
    call_id: str
    plan: CallPlan


@dataclass(frozen=True, slots=True)
class EvaluateReview:
    """Ask the permission engine which files of the workspace may be read without approval."""

    id: str


@dataclass(frozen=True, slots=True)
class PrepareReview:
    """Find the changes that a review is about; answered by `ReviewPrepared`."""

    id: str
    target: ReviewTarget
    read_policy: FileReadPolicy | None
    """None: no file may be read."""


@dataclass(frozen=True, slots=True)
class TakeSnapshot:
    """Take a snapshot of the workspace; answered by `SnapshotAttempted`."""

    turn: int
    moment: SnapshotMoment


@dataclass(frozen=True, slots=True)
class RequestApproval:
    """Send an approval request to the parent, or to the broker for the primary agent."""

    id: str
    call_id: str
    plan: CallPlan
    decision: PermissionDecision


@dataclass(frozen=True, slots=True)
class AskAboutLimit:
    """Ask the user whether to continue beyond a limit, the same way as for an approval."""

    id: str
    limit: LimitReason
    reason: str
    question: UserQuestion


@dataclass(frozen=True, slots=True)
class TightenProfile:
    """Register the profile of a stricter agent before the switch to it is on disk."""

    agent: str


@dataclass(frozen=True, slots=True)
class ApplyAgent:
    """Continue as another agent: the switch is on disk."""

    switched: AgentSwitched


@dataclass(frozen=True, slots=True)
class RunCall:
    """Run a tool call as planned."""

    call_id: str
    plan: CallPlan
    sandbox: CommandSandbox | None = None
    read_policy: FileReadPolicy | None = None


@dataclass(frozen=True, slots=True)
class CancelCall:
    """Cancel a call's job; its outcome still arrives."""

    call_id: str


@dataclass(frozen=True, slots=True)
class AskForSpawn:
    """Ask to start one more subagent; answered by `SpawnAdmitted` or `SpawnRejected`."""

    call_id: str
    task: SubagentTask


@dataclass(frozen=True, slots=True)
class ExtendSpawnBudget:
    """Report that the user allows as many subagents again."""

    reached_limit: int


@dataclass(frozen=True, slots=True)
class StartChild:
    """Start a subagent, or give a running one another task; its end arrives later."""

    started: SubagentStarted
    prompt: str
    is_alive: bool = False
    """It is running and only needs the task."""
    has_records: bool = False
    """It continues from its records."""
    tokens_left: int | None = None
    """As in `AssignTask`."""


@dataclass(frozen=True, slots=True)
class StopChild:
    """Cancel a subagent's task; it is stopped by force if it takes too long."""

    child: Address
    task_number: int
    """As in `CancelTask`."""
    with_everything: bool = False
    """As in `CancelTask`."""


@dataclass(frozen=True, slots=True)
class ForceStopChild:
    """Stop a subagent that did not end its task in time."""

    child: Address


@dataclass(frozen=True, slots=True)
class AskForSlot:
    """Ask for a concurrency slot."""


@dataclass(frozen=True, slots=True)
class ReturnSlot:
    """Release concurrency slots."""

    under: Address | None = None
    """Agent that ended, with its whole subtree; None: only this agent's own slot."""


@dataclass(frozen=True, slots=True)
class ForwardUp:
    """Forward a subagent's approval request to the parent."""

    request: AnyApprovalRequest


@dataclass(frozen=True, slots=True)
class ForwardDown:
    """Forward the outcome of an approval request toward the agent that sent it."""

    outcome: ApprovalDecided | ApprovalUnavailable


@dataclass(frozen=True, slots=True)
class WithdrawSubtree:
    """Withdraw approval requests of a subtree, before anything is aborted."""

    withdrawal: WithdrawApprovals


@dataclass(frozen=True, slots=True)
class BroadcastToChildren:
    """Send a message to each running child."""

    message: PauseWork | ResumeWork | AncestorBudgetExhausted


@dataclass(frozen=True, slots=True)
class ReportDroppedTask:
    """Report to the parent that a task was cancelled before its turn started."""

    task_number: int


@dataclass(frozen=True, slots=True)
class RejectTurnNumber:
    """Answer the sender of the current prompt that its turn number is taken."""

    prompt: StartTurn
    next_turn: int


@dataclass(frozen=True, slots=True)
class RejectPrompt:
    """Answer the sender of the current prompt that this agent accepts none."""


@dataclass(frozen=True, slots=True)
class StartCompactor:
    """Start the subagent that writes the summary."""

    child: Address
    number: int
    trigger: CompactionTrigger
    instructions: str = ""
    """What the summary should concentrate on; empty: no wish."""
    context_tokens: int = 0
    """Estimated size of the conversation."""
    usable_tokens: int = 0
    """The size at which it has no room left."""
    must_succeed: bool = False
    """Replace the earlier messages even if no summary can be made: the turn waits."""


@dataclass(frozen=True, slots=True)
class Finish:
    """End the agent: its only turn is over."""


ChildEffect = (
    AskForSpawn
    | ExtendSpawnBudget
    | StartChild
    | StopChild
    | ForceStopChild
    | AskForSlot
    | ReturnSlot
    | ForwardUp
    | ForwardDown
    | WithdrawSubtree
    | BroadcastToChildren
    | ReportDroppedTask
    | RejectTurnNumber
    | RejectPrompt
    | Finish
)
ContextEffect = PrepareContext | ReadAttachments
ModelEffect = SendModelRequest | CancelModelRequest | ScheduleRetry | LookUpLimits
SwitchEffect = TightenProfile | ApplyAgent
TimerEffect = StartTimer | PauseTimer
Effect = (
    WriteRecord
    | RetryWrites
    | PublishEvent
    | ContextEffect
    | EvaluateAttachment
    | ModelEffect
    | StartCompactor
    | TimerEffect
    | SwitchEffect
    | PlanCall
    | CheckRead
    | EvaluateCall
    | EvaluateReview
    | PrepareReview
    | TakeSnapshot
    | RequestApproval
    | AskAboutLimit
    | RunCall
    | CancelCall
    | ChildEffect
)
