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

from actors.permissions.read_check import can_read
from actors.tools.cancellable_thread import run_cancellable
from actors.tools.file_search import MAX_OUTPUT_BYTES, SearchLine, SearchQuery, SearchResult, search
from actors.tools.file_types import PROBE_BYTES, detect_binary_type
from actors.tools.file_walk import FileWalk
from actors.tools.glob import format_count, format_path, format_skipped_notes
from actors.tools.glob_patterns import compile_glob
from actors.tools.safe_open import (
    describe_mode,
    map_plan_errors,
    map_run_errors,
    open_parent_folder,
    open_regular_file,
)
from actors.tools.target_paths import (
    escape_control_characters,
    get_plan_target,
    recheck_target,
    resolve_path,
)
from actors.tools.tool import Arguments, Tool, ToolContext, ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, ToolOutput

MAX_MATCHES = 200
MAX_CONTEXT_LINES = 10
MAX_LINE_CHARS = 500
SEARCH_TIMEOUT_S = 30.0
MAX_OPEN_FILES = 200
"""Files that are open at once; many systems allow 256."""

DESCRIPTION = f"""\
Search files for a regular expression, line by line; case counts unless ignore_case is set. No \
look-around, no back-references: what Rust and Python have in common. Hidden files are searched; \
what .gitignore names, links, binary files and .git are not, and files that may not be read are \
left out and counted. At most {MAX_MATCHES} matching lines are shown, {MAX_LINE_CHARS} characters \
of a line; a search is ended after {SEARCH_TIMEOUT_S:g} s. Use it rather than grep or rg in bash."""


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
        default=0, ge=0, le=MAX_CONTEXT_LINES, description="Lines to show around each match."
    )
    files_only: bool = Field(default=False, description="Name the files that match, no lines.")


@dataclass(slots=True)
class SearchCandidates:
    """The files to be searched, and what was left out."""

    root: Path
    paths: list[str]
    """Relative to `top`."""
    omission_notes: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class GrepResult:
    """What was found so far."""

    lines: list[tuple[str, SearchLine]] = field(default_factory=list[tuple[str, SearchLine]])
    """Each with its file's path, relative to where the search began."""
    match_count: int = 0
    binary_count: int = 0
    unopened_count: int = 0
    """Files that could not be opened."""
    overlong_count: int = 0
    """Files with a line that matches and is too long to be taken out of them."""
    truncation_reason: str = ""
    """Why there may be more."""


async def plan(arguments: GrepArguments, context: ToolContext) -> CallPlan:
    """Find where to search."""
    return await asyncio.to_thread(_plan, arguments, context)


async def run(arguments: GrepArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """List the files, then search those that may be read."""
    candidates = await run_cancellable(partial(_candidates, arguments, plan, context))
    findings = await _searched(arguments, candidates, context)
    return ToolOutput(text=_told(arguments, candidates, findings, context))


def _plan(arguments: GrepArguments, context: ToolContext) -> CallPlan:
    if arguments.glob:
        compile_glob(arguments.glob)
    path = resolve_path(arguments.path, context.workspace)
    with map_plan_errors(arguments.path):
        mode = path.lstat().st_mode
    if describe_mode(mode) not in ("a folder", "a regular file"):
        message = f"{escape_control_characters(arguments.path)} is {describe_mode(mode)}, neither a folder nor a file"
        raise ToolError(message)
    target = context.workspace.to_target(path)
    request = PermissionRequest(permission="grep", target=target)
    title = f"grep {escape_control_characters(arguments.pattern)} in {escape_control_characters(target)}"
    return CallPlan(title=title, requests=(request,))


def _candidates(
    arguments: GrepArguments, plan: CallPlan, context: ToolContext, cancelled: Callable[[], bool]
) -> SearchCandidates:
    path = recheck_target(arguments.path, get_plan_target(plan), context)
    if path.is_dir():
        walk = FileWalk(context.workspace.root, path, cancelled)
        matches = compile_glob(arguments.glob) if arguments.glob else None
        with map_run_errors(arguments.path):
            found = [each for each in walk.iter_files() if matches is None or matches(each)]
        candidates = SearchCandidates(path, found, format_skipped_notes(walk.skipped))
    else:
        candidates = SearchCandidates(path.parent, [path.name])
    _keep_readable(candidates, plan, context)
    return candidates


def _keep_readable(candidates: SearchCandidates, plan: CallPlan, context: ToolContext) -> None:
    """Leave out what the agent may not read without asking; every file opened is a `read`."""
    readable = [
        each
        for each in candidates.paths
        if can_read(
            context.workspace.to_target(candidates.root / each),
            context.read_policy,
            allowed_folder=get_plan_target(plan),
        )
    ]
    denied = len(candidates.paths) - len(readable)
    if denied:
        told = format_count(denied, "{file} that may not be read unasked")
        candidates.omission_notes.append(f"[left out: {told}]")
    candidates.paths = readable


async def _searched(
    arguments: GrepArguments, candidates: SearchCandidates, context: ToolContext
) -> GrepResult:
    """Search batch by batch until there is enough."""
    loop = asyncio.get_running_loop()
    until_s = loop.time() + SEARCH_TIMEOUT_S
    most = 1 if arguments.files_only else MAX_MATCHES + 1
    wanted = SearchQuery(arguments.pattern, arguments.ignore_case, arguments.context, most)
    findings = GrepResult()
    batches = deque(_batches(candidates.paths))
    while batches and not findings.truncation_reason:
        with ExitStack() as stack:
            opened_files = await asyncio.to_thread(
                _open_all, candidates.root, batches.popleft(), stack, findings
            )
            files = [file for _, file in opened_files]
            found = await search(wanted, files, context.ripgrep_path, until_s - loop.time())
        paths = [path for path, _ in opened_files]
        if _must_part(found, findings, paths):
            batches.extendleft([path] for path in reversed(paths))
        else:
            _add(findings, found, paths)
    return findings


def _must_part(found: SearchResult, findings: GrepResult, paths: list[str]) -> bool:
    """Whether one file's line has crowded out what the others have."""
    enough = findings.match_count + _matches(found) > MAX_MATCHES
    return found.in_time and not found.is_complete and not enough and len(paths) > 1


def _add(findings: GrepResult, found: SearchResult, paths: list[str]) -> None:
    findings.lines += [(paths[line.file_index], line) for line in found.lines]
    findings.match_count += _matches(found)
    if not found.in_time:
        findings.truncation_reason = f"the search was ended after {SEARCH_TIMEOUT_S:g} s"
    elif findings.match_count > MAX_MATCHES:
        findings.truncation_reason = f"the first {MAX_MATCHES} matches"
    elif not found.is_complete:
        findings.overlong_count += 1


def _matches(found: SearchResult) -> int:
    return sum(line.is_match for line in found.lines)


def _batches(paths: list[str]) -> Iterator[Sequence[str]]:
    """Cut the list up; one empty batch of none, so that a wrong pattern is told all the same."""
    for start in range(0, max(len(paths), 1), MAX_OPEN_FILES):
        yield paths[start : start + MAX_OPEN_FILES]


def _open_all(
    top: Path, paths: Sequence[str], stack: ExitStack, findings: GrepResult
) -> list[tuple[str, int]]:
    """Open the text files among `paths`, each as the plain file that it is."""
    files: list[tuple[str, int]] = []
    for path in paths:
        whole = top / path
        try:
            folder = stack.enter_context(open_parent_folder(whole))
            file = stack.enter_context(open_regular_file(whole, folder))
            is_binary = bool(detect_binary_type(os.pread(file, PROBE_BYTES, 0)))
        except (OSError, ToolError):  # it went, or was swapped, since it was listed
            findings.unopened_count += 1
            continue
        if is_binary:
            findings.binary_count += 1
        else:
            files.append((path, file))
    return files


def _told(
    arguments: GrepArguments,
    candidates: SearchCandidates,
    findings: GrepResult,
    context: ToolContext,
) -> str:
    shown = _files(candidates, findings, context)
    rows = shown if arguments.files_only else _rows(candidates, findings, context)
    notes = (
        [f"[{findings.truncation_reason}; narrow it down]"] if findings.truncation_reason else []
    )
    limit = f"{MAX_OUTPUT_BYTES >> 20} MiB"
    told = (
        format_count(findings.binary_count, "binary {file}"),
        format_count(findings.unopened_count, "{file} that could not be opened"),
        format_count(findings.overlong_count, f"{{file}} with matching lines of {limit} and more"),
    )
    left_out = ", ".join(filter(None, told))
    notes += [f"[left out: {left_out}]"] if left_out else []
    return "\n".join([*(rows or ["(no line matches)"]), *notes, *candidates.omission_notes])


def _files(candidates: SearchCandidates, findings: GrepResult, context: ToolContext) -> list[str]:
    names = dict.fromkeys(path for path, _ in findings.lines)
    return [format_path(candidates.root / path, context) for path in names][:MAX_MATCHES]


def _rows(candidates: SearchCandidates, findings: GrepResult, context: ToolContext) -> list[str]:
    """Write `path:number:text`, and `path-number-text` for what stands around a match."""
    rows: list[str] = []
    matches = 0
    for path, line in findings.lines:
        matches += line.is_match
        if matches > MAX_MATCHES:
            break
        name = format_path(candidates.root / path, context)
        mark = ":" if line.is_match else "-"
        rows.append(f"{name}{mark}{line.line_number}{mark}{_cut(line.text)}")
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
