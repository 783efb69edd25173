"""Searches open files for a pattern, with ripgrep or our own script.

Either one runs as a process that gets file descriptors. So it searches the files that were checked
and opened, whatever happens to their names, and a search that does not end can be killed.
"""

import asyncio
import base64
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors.paths.program_search import find_program
from actors.tools import file_search_fallback
from actors.tools.await_helpers import wait_for_exit, wait_until_readable, wait_with_timeout
from actors.tools.tool import ToolError

MAX_OUTPUT_BYTES = 4 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024
_ERROR_STATUS = 2
"""Exit status when the pattern is invalid or a file could not be read."""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to search for."""

    pattern: str
    ignore_case: bool = False
    context_lines: int = 0
    """Lines before and after each match."""
    max_matches: int = 100
    """Maximum number of matching lines per file."""


@dataclass(frozen=True, slots=True)
class SearchLine:
    """A line that matches, or is near one that does."""

    file_index: int
    """Position of its file among the searched files, from 0."""
    line_number: int
    text: str
    is_match: bool


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The lines that were found, and whether there may be more."""

    lines: tuple[SearchLine, ...]
    in_time: bool = True
    is_complete: bool = True
    """False: the output exceeded `MAX_OUTPUT_BYTES`."""


async def search(
    query: SearchQuery, files: Sequence[int], ripgrep_path: str | None, timeout_s: float
) -> SearchResult:
    """Search the files behind these descriptors; kill the search process when cancelled.

    Raises:
        ToolError: the pattern is invalid.
    """
    # Without a file argument, ripgrep would search its current directory.
    paths = [f"/dev/fd/{file}" for file in files] or ["/dev/null"]
    command = _ripgrep_command(ripgrep_path, query) if ripgrep_path else _fallback_command(query)
    process = _start([*command, *paths], files)
    try:
        output, errors, in_time = await _read_output(process, timeout_s)
    finally:
        process.kill()
        process.wait()
    if process.returncode == _ERROR_STATUS and not output:
        raise ToolError(_format_error(errors))
    lines = _parse_lines(output, paths)
    return SearchResult(lines, in_time, is_complete=len(output) < MAX_OUTPUT_BYTES)


def find_ripgrep(workspace: Path) -> str | None:
    """Find `rg` on PATH or next to our Python; never one inside the workspace."""
    folders = (*os.get_exec_path(), os.path.dirname(sys.executable))  # noqa: PTH120  (text)
    return find_program("rg", os.pathsep.join(folders), (workspace,))


def _start(command: list[str], files: Sequence[int]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=files,
        cwd="/",
        env={"PATH": os.defpath, "LANG": "C.UTF-8"},
    )


def _ripgrep_command(program: str, query: SearchQuery) -> list[str]:
    return [
        program,
        "--no-config",  # it may name a program to run
        "--json",
        "--no-mmap",  # with it, a file that shrinks meanwhile ends the process
        "--crlf",
        "--text",  # binary files were already skipped; a NUL further down does not end a line
        "--ignore-case" if query.ignore_case else "--case-sensitive",
        f"--context={query.context_lines}",
        f"--max-count={query.max_matches}",
        f"--regexp={query.pattern}",
        "--",
    ]


def _fallback_command(query: SearchQuery) -> list[str]:
    options = {
        "pattern": query.pattern,
        "ignore_case": query.ignore_case,
        "context": query.context_lines,
        "max_matches": query.max_matches,
    }
    return [sys.executable, "-ISs", str(file_search_fallback.__file__), json.dumps(options)]


async def _read_output(
    process: "subprocess.Popen[bytes]", timeout_s: float
) -> tuple[bytes, bytes, bool]:
    """Read both streams to the end, the size limit or the timeout."""
    output, errors = bytearray(), bytearray()
    in_time = await wait_with_timeout(
        asyncio.gather(_read_stream(process.stdout, output), _read_stream(process.stderr, errors)),
        timeout_s,
    )
    if in_time and len(output) < MAX_OUTPUT_BYTES:
        await wait_for_exit(process)
    return bytes(output), bytes(errors), in_time


async def _read_stream(stream: Any, into: bytearray) -> None:  # noqa: ANN401  (`Popen` types it so)
    with stream:
        while len(into) < MAX_OUTPUT_BYTES:
            await wait_until_readable(stream.fileno())
            chunk = os.read(stream.fileno(), _CHUNK_BYTES)
            if not chunk:
                return
            into += chunk


def _format_error(errors: bytes) -> str:
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    return f"invalid regular expression: {lines[-1] if lines else 'the search failed'}"


def _parse_lines(output: bytes, paths: list[str]) -> tuple[SearchLine, ...]:
    """Parse the complete lines of output; return matches in the order of the files."""
    file_indexes = {path: index for index, path in enumerate(paths)}
    complete = output[: output.rfind(b"\n") + 1]
    events = [json.loads(line) for line in complete.splitlines()]
    lines = [
        _parse_line(event, file_indexes)
        for event in events
        if event["type"] in ("match", "context")
    ]
    return tuple(sorted(lines, key=lambda line: (line.file_index, line.line_number)))


def _parse_line(event: dict[str, Any], file_indexes: dict[str, int]) -> SearchLine:
    data = event["data"]
    return SearchLine(
        file_index=file_indexes[_decode_text(data["path"])],
        line_number=data["line_number"],
        text=_decode_text(data["lines"]).removesuffix("\n").removesuffix("\r"),
        is_match=event["type"] == "match",
    )


def _decode_text(value: dict[str, str]) -> str:
    if "text" in value:
        return value["text"]
    return base64.b64decode(value["bytes"]).decode("utf-8", "replace")
