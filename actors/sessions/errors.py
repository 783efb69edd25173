"""How our own files can fail; each says whose fault it is and what became of the file."""

from pathlib import Path


class LogError(Exception):
    """The session file cannot be used as asked; `detail` is one line for people."""

    def __init__(self, detail: str) -> None:
        """Say what happened and to which file."""
        super().__init__(detail)
        self.detail = detail


class StoreError(Exception):
    """A small file of ours could not be read or replaced; `detail` is one line for people."""

    def __init__(self, detail: str) -> None:
        """Say what happened and to which file."""
        super().__init__(detail)
        self.detail = detail


class LogLockedError(LogError):  # noqa: N818  (named for what the file is)
    """Another program has the session open; it may be forked instead."""

    def __init__(self, path: Path, pid: int | None) -> None:
        """Name the holder by the last run that the file records; None: it records none yet."""
        holder = f"process {pid}" if pid else "another program"
        super().__init__(
            f"{path}: open in {holder}; close it there, or take a copy: --fork {path.stem}"
        )
        self.pid = pid


class LogDamagedError(LogError):  # noqa: N818  (as above)
    """A record before the last one cannot be trusted; nothing was cut off."""

    def __init__(
        self, path: Path, line: int, offset_bytes: int, line_count: int, reason: str
    ) -> None:
        """Say where the damage begins and how much stands behind it.

        `line` counts from 1, `lines` is the whole file's count.
        """
        super().__init__(
            f"{path}: damaged at line {line} of {line_count} (byte {offset_bytes}): {reason}; "
            f"the {line - 1} before it are whole; the file is kept as it is, "
            "and a new session begins without --continue and --resume"
        )
        self.line = line
        self.offset_bytes = offset_bytes
        self.line_count = line_count
