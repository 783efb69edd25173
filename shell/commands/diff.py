"""`/diff`."""

import subprocess
from functools import partial
from pathlib import Path

from shell.commands.command import Command, ReplHost
from shell.view.approval_panel import get_diff_tone
from shell.view.pager import Page, create_page

TIMEOUT_S = 10.0
MAX_LINES = 20_000
# A repository may name programs in its own configuration; looking at a difference runs none.
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv")


def diff(words: list[str], host: ReplHost) -> str:
    """Show what has changed in the workspace since the last commit."""
    if words:
        return "usage: /diff"
    host.run_in_thread(partial(_page, host.session_context.workspace_root), partial(_show, host))
    return ""


def _page(root: Path) -> Page | str:
    """Put the difference on a page, new files by their names; or say why there is none."""
    try:
        changed = _git(root, "diff", *_PLAIN, "HEAD", "--")
        new = _git(root, "ls-files", "--others", "--exclude-standard")
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        return f"git: {said}"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"git could not be asked: {error}"
    lines = [*changed.splitlines(), *(f"new file: {name}" for name in new.splitlines())]
    if not lines:
        return "Nothing has changed since the last commit."
    more = [f"… +{len(lines) - MAX_LINES} lines"] if len(lines) > MAX_LINES else []
    shown = [*lines[:MAX_LINES], *more]
    return create_page(
        "Changes since the last commit", ((get_diff_tone(line), line) for line in shown)
    )


def _git(root: Path, *words: str) -> str:
    told = subprocess.run(
        [*_GIT, *words],
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    return told.stdout.decode("utf-8", "replace")


def _show(host: ReplHost, found: Page | str | None) -> None:
    if isinstance(found, Page):
        host.show_page(found)
    else:
        host.print_notice(found or "The changes could not be shown; greenroom.log says why.")


DIFF = Command("diff", diff)
