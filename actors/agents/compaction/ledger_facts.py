"""What a conversation must not lose when it is compacted, collected from its records. Pure."""

from dataclasses import dataclass, field, replace

from messages.address import Address
from messages.base import Message
from messages.steering import PromptDelivered
from messages.subagents import SubagentEnded, SubagentStarted
from messages.todos import Todo
from messages.turns import AgentSwitched, TodosUpdated, ToolEnded, TurnStarted

COMMAND_TOOL = "bash"


@dataclass(frozen=True, slots=True)
class SubagentTaskFacts:
    """A subagent's last task."""

    started: SubagentStarted
    ended: SubagentEnded | None = None
    """None: it is still running."""


@dataclass
class LedgerFacts:
    """Grows with each record of an agent, and with the events of its subagents."""

    prompts: dict[int, str] = field(default_factory=dict[int, str])
    """The user's messages by number, which is that of their turn if they started one."""
    todos: tuple[Todo, ...] = ()
    todo_turns: dict[str, int] = field(default_factory=dict[str, int])
    """The turn in which each current to-do item was created."""
    last_switch: AgentSwitched | None = None
    subagents: dict[Address, SubagentTaskFacts] = field(
        default_factory=dict[Address, SubagentTaskFacts]
    )
    changed_files: dict[str, dict[str, None]] = field(default_factory=dict[str, dict[str, None]])
    """The authors of the changes to each file, as names below the agent; empty: the agent."""
    failing_command: ToolEnded | None = None
    """The last command that failed, unless the same one succeeded since."""

    def add(self, record: Message) -> None:
        """Add a record of the agent; most are ignored."""
        match record:
            case TurnStarted() if record.has_prompt:
                self.prompts[record.turn] = record.prompt
            case PromptDelivered():
                self.prompts[record.number] = record.prompt
            case TodosUpdated():
                self._set_todos(record)
            case AgentSwitched():
                self.last_switch = record
            case SubagentStarted():
                self.subagents[record.child] = SubagentTaskFacts(record)
            case SubagentEnded() if record.child in self.subagents:
                facts = self.subagents[record.child]
                self.subagents[record.child] = replace(facts, ended=record)
            case ToolEnded():
                self._add_change(record, "")
                self._add_command(record)
            case _:
                pass

    def add_subagent_event(self, event: Message, name: str) -> None:
        """Add an event of the subagent with this name; only its changes to files are kept."""
        if isinstance(event, ToolEnded):
            self._add_change(event, name)

    def _set_todos(self, updated: TodosUpdated) -> None:
        self.todos = updated.todos
        self.todo_turns = {
            todo.content: self.todo_turns.get(todo.content, updated.turn) for todo in updated.todos
        }

    def _add_change(self, ended: ToolEnded, author: str) -> None:
        if ended.status == "ok" and ended.diff and ended.target:
            self.changed_files.setdefault(ended.target, {})[author] = None

    def _add_command(self, ended: ToolEnded) -> None:
        if ended.tool != COMMAND_TOOL:
            return
        if ended.status == "error":
            self.failing_command = ended
        elif self.failing_command and self.failing_command.title == ended.title:
            self.failing_command = None
