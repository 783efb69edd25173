"""The folders that a session works in."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folders that a session works in, all absolute with links resolved."""

    root: Path
    """The git top level that contains the start folder, else the start folder."""
    cwd: Path
    """The start folder; commands start here, and relative paths are relative to it."""
    added_folders: tuple[Path, ...] = ()
    """Folders that are treated as part of the workspace; their files have absolute targets."""

    def to_target(self, path: Path) -> str:
        """Return a resolved path as rules see it: relative to the root, or absolute outside it."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)
