"""What identifies an agent; it does not change while the agent runs."""

from dataclasses import dataclass

from messages.subagents import SubAgentSource


@dataclass(frozen=True, slots=True)
class AgentIdentity:
    """Who an agent is, and the values that are derived from it."""

    address: str = ""
    """Its approval ids start with this address."""
    run: int = 1
    """Number of this run of the session; part of its approval ids."""
    incarnation: int = 1
    """Incarnation of the agent; part of its approval ids after a crash.

    A subagent's next task starts above all incarnations of the one before, so that no id repeats.
    """
    cwd: str = ""
    """Where calls run; an approval is bound to it."""
    jitter_seed: str = ""
    """Seed of retry jitter; contains the session id, so that programs do not retry together."""
    read_only_tools: frozenset[str] = frozenset()
    """Names of the tools that only read."""
    command_tools: frozenset[str] = frozenset()
    """Names of the tools whose calls may only read; the permission engine finds out."""
    source: SubAgentSource | None = None
    """What started this subagent; None: it is the primary agent."""
    takes_snapshots: bool = False
    """The workspace is kept before and after what a turn changes."""
    never_asks: bool = False
    """Calls that need approval are denied."""

    def build_approval_id(self, number: int) -> str:
        """Return the id of the agent's approval request with this number."""
        return f"{self.address}#{number}@{self._id_suffix}"

    def build_switch_id(self, number: int) -> str:
        """Return the id of a switch of the primary agent."""
        return f"{self.address}#switch-{number}@{self._id_suffix}"

    @property
    def _id_suffix(self) -> str:
        """End of its ids, unique per run and incarnation."""
        return f"{self.run}.{self.incarnation}" if self.incarnation > 1 else f"{self.run}"
