"""`/review` and its findings, on the real screen."""

from pathlib import Path

import pytest

from messages.reviews import (
    BaseBranch,
    CodeLocation,
    CommitTarget,
    CustomTarget,
    LineRange,
    ReviewEnded,
    ReviewFinding,
    ReviewOutput,
    ReviewStarted,
    ReviewTarget,
    StartReview,
    UncommittedChanges,
)
from shell.commands.review import NO_FINDINGS, USAGE
from shell.sessions.session_context import SessionContext
from tests.shell.screen_harness import ScreenHarness, run_on_screen
from tests.shell.screen_setup import ESC, start_session

STARTED = ReviewStarted(id="r1", target=UncommittedChanges())


def end_review(*findings: ReviewFinding) -> ReviewEnded:
    output = ReviewOutput(findings=findings, overall_correctness="patch is incorrect")
    return ReviewEnded(id="r1", target=UncommittedChanges(), status="completed", output=output)


def make_finding(path: Path, title: str = "[P1] Start at ten pieces") -> ReviewFinding:
    location = CodeLocation(absolute_file_path=str(path), line_range=LineRange(start=2, end=2))
    return ReviewFinding(
        title=title, body="It starts at eleven.", priority=1, code_location=location
    )


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("/review", UncommittedChanges()),
        ("/review --uncommitted", UncommittedChanges()),
        ("/review --base main", BaseBranch(branch="main")),
        ("/review --commit HEAD", CommitTarget(sha="HEAD")),
        ("/review check  the parser", CustomTarget(instructions="check the parser")),
    ],
)
def test_a_review_is_requested_from_the_agent(line: str, target: ReviewTarget) -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type(f"{line}\r")
        await screen.wait_until(lambda: screen.posted, "a request")
        [request] = screen.posted
        assert isinstance(request, StartReview)
        assert (request.target, bool(request.id)) == (target, True)

    run_on_screen(script)


def test_wrong_options_print_how_to_use_review() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/review --base\r")
        await screen.wait_for_text(USAGE.partition("|")[0])
        screen.type("/review findings\r")
        await screen.wait_for_text(NO_FINDINGS)
        assert screen.posted == []

    run_on_screen(script, columns=120)


def test_enter_on_an_empty_line_shows_findings_and_their_code(tmp_path: Path) -> None:
    (tmp_path / "price.py").write_text("one\ntwo\x1b[2J\nthree\n")

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.put_events(STARTED)
        await screen.wait_for_text("Reviewing uncommitted changes.")
        gone = make_finding(tmp_path / "gone.py", "[P1] Other")
        screen.put_events(end_review(make_finding(tmp_path / "price.py"), gone))
        await screen.wait_for_text("Review of uncommitted changes · 2 findings · correct: no")
        screen.type("\r")
        await screen.wait_for_text("It starts at eleven.")
        screen.type("\r")
        await screen.wait_for_text("2  two^[[2J")
        assert "three" in screen.text
        await screen.press_key(ESC)
        await screen.wait_for_no_text("three")
        screen.type("/review findings\r")
        await screen.wait_for_text("Other")
        screen.type("Other\r")
        await screen.wait_for_text("The file cannot be read: No such file or directory")

    context = SessionContext(cwd=tmp_path, workspace_root=tmp_path)
    run_on_screen(script, rows=40, session_context=context)


def test_enter_opens_no_findings_after_the_next_prompt(tmp_path: Path) -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.put_events(STARTED, end_review(make_finding(tmp_path / "price.py")))
        await screen.wait_for_text("1 finding")
        screen.type("fix it\r")
        await screen.wait_for_text("Waiting for the model")
        screen.type("\rstill the input")
        await screen.wait_for_text("> still the input")

    run_on_screen(script)
