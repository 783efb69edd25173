"""What each turn of a session changed, and who changed it, from the session's records. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from messages.address import PRIMARY, Address
from messages.serialization import JournalLine
from messages.snapshots import ChangesUndone, SnapshotTaken
from messages.turns import ToolEnded, TurnStarted

COMMAND_TOOL = "bash"


@dataclass
class TurnChange:
    """What was changed between the start of one turn of the primary agent and the next."""

    turn: int
    prompt: str
    before: str = ""
    """The first snapshot; empty: nothing was changed."""
    after: str = ""
    """The last snapshot; empty: the program ended before, and there is no later one."""
    file_authors: dict[str, set[Address]] = field(default_factory=dict[str, set[Address]])
    """Agents that changed a file with `write` or `edit`, by its path from the root."""
    command_authors: set[Address] = field(default_factory=set[Address])
    """Agents that ran commands which may have changed any file."""
    last_undo: ChangesUndone | None = None
    """The last undo of the turn, or of such an undo."""

    @property
    def is_undone(self) -> bool:
        """Its changes were undone and not restored."""
        return self.last_undo is not None and not self.last_undo.is_redo

    def format_author(self, path: str) -> str:
        """Return who changed a file, as far as that is certain."""
        exact = sorted(map(_name, self.file_authors.get(path, ())))
        commands = sorted(map(_name, self.command_authors))
        if exact:
            return ", ".join(exact)
        if len(commands) == 1:
            return f"a command of {commands[0]}"
        if commands:
            return f"uncertain: a command of {' or '.join(commands)}"
        return "uncertain: no agent ran a command"


def list_turn_changes(lines: Iterable[JournalLine]) -> tuple[TurnChange, ...]:
    """Return the turns that changed something, oldest first."""
    history = _History()
    for line in lines:
        history.add(line.recorded_by, line.message)
    return tuple(change for change in history.changes if change.before)


def find_undo(changes: tuple[TurnChange, ...]) -> TurnChange | None:
    """Return the last turn whose changes are not undone."""
    return next(
        (
            change
            for change in reversed(changes)
            if change.before != change.after and not change.is_undone
        ),
        None,
    )


def find_redo(changes: tuple[TurnChange, ...]) -> TurnChange | None:
    """Return the turn that was undone last; undoing goes back from the newest turn."""
    return next((change for change in changes if change.is_undone), None)


@dataclass
class _History:
    changes: list[TurnChange] = field(default_factory=list[TurnChange])
    last_commit: str = ""
    open_agents: set[Address] = field(default_factory=set[Address])
    """Agents between their first and their last snapshot of a turn."""

    def add(self, agent: Address, record: object) -> None:
        if isinstance(record, TurnStarted) and agent == PRIMARY:
            self.changes.append(TurnChange(record.turn, record.prompt))
        if not self.changes:
            return
        change = self.changes[-1]
        match record:
            case TurnStarted():
                self.open_agents.discard(agent)
            case SnapshotTaken():
                self._add_snapshot(change, agent, record)
            case ToolEnded():
                self._add_call(change, agent, record)
            case ChangesUndone():
                for earlier in self.changes:
                    if earlier.turn == record.turn:
                        earlier.last_undo = record
                self.last_commit = record.after
            case _:
                pass

    def _add_snapshot(self, change: TurnChange, agent: Address, taken: SnapshotTaken) -> None:
        if taken.moment == "before":
            self.open_agents.add(agent)
            self._complete_earlier(taken.commit)
            change.before = change.before or taken.commit
        else:
            self.open_agents.discard(agent)
            # A background agent may have begun in an earlier turn.
            change.before = change.before or self.last_commit
            change.after = taken.commit
        self.last_commit = taken.commit

    def _complete_earlier(self, commit: str) -> None:
        """End a turn whose last snapshot is missing, because the program ended before."""
        for earlier in self.changes[:-1]:
            if earlier.before and not earlier.after:
                earlier.after = commit

    def _add_call(self, change: TurnChange, agent: Address, ended: ToolEnded) -> None:
        if agent not in self.open_agents or ended.status == "denied":
            return
        if ended.tool == COMMAND_TOOL:
            change.command_authors.add(agent)
        elif ended.diff and ended.target:
            change.file_authors.setdefault(ended.target, set()).add(agent)


def _name(agent: Address) -> str:
    return agent.removeprefix(f"{PRIMARY}/") if agent != PRIMARY else agent.removeprefix("/")
