"""Selects the turns of a session that are complete, for a copy of the session. Pure."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from actors.sessions.log_reader import LogContents
from messages.address import PRIMARY, Address, is_subagent
from messages.approvals import AnyApprovalRequest, ApprovalDecided
from messages.compaction import Compacted
from messages.journal import RequestPrefix, SessionHeader, SessionOpened
from messages.permissions import SessionSettings
from messages.serialization import JournalLine
from messages.subagents import SubagentEnded, SubagentStarted
from messages.turns import TurnEnded, TurnStarted


@dataclass(frozen=True, slots=True)
class IntactTurns:
    """The records of a session without its incomplete turns."""

    lines: tuple[JournalLine, ...]
    omitted: tuple[str, ...]
    """The turns that are left out because a record is damaged, such as `turn 3`."""


@dataclass(frozen=True, slots=True)
class _Lines:
    """Records, some of which are missing."""

    lines: tuple[JournalLine, ...]
    gaps: frozenset[int]
    """Where records are missing: the number of lines before each such place."""

    def without(self, dropped: Container[int]) -> "_Lines":
        """Leave out the lines with these indexes."""
        kept: list[JournalLine] = []
        gaps: set[int] = set()
        for index, line in enumerate(self.lines):
            if index in dropped or index in self.gaps:
                gaps.add(len(kept))
            if index not in dropped:
                kept.append(line)
        if len(self.lines) in self.gaps:
            gaps.add(len(kept))
        return _Lines(tuple(kept), frozenset(gaps))


def select_intact_turns(contents: LogContents) -> IntactTurns:
    """Leave out the user's turns that have not ended, or that may include a damaged record.

    The work of subagents in these turns is left out with them.
    """
    rest = _Lines(contents.lines, frozenset(damage.index for damage in contents.damage))
    broken = list(_find_broken_turns(rest, PRIMARY))
    omitted = tuple(_name_turn(rest.lines[turn.start : turn.stop]) for turn in broken)
    turns = [*broken, _find_open_turn(rest.lines)]
    rest = rest.without({i for turn in turns for i in turn if _is_part_of_a_turn(rest.lines[i])})
    if contents.damage:
        rest = rest.without(_find_compactions(rest.lines))
    for agent in _list_subagents(rest.lines) if contents.damage else ():
        turns = list(_find_broken_turns(rest, agent))
        own = {i for turn in turns for i in turn if _get_agent(rest.lines[i]) == agent}
        rest = rest.without({i for i in own if _is_part_of_a_turn(rest.lines[i])})
    return IntactTurns(tuple(_drop_unknown_subagents(rest.lines)), omitted)


def _find_broken_turns(source: _Lines, agent: Address) -> Iterator[range]:
    """Yield the turns of an agent that include a gap, or whose start or end may be in one."""
    start: int | None = None
    gap: int | None = None
    for index in range(len(source.lines) + 1):
        if index in source.gaps and gap is None:
            gap = index
        line = source.lines[index] if index < len(source.lines) else None
        if line is not None and line.recorded_by != agent:
            continue
        if line is None or isinstance(line.message, TurnStarted):
            if start is not None and gap is not None:
                yield range(start, index)
            start, gap = index, None
        elif isinstance(line.message, TurnEnded):
            if gap is not None:
                yield range(gap if start is None else start, index + 1)
            start = gap = None


def _find_compactions(lines: Sequence[JournalLine]) -> frozenset[int]:
    """Return the compactions: each replaces a number of messages, some of which may be missing."""
    return frozenset(i for i, line in enumerate(lines) if isinstance(line.message, Compacted))


def _find_open_turn(lines: Sequence[JournalLine]) -> range:
    """Return the primary agent's last turn if it has not ended; otherwise an empty range."""
    for index in reversed(range(len(lines))):
        if lines[index].recorded_by == PRIMARY:
            if isinstance(lines[index].message, TurnEnded):
                break
            if isinstance(lines[index].message, TurnStarted):
                return range(index, len(lines))
    return range(0)


def _name_turn(lines: Sequence[JournalLine]) -> str:
    starts = (
        line.message.turn
        for line in lines
        if line.recorded_by == PRIMARY and isinstance(line.message, TurnStarted)
    )
    number = next(starts, None)
    return "a turn whose start is damaged" if number is None else f"turn {number}"


def _is_part_of_a_turn(line: JournalLine) -> bool:
    of_session = SessionHeader | SessionOpened | SessionSettings | RequestPrefix
    return not isinstance(line.message, of_session)


def _list_subagents(lines: Sequence[JournalLine]) -> list[Address]:
    return sorted({line.recorded_by for line in lines if is_subagent(line.recorded_by)})


def _get_agent(line: JournalLine) -> Address:
    """Return the agent that a record is about."""
    record = line.message
    if isinstance(record, AnyApprovalRequest | ApprovalDecided):
        return record.agent
    return record.child if isinstance(record, SubagentEnded) else line.recorded_by


def _drop_unknown_subagents(lines: Sequence[JournalLine]) -> Iterator[JournalLine]:
    """Leave out the records of subagents whose start was left out."""
    known: set[Address] = set()
    for line in lines:
        agents = {line.recorded_by, _get_agent(line)}
        is_unknown = any(is_subagent(agent) and agent not in known for agent in agents)
        if is_unknown and _is_part_of_a_turn(line):
            continue
        if isinstance(line.message, SubagentStarted):
            known.add(line.message.child)
        yield line
