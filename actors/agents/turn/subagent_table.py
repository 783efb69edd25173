"""What an agent knows of the agents below it: whom it started, and what they wait for."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from actors.tools.subagent_types import ExistingSubagent
from messages.address import Address
from messages.approvals import ApprovalRequest
from messages.policy import PermissionMode
from messages.subagents import SubagentStarted
from messages.turns import TurnEnded


@dataclass(frozen=True, slots=True)
class SubagentEntry:
    """One agent that was started for a task."""

    address: Address
    agent: str
    """Its type."""
    task_number: int = 1
    """How often it was begun."""
    call_id: str = ""
    """The call whose task it is at; empty: at none."""
    is_alive: bool = False
    one_shot: bool = True
    """It ends with its task."""
    max_mode: PermissionMode = "yolo"
    """The loosest mode that it works in, since its parent's was no looser when it began."""
    last_text: str = ""
    """The last words of the task at hand."""
    turn_end: TurnEnded | None = None
    """How its turn ended."""


@dataclass(frozen=True, slots=True)
class Family:
    """All that were started, and the questions that climb through this agent."""

    entries: Mapping[str, SubagentEntry] = field(default_factory=dict[str, SubagentEntry])
    """By name, which is their `task_id`."""
    open_requests: Mapping[str, ApprovalRequest] = field(default_factory=dict[str, ApprovalRequest])
    """Questions of those below that wait for an answer, by id: said again to who restarts."""
    names_to_resume: frozenset[str] = frozenset()
    """After a resume: children below whom a question was open; they go on by themselves."""

    def with_started(self, started: SubagentStarted, *, is_alive: bool = True) -> "Family":
        """Count one that begins, for the first time or with a further task."""
        child = SubagentEntry(
            started.child,
            started.agent_type,
            started.task_number,
            started.call_id,
            is_alive=is_alive,
            one_shot=started.one_shot,
            max_mode=started.max_mode,
        )
        return self.with_entry(child)

    def with_entry(self, entry: SubagentEntry) -> "Family":
        """Replace one."""
        return replace(self, entries={**self.entries, entry.address.name: entry})

    def find(self, address: Address) -> SubagentEntry | None:
        """Find one by its address."""
        child = self.entries.get(address.name)
        return child if child is not None and child.address == address else None

    def find_by_call(self, call_id: str) -> SubagentEntry | None:
        """Find the one that is at a call's task."""
        at_it = (child for child in self.entries.values() if child.call_id == call_id)
        return next(at_it, None)

    def without_requests(self, under: Address) -> "Family":
        """Forget the questions of an agent and of those below it."""
        left = {
            each: kept
            for each, kept in self.open_requests.items()
            if not kept.agent.is_under(under)
        }
        return replace(self, open_requests=left)

    def list_existing(self) -> dict[str, ExistingSubagent]:
        """List whom a further task can be given to, by name."""
        return {
            name: ExistingSubagent(child.agent, is_busy=bool(child.call_id))
            for name, child in self.entries.items()
        }
