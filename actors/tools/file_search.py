"""A search for a pattern in files that are already open, by ripgrep or our own script.

Either runs as a process that is given descriptors: what was judged and opened is what is searched,
whatever happens to its name, and a search without end can be ended.
"""

import asyncio
import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors.tools import file_search_fallback
from actors.tools.await_helpers import wait_with_timeout
from actors.tools.process_group import wait_for_exit, wait_until_readable
from actors.tools.tool import ToolError

MAX_OUTPUT_BYTES = 4 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024
_WRONG = 2
"""Exit status: the pattern is wrong, or a file could not be read."""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is searched for."""

    pattern: str
    ignore_case: bool = False
    context_lines: int = 0
    """Lines around each match."""
    max_matches: int = 100
    """Matching lines of one file."""


@dataclass(frozen=True, slots=True)
class SearchLine:
    """A line that matches, or stands near one."""

    file_index: int
    """Which of the searched files, counted from 0."""
    line_number: int
    text: str
    is_match: bool


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What came of it."""

    lines: tuple[SearchLine, ...]
    in_time: bool = True
    is_complete: bool = True
    """False: there was more output than is kept."""


async def search(
    query: SearchQuery, files: Sequence[int], ripgrep_path: str | None, timeout_s: float
) -> SearchResult:
    """Search the files behind descriptors; ends its process when it is cancelled.

    Raises:
        ToolError: the pattern is wrong.
    """
    # Without any, ripgrep would search where it stands.
    paths = [f"/dev/fd/{file}" for file in files] or ["/dev/null"]
    command = _ripgrep(ripgrep_path, query) if ripgrep_path else _script(query)
    process = _started([*command, *paths], files)
    try:
        out, errors, in_time = await _collected(process, timeout_s)
    finally:
        process.kill()
        process.wait()
    if process.returncode == _WRONG and not out:
        raise ToolError(_complaint(errors))
    return SearchResult(_lines(out, paths), in_time, is_complete=len(out) < MAX_OUTPUT_BYTES)


def _started(command: list[str], files: Sequence[int]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=files,
        cwd="/",
        env={"PATH": os.defpath, "LANG": "C.UTF-8"},
    )


def find_ripgrep(workspace: Path) -> str | None:
    """Look for `rg` on PATH and beside our Python; one that the workspace brings is not run."""
    folders = [Path(each) for each in os.get_exec_path() if each]
    for folder in (*folders, Path(sys.executable).parent):
        found = shutil.which("rg", path=folder) if folder.is_absolute() else None
        if found and not Path(found).resolve().is_relative_to(workspace):
            return found
    return None


def _ripgrep(program: str, wanted: SearchQuery) -> list[str]:
    return [
        program,
        "--no-config",
        "--json",
        "--no-mmap",
        "--crlf",
        "--text",  # what looks binary was left out before; a NUL further down is no end of a line
        "--ignore-case" if wanted.ignore_case else "--case-sensitive",
        f"--context={wanted.context_lines}",
        f"--max-count={wanted.max_matches}",
        f"--regexp={wanted.pattern}",
        "--",
    ]


def _script(wanted: SearchQuery) -> list[str]:
    options = {
        "pattern": wanted.pattern,
        "ignore_case": wanted.ignore_case,
        "context": wanted.context_lines,
        "most": wanted.max_matches,
    }
    return [sys.executable, "-ISs", str(file_search_fallback.__file__), json.dumps(options)]


async def _collected(
    process: "subprocess.Popen[bytes]", limit_s: float
) -> tuple[bytes, bytes, bool]:
    """Read both streams to their ends, or as much as is kept, or until time is up."""
    out, errors = bytearray(), bytearray()
    in_time = await wait_with_timeout(
        asyncio.gather(_read(process.stdout, out), _read(process.stderr, errors)), limit_s
    )
    if in_time and len(out) < MAX_OUTPUT_BYTES:
        await wait_for_exit(process)
    return bytes(out), bytes(errors), in_time


async def _read(stream: Any, into: bytearray) -> None:  # noqa: ANN401  (`Popen` types it so)
    with stream:
        while len(into) < MAX_OUTPUT_BYTES:
            await wait_until_readable(stream.fileno())
            chunk = os.read(stream.fileno(), _CHUNK_BYTES)
            if not chunk:
                return
            into += chunk


def _complaint(errors: bytes) -> str:
    told = errors.decode("utf-8", "replace").strip().splitlines()
    return f"not a regular expression that can be searched for: {told[-1] if told else '?'}"


def _lines(out: bytes, paths: list[str]) -> tuple[SearchLine, ...]:
    """Read the events of whole lines, in the order of the files."""
    places = {path: at for at, path in enumerate(paths)}
    whole = out[: out.rfind(b"\n") + 1]
    events = [json.loads(each) for each in whole.splitlines()]
    lines = [_line(each, places) for each in events if each["type"] in ("match", "context")]
    return tuple(sorted(lines, key=lambda line: (line.file_index, line.line_number)))


def _line(event: dict[str, Any], places: dict[str, int]) -> SearchLine:
    data = event["data"]
    return SearchLine(
        file_index=places[_text(data["path"])],
        line_number=data["line_number"],
        text=_text(data["lines"]).removesuffix("\n").removesuffix("\r"),
        is_match=event["type"] == "match",
    )


def _text(value: dict[str, str]) -> str:
    if "text" in value:
        return value["text"]
    return base64.b64decode(value["bytes"]).decode("utf-8", "replace")
