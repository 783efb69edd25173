"""Standard output: written at once, and never a reason to hang."""

import errno
import os

STDOUT_FD = 1


class OutputError(Exception):
    """Standard output takes nothing more; empty: its reader has gone, and nobody need be told."""


class OutputStalledError(Exception):
    """A signal came while the reader kept us waiting; what was being written is torn."""


class StdoutWriter:
    """Standard output of a run that a signal must be able to end, whatever the reader does."""

    def __init__(self) -> None:
        """Nothing is being written yet."""
        self._busy = False
        self._torn = False

    def write(self, data: bytes) -> None:
        """Write at once; after a stall, nothing any more.

        Raises:
            OutputError: it cannot be written.
            OutputStalledError: see `interrupt`.
        """
        if self._torn:
            return
        self._busy = True
        try:
            write_stdout(data)
        except OutputStalledError:
            self._torn = True
            raise
        finally:
            self._busy = False

    def interrupt_write(self) -> None:
        """Leave a write that is under way; called by a signal's handler.

        Raises:
            OutputStalledError: there is one.
        """
        if self._busy:
            raise OutputStalledError


def write_stdout(data: bytes) -> None:
    """Write all of it, unbuffered: nothing is left to be flushed on the way out.

    Raises:
        OutputError: it cannot be written.
    """
    try:
        while data:
            data = data[os.write(STDOUT_FD, data) :]
    except OSError as error:
        gone = error.errno in (errno.EPIPE, errno.EBADF)
        raise OutputError("" if gone else f"standard output: {error.strerror}") from error
