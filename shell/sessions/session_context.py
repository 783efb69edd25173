"""Where a session works, as far as the screen needs to know."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from shell.config.agent_discovery import DiscoveredAgents
from shell.config.reload_rules import ReloadedRules


@dataclass(frozen=True, slots=True)
class SessionContext:
    """Folders and files of one session; what is None is not kept."""

    cwd: Path = field(default_factory=Path)
    """Where commands start."""
    workspace_root: Path = field(default_factory=Path)
    """The workspace's root, whose files are completed."""
    session_file: Path | None = None
    history_file: Path | None = None
    """What the person has said, in all sessions."""
    secrets: tuple[bytes, ...] = ()
    """Keys that are never written to it."""
    wall_clock: Callable[[], float] = lambda: 0.0
    """Seconds since 1970, to tell how old sessions are."""
    agents: DiscoveredAgents = field(default_factory=DiscoveredAgents)
    """Every definition of an agent."""
    reload_rules: Callable[[], ReloadedRules] = lambda: ReloadedRules(
        None, ("there are no files of rules here",)
    )
    """Reads the rules anew; looks at the disk."""
