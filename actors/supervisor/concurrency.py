"""How many agents may work at once, how many may be started, and their names. Pure."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from messages.address import Address

SPAWN_RATE_WINDOW_S = 60.0
MAX_SPAWNS_PER_SLOT = 10
"""So many times the places may be started in `RATE_WINDOW_S`; more is a chain reaction."""
MAX_STEM_CHARS = 40
"""Of a type's name in the name of an agent; its number follows."""


@dataclass
class SlotPool:
    """The places of the whole tree, first come, first served."""

    slot_limit: int
    holders: dict[Address, None] = field(default_factory=dict[Address, None])
    waiting: dict[Address, None] = field(default_factory=dict[Address, None])

    def acquire(self, agent: Address) -> bool:
        """Give a place, or let the agent wait; True: it has one."""
        if agent in self.holders or len(self.holders) < self.slot_limit:
            self.waiting.pop(agent, None)
            self.holders[agent] = None
            return True
        self.waiting[agent] = None
        return False

    def release(self, under: Address, *, self_only: bool) -> list[Address]:
        """Free the places of an agent, and unless `alone` of those below; who has one now."""
        below = f"{under}/"
        for table in (self.holders, self.waiting):
            table.pop(under, None)
            for each in () if self_only else [each for each in table if each.startswith(below)]:
                del table[each]
        served: list[Address] = []
        while self.waiting and len(self.holders) < self.slot_limit:
            first = next(iter(self.waiting))
            self.acquire(first)
            served.append(first)
        return served


@dataclass
class SpawnLimiter:
    """Counts the subagents of one run of the program."""

    max_spawns: int | None
    places: int
    spawn_count: int = 0
    recent_spawns_s: deque[float] = field(default_factory=deque[float])

    def try_admit(self, now_s: float) -> str:
        """Count one more start; else say why there is none."""
        if self.max_spawns is not None and self.spawn_count >= self.max_spawns:
            return (
                f"No further subagent: {self.spawn_count} were started, and spawns in [budget] is "
                f"{self.max_spawns}. Do the work yourself, or go on with an earlier one by its task_id."
            )
        while self.recent_spawns_s and now_s - self.recent_spawns_s[0] >= SPAWN_RATE_WINDOW_S:
            self.recent_spawns_s.popleft()
        most = MAX_SPAWNS_PER_SLOT * self.places
        if len(self.recent_spawns_s) >= most:
            wait_s = SPAWN_RATE_WINDOW_S - (now_s - self.recent_spawns_s[0])
            return (
                f"No further subagent now: {most} were started within {SPAWN_RATE_WINDOW_S:.0f} s. "
                f"Use the results that are there; the next may start in {wait_s:.0f} s."
            )
        self.spawn_count += 1
        self.recent_spawns_s.append(now_s)
        return ""


class AgentNames:
    """Names the subagents of a session, by type and number; none is ever given twice."""

    def __init__(self, used_names: Iterable[str]) -> None:
        """Know which names earlier runs gave."""
        self._last: dict[str, int] = {}
        for name in used_names:
            stem, _, number = name.rpartition("-")
            if number.isdecimal():
                self._last[stem] = max(self._last.get(stem, 0), int(number))

    def allocate(self, agent_type: str) -> str:
        """Name the next agent of a type."""
        stem = agent_type[:MAX_STEM_CHARS]
        self._last[stem] = self._last.get(stem, 0) + 1
        return f"{stem}-{self._last[stem]}"
