"""How many agents may work at once, how many may be started, and their names. Pure."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from messages.address import Address

RATE_WINDOW_S = 60.0
STARTS_PER_PLACE = 10
"""So many times the places may be started in `RATE_WINDOW_S`; more is a chain reaction."""
MOST_STEM_CHARS = 40
"""Of a type's name in the name of an agent; its number follows."""


@dataclass
class SlotPool:
    """The places of the whole tree, first come, first served."""

    limit: int
    taken: dict[Address, None] = field(default_factory=dict[Address, None])
    waiting: dict[Address, None] = field(default_factory=dict[Address, None])

    def take(self, agent: Address) -> bool:
        """Give a place, or let the agent wait; True: it has one."""
        if agent in self.taken or len(self.taken) < self.limit:
            self.waiting.pop(agent, None)
            self.taken[agent] = None
            return True
        self.waiting[agent] = None
        return False

    def leave(self, under: Address, *, alone: bool) -> list[Address]:
        """Free the places of an agent, and unless `alone` of those below; who has one now."""
        below = f"{under}/"
        for table in (self.taken, self.waiting):
            table.pop(under, None)
            for each in () if alone else [each for each in table if each.startswith(below)]:
                del table[each]
        served: list[Address] = []
        while self.waiting and len(self.taken) < self.limit:
            first = next(iter(self.waiting))
            self.take(first)
            served.append(first)
        return served


@dataclass
class SpawnLimiter:
    """Counts the subagents of one run of the program."""

    budget: int | None
    places: int
    count: int = 0
    recent: deque[float] = field(default_factory=deque[float])

    def refusal(self, now_s: float) -> str:
        """Count one more start; else say why there is none."""
        if self.budget is not None and self.count >= self.budget:
            return (
                f"No further subagent: {self.count} were started, and spawns in [budget] is "
                f"{self.budget}. Do the work yourself, or go on with an earlier one by its task_id."
            )
        while self.recent and now_s - self.recent[0] >= RATE_WINDOW_S:
            self.recent.popleft()
        most = STARTS_PER_PLACE * self.places
        if len(self.recent) >= most:
            wait_s = RATE_WINDOW_S - (now_s - self.recent[0])
            return (
                f"No further subagent now: {most} were started within {RATE_WINDOW_S:.0f} s. "
                f"Use the results that are there; the next may start in {wait_s:.0f} s."
            )
        self.count += 1
        self.recent.append(now_s)
        return ""


class AgentNames:
    """Names the subagents of a session, by type and number; none is ever given twice."""

    def __init__(self, given: Iterable[str]) -> None:
        """Know which names earlier runs gave."""
        self._last: dict[str, int] = {}
        for name in given:
            stem, _, number = name.rpartition("-")
            if number.isdecimal():
                self._last[stem] = max(self._last.get(stem, 0), int(number))

    def new(self, agent: str) -> str:
        """Name the next agent of a type."""
        stem = agent[:MOST_STEM_CHARS]
        self._last[stem] = self._last.get(stem, 0) + 1
        return f"{stem}-{self._last[stem]}"
