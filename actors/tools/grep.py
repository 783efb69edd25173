"""The `grep` tool: finds lines in files that match a regular expression."""

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pydantic import AliasChoices, Field

from actors.permissions.bulk_read_check import can_read
from actors.tools import tool_list
from actors.tools.binary_detection import PROBE_BYTES, detect_binary_type
from actors.tools.cancellable_thread import run_cancellable
from actors.tools.file_search import MAX_OUTPUT_BYTES, SearchLine, SearchQuery, SearchResult, search
from actors.tools.file_walk import FileWalk
from actors.tools.glob_patterns import compile_glob
from actors.tools.safe_open import (
    describe_mode,
    map_plan_errors,
    map_run_errors,
    open_parent_folder,
    open_regular_file,
)
from actors.tools.search_result_format import (
    format_count,
    format_path,
    format_skipped_counts,
    format_skipped_notes,
)
from actors.tools.target_paths import (
    escape_control_characters,
    get_plan_target,
    recheck_target,
    resolve_path,
)
from actors.tools.tool import (
    DIRECTORY_PATH_NAMES,
    PATH_FORMS,
    Arguments,
    Tool,
    ToolContext,
    ToolError,
)
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, ToolOutput

MAX_MATCHES = 200
MAX_CONTEXT_LINES = 10
MAX_LINE_CHARS = 500
SEARCH_TIMEOUT_S = 30.0
MAX_OPEN_FILES = 200
"""Files open at the same time; many systems allow 256."""

DESCRIPTION = f"""\
Search file contents for a regular expression, line by line. Returns path:line:text for each \
match, at most {MAX_MATCHES} matches and {MAX_LINE_CHARS} characters per line; a search is stopped \
after {SEARCH_TIMEOUT_S:g} s.
Use syntax that Rust and Python share: no look-around, no backreferences. The search is \
case-sensitive unless ignore_case is true. Hidden files are searched. Files ignored by .gitignore, \
symbolic links, binary files and .git are skipped, as are files that may not be read without \
approval; the result says how many. Prefer this to grep or rg in bash."""


class GrepArguments(Arguments):
    """What the model sends."""

    pattern: str = Field(
        min_length=1, max_length=2_000, description="The regular expression to search for."
    )
    path: str = Field(
        default=".",
        validation_alias=DIRECTORY_PATH_NAMES,
        description=f"The directory or file to search: {PATH_FORMS}.",
    )
    glob: str = Field(
        validation_alias=AliasChoices("glob", "include", "include_pattern"),
        default="",
        description="Search only files that match this glob, such as *.py or src/**/*.{ts,tsx}.",
    )
    ignore_case: bool = Field(
        validation_alias=AliasChoices("ignore_case", "-i"),
        default=False,
        description="Ignore case when matching.",
    )
    context: int = Field(
        validation_alias=AliasChoices("context", "-C"),
        default=0,
        ge=0,
        le=MAX_CONTEXT_LINES,
        description=(
            f"Lines of context before and after each match, up to {MAX_CONTEXT_LINES}; "
            "returned as path-line-text."
        ),
    )
    files_only: bool = Field(
        validation_alias=AliasChoices("files_only", "names_only"),
        default=False,
        description="Return the paths of matching files instead of lines.",
    )


@dataclass(slots=True)
class SearchCandidates:
    """The files to search, and notes about what was skipped."""

    root: Path
    paths: list[str]
    """Relative to `root`."""
    omission_notes: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class GrepResult:
    """The matches found so far."""

    lines: list[tuple[str, SearchLine]] = field(default_factory=list[tuple[str, SearchLine]])
    """Each with its file's path, relative to the root of the search."""
    match_count: int = 0
    binary_count: int = 0
    unopened_count: int = 0
    """Files that could not be opened."""
    overlong_count: int = 0
    """Files that have a matching line too long to return."""
    truncation_reason: str = ""
    """Why there may be more matches; empty: the search is complete."""


async def plan(arguments: GrepArguments, context: ToolContext) -> CallPlan:
    """Find the directory or file to search."""
    return await asyncio.to_thread(_plan, arguments, context)


async def run(arguments: GrepArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:
    """List the files, then search those that may be read."""
    candidates = await run_cancellable(partial(_list_candidates, arguments, plan, context))
    result = await _search_in_batches(arguments, candidates, context)
    return ToolOutput(text=_format_result(arguments, candidates, result, context))


def _plan(arguments: GrepArguments, context: ToolContext) -> CallPlan:
    if arguments.glob:
        compile_glob(arguments.glob)  # reports a bad pattern before the user is asked
    path = resolve_path(arguments.path, context.workspace)
    with map_plan_errors(arguments.path, path, context):
        kind = describe_mode(path.lstat().st_mode)
    if kind not in ("a directory", "a regular file"):
        name = escape_control_characters(arguments.path)
        message = f"{name} is {kind}, not a directory or a regular file"
        raise ToolError(message)
    target = context.workspace.to_target(path)
    request = PermissionRequest(permission="grep", target=target)
    pattern = escape_control_characters(arguments.pattern)
    title = f"grep {pattern} in {escape_control_characters(target)}"
    return CallPlan(title=title, requests=(request,))


def _list_candidates(
    arguments: GrepArguments, plan: CallPlan, context: ToolContext, is_cancelled: Callable[[], bool]
) -> SearchCandidates:
    path = recheck_target(arguments.path, get_plan_target(plan), context)
    if path.is_dir():
        walk = FileWalk(context.workspace.root, path, is_cancelled)
        matches = compile_glob(arguments.glob) if arguments.glob else None
        with map_run_errors(arguments.path):
            files = [file for file in walk.iter_files() if matches is None or matches(file)]
        candidates = SearchCandidates(path, files, format_skipped_notes(walk.skipped))
    else:
        candidates = SearchCandidates(path.parent, [path.name])
    _remove_unreadable(candidates, plan, context)
    return candidates


def _remove_unreadable(candidates: SearchCandidates, plan: CallPlan, context: ToolContext) -> None:
    """Remove files that the agent may not read without approval; every opened file is a `read`."""
    readable = [
        path
        for path in candidates.paths
        if can_read(
            context.workspace.to_target(candidates.root / path),
            context.read_policy,
            allowed_folder=get_plan_target(plan),
        )
    ]
    removed = format_count(len(candidates.paths) - len(readable), "file", "files")
    if removed:
        candidates.omission_notes.append(
            f"[skipped: {removed} that may not be read without approval; use read for one of them]"
        )
    candidates.paths = readable


async def _search_in_batches(
    arguments: GrepArguments, candidates: SearchCandidates, context: ToolContext
) -> GrepResult:
    """Search batch by batch until there are enough matches or time is up."""
    loop = asyncio.get_running_loop()
    deadline_s = loop.time() + SEARCH_TIMEOUT_S
    # One more shows that there are more.
    max_matches = 1 if arguments.files_only else MAX_MATCHES + 1
    query = SearchQuery(arguments.pattern, arguments.ignore_case, arguments.context, max_matches)
    result = GrepResult()
    batches = deque(_iter_batches(candidates.paths))
    while batches and not result.truncation_reason:
        with ExitStack() as stack:
            opened_files = await asyncio.to_thread(
                _open_text_files, candidates.root, batches.popleft(), stack, result
            )
            files = [file for _, file in opened_files]
            found = await search(query, files, context.ripgrep_path, deadline_s - loop.time())
        paths = [path for path, _ in opened_files]
        if _must_split(found, result, paths):
            batches.extendleft([path] for path in reversed(paths))
        else:
            _add_matches(result, found, paths)
    return result


def _must_split(found: SearchResult, result: GrepResult, paths: list[str]) -> bool:
    """Return whether one file's long line crowded out the other files' matches."""
    has_enough = result.match_count + _count_matches(found) > MAX_MATCHES
    return found.in_time and not found.is_complete and not has_enough and len(paths) > 1


def _add_matches(result: GrepResult, found: SearchResult, paths: list[str]) -> None:
    result.lines += [(paths[line.file_index], line) for line in found.lines]
    result.match_count += _count_matches(found)
    if not found.in_time:
        result.truncation_reason = f"the search was stopped after {SEARCH_TIMEOUT_S:g} s"
    elif result.match_count > MAX_MATCHES:
        result.truncation_reason = f"the first {MAX_MATCHES} matches"
    elif not found.is_complete:
        result.overlong_count += 1


def _count_matches(found: SearchResult) -> int:
    return sum(line.is_match for line in found.lines)


def _iter_batches(paths: list[str]) -> Iterator[Sequence[str]]:
    """Split the list; without files, yield one empty batch so that a bad pattern is reported."""
    for start in range(0, max(len(paths), 1), MAX_OPEN_FILES):
        yield paths[start : start + MAX_OPEN_FILES]


def _open_text_files(
    root: Path, paths: Sequence[str], stack: ExitStack, result: GrepResult
) -> list[tuple[str, int]]:
    """Open the text files among `paths`; count the others in `result`."""
    files: list[tuple[str, int]] = []
    for path in paths:
        try:
            folder = stack.enter_context(open_parent_folder(root / path))
            file = stack.enter_context(open_regular_file(root / path, folder))
            is_binary = bool(detect_binary_type(os.pread(file, PROBE_BYTES, 0)))
        except (OSError, ToolError):  # removed or replaced since it was listed
            result.unopened_count += 1
            continue
        if is_binary:
            result.binary_count += 1
        else:
            files.append((path, file))
    return files


def _format_result(
    arguments: GrepArguments,
    candidates: SearchCandidates,
    result: GrepResult,
    context: ToolContext,
) -> str:
    format_rows = _format_files if arguments.files_only else _format_lines
    rows = format_rows(candidates, result, context) or ["(no lines match)"]
    notes: list[str] = []
    if result.truncation_reason:
        notes.append(
            f"[truncated: {result.truncation_reason}; use a narrower pattern, path or glob]"
        )
    long_line = f"with a matching line of {MAX_OUTPUT_BYTES >> 20} MiB or more"
    notes += format_skipped_counts(
        format_count(result.binary_count, "binary file", "binary files"),
        format_count(
            result.unopened_count,
            "file that could not be opened",
            "files that could not be opened",
        ),
        format_count(result.overlong_count, f"file {long_line}", f"files {long_line}"),
    )
    return "\n".join([*rows, *notes, *candidates.omission_notes])


def _format_files(
    candidates: SearchCandidates, result: GrepResult, context: ToolContext
) -> list[str]:
    names = dict.fromkeys(path for path, _ in result.lines)
    return [format_path(candidates.root / path, context) for path in names][:MAX_MATCHES]


def _format_lines(
    candidates: SearchCandidates, result: GrepResult, context: ToolContext
) -> list[str]:
    """Write `path:number:text` for a match, and `path-number-text` for a line of context."""
    rows: list[str] = []
    match_count = 0
    for path, line in result.lines:
        match_count += line.is_match
        if match_count > MAX_MATCHES:
            break
        name = format_path(candidates.root / path, context)
        separator = ":" if line.is_match else "-"
        rows.append(f"{name}{separator}{line.line_number}{separator}{_truncate(line.text)}")
    return rows


def _truncate(text: str) -> str:
    excess = len(text) - MAX_LINE_CHARS
    return f"{text[:MAX_LINE_CHARS]}… [+{excess:,} characters]" if excess > 0 else text


GREP = Tool(
    tool_list.GREP,
    description=DESCRIPTION,
    arguments=GrepArguments,
    plan=plan,
    run=run,
)
