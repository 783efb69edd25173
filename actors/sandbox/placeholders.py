"""The empty folders that sandboxes need as mount points, removed when no command needs them."""

import fcntl
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path


class Placeholders:
    """The placeholders of one workspace, which all sessions in it share.

    A file lists them, so that the next start finds those of a program that was killed. Each running
    command holds a lock on that file: a placeholder that is removed while a command runs takes the
    mount with it, and the command could then create the folder after all.
    """

    def __init__(self, file: Path) -> None:
        """Use `file` as list and lock; it is created with the first placeholder."""
        self._file = file

    @contextmanager
    def hold(self, paths: Sequence[Path]) -> Generator[None]:
        """Keep these placeholders while a command runs; afterward remove all that are unused.

        Raises:
            OSError: the file cannot be written.
        """
        if not paths:
            yield
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("ab+") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            file.write(b"".join(os.fsencode(path) + b"\0" for path in paths))
            file.flush()
            yield
        self.remove_unused()

    def remove_unused(self) -> None:
        """Remove the listed folders that are still empty, unless a command needs them."""
        with suppress(FileNotFoundError), self._file.open("rb+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return  # the last command to end removes them
            for path in dict.fromkeys(file.read().split(b"\0")):
                with suppress(OSError):  # it is gone, or somebody has put something into it
                    Path(os.fsdecode(path)).rmdir()
            file.truncate(0)
