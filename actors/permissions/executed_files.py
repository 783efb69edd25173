"""Finds the files that a command executes: approvals and grants are bound to their content."""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

from actors.bash.parse import (
    CommandPart,
    ParsedCommand,
    has_effect_rule,
    may_run_input,
    parse_command,
)
from actors.paths.resolve import PathResolver, WorkspacePaths
from actors.permissions.glob_expansion import GlobExpansion, is_glob
from actors.permissions.working_directory import find_working_directories

MAX_FILES = 64
MAX_COMMAND_CHARS = 200_000
"""A longer command is not analyzed."""
MAX_HASHED_BYTES = 16 * 1024 * 1024
"""A larger file is identified by inode, size and modification time instead of its content."""
MAX_QUICK_CHECK_CHARS = 500
"""A command up to this length can be parsed on the event loop without a noticeable delay."""
_SHEBANG = b"#!"
_READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
"""To read a file without waiting for a pipe or a device."""
_INPUTS = frozenset("|<$`")
"""What connects the output of one part, or a file, with the input or arguments of another."""
_Candidate: TypeAlias = tuple[str, bool]


class ExecutedFile(NamedTuple):
    """A file that a command executes."""

    path: str
    """Absolute, with symbolic links resolved."""
    digest: str
    """SHA-256 of the content in hex; empty: it does not exist or cannot be read."""


def find_executed_files(
    command: str,
    workspace_paths: WorkspacePaths,
    part_text: str = "",
    parsed: ParsedCommand | None = None,
) -> tuple[ExecutedFile, ...]:
    """Return the digests of the files that a command executes, including those that are missing.

    These are programs and scripts named by a path, and any file named to a shell, an interpreter or
    a wrapper. If a part may run its input, they include every file that another part reads.
    `part_text`: only the files of the parts with this text. `parsed`: the command, if it has been
    parsed already.
    """
    if len(command) > MAX_COMMAND_CHARS:
        return ()
    parsed = parsed or parse_command(command)
    runs_input = _feeds_programs(command, parsed)
    globs = GlobExpansion()
    locations = find_working_directories(parsed, PathResolver(workspace_paths))
    digests: dict[str, ExecutedFile] = {}
    for part, location in zip(parsed.parts, locations, strict=True):
        if part_text and part.text != part_text:
            continue
        candidates = _iter_candidates(part, location.directories, runs_input=runs_input)
        for path, is_executed in _expand_globs(candidates, globs):
            if "\0" in path:
                continue  # no file has such a name
            digest = _digest_file(os.path.realpath(path), is_executed=is_executed)
            if digest is not None and len(digests) < MAX_FILES:
                digests[digest.path] = digest
    return tuple(digests.values())


def compute_executed_digest(files: Iterable[ExecutedFile]) -> str:
    """Return one digest of the paths and contents of files; empty if there are none.

    A missing file counts only if its name has a suffix: other words are rarely files.
    """
    found = sorted(file for file in files if file.digest or "." in file.path.rpartition("/")[2])
    text = repr(found).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest() if found else ""


def has_no_file_names(command: str, cwd: Path) -> bool:
    """Return True if a quick check shows that the command executes no file; False proves nothing.

    It looks up single names in the working directory only, which is opened to run the command
    anyway. So it cannot block where running would not, and most commands need no thread.
    """
    if len(command) > MAX_QUICK_CHECK_CHARS:
        return False
    parsed = parse_command(command)
    runs_input = _feeds_programs(command, parsed)
    candidates = (
        candidate
        for part in parsed.parts
        for candidate in _iter_candidates(part, ("",), runs_input=runs_input)
    )
    return all(
        not (is_executed or "/" in name or os.path.lexists(cwd / name))
        for name, is_executed in candidates
    )


def _feeds_programs(command: str, parsed: ParsedCommand) -> bool:
    """Whether a part may run what another part or a redirection reads."""
    return not _INPUTS.isdisjoint(command) and may_run_input(parsed)


def _iter_candidates(
    part: CommandPart, directories: tuple[str, ...], *, runs_input: bool
) -> Iterator[_Candidate]:
    """Yield paths that may be files, and whether the command executes any kind of file there."""
    words = [word for word in part.words if not word.text.startswith("-")]
    program = words[0].text if words and words[0].is_literal else ""
    is_runner = has_effect_rule(program) and program.rpartition("/")[2] != "git"
    is_executed = is_runner or runs_input
    words = words if "/" in program else words[1:]
    if runs_input:
        words += [file.word for file in part.redirects if file.permission == "read"]
    for word in dict.fromkeys(words):
        if word.is_literal or (is_executed and is_glob(word.text)):
            for directory in directories:
                path = os.path.join(directory, word.text)  # noqa: PTH118  (text, not a file)
                yield path, is_executed or word.text == program
    for nested in part.nested_parts:
        yield from _iter_candidates(nested, directories, runs_input=runs_input)


def _expand_globs(candidates: Iterable[_Candidate], globs: GlobExpansion) -> Iterator[_Candidate]:
    for path, is_executed in candidates:
        yield path, is_executed
        if is_executed and is_glob(path):
            for found in globs.expand(path, "/", frozenset):
                yield found, True


def _digest_file(path: str, *, is_executed: bool) -> ExecutedFile | None:
    """Return the file's digest; None if it is not a regular file or nothing executes it."""
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            return None
        descriptor = os.open(path, _READ_FLAGS)
    except (OSError, ValueError):
        return ExecutedFile(path, "") if is_executed else None
    try:
        status = os.fstat(descriptor)
        head = os.pread(descriptor, len(_SHEBANG), 0)
        if not (is_executed or status.st_mode & 0o111 or head == _SHEBANG):
            return None
        return ExecutedFile(path, _compute_digest(descriptor, status))
    except OSError:
        return ExecutedFile(path, "")
    finally:
        os.close(descriptor)


def _compute_digest(descriptor: int, status: os.stat_result) -> str:
    chunks: Iterable[bytes] = iter(lambda: os.read(descriptor, 1 << 20), b"")
    if status.st_size > MAX_HASHED_BYTES:
        chunks = (repr((status.st_ino, status.st_size, status.st_mtime_ns)).encode(),)
    sha256 = hashlib.sha256()
    for chunk in chunks:
        sha256.update(chunk)
    return sha256.hexdigest()
