"""The result of a review as rows of the scrollback."""

import pytest

from messages.address import PRIMARY
from messages.reviews import (
    CodeLocation,
    LineRange,
    ReviewEnded,
    ReviewFinding,
    ReviewOutput,
    ReviewStarted,
    ReviewStatus,
    UncommittedChanges,
)
from shell.view.event_reducer import apply_event
from shell.view.review_rows import (
    FINDINGS_HINT,
    MAX_SHOWN_FINDINGS,
    render_review_rows,
)
from shell.view.review_text import format_review_end, format_review_markdown
from shell.view.screen_state import PrintReview, ScreenState
from shell.view.styled_text import measure_width
from shell.view.unfinished_work import format_unfinished_work
from tests.shell import sample_events

pytestmark = pytest.mark.quick


def make_finding(title: str, priority: int | None, path: str, line: int) -> ReviewFinding:
    location = {"absolute_file_path": path, "line_range": {"start": line, "end": line}}
    fields = {
        "title": title,
        "priority": priority,
        "confidence_score": 0.9,
        "code_location": location,
    }
    return ReviewFinding.model_validate(fields)


def make_end(
    *findings: ReviewFinding, status: ReviewStatus = "completed", detail: str = ""
) -> ReviewEnded:
    output = ReviewOutput(
        findings=findings, overall_correctness="patch is incorrect", overall_explanation="One bug."
    )
    is_complete = status == "completed"
    return ReviewEnded(
        id="r",
        target=UncommittedChanges(),
        status=status,
        detail=detail,
        output=output if is_complete else None,
    )


FINDINGS = (
    make_finding("[P0] Discount starts one piece late", 0, "/w/basket/price.py", 10),
    make_finding("Name does not say what is tested", None, "/w/test_price.py", 4),
)


def render(ended: ReviewEnded, width: int = 80) -> list[str]:
    rows = render_review_rows(ended, "/w", 72.0, width)
    return ["".join(text for _, text in row) for row in rows]


def test_findings_are_shown_with_place_and_confidence() -> None:
    assert render(make_end(*FINDINGS)) == [
        "● Review of uncommitted changes · 2 findings · correct: no · 1m 12s",
        "  P0  basket/price.py:10  Discount starts one piece late          confidence 0.9",
        "  P?  test_price.py:4     Name does not say what is tested        confidence 0.9",
        "  One bug.",
        f"  {FINDINGS_HINT}",
    ]


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_no_row_is_wider_than_the_screen(width: int) -> None:
    long = make_finding("x" * 300, 2, "/w/" + "y/" * 100, 9)
    hostile = make_finding("a\x1b[2J\u202eb", 1, "/w/\x1b]0;t\x07", 1)
    rows = render(make_end(long, hostile, *FINDINGS), width)
    assert max(map(measure_width, rows)) <= width
    assert not any("\x1b" in row or "\u202e" in row for row in rows)


def test_many_findings_are_counted_instead_of_shown() -> None:
    rows = render(make_end(*([FINDINGS[0]] * (MAX_SHOWN_FINDINGS + 3))))
    assert "  … +3 findings" in rows


def test_a_reply_without_the_format_is_shown_as_text() -> None:
    output = ReviewOutput(overall_explanation="Looks\ngood.")
    ended = make_end(detail="the reply was not in the expected format")
    rows = render(ended.model_copy(update={"output": output}))
    heading = "● Review of uncommitted changes · the reply was not in the expected format · 1m 12s"
    assert rows == [heading[:79] + "…", "  Looks", "  good."]


def test_markdown_has_every_finding_with_its_body() -> None:
    location = CodeLocation(absolute_file_path="/w/a.py", line_range=LineRange(start=1, end=3))
    finding = ReviewFinding(title="[P2] Do it", body="Because.\nReally.", code_location=location)
    assert format_review_markdown(make_end(finding)) == (
        "Review of uncommitted changes · 1 finding · correct: no\n\nOne bug.\n\n"
        "1. P?  Do it\n   /w/a.py:1-3\n   Because.\n   Really."
    )


@pytest.mark.parametrize(
    ("status", "text"),
    [
        ("cancelled", "The review of uncommitted changes was stopped."),
        ("failed", "The review of uncommitted changes failed: why"),
        ("limit_reached", "The review of uncommitted changes was stopped by a limit: why"),
        ("nothing_to_review", "why"),
        ("invalid_target", "why"),
    ],
)
def test_a_review_without_a_result_says_why(status: ReviewStatus, text: str) -> None:
    assert format_review_end(make_end(status=status, detail="why"))[0] == text


def test_a_review_that_has_not_ended_is_stopped_on_exit() -> None:
    child = PRIMARY.child("review-1")
    subagent = sample_events.subagent_started(child).model_copy(update={"agent_type": "review"})
    state = ScreenState()
    for event in (ReviewStarted(id="r", target=UncommittedChanges()), subagent):
        state, _ = apply_event(state, event, 1.0)
    assert format_unfinished_work(state, "s") == "Stopped: 1 unfinished review."
    for ended in (sample_events.subagent_ended(child), make_end(*FINDINGS)):
        state, effects = apply_event(state, ended, 73.0)
    assert effects == (PrintReview(make_end(*FINDINGS), "", 72.0),)
    assert format_unfinished_work(state, "s") == ""
