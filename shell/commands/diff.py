"""`/diff`."""

import os
import subprocess
from functools import partial
from pathlib import Path

from actors.paths.program_search import find_program
from shell.commands.command import Command, ReplHost
from shell.view.approval_panel import get_diff_tone
from shell.view.pager import Page, create_page

TIMEOUT_S = 10.0
MAX_LINES = 20_000
# A repository's configuration may name programs; showing a diff must not run them.
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv")


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
        changed = _git(root, "diff", *_PLAIN, "HEAD", "--")
        new = _git(root, "ls-files", "--others", "--exclude-standard")
    except subprocess.CalledProcessError as error:
        return _explain_error(error.stderr.decode("utf-8", "replace").strip())
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"git could not be run: {error}"
    lines = [*changed.splitlines(), *(f"new file: {name}" for name in new.splitlines())]
    if not lines:
        return "No changes since the last commit."
    omitted = [f"… +{len(lines) - MAX_LINES} lines"] if len(lines) > MAX_LINES else []
    shown = [*lines[:MAX_LINES], *omitted]
    return create_page(
        "Changes since the last commit", ((get_diff_tone(line), line) for line in shown)
    )


def _explain_error(stderr: str) -> str:
    if "not a git repository" in stderr.lower():
        return "This folder is not in a git repository, so there is nothing to compare with."
    if "'HEAD'" in stderr:
        return "This repository has no commit yet, so there is nothing to compare with."
    return f"git: {stderr.partition(chr(10))[0]}"


def _git(root: Path, *words: str) -> str:
    git = find_program("git", os.environ.get("PATH", os.defpath), (root,))
    if git is None:
        message = "it is not installed"
        raise FileNotFoundError(message)
    result = subprocess.run(
        [git, *_SAFE, *words],
        cwd=root,
        env={**os.environ, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    return result.stdout.decode("utf-8", "replace")


def _show(host: ReplHost, result: Page | str | None) -> None:
    if isinstance(result, Page):
        host.show_page(result)
    else:
        host.print_notice(
            result or "The changes could not be shown. See greenroom.log for the reason."
        )


DIFF = Command("diff", diff)
