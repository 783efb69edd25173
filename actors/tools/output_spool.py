"""Collects a command's output: part of it in memory, and all of it in a file if it is long."""

import asyncio
import os
import secrets
from pathlib import Path

from actors.tools.await_helpers import run_to_completion
from actors.tools.command_runner import OutputTarget
from actors.tools.live_output import LiveOutput
from actors.tools.safe_open import CREATE_FLAGS

MAX_OUTPUT_CHARS = 30_000
MAX_FILE_BYTES = 128 * 1024 * 1024
"""Output beyond this is read and dropped, so that a runaway command cannot fill the disk."""
_MAX_HEAD_BYTES = 4 * MAX_OUTPUT_CHARS
"""A UTF-8 character has at most four bytes, so more than this is certainly too long."""
_HALF_CHARS = MAX_OUTPUT_CHARS // 2
_MAX_TAIL_BYTES = 4 * _HALF_CHARS + 3  # it may start in the middle of a character


class OutputSpool:
    """Collects output as it arrives; returns its start and end, and the file that has all of it.

    Memory is bounded. The file is written on a worker thread, one write at a time.
    """

    def __init__(self, target: OutputTarget) -> None:
        """Create an empty spool."""
        self._folder = target.folder
        self._live = LiveOutput(target.report) if target.report else None
        self._head = bytearray()
        self._tail = bytearray()
        self._file: int | None = None
        self._path: Path | None = None
        self._written_bytes = 0
        self._total_bytes = 0
        self._error = ""

    async def add(self, chunk: bytes) -> None:
        """Add the next bytes."""
        self._total_bytes += len(chunk)
        if self._live is not None:
            self._live.add(chunk)
        if self._total_bytes <= _MAX_HEAD_BYTES:
            self._head += chunk
            return
        self._tail += chunk
        del self._tail[:-_MAX_TAIL_BYTES]
        if self._written_bytes < MAX_FILE_BYTES and not self._error:
            # Run to completion: the file must not be closed while a thread writes to it.
            await run_to_completion(asyncio.to_thread(self._write_to_file, chunk))

    async def format_output(self) -> str:
        """Return the output, truncated in the middle if longer than `MAX_OUTPUT_CHARS`."""
        start = self._head.decode("utf-8", "replace")
        if not self._tail and len(start) <= MAX_OUTPUT_CHARS:
            return start
        if self._path is None:
            await run_to_completion(asyncio.to_thread(self._write_to_file, b""))
        end = (self._head + self._tail).decode("utf-8", "replace")[-_HALF_CHARS:]
        return f"{start[:_HALF_CHARS]}\n{self._format_truncation_note()}\n{end}"

    def close(self, *, discard: bool = False) -> None:
        """Close the file; delete it if it is incomplete or `discard` is set."""
        if self._live is not None:
            self._live.close()
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if self._path is not None and (discard or self._error):
            self._path.unlink(missing_ok=True)

    def _write_to_file(self, chunk: bytes) -> None:
        try:
            if self._file is None:
                self._file = self._create_file()
                self._write_all(self._file, bytes(self._head))
            self._write_all(self._file, chunk[: MAX_FILE_BYTES - self._written_bytes])
        except OSError as error:  # a full disk must not fail the command
            self._error = error.strerror or type(error).__name__

    def _create_file(self) -> int:
        _make_private_folder(self._folder)
        self._path = self._folder / f"bash-{secrets.token_hex(8)}.txt"
        return os.open(self._path, CREATE_FLAGS, 0o600)

    def _write_all(self, file: int, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            count = os.write(file, rest)
            self._written_bytes += count
            rest = rest[count:]

    def _format_truncation_note(self) -> str:
        if self._error:
            outcome = f"could not be saved ({self._error})"
        elif self._total_bytes > self._written_bytes:
            outcome = f"is saved up to byte {self._written_bytes:,} in {self._path}"
        else:
            outcome = f"is saved in {self._path}"
        return f"[truncated in the middle; the full output ({self._total_bytes:,} bytes) {outcome}]"


def _make_private_folder(folder: Path) -> None:
    if not folder.exists():
        # `parents=True` would create the parents readable by every user.
        _make_private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
