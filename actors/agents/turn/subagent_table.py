"""What an agent knows about its subagents: which it started and which requests they wait for."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from actors.agents.turn.result_frame import frame_text
from actors.tools.subagent_types import ExistingSubagent
from messages.address import Address
from messages.approvals import ApprovalRequest, WithdrawApprovals
from messages.policy import PermissionMode
from messages.subagents import PROGRAM_KINDS, SubagentEnded, SubagentStarted, TaskDropped
from messages.turns import TurnEnded

PAUSED = (
    "It is paused, because the session was closed while it worked. The user can continue it; or "
    "call task with this task_id to let it continue."
)
RUNNING = "It is still running; a notification follows when it has ended. Its text so far:"


@dataclass(frozen=True, slots=True)
class AssignedTask:
    """A task that has not ended; its end gives its `task` call the one result."""

    started: SubagentStarted
    """Its start; in the background also if it was moved there later."""
    wakes_parent: bool = True
    """Its notification starts a turn of an idle parent; not if both were stopped together."""
    prompt: str = ""
    """After a resume: the prompt of an unfinished background task."""
    last_text: str = ""
    """Text of its last reply."""
    end: TurnEnded | TaskDropped | None = None
    """How its turn ended, or that it was dropped."""

    @property
    def number(self) -> int:
        """Counts the subagent's tasks, from 1."""
        return self.started.task_number

    @property
    def is_background(self) -> bool:
        """Its call has ended, or ends at its start; a notification reports its end."""
        return self.started.is_background


@dataclass(frozen=True, slots=True)
class SubagentEntry:
    """One subagent of this agent."""

    address: Address
    agent: str
    """Name of its definition."""
    task_number: int
    """Number of its last task."""
    task: AssignedTask | None = None
    """Its last task, until it ends; only then can the next one be assigned."""
    is_alive: bool = False
    is_paused: bool = False
    """After a resume: its background task has not been started again."""
    one_shot: bool = True
    """It ends with its task."""
    max_mode: PermissionMode = "yolo"
    """The loosest mode it may use: its parent's when its task started."""
    bubbles: bool = False
    """As in `SubagentStarted`."""
    last_notification: str = ""
    """How its last task ended, if that ran in the background."""


@dataclass(frozen=True, slots=True)
class SubagentTable:
    """All subagents of this agent, and the approval requests that it has forwarded."""

    entries: Mapping[str, SubagentEntry] = field(default_factory=dict[str, SubagentEntry])
    """By name, which is also their `task_id`."""
    open_requests: Mapping[str, ApprovalRequest] = field(default_factory=dict[str, ApprovalRequest])
    """Unanswered requests of the subtree, by id; resent to a restarted peer."""
    notifications: tuple[SubagentEnded, ...] = ()
    """Ends of background tasks that are not part of the conversation yet."""
    must_wake: bool = False
    """If the agent is idle, it starts a turn for the notifications."""
    names_to_resume: frozenset[str] = frozenset()
    """After a resume: subagents with an open request in their subtree; they resume immediately."""

    def with_started(self, started: SubagentStarted, *, is_alive: bool) -> "SubagentTable":
        """Return the table with a subagent that starts its first or another task."""
        entry = SubagentEntry(
            started.child,
            started.agent_type,
            started.task_number,
            AssignedTask(started),
            is_alive=is_alive,
            one_shot=started.one_shot,
            max_mode=started.max_mode,
            bubbles=started.bubbles,
        )
        return self.with_entry(entry)

    def with_entry(self, entry: SubagentEntry) -> "SubagentTable":
        """Return the table with one entry added or replaced."""
        return replace(self, entries={**self.entries, entry.address.name: entry})

    def find(self, address: Address) -> SubagentEntry | None:
        """Return the subagent with this address."""
        entry = self.entries.get(address.name)
        return entry if entry is not None and entry.address == address else None

    def find_by_call(self, turn: int, call_id: str) -> tuple[SubagentEntry, AssignedTask] | None:
        """Return the subagent that works on the task of a call of this turn, and that task."""
        for entry in self.entries.values():
            task = entry.task
            if task is not None and (task.started.turn, task.started.call_id) == (turn, call_id):
                return entry, task
        return None

    def find_review(self, review_id: str) -> tuple[SubagentEntry, AssignedTask] | None:
        """Return the subagent that works on a review, and its task."""
        for entry in self.entries.values():
            if entry.task and (entry.agent, entry.task.started.call_id) == ("review", review_id):
                return entry, entry.task
        return None

    def find_task(
        self, address: Address, task_number: int
    ) -> tuple[SubagentEntry, AssignedTask] | None:
        """Return the subagent with this address and its task with this number, until that ends."""
        entry = self.find(address)
        if entry is None or entry.task is None or entry.task.number != task_number:
            return None
        return entry, entry.task

    def list_independent(self) -> tuple[Address, ...]:
        """Return the running subagents that may ask for something else than the current turn.

        They also take prompts from the user, or work in the background.
        """
        return tuple(
            entry.address
            for entry in self.entries.values()
            if entry.is_alive
            and (not entry.one_shot or (entry.task is not None and entry.task.is_background))
        )

    def with_backgrounded(self, child: Address) -> "SubagentTable":
        """Return the table after a child's task was moved to the background."""
        entry = self.find(child)
        if entry is None or entry.task is None:
            return self
        started = entry.task.started.model_copy(update={"is_background": True})
        return self.with_entry(replace(entry, task=replace(entry.task, started=started)))

    def find_above(self, agent: Address) -> SubagentEntry | None:
        """Return the subagent whose subtree contains an agent."""
        entries = self.entries.values()
        return next((entry for entry in entries if agent.is_under(entry.address)), None)

    def list_background(self) -> tuple[SubagentEntry, ...]:
        """Return the subagents that work in the background."""
        return tuple(
            entry for entry in self.entries.values() if entry.task and entry.task.is_background
        )

    def with_request(self, request: ApprovalRequest) -> "SubagentTable":
        """Return the table with one more open request."""
        return replace(self, open_requests={**self.open_requests, request.id: request})

    def without_request(self, request_id: str) -> "SubagentTable":
        """Return the table after a request was answered."""
        remaining = {
            open_id: request
            for open_id, request in self.open_requests.items()
            if open_id != request_id
        }
        return replace(self, open_requests=remaining)

    def without_requests(self, withdrawal: WithdrawApprovals) -> "SubagentTable":
        """Return the table without the open requests that are withdrawn."""
        remaining = {
            request_id: request
            for request_id, request in self.open_requests.items()
            if not withdrawal.is_about(request.agent)
        }
        return replace(self, open_requests=remaining)

    def list_existing(self) -> dict[str, ExistingSubagent]:
        """Return the subagents that can take another task, by name."""
        return {
            name: ExistingSubagent(
                entry.agent,
                is_busy=entry.task is not None and not entry.is_paused,
                is_background=_is_background(entry),
                text=_format_background_status(entry),
            )
            for name, entry in self.entries.items()
            if entry.agent not in PROGRAM_KINDS
        }


def _is_background(entry: SubagentEntry) -> bool:
    return entry.task.is_background if entry.task else bool(entry.last_notification)


def _format_background_status(entry: SubagentEntry) -> str:
    """Return how a background task is going or how it ended, for the model; else nothing."""
    if entry.task is None or not entry.task.is_background:
        return entry.last_notification
    name = entry.address.name
    if entry.is_paused:
        return f"task_id: {name}\n{PAUSED}"
    return f"task_id: {name}\n{RUNNING}\n{frame_text(entry.task.last_text)}"
