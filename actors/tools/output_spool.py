"""A command's output: little of it in memory, the whole of it in a file when it is long."""

import asyncio
import os
import secrets
from pathlib import Path

from actors.tools.await_helpers import run_to_completion

MAX_OUTPUT_CHARS = 30_000
MAX_FILE_BYTES = 128 * 1024 * 1024
"""What comes after it is read and dropped, so that a runaway command cannot fill the disk."""
_MAX_HEAD_BYTES = 4 * MAX_OUTPUT_CHARS
"""A character of UTF-8 has at most four bytes: more than this is too long for certain."""
_HALF_CHARS = MAX_OUTPUT_CHARS // 2
_MAX_TAIL_BYTES = 4 * _HALF_CHARS + 3  # it may begin inside a character
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class OutputSpool:
    """Takes output as it comes; tells its two ends and where the whole is.

    Memory is bounded. Files are written on a worker thread, one write at a time.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._head = bytearray()
        self._tail = bytearray()
        self._file: int | None = None
        self._path: Path | None = None
        self._written_bytes = 0
        self._total_bytes = 0
        self._trouble = ""

    async def add(self, chunk: bytes) -> None:
        """Take the next bytes."""
        self._total_bytes += len(chunk)
        if self._total_bytes <= _MAX_HEAD_BYTES:
            self._head += chunk
            return
        self._tail += chunk
        del self._tail[:-_MAX_TAIL_BYTES]
        if self._written_bytes < MAX_FILE_BYTES and not self._trouble:
            # Seen through: the file must not be closed while a thread writes to it.
            await run_to_completion(asyncio.to_thread(self._keep, chunk))

    async def format_output(self) -> str:
        """Tell the output, cut in the middle when longer than `MAX_OUTPUT_CHARS`."""
        start = self._head.decode("utf-8", "replace")
        if not self._tail and len(start) <= MAX_OUTPUT_CHARS:
            return start
        if self._path is None:
            await run_to_completion(asyncio.to_thread(self._keep, b""))
        end = (self._head + self._tail).decode("utf-8", "replace")[-_HALF_CHARS:]
        return f"{start[:_HALF_CHARS]}\n{self._mark()}\n{end}"

    @property
    def path(self) -> Path | None:
        """The file with everything, where there is one."""
        return None if self._trouble else self._path

    def close(self, *, discard: bool = False) -> None:
        """Let go of the file; `discard` when nobody will be told of it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if self._path is not None and (discard or self._trouble):
            self._path.unlink(missing_ok=True)

    def _keep(self, chunk: bytes) -> None:
        try:
            if self._file is None:
                self._file = self._open()
                self._write(self._file, bytes(self._head))
            self._write(self._file, chunk[: MAX_FILE_BYTES - self._written_bytes])
        except OSError as error:  # a full disk must not cost the command
            self._trouble = error.strerror or type(error).__name__

    def _open(self) -> int:
        _make_private(self._folder)
        self._path = self._folder / f"bash-{secrets.token_hex(8)}.txt"
        return os.open(self._path, _NEW, 0o600)

    def _write(self, file: int, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            count = os.write(file, rest)
            self._written_bytes += count
            rest = rest[count:]

    def _mark(self) -> str:
        if self._trouble:
            where = f"could not be kept: {self._trouble}"
        elif self._total_bytes > self._written_bytes:
            where = f"is in {self._path} up to its first {self._written_bytes:,} bytes"
        else:
            where = f"is in {self._path}"
        return f"[the middle is left out; the whole output, {self._total_bytes:,} bytes, {where}]"


def _make_private(folder: Path) -> None:
    if not folder.exists():
        _make_private(folder.parent)  # `parents=True` would open those to everybody
        folder.mkdir(mode=0o700, exist_ok=True)
