"""What an agent knows about its subagents: which it started and which requests they wait for."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from actors.tools.subagent_types import ExistingSubagent
from messages.address import Address
from messages.approvals import ApprovalRequest, WithdrawApprovals
from messages.policy import PermissionMode
from messages.subagents import SubagentStarted, TaskDropped
from messages.turns import TurnEnded


@dataclass(frozen=True, slots=True)
class AssignedTask:
    """A task that has not ended; its end gives its `task` call the one result."""

    number: int
    call_id: str
    last_text: str = ""
    """Text of its last reply."""
    end: TurnEnded | TaskDropped | None = None
    """How its turn ended, or that it was dropped."""


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
    one_shot: bool = True
    """It ends with its task."""
    max_mode: PermissionMode = "yolo"
    """The loosest mode it may use: its parent's when its task started."""


@dataclass(frozen=True, slots=True)
class SubagentTable:
    """All subagents of this agent, and the approval requests that it has forwarded."""

    entries: Mapping[str, SubagentEntry] = field(default_factory=dict[str, SubagentEntry])
    """By name, which is also their `task_id`."""
    open_requests: Mapping[str, ApprovalRequest] = field(default_factory=dict[str, ApprovalRequest])
    """Unanswered requests of the subtree, by id; resent to a restarted peer."""
    names_to_resume: frozenset[str] = frozenset()
    """After a resume: subagents with an open request in their subtree; they resume immediately."""

    def with_started(self, started: SubagentStarted, *, is_alive: bool) -> "SubagentTable":
        """Return the table with a subagent that starts its first or another task."""
        entry = SubagentEntry(
            started.child,
            started.agent_type,
            started.task_number,
            AssignedTask(started.task_number, started.call_id),
            is_alive=is_alive,
            one_shot=started.one_shot,
            max_mode=started.max_mode,
        )
        return self.with_entry(entry)

    def with_entry(self, entry: SubagentEntry) -> "SubagentTable":
        """Return the table with one entry added or replaced."""
        return replace(self, entries={**self.entries, entry.address.name: entry})

    def find(self, address: Address) -> SubagentEntry | None:
        """Return the subagent with this address."""
        entry = self.entries.get(address.name)
        return entry if entry is not None and entry.address == address else None

    def find_by_call(self, call_id: str) -> tuple[SubagentEntry, AssignedTask] | None:
        """Return the subagent that works on a call's task, and that task."""
        for entry in self.entries.values():
            if entry.task is not None and entry.task.call_id == call_id:
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

    def list_interactive(self) -> tuple[Address, ...]:
        """Return the running subagents that also take prompts from the user."""
        return tuple(
            entry.address
            for entry in self.entries.values()
            if entry.is_alive and not entry.one_shot
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
            name: ExistingSubagent(entry.agent, is_busy=entry.task is not None)
            for name, entry in self.entries.items()
        }
