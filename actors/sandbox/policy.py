"""What a sandboxed command may do."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from messages.policy import WorkspaceAccess

Enforcement = Literal["full", "partial", "none"]
"""full: the whole policy is enforced · partial: a second line of defense that lifts no question ·
none: commands run unconfined."""

OpenFiles: TypeAlias = tuple[tuple[int, Path], ...]
"""Files to open for a new process, each with the number of its descriptor."""


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """The `[sandbox]` table of the configuration, with paths resolved."""

    mode: Literal["auto", "require", "off"] = "auto"
    write: tuple[str, ...] = ()
    """Folders outside the workspace that commands may write to where the workspace is writable."""
    hide: tuple[str, ...] = ()
    """Files and folders that commands cannot read, in addition to the known secret files."""


@dataclass(frozen=True, slots=True)
class FixedFile:
    """A file that a command sees with this content, whatever others write to it meanwhile."""

    path: Path
    content: bytes
    mode: int
    """Its permission bits."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """The sandbox of one command."""

    access: WorkspaceAccess
    hidden_files: tuple[str, ...] = ()
    """Absolute paths of files that the command cannot read."""
    fixed_files: tuple[FixedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class SandboxStatus:
    """What confines commands on this machine."""

    enforcement: Enforcement
    reason: str = ""
    """Why it is not full, and what to do about it; shown to the user."""
