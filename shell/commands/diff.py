"""`/diff`."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from actors.paths.safe_git import DIFF_OPTIONS, GitError, run_git
from shell.commands.command import Command, ReplHost
from shell.sessions.session_context import SessionContext
from shell.view.approval_panel import get_diff_tone
from shell.view.pager import Page, create_page
from shell.view.styled_text import Fragment

if TYPE_CHECKING:
    from actors.snapshots.change_history import TurnChange
    from actors.snapshots.snapshot_store import SnapshotStore

MAX_LINES = 20_000
NO_CHANGES = "This session has changed no files. /diff commit compares with the last commit."
NO_TURN_CHANGES = "The last turn changed no files."


def diff(words: list[str], host: ReplHost) -> str:
    """Show what this session changed, and who; also `/diff turn` and `/diff commit`."""
    context = host.session_context
    make_page: Callable[[], Page | str]
    match words:
        case []:
            make_page = partial(_make_session_page, context)
        case ["turn"]:
            make_page = partial(_make_turn_page, context)
        case ["commit"]:
            make_page = partial(_make_commit_page, context.workspace_root)
        case _:
            return "usage: /diff [turn | commit]"
    host.run_in_thread(make_page, partial(_show, host))
    return ""


def _make_session_page(context: SessionContext) -> Page | str:
    return _make_changes_page("Changes of this session", NO_CHANGES, context)


def _make_turn_page(context: SessionContext) -> Page | str:
    return _make_changes_page("Changes of the last turn", NO_TURN_CHANGES, context, last_only=True)


def _make_changes_page(
    title: str, nothing: str, context: SessionContext, *, last_only: bool = False
) -> Page | str:
    """Return a page with each turn's changes and their authors, or why there is none."""
    # Imported here: only this command needs them.
    from actors.snapshots.snapshot_store import SnapshotError  # noqa: PLC0415
    from shell.commands.session_changes import ChangesError, read_changes  # noqa: PLC0415

    if context.snapshots is None:
        return nothing
    try:
        changes = read_changes(context.session_file)
        shown = changes[-1:] if last_only else changes
        store = context.snapshots
        lines = [line for change in shown for line in _format_change(change, store)]
    except (ChangesError, SnapshotError) as error:
        return f"The changes could not be shown: {error}."
    return create_page(title, _cut(lines)) if lines else nothing


def _format_change(change: "TurnChange", store: "SnapshotStore") -> Iterator[Fragment]:
    from actors.snapshots.undo import compare  # noqa: PLC0415  (as above)

    comparison = compare(store, change.before, change.after or store.take("now").commit)
    if not comparison.paths:
        return
    undone = " · undone" if change.is_undone else ""
    prompt = " ".join(change.prompt.split())
    yield "strong", f"Turn {change.turn}{undone} · {prompt}"
    for path in comparison.paths:
        yield "dim", f"  {path} · {change.format_author(path)}"
    for line in comparison.diff.splitlines():
        yield get_diff_tone(line), line
    yield "plain", ""


def _make_commit_page(root: Path) -> Page | str:
    """Return a page with the diff and the names of new files, or why there is none."""
    try:
        changed = run_git(root, "diff", *DIFF_OPTIONS, "HEAD", "--")
        new = run_git(root, "ls-files", "--others", "--exclude-standard")
    except GitError as error:
        return _explain_error(str(error))
    new_files = new.decode("utf-8", "replace").splitlines()
    changed_lines = changed.decode("utf-8", "replace").splitlines()
    lines = [*changed_lines, *(f"new file: {name}" for name in new_files)]
    if not lines:
        return "No changes since the last commit."
    toned = [(get_diff_tone(line), line) for line in lines]
    return create_page("Changes since the last commit", _cut(toned))


def _cut(lines: list[Fragment]) -> list[Fragment]:
    omitted = len(lines) - MAX_LINES
    return [*lines[:MAX_LINES], *([("dim", f"… +{omitted} lines")] if omitted > 0 else [])]


def _explain_error(stderr: str) -> str:
    if stderr.startswith("git "):
        return stderr
    if "not a git repository" in stderr.lower():
        return "This folder is not in a git repository, so there is nothing to compare with."
    if "'HEAD'" in stderr:
        return "This repository has no commit yet, so there is nothing to compare with."
    return f"git: {stderr}"


def _show(host: ReplHost, result: Page | str | None) -> None:
    if isinstance(result, Page):
        host.show_page(result)
    else:
        host.print_notice(
            result or "The changes could not be shown. See greenroom.log for the reason."
        )


DIFF = Command("diff", diff)
