"""The tool `grep`: lines of files that match a pattern."""

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pydantic import Field

from actors.permissions.reading import may_read
from actors.tools.cancelling import polling
from actors.tools.folders import folder_of, kind_of, opened, planning, running
from actors.tools.glob import counted, notes, shown_path
from actors.tools.glob_patterns import matcher
from actors.tools.kinds import PROBE_BYTES, binary_kind
from actors.tools.paths import one_line, resolve, resolve_again, target_of
from actors.tools.searching import MAX_OUTPUT_BYTES, Line, Search, Searched, search
from actors.tools.tool import Arguments, Tool, ToolContext, ToolError
from actors.tools.walking import Walk
from messages.rules import PermissionRequest
from messages.tools import CallPlan, ToolOutput

MAX_MATCHES = 200
MAX_CONTEXT = 10
MAX_LINE_CHARS = 500
LIMIT_S = 30.0
BATCH = 200
"""Files that are open at once; many systems allow 256."""

DESCRIPTION = f"""\
Search files for a regular expression, line by line; case counts unless ignore_case is set. No \
look-around, no back-references: what Rust and Python have in common. Hidden files are searched; \
what .gitignore names, links, binary files and .git are not, and files that may not be read are \
left out and counted. At most {MAX_MATCHES} matching lines are shown, {MAX_LINE_CHARS} characters \
of a line; a search is ended after {LIMIT_S:g} s. Use it rather than grep or rg in bash."""


class GrepArguments(Arguments):
    """What the model sends."""

    pattern: str = Field(min_length=1, max_length=2_000, description="The regular expression.")
    path: str = Field(
        default=".",
        description="A folder or a file; relative to the working folder, absolute, or ~/….",
    )
    glob: str = Field(
        default="", description="Only files whose names match, such as *.py or src/**/*.{ts,tsx}."
    )
    ignore_case: bool = False
    context: int = Field(
        default=0, ge=0, le=MAX_CONTEXT, description="Lines to show around each match."
    )
    files_only: bool = Field(default=False, description="Name the files that match, no lines.")


@dataclass(slots=True)
class Candidates:
    """The files to be searched, and what was left out."""

    top: Path
    paths: list[str]
    """Relative to `top`."""
    left_out: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Findings:
    """What was found so far."""

    lines: list[tuple[str, Line]] = field(default_factory=list[tuple[str, Line]])
    """Each with its file's path, relative to where the search began."""
    matches: int = 0
    binary: int = 0
    gone: int = 0
    """Files that could not be opened."""
    too_long: int = 0
    """Files with a line that matches and is too long to be taken out of them."""
    cut: str = ""
    """Why there may be more."""


async def plan(arguments: GrepArguments, context: ToolContext) -> CallPlan:
    """Find where to search."""
    return await asyncio.to_thread(_plan, arguments, context)


async def run(arguments: GrepArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """List the files, then search those that may be read."""
    candidates = await polling(partial(_candidates, arguments, plan, context))
    findings = await _searched(arguments, candidates, context)
    return ToolOutput(text=_told(arguments, candidates, findings, context))


def _plan(arguments: GrepArguments, context: ToolContext) -> CallPlan:
    if arguments.glob:
        matcher(arguments.glob)
    path = resolve(arguments.path, context.workspace)
    with planning(arguments.path):
        mode = path.lstat().st_mode
    if kind_of(mode) not in ("a folder", "a regular file"):
        message = f"{one_line(arguments.path)} is {kind_of(mode)}, neither a folder nor a file"
        raise ToolError(message)
    target = context.workspace.target(path)
    request = PermissionRequest(permission="grep", target=target)
    title = f"grep {one_line(arguments.pattern)} in {one_line(target)}"
    return CallPlan(title=title, requests=(request,))


def _candidates(
    arguments: GrepArguments, plan: CallPlan, context: ToolContext, cancelled: Callable[[], bool]
) -> Candidates:
    path = resolve_again(arguments.path, target_of(plan), context)
    if path.is_dir():
        walk = Walk(context.workspace.root, path, cancelled)
        matches = matcher(arguments.glob) if arguments.glob else None
        with running(arguments.path):
            found = [each for each in walk.files() if matches is None or matches(each)]
        candidates = Candidates(path, found, notes(walk.skipped))
    else:
        candidates = Candidates(path.parent, [path.name])
    _keep_readable(candidates, plan, context)
    return candidates


def _keep_readable(candidates: Candidates, plan: CallPlan, context: ToolContext) -> None:
    """Leave out what the agent may not read without asking; every file opened is a `read`."""
    readable = [
        each
        for each in candidates.paths
        if may_read(
            context.workspace.target(candidates.top / each),
            context.read_policy,
            within=target_of(plan),
        )
    ]
    denied = len(candidates.paths) - len(readable)
    if denied:
        told = counted(denied, "{file} that may not be read unasked")
        candidates.left_out.append(f"[left out: {told}]")
    candidates.paths = readable


async def _searched(
    arguments: GrepArguments, candidates: Candidates, context: ToolContext
) -> Findings:
    """Search batch by batch until there is enough."""
    loop = asyncio.get_running_loop()
    until_s = loop.time() + LIMIT_S
    most = 1 if arguments.files_only else MAX_MATCHES + 1
    wanted = Search(arguments.pattern, arguments.ignore_case, arguments.context, most)
    findings = Findings()
    batches = deque(_batches(candidates.paths))
    while batches and not findings.cut:
        with ExitStack() as stack:
            opened_files = await asyncio.to_thread(
                _open_all, candidates.top, batches.popleft(), stack, findings
            )
            files = [file for _, file in opened_files]
            found = await search(wanted, files, context.ripgrep, until_s - loop.time())
        paths = [path for path, _ in opened_files]
        if _must_part(found, findings, paths):
            batches.extendleft([path] for path in reversed(paths))
        else:
            _add(findings, found, paths)
    return findings


def _must_part(found: Searched, findings: Findings, paths: list[str]) -> bool:
    """Whether one file's line has crowded out what the others have."""
    enough = findings.matches + _matches(found) > MAX_MATCHES
    return found.in_time and not found.whole and not enough and len(paths) > 1


def _add(findings: Findings, found: Searched, paths: list[str]) -> None:
    findings.lines += [(paths[line.file], line) for line in found.lines]
    findings.matches += _matches(found)
    if not found.in_time:
        findings.cut = f"the search was ended after {LIMIT_S:g} s"
    elif findings.matches > MAX_MATCHES:
        findings.cut = f"the first {MAX_MATCHES} matches"
    elif not found.whole:
        findings.too_long += 1


def _matches(found: Searched) -> int:
    return sum(line.is_match for line in found.lines)


def _batches(paths: list[str]) -> Iterator[Sequence[str]]:
    """Cut the list up; one empty batch of none, so that a wrong pattern is told all the same."""
    for start in range(0, max(len(paths), 1), BATCH):
        yield paths[start : start + BATCH]


def _open_all(
    top: Path, paths: Sequence[str], stack: ExitStack, findings: Findings
) -> list[tuple[str, int]]:
    """Open the text files among `paths`, each as the plain file that it is."""
    files: list[tuple[str, int]] = []
    for path in paths:
        whole = top / path
        try:
            folder = stack.enter_context(folder_of(whole))
            file = stack.enter_context(opened(whole, folder))
            is_binary = bool(binary_kind(os.pread(file, PROBE_BYTES, 0)))
        except (OSError, ToolError):  # it went, or was swapped, since it was listed
            findings.gone += 1
            continue
        if is_binary:
            findings.binary += 1
        else:
            files.append((path, file))
    return files


def _told(
    arguments: GrepArguments, candidates: Candidates, findings: Findings, context: ToolContext
) -> str:
    shown = _files(candidates, findings, context)
    rows = shown if arguments.files_only else _rows(candidates, findings, context)
    notes = [f"[{findings.cut}; narrow it down]"] if findings.cut else []
    limit = f"{MAX_OUTPUT_BYTES >> 20} MiB"
    told = (
        counted(findings.binary, "binary {file}"),
        counted(findings.gone, "{file} that could not be opened"),
        counted(findings.too_long, f"{{file}} with matching lines of {limit} and more"),
    )
    left_out = ", ".join(filter(None, told))
    notes += [f"[left out: {left_out}]"] if left_out else []
    return "\n".join([*(rows or ["(no line matches)"]), *notes, *candidates.left_out])


def _files(candidates: Candidates, findings: Findings, context: ToolContext) -> list[str]:
    names = dict.fromkeys(path for path, _ in findings.lines)
    return [shown_path(candidates.top / path, context) for path in names][:MAX_MATCHES]


def _rows(candidates: Candidates, findings: Findings, context: ToolContext) -> list[str]:
    """Write `path:number:text`, and `path-number-text` for what stands around a match."""
    rows: list[str] = []
    matches = 0
    for path, line in findings.lines:
        matches += line.is_match
        if matches > MAX_MATCHES:
            break
        name = shown_path(candidates.top / path, context)
        mark = ":" if line.is_match else "-"
        rows.append(f"{name}{mark}{line.number}{mark}{_cut(line.text)}")
    return rows


def _cut(text: str) -> str:
    more = len(text) - MAX_LINE_CHARS
    return f"{text[:MAX_LINE_CHARS]}… [+{more:,} characters]" if more > 0 else text


GREP = Tool(
    name="grep",
    description=DESCRIPTION,
    arguments=GrepArguments,
    reads_only=True,
    plan=plan,
    run=run,
)
