"""What a turn wants done; the agent has one method for each and does them in order."""

from dataclasses import dataclass

from messages.address import Address
from messages.approvals import AnyApprovalRequest, ApprovalAnswered, ApprovalRefused
from messages.permissions import PermissionVerdict
from messages.rules import ReadRules
from messages.subagents import BudgetSpent, SubagentStarted
from messages.tools import Plan, Task
from messages.transcript import Record
from messages.turns import AgentEvent, AgentSwitched


@dataclass(frozen=True, slots=True)
class Write:
    """Put a record into the session, in one piece with the others of its step.

    `Appended(mark)` comes back for the last of them.
    """

    mark: int
    record: Record


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Put what the disk refused into the session, as an append of its own; `mark` as above."""

    mark: int


@dataclass(frozen=True, slots=True)
class Report:
    """Tell those above."""

    event: AgentEvent


@dataclass(frozen=True, slots=True)
class AskModel:
    """Send the whole conversation; all of it is on disk."""

    request: int


@dataclass(frozen=True, slots=True)
class StopModel:
    """Close the stream, or end the wait before it is opened again; its end still comes back."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Let a server rest before a request is sent again; `WaitEnded` comes back."""

    request: int
    """The one that failed."""
    wait_s: float


@dataclass(frozen=True, slots=True)
class MeasureModel:
    """Find out what a model takes; `ModelMeasured` comes back, and nothing waits for it."""

    model: str


@dataclass(frozen=True, slots=True)
class StartClock:
    """Let the time limit of a turn run; `ClockStopped` comes back."""

    turn: int
    left_s: float


@dataclass(frozen=True, slots=True)
class HoldClock:
    """Stop the clock; its `ClockStopped` still comes back."""


@dataclass(frozen=True, slots=True)
class PlanCall:
    """Find out what a call would touch."""

    call_id: str


@dataclass(frozen=True, slots=True)
class PeekCall:
    """Ask the permission engine whether the file may be read that a plan looked into."""

    id: str
    call_id: str
    target: str


@dataclass(frozen=True, slots=True)
class JudgeCall:
    """Ask the permission engine about a plan."""

    id: str
    """Of the question; the verdict has it."""
    call_id: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class AskPerson:
    """Send an approval request up."""

    id: str
    call_id: str
    plan: Plan
    verdict: PermissionVerdict


@dataclass(frozen=True, slots=True)
class Restrict:
    """Have the permission engine go by another agent already; it may do less than this one."""

    agent: str


@dataclass(frozen=True, slots=True)
class TakeRole:
    """Work as another agent from now on, since it is on disk."""

    switched: AgentSwitched


@dataclass(frozen=True, slots=True)
class RunCall:
    """Carry a plan out."""

    call_id: str
    plan: Plan
    reads: ReadRules | None = None


@dataclass(frozen=True, slots=True)
class StopCall:
    """Cancel a call's work; its end still comes back."""

    call_id: str


@dataclass(frozen=True, slots=True)
class AskToSpawn:
    """Ask whether one more subagent may be started; `SpawnAllowed` or `SpawnRefused` comes back."""

    call_id: str
    task: Task


@dataclass(frozen=True, slots=True)
class StartChild:
    """Start a subagent, or give a living one a further task; its end comes back."""

    started: SubagentStarted
    prompt: str
    lives: bool = False
    """It is there, and only has to be told."""
    on_disk: bool = False
    """It goes on from its records."""


@dataclass(frozen=True, slots=True)
class StopChild:
    """Let a subagent end its task, and stop it by force when it takes too long."""

    child: Address
    start: int


@dataclass(frozen=True, slots=True)
class ForceChild:
    """Stop a subagent that did not end its task in time."""

    child: Address


@dataclass(frozen=True, slots=True)
class AskPlace:
    """Ask to work."""


@dataclass(frozen=True, slots=True)
class LeavePlace:
    """Let others work."""

    under: Address | None = None
    """Who has ended, with all below; None: this agent waits, and those below go on."""


@dataclass(frozen=True, slots=True)
class PassUp:
    """Hand a question of those below to whoever is above."""

    question: AnyApprovalRequest


@dataclass(frozen=True, slots=True)
class PassDown:
    """Hand an answer on towards who asked."""

    answer: ApprovalAnswered | ApprovalRefused


@dataclass(frozen=True, slots=True)
class WithdrawUnder:
    """Take back every question of those at and below an agent; before anything is aborted."""

    under: Address


@dataclass(frozen=True, slots=True)
class TellChildren:
    """Tell each living child."""

    message: BudgetSpent


@dataclass(frozen=True, slots=True)
class Refuse:
    """Tell who sent the prompt at hand that none is taken."""


@dataclass(frozen=True, slots=True)
class Finish:
    """End: the one turn is over."""


ChildEffect = (
    AskToSpawn
    | StartChild
    | StopChild
    | ForceChild
    | AskPlace
    | LeavePlace
    | PassUp
    | PassDown
    | WithdrawUnder
    | TellChildren
    | Refuse
    | Finish
)
ModelEffect = AskModel | StopModel | Wait | MeasureModel
RoleEffect = Restrict | TakeRole
ClockEffect = StartClock | HoldClock
Effect = (
    Write
    | Rewrite
    | Report
    | ModelEffect
    | ClockEffect
    | RoleEffect
    | PlanCall
    | PeekCall
    | JudgeCall
    | AskPerson
    | RunCall
    | StopCall
    | ChildEffect
)
