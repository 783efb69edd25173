"""Where an agent works."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where an agent works; both folders absolute with links resolved."""

    root: Path
    """The git top level that contains the start folder, else the start folder."""
    cwd: Path
    """The start folder; relative paths and commands begin here."""
    added_folders: tuple[Path, ...] = ()
    """Further folders that count as inside; their paths are named absolutely."""

    def to_target(self, path: Path) -> str:
        """Name a resolved path for rules: relative to the root, or absolute outside it."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)
