"""`/diff`."""

from functools import partial
from pathlib import Path

from actors.paths.safe_git import DIFF_OPTIONS, GitError, run_git
from shell.commands.command import Command, ReplHost
from shell.view.approval_panel import get_diff_tone
from shell.view.pager import Page, create_page

MAX_LINES = 20_000


def diff(words: list[str], host: ReplHost) -> str:
    """Show changes in the workspace since the last commit."""
    if words:
        return "usage: /diff"
    host.run_in_thread(
        partial(_make_page, host.session_context.workspace_root), partial(_show, host)
    )
    return ""


def _make_page(root: Path) -> Page | str:
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
    omitted = [f"… +{len(lines) - MAX_LINES} lines"] if len(lines) > MAX_LINES else []
    shown = [*lines[:MAX_LINES], *omitted]
    return create_page(
        "Changes since the last commit", ((get_diff_tone(line), line) for line in shown)
    )


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
