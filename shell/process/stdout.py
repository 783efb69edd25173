"""Standard output: unbuffered writes that never keep the program from ending."""

import errno
import fcntl
import os

STDOUT_FD = 1


class OutputError(Exception):
    """Standard output cannot be written; the text is empty if its reader is gone."""


class OutputStalledError(Exception):
    """A signal arrived while a write was blocked by the reader; the write is incomplete."""


def check_stdout() -> None:
    """Check that standard output is open for writing, before doing work whose result it gets.

    Raises:
        OutputError: it is not.
    """
    if fcntl.fcntl(STDOUT_FD, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        message = "standard output is closed; open it, or redirect it to a file or /dev/null"
        raise OutputError(message)


class StdoutWriter:
    """Standard output of a run that a signal can end although the reader does not read."""

    def __init__(self) -> None:
        self._is_writing = False
        self._is_broken = False

    def write(self, data: bytes) -> None:
        """Write at once; after an interrupted write, do nothing.

        Raises:
            OutputError: it cannot be written.
            OutputStalledError: see `interrupt_write`.
        """
        if self._is_broken:
            return
        self._is_writing = True
        try:
            write_stdout(data)
        except OutputStalledError:
            self._is_broken = True
            raise
        finally:
            self._is_writing = False

    def interrupt_write(self) -> None:
        """Abort a write in progress; called by a signal handler.

        Raises:
            OutputStalledError: a write is in progress.
        """
        if self._is_writing:
            raise OutputStalledError


def write_stdout(data: bytes) -> None:
    """Write all of `data` unbuffered, so that nothing has to be flushed at exit.

    Raises:
        OutputError: it cannot be written.
    """
    try:
        while data:
            data = data[os.write(STDOUT_FD, data) :]
    except OSError as error:
        message = "" if error.errno == errno.EPIPE else f"standard output: {error.strerror}"
        raise OutputError(message) from error
