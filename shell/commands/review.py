"""`/review`."""

import secrets
from functools import partial

from messages.reviews import (
    BaseBranch,
    CommitTarget,
    CustomTarget,
    ReviewFinding,
    ReviewTarget,
    StartReview,
    UncommittedChanges,
)
from shell.commands.command import Command, ReplHost
from shell.view.findings import build_findings_picker, make_finding_page
from shell.view.pager import Page

USAGE = "usage: /review [--base BRANCH | --commit SHA | INSTRUCTIONS | findings]"
NO_FINDINGS = "No review of this session has findings."
PAGE_FAILED = "The finding could not be shown. See greenroom.log for the reason."


def review(words: list[str], host: ReplHost) -> str:
    """Review uncommitted changes while you continue to work; `findings` lists the last result."""
    if words == ["findings"]:
        return _show_findings(host)
    target = _parse_target(words)
    if target is None:
        return USAGE
    host.post(StartReview(id=secrets.token_hex(8), target=target))
    return ""


def _parse_target(words: list[str]) -> ReviewTarget | None:
    """Return what to review, as on the command line; None: the words are wrong."""
    match words:
        case [] | ["--uncommitted"]:
            return UncommittedChanges()
        case ["--base", branch]:
            return BaseBranch(branch=branch)
        case ["--commit", sha]:
            return CommitTarget(sha=sha)
        case [option, *_] if option.startswith("-"):
            return None
        case _:
            return CustomTarget(instructions=" ".join(words))


def _show_findings(host: ReplHost) -> str:
    ended = host.state.last_review
    if ended is None or ended.output is None:
        return NO_FINDINGS
    findings = ended.output.findings
    root = str(host.session_context.cwd)
    picker = build_findings_picker(
        ended, root, lambda index: _show_code(host, findings[index], root)
    )
    host.show_picker(picker)
    return ""


def _show_code(host: ReplHost, finding: ReviewFinding, root: str) -> None:
    """Read the file on a thread, because its disk may be slow."""
    host.run_in_thread(partial(make_finding_page, finding, root), partial(_show_page, host))


def _show_page(host: ReplHost, page: Page | None) -> None:
    if page is None:
        host.print_notice(PAGE_FAILED)
    else:
        host.show_page(page)


REVIEW = Command("review", review)
