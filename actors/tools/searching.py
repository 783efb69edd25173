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

from actors.tools import search_script
from actors.tools.finishing import within
from actors.tools.process_group import exited, readable
from actors.tools.tool import ToolError

MAX_OUTPUT_BYTES = 4 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024
_WRONG = 2
"""Exit status: the pattern is wrong, or a file could not be read."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched for."""

    pattern: str
    ignore_case: bool = False
    context: int = 0
    """Lines around each match."""
    most: int = 100
    """Matching lines of one file."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that matches, or stands near one."""

    file: int
    """Which of the searched files, counted from 0."""
    number: int
    text: str
    is_match: bool


@dataclass(frozen=True, slots=True)
class Searched:
    """What came of it."""

    lines: tuple[Line, ...]
    in_time: bool = True
    whole: bool = True
    """False: there was more output than is kept."""


async def search(
    wanted: Search, files: Sequence[int], ripgrep: str | None, limit_s: float
) -> Searched:
    """Search the files behind descriptors; ends its process when it is cancelled.

    Raises:
        ToolError: the pattern is wrong.
    """
    # Without any, ripgrep would search where it stands.
    paths = [f"/dev/fd/{file}" for file in files] or ["/dev/null"]
    command = _ripgrep(ripgrep, wanted) if ripgrep else _script(wanted)
    process = _started([*command, *paths], files)
    try:
        out, errors, in_time = await _collected(process, limit_s)
    finally:
        process.kill()
        process.wait()
    if process.returncode == _WRONG and not out:
        raise ToolError(_complaint(errors))
    return Searched(_lines(out, paths), in_time, whole=len(out) < MAX_OUTPUT_BYTES)


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


def _ripgrep(program: str, wanted: Search) -> list[str]:
    return [
        program,
        "--no-config",
        "--json",
        "--no-mmap",
        "--crlf",
        "--text",  # what looks binary was left out before; a NUL further down is no end of a line
        "--ignore-case" if wanted.ignore_case else "--case-sensitive",
        f"--context={wanted.context}",
        f"--max-count={wanted.most}",
        f"--regexp={wanted.pattern}",
        "--",
    ]


def _script(wanted: Search) -> list[str]:
    options = {
        "pattern": wanted.pattern,
        "ignore_case": wanted.ignore_case,
        "context": wanted.context,
        "most": wanted.most,
    }
    return [sys.executable, "-ISs", str(search_script.__file__), json.dumps(options)]


async def _collected(
    process: "subprocess.Popen[bytes]", limit_s: float
) -> tuple[bytes, bytes, bool]:
    """Read both streams to their ends, or as much as is kept, or until time is up."""
    out, errors = bytearray(), bytearray()
    in_time = await within(
        asyncio.gather(_read(process.stdout, out), _read(process.stderr, errors)), limit_s
    )
    if in_time and len(out) < MAX_OUTPUT_BYTES:
        await exited(process)
    return bytes(out), bytes(errors), in_time


async def _read(stream: Any, into: bytearray) -> None:  # noqa: ANN401  (`Popen` types it so)
    with stream:
        while len(into) < MAX_OUTPUT_BYTES:
            await readable(stream.fileno())
            chunk = os.read(stream.fileno(), _CHUNK_BYTES)
            if not chunk:
                return
            into += chunk


def _complaint(errors: bytes) -> str:
    told = errors.decode("utf-8", "replace").strip().splitlines()
    return f"not a regular expression that can be searched for: {told[-1] if told else '?'}"


def _lines(out: bytes, paths: list[str]) -> tuple[Line, ...]:
    """Read the events of whole lines, in the order of the files."""
    places = {path: at for at, path in enumerate(paths)}
    whole = out[: out.rfind(b"\n") + 1]
    events = [json.loads(each) for each in whole.splitlines()]
    lines = [_line(each, places) for each in events if each["type"] in ("match", "context")]
    return tuple(sorted(lines, key=lambda line: (line.file, line.number)))


def _line(event: dict[str, Any], places: dict[str, int]) -> Line:
    data = event["data"]
    return Line(
        file=places[_text(data["path"])],
        number=data["line_number"],
        text=_text(data["lines"]).removesuffix("\n").removesuffix("\r"),
        is_match=event["type"] == "match",
    )


def _text(value: dict[str, str]) -> str:
    if "text" in value:
        return value["text"]
    return base64.b64decode(value["bytes"]).decode("utf-8", "replace")
