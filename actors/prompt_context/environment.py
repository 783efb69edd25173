"""Describes the environment to the model: date, platform, git state, and what changed since.

Every part is bounded. Git is read only in a folder that the user trusts.
"""

import asyncio
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from actors.paths.safe_git import GitError, run_git
from actors.paths.workspace import Workspace
from actors.prompt_context.environment_text import (
    Environment,
    EnvironmentScope,
    KnownEnvironment,
    bound_lines,
    cut_line,
)
from actors.tools.target_paths import escape_control_characters

MAX_STATUS_LINES = 50
COMMIT_COUNT = 5
GIT_TIMEOUT_S = 1.0
UNTRUSTED = "git not read: the folder is not trusted"
_STATUS = ("status", "--porcelain=v1", "--branch", "-z", "--ignore-submodules=all")
_LOG = ("log", f"-{COMMIT_COUNT}", "--format=%h %s", "--no-color", "--no-patch")


@dataclass(frozen=True, slots=True)
class GitStatus:
    """The output of `git status`, or why there is none."""

    branch: str = ""
    entries: tuple[tuple[str, str], ...] = ()
    """Status letters and path, relative to the workspace root."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class EnvironmentReader:
    """Reads the environment of a session."""

    workspace: Workspace
    trusted: bool
    """The user trusts the workspace, so git may be read."""
    get_time_s: Callable[[], float]
    """The wall clock."""

    async def describe(self, scope: EnvironmentScope, model: str) -> Environment:
        """Describe the environment for an agent's first prompt."""
        now = time.localtime(self.get_time_s())
        system = os.uname()
        lines = [
            f"Today's date: {time.strftime('%Y-%m-%d (%A)', now)}",
            f"Platform: {system.sysname} {system.release} {system.machine}",
            "Shell: bash",
            f"Model: {model}",
            f"Working directory: {self.workspace.cwd}",
        ]
        branch = ""
        if scope == "all":
            branch, git_lines = await self._describe_git()
            lines += git_lines
        known = KnownEnvironment(date=_format_date(now), branch=branch, model=model)
        return Environment(text="\n".join(map(cut_line, lines)), known=known)

    async def describe_changes(
        self, known: KnownEnvironment, model: str, since_s: float
    ) -> Environment:
        """Describe what differs from `known`, and files that changed after `since_s`."""
        date = _format_date(time.localtime(self.get_time_s()))
        status = await asyncio.to_thread(self._read_status)
        branch = known.branch if status.problem else status.branch
        lines = [f"Today's date is now {date}."] if date != known.date else []
        if model != known.model:
            lines.append(f"You now run as the model {model}.")
        if branch != known.branch:
            lines.append(f"The git branch is now {branch} (before: {known.branch}).")
        changed = await asyncio.to_thread(_select_changed, self.workspace.root, status, since_s)
        if changed:
            lines.append("Files changed after your last turn ended (git status):")
            lines += _format_entries(changed)
        known = KnownEnvironment(date=date, branch=branch, model=model)
        return Environment(text="\n".join(map(cut_line, lines)), known=known)

    async def _describe_git(self) -> tuple[str, list[str]]:
        """Return the branch, and lines about the repository."""
        if not self._has_repository():
            return "", ["Is a git repository: no"]
        if not self.trusted:
            return "", [UNTRUSTED]
        status, commits = await asyncio.gather(
            asyncio.to_thread(self._read_status), asyncio.to_thread(self._read_commits)
        )
        if status.problem:
            return "", [f"git not read: {status.problem}"]
        rows = _format_entries(status.entries)
        subject = "Git status (short)"
        return status.branch, [
            f"Git branch: {status.branch}",
            *([f"{subject}:", *rows] if rows else [f"{subject}: clean"]),
            *(["Recent commits:", *commits] if commits else ["Recent commits: none"]),
        ]

    def _has_repository(self) -> bool:
        return os.path.lexists(self.workspace.root / ".git")

    def _read_status(self) -> GitStatus:
        if not self.trusted or not self._has_repository():
            return GitStatus(problem=UNTRUSTED)
        try:
            return parse_status(self._git(*_STATUS))
        except GitError as error:
            return GitStatus(problem=escape_control_characters(str(error)))

    def _read_commits(self) -> list[str]:
        try:
            output = self._git(*_LOG, compares_files=False)
            return [escape_control_characters(line) for line in output.splitlines()]
        except GitError:  # there is no commit yet; any other reason is that of the status
            return []

    def _git(self, *words: str, compares_files: bool = True) -> str:
        output = run_git(
            self.workspace.root, *words, timeout_s=GIT_TIMEOUT_S, compares_files=compares_files
        )
        return output.decode("utf-8", "replace")


def parse_status(output: str) -> GitStatus:
    """Parse `git status --porcelain=v1 --branch -z`; a last entry may be incomplete."""
    branch, *parts = output.split("\0")
    entries: list[tuple[str, str]] = []
    remaining = iter(parts[:-1])
    for part in remaining:
        letters, path = part[:2], part[3:]
        if letters[0] in "RC":
            next(remaining, "")  # the old name
        entries.append((letters, path))
    return GitStatus(escape_control_characters(branch.removeprefix("## ")), tuple(entries))


def _format_entries(entries: Iterable[tuple[str, str]]) -> list[str]:
    lines = (f"{letters} {escape_control_characters(path)}" for letters, path in entries)
    return bound_lines(lines, MAX_STATUS_LINES)


def _select_changed(root: Path, status: GitStatus, since_s: float) -> list[tuple[str, str]]:
    return [entry for entry in status.entries if _get_change_time_s(root / entry[1]) > since_s]


def _get_change_time_s(path: Path) -> float:
    """Return when a file last changed; for a deleted one, when its folder did."""
    for existing in (path, *path.parents):
        try:
            return existing.lstat().st_ctime
        except OSError:
            continue
    return 0.0


def _format_date(now: time.struct_time) -> str:
    return time.strftime("%Y-%m-%d", now)
