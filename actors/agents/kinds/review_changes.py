"""Finds the changes that a review is about, and writes them as the review's prompt.

Only files that the agent may read without approval are included.
"""

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from actors.agents.kinds.review_target import clean_text, describe_target, shorten
from actors.paths.safe_git import DIFF_OPTIONS, GitError, find_commit, has_repository, run_git
from actors.tools.binary_detection import PROBE_BYTES, detect_binary_type
from actors.tools.safe_open import open_parent_folder, open_regular_file
from actors.tools.target_paths import escape_control_characters
from actors.tools.tool import ToolError
from messages.reviews import (
    BaseBranch,
    CommitTarget,
    CustomTarget,
    ReviewTarget,
    UncommittedChanges,
)

MAX_FILES = 300
"""More changed files than these are only counted."""
MAX_FILE_CHARS = 30_000
MAX_PROMPT_CHARS = 150_000
MAX_INSTRUCTION_CHARS = 50_000
_FILE_HEADER = re.compile(r"^(?=diff --git )", re.MULTILINE)
_FRAME_TAG = re.compile(r"<(?=\s*/?\s*(?:changed_files|diff)\b)", re.IGNORECASE)


_NOTHING = {
    "uncommitted_changes": "uncommitted changes",
    "base_branch": "changes since the merge base",
    "commit": "changes in this commit",
}


class InvalidTargetError(Exception):
    """The target does not exist; says what to do."""


class NothingToReviewError(Exception):
    """The target has no changes."""


@dataclass(frozen=True, slots=True)
class _ChangedFile:
    """A changed file."""

    status: str
    """As git writes it; `?`: untracked."""
    paths: tuple[str, ...]
    """Relative to the root; the old and the new one of a renamed file."""

    @property
    def label(self) -> str:
        names = " → ".join(map(_format_name, self.paths))
        return f"{self.status[0]}  {names}"


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Two states of the repository to compare."""

    description: str
    old: str
    """Hash of a commit or tree."""
    diffs: tuple[tuple[str, ...], ...]
    """The arguments of each `git diff` that shows a part of the changes."""
    has_untracked: bool = True
    """The files as they are now are compared, untracked ones included."""


def build_review_prompt(target: ReviewTarget, root: Path, can_read: Callable[[str], bool]) -> str:
    """Return the review's prompt; `can_read` decides on a path relative to `root`.

    Raises:
        InvalidTargetError: git does not know the target, or there is no repository.
        NothingToReviewError: the target has no changes.
        GitError: git failed.
    """
    if isinstance(target, CustomTarget):
        instructions = clean_text(target.instructions).strip()
        if not instructions:
            message = "There are no instructions that say what to review."
            raise InvalidTargetError(message)
        return _cut(instructions, MAX_INSTRUCTION_CHARS)
    if not has_repository(root):
        message = "This folder is not in a git repository. Say in words what to review."
        raise InvalidTargetError(message)
    comparison = _find_comparison(target, root)
    files = _list_changed_files(comparison, root)
    if not files:
        message = f"Nothing to review: there are no {_NOTHING[target.type]}."
        raise NothingToReviewError(message)
    return _write_prompt(comparison, files, root, can_read)


def _find_comparison(
    target: UncommittedChanges | BaseBranch | CommitTarget, root: Path
) -> _Comparison:
    head = find_commit(root, "HEAD")
    match target:
        case UncommittedChanges():
            description = "the uncommitted changes: staged, unstaged and untracked"
            old = head or _get_empty_tree(root)
            return _Comparison(description, old, (("--cached", old), ()))
        case BaseBranch():
            base = _find_merge_base(target.branch, head, root)
            name = shorten(target.branch)
            description = f"everything that changed since the merge base with {name}, {base}"
            return _Comparison(description, base, ((base,),))
        case CommitTarget():
            commit = find_commit(root, target.sha)
            if not commit:
                message = f"There is no {describe_target(target)}. See git log."
                raise InvalidTargetError(message)
            listed = run_git(root, "rev-list", "--parents", "--max-count=1", commit).split()
            parent = listed[1].decode() if len(listed) > 1 else _get_empty_tree(root)
            subject = run_git(root, "log", "--max-count=1", "--format=%s", commit, "--")
            title = shorten(subject.decode("utf-8", "replace"))
            description = f"what commit {commit} changed: {title}"
            diffs = ((parent, commit),)
            return _Comparison(description, parent, diffs, has_untracked=False)


def _find_merge_base(branch: str, head: str, root: Path) -> str:
    name = shorten(branch)
    if not head:
        message = "This repository has no commit yet. Review the uncommitted changes instead."
        raise InvalidTargetError(message)
    base = find_commit(root, branch) or find_commit(root, f"refs/remotes/origin/{branch}")
    if not base:
        message = f"There is no branch {name}. See git branch --all."
        raise InvalidTargetError(message)
    try:
        return run_git(root, "merge-base", head, base).decode().strip()
    except GitError as error:
        message = f"HEAD and {name} have no common commit."
        raise InvalidTargetError(message) from error


def _get_empty_tree(root: Path) -> str:
    """Return the hash of the empty tree, to which a first commit is compared."""
    return run_git(root, "hash-object", "-t", "tree", "--stdin").decode().strip()


def _list_changed_files(comparison: _Comparison, root: Path) -> list[_ChangedFile]:
    files: dict[tuple[str, ...], _ChangedFile] = {}
    for arguments in comparison.diffs:
        words = ("diff", *DIFF_OPTIONS, "--find-renames", "--name-status", "-z", *arguments, "--")
        fields = iter(run_git(root, *words).split(b"\0"))
        for status in filter(None, fields):
            count = 2 if status[:1] in (b"R", b"C") else 1
            paths = tuple(os.fsdecode(next(fields, b"")) for _ in range(count))
            files.setdefault(paths, _ChangedFile(status.decode("ascii", "replace"), paths))
    if comparison.has_untracked:
        untracked = run_git(root, "ls-files", "--others", "--exclude-standard", "-z")
        names = map(os.fsdecode, filter(None, untracked.split(b"\0")))
        files |= {(name,): _ChangedFile("?", (name,)) for name in names}
    return list(files.values())


def _write_prompt(
    comparison: _Comparison,
    files: list[_ChangedFile],
    root: Path,
    can_read: Callable[[str], bool],
) -> str:
    listed = files[:MAX_FILES]
    readable = [file for file in listed if all(map(can_read, file.paths))]
    notes: list[str] = []
    if len(files) > len(listed):
        notes.append(f"{len(files) - MAX_FILES:,} more changed files are not listed.")
    if len(readable) < len(listed):
        notes.append(
            f"The changes of {len(listed) - len(readable)} of these files are left out, because "
            "they may not be read without approval."
        )
    parts, omitted = _select_parts(_read_changes(comparison, readable, root))
    diffs = comparison.diffs
    arguments = " ".join(diffs[0]) if len(diffs) == 1 else comparison.old
    if omitted:
        notes.append(
            f"{omitted} of the changes are left out or truncated because they are long. Use read, "
            f"or `git diff {arguments} -- PATH`, for one file."
        )
    names = "\n".join(file.label for file in listed)
    diff = "\n".join(parts)
    return (
        f"Review {comparison.description}.\n"
        f"Compared with {comparison.old}. Repository: {_format_name(str(root))}\n\n"
        f"<changed_files>\n{_escape_frame(names)}\n</changed_files>\n\n"
        f"<diff>\n{_escape_frame(diff)}\n</diff>\n" + "".join(f"\n{note}\n" for note in notes)
    )


def _read_changes(comparison: _Comparison, files: list[_ChangedFile], root: Path) -> list[str]:
    """Return the change of each file as text."""
    tracked = dict.fromkeys(path for file in files if file.status != "?" for path in file.paths)
    changes: list[str] = []
    for arguments in comparison.diffs if tracked else ():
        words = ("diff", *DIFF_OPTIONS, "--find-renames", *arguments, "--", *tracked)
        diff = run_git(root, *words).decode("utf-8", "replace")
        label = "" if len(comparison.diffs) == 1 else "staged: " if arguments else "not staged: "
        changes += [f"{label}{change}" for change in _FILE_HEADER.split(diff) if change]
    new = (_read_new_file(root, file.paths[0]) for file in files if file.status == "?")
    return [*changes, *new]


def _read_new_file(root: Path, name: str) -> str:
    """Return an untracked file as a diff would show it."""
    path, header = root / name, f"untracked file: {_format_name(name)}\n"
    try:
        with open_parent_folder(path) as folder, open_regular_file(path, folder) as file:
            data = os.pread(file, 4 * MAX_FILE_CHARS + 1, 0)
    except (OSError, ToolError):
        return f"{header}[not a regular file, or it cannot be read]\n"
    binary_type = detect_binary_type(data[:PROBE_BYTES])
    if binary_type:
        return f"{header}[{binary_type}]\n"
    lines = data.decode("utf-8", "replace").splitlines()
    return header + "".join(f"+{line}\n" for line in lines)


def _select_parts(changes: Iterable[str]) -> tuple[list[str], int]:
    """Return the changes that fit, long ones truncated, and how many are not complete."""
    parts: list[str] = []
    remaining, incomplete = MAX_PROMPT_CHARS, 0
    for change in changes:
        limit = min(MAX_FILE_CHARS, remaining)
        incomplete += len(change) > limit
        if limit > 0:
            parts.append(_cut(clean_text(change), limit))
            remaining -= min(len(change), limit)
    return parts, incomplete


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}\n[truncated]\n"


def _escape_frame(text: str) -> str:
    """Escape the tags of the frame, so that a file cannot end it."""
    return _FRAME_TAG.sub("&lt;", text)


def _format_name(name: str) -> str:
    """Write a path on one line."""
    return escape_control_characters(
        name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    )
