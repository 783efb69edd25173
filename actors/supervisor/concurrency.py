"""Concurrency slots, spawn limits and names of subagents. Pure."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from messages.address import Address

SPAWN_RATE_WINDOW_S = 60.0
MAX_SPAWNS_PER_SLOT = 10
"""Spawns per slot that are allowed in `SPAWN_RATE_WINDOW_S`; more is a runaway chain reaction."""
MAX_STEM_CHARS = 40
"""Length of the agent type within an agent's name; a number follows."""


@dataclass
class SlotPool:
    """The concurrency slots of the whole tree, assigned first come, first served."""

    slot_limit: int
    holders: dict[Address, None] = field(default_factory=dict[Address, None])
    waiting: dict[Address, None] = field(default_factory=dict[Address, None])

    def acquire(self, agent: Address) -> bool:
        """Assign a slot and return True, or queue the agent and return False."""
        if agent in self.holders or len(self.holders) < self.slot_limit:
            self.waiting.pop(agent, None)
            self.holders[agent] = None
            return True
        self.waiting[agent] = None
        return False

    def release(self, under: Address, *, self_only: bool) -> list[Address]:
        """Release the slots of an agent, and of its descendants unless `self_only`.

        Returns the waiting agents that now hold a slot.
        """
        prefix = f"{under}/"
        for table in (self.holders, self.waiting):
            table.pop(under, None)
            if not self_only:
                for agent in [agent for agent in table if agent.startswith(prefix)]:
                    del table[agent]
        admitted: list[Address] = []
        while self.waiting and len(self.holders) < self.slot_limit:
            first = next(iter(self.waiting))
            self.acquire(first)
            admitted.append(first)
        return admitted


@dataclass
class SpawnLimiter:
    """Counts and rate-limits the subagents that are started in one run."""

    max_spawns: int | None
    """The budget; `extend` adds the same amount to `limit`."""
    slot_limit: int
    spawn_count: int = 0
    recent_spawns_s: deque[float] = field(default_factory=deque[float])
    limit: int | None = field(init=False)

    def __post_init__(self) -> None:
        """Start with the budget."""
        self.limit = self.max_spawns

    @property
    def is_exhausted(self) -> bool:
        """Whether only the user can allow more subagents."""
        return self.limit is not None and self.spawn_count >= self.limit

    def extend(self, reached_limit: int) -> None:
        """Allow as many subagents again, unless that was done since this limit was reached."""
        if self.limit == reached_limit and self.max_spawns is not None:
            self.limit = reached_limit + self.max_spawns

    def try_admit(self, now_s: float) -> str:
        """Count one spawn and return an empty string, or return the reason to reject it."""
        if self.is_exhausted:
            return f"stopped after {self.limit} subagents, the limit (spawns in [budget])"
        while self.recent_spawns_s and now_s - self.recent_spawns_s[0] >= SPAWN_RATE_WINDOW_S:
            self.recent_spawns_s.popleft()
        max_recent = MAX_SPAWNS_PER_SLOT * self.slot_limit
        if len(self.recent_spawns_s) >= max_recent:
            wait_s = SPAWN_RATE_WINDOW_S - (now_s - self.recent_spawns_s[0])
            return (
                f"Too many subagents were started: {max_recent} in {SPAWN_RATE_WINDOW_S:.0f} s. "
                f"Use the results you have, or try again in {wait_s:.0f} s."
            )
        self.spawn_count += 1
        self.recent_spawns_s.append(now_s)
        return ""


class AgentNames:
    """Allocates names for the subagents of a session from type and number; none is reused."""

    def __init__(self, used_names: Iterable[str]) -> None:
        """Start after the names that earlier runs of the session used."""
        self._last_numbers: dict[str, int] = {}
        for name in used_names:
            stem, _, number = name.rpartition("-")
            if number.isdecimal():
                self._last_numbers[stem] = max(self._last_numbers.get(stem, 0), int(number))

    def allocate(self, agent_type: str) -> str:
        """Return an unused name for an agent of this type."""
        stem = agent_type[:MAX_STEM_CHARS]
        self._last_numbers[stem] = self._last_numbers.get(stem, 0) + 1
        return f"{stem}-{self._last_numbers[stem]}"
