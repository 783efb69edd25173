"""Folders, files and services of a session that the REPL needs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from actors.sandbox.sandbox import Sandbox
from shell.config.agent_discovery import DiscoveredAgents
from shell.config.reload_rules import ReloadedRules

if TYPE_CHECKING:
    from actors.snapshots.snapshot_store import SnapshotStore


@dataclass(frozen=True, slots=True)
class SessionContext:
    """Folders and files of one session; a file that is None is not saved."""

    cwd: Path = field(default_factory=Path)
    """Where commands start."""
    workspace_root: Path = field(default_factory=Path)
    """Root whose files `@` completes."""
    session_file: Path | None = None
    history_file: Path | None = None
    """Input history of all sessions."""
    secrets: tuple[bytes, ...] = ()
    """API keys, which are never written to the history."""
    wall_clock: Callable[[], float] = lambda: 0.0
    """Seconds since 1970, for the age of sessions."""
    sandbox: Sandbox | None = None
    """What confines commands; None: nothing."""
    snapshots: "SnapshotStore | None" = None
    """Keeps the workspace before and after each turn; None: it is not kept."""
    agents: DiscoveredAgents = field(default_factory=DiscoveredAgents)
    """Every agent definition."""
    reload_rules: Callable[[], ReloadedRules] = lambda: ReloadedRules(
        None, ("there are no rule files",)
    )
    """Reads the rules again from disk; slow."""
