"""How session files and stores can fail; each error says what happened and to which file."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from actors.sessions.damage import DamagedRecords, describe_damage


class _FileError(Exception):
    """One of our own files cannot be used; `detail` is one line for the user."""

    def __init__(self, detail: str) -> None:
        """Create the error with what happened and to which file."""
        super().__init__(detail)
        self.detail = detail


class LogError(_FileError):
    """The session file cannot be used as requested."""


class StoreError(_FileError):
    """A JSON store could not be read or replaced."""


class LogLockedError(LogError):
    """Another program has the session open; it can be forked instead."""

    def __init__(self, path: Path, pid: int | None) -> None:
        """Create the error; `pid` is from the last run in the file, None if it has none yet."""
        holder = f"process {pid}" if pid else "another program"
        super().__init__(
            f"{path}: open in {holder}. Close it there, or continue in a copy with "
            f"--fork {path.stem}"
        )


class LogDamagedError(LogError):
    """A record before the last group is damaged; the file was not changed."""

    def __init__(
        self, path: Path, damage: tuple[DamagedRecords, ...], lines: Sequence[bytes]
    ) -> None:
        """Create the error with what is damaged and how to continue; `lines` is the whole file."""
        line = damage[0].line
        offset_bytes = sum(len(raw) + 1 for raw in lines[: line - 1])
        super().__init__(
            f"{path}: damaged at line {line} of {len(lines)} (byte {offset_bytes}). "
            f"{describe_damage(damage)} The file was not changed and cannot be continued. "
            f"Continue in a copy without the damaged turn: greenroom --fork {path.stem}"
        )


@contextmanager
def map_os_errors(path: Path) -> Generator[None]:
    """Turn system errors about one of our own files into errors for the user.

    Raises:
        LogError: in place of every OSError.
    """
    try:
        yield
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise LogError(message) from error
