"""Replies of a review, well formed and malformed, and what is read from them."""

import json

import pytest

from actors.agents.kinds.review_output import (
    MAX_FINDINGS,
    get_plain_title,
    has_finding_at,
    parse_review_output,
)
from messages.reviews import CodeLocation, LineRange, ReviewFinding, ReviewOutput

pytestmark = pytest.mark.quick

LOCATION = {"absolute_file_path": "/w/price.py", "line_range": {"start": 10, "end": 12}}
BUG = {
    "title": "[P1] Start the discount at ten pieces",
    "body": "It starts at eleven.",
    "confidence_score": 0.9,
    "priority": 1,
    "code_location": LOCATION,
}
NIT = {**BUG, "title": "[P3] Rename the test", "priority": 3, "confidence_score": 0.8}
REPLY = {
    "findings": [NIT, BUG],
    "overall_correctness": "patch is incorrect",
    "overall_explanation": "One bug.",
    "overall_confidence_score": 0.7,
}
READ_BUG = ReviewFinding(
    title="[P1] Start the discount at ten pieces",
    body="It starts at eleven.",
    confidence_score=0.9,
    priority=1,
    code_location=CodeLocation(
        absolute_file_path="/w/price.py", line_range=LineRange(start=10, end=12)
    ),
)
FULL = json.dumps(REPLY)


def with_bug(**changes: object) -> str:
    return json.dumps({**REPLY, "findings": [BUG, {**BUG, **changes}]})


def without(name: str) -> str:
    changed = {key: value for key, value in BUG.items() if key != name}
    return json.dumps({**REPLY, "findings": [BUG, changed]})


def test_a_complete_reply_is_read_worst_first() -> None:
    output = parse_review_output(FULL)
    assert output is not None
    assert output.findings[0] == READ_BUG
    assert [finding.priority for finding in output.findings] == [1, 3]
    assert output.overall_correctness == "patch is incorrect"
    assert output.overall_explanation == "One bug."
    assert output.overall_confidence_score == 0.7


MALFORMED_REPLIES = {
    "fenced": (f"```json\n{FULL}\n```", 2),
    "prose around it": (f"Here is my review:\n{FULL}\nI hope it helps.", 2),
    "braces in prose before": (f"In `f() {{ }}` I found this:\n{FULL}", 2),
    "braces in prose after": (f"{FULL}\nThe body of `f() {{}}` is fine {{see above}}.", 2),
    "list of findings alone": (json.dumps([BUG, NIT]), 2),
    "one finding alone": (json.dumps(BUG), 1),
    "finding instead of list": (json.dumps({**REPLY, "findings": BUG}), 1),
    "findings by number": (json.dumps({**REPLY, "findings": {"1": BUG, "2": NIT}}), 2),
    "no findings key": (json.dumps({"overall_correctness": "patch is correct"}), 0),
    "null findings": (json.dumps({**REPLY, "findings": None}), 0),
    "line break in text": (FULL.replace("at eleven", "at\neleven"), 2),
    "no priority": (without("priority"), 2),
    "no title": (without("title"), 2),
    "no body": (without("body"), 2),
    "no confidence": (without("confidence_score"), 2),
    "no location": (without("code_location"), 2),
    "null priority": (with_bug(priority=None), 2),
    "priority as text": (with_bug(priority="P2"), 2),
    "priority out of range": (with_bug(priority=17), 2),
    "priority too long": (with_bug(priority=10**4000), 2),
    "priority as truth value": (with_bug(priority=True), 2),
    "confidence in percent": (with_bug(confidence_score=90), 2),
    "confidence as text": (with_bug(confidence_score="high"), 2),
    "confidence NaN": (with_bug(confidence_score=float("nan")), 2),
    "reversed lines": (
        with_bug(code_location={**LOCATION, "line_range": {"start": 9, "end": 3}}),
        2,
    ),
    "lines as text": (with_bug(code_location={**LOCATION, "line_range": "10-12"}), 2),
    "negative lines": (with_bug(code_location={**LOCATION, "line_range": {"start": -1}}), 2),
    "infinite lines": (
        with_bug(code_location={**LOCATION, "line_range": {"start": float("inf")}}),
        2,
    ),
    "location as text": (with_bug(code_location="price.py:10"), 2),
    "title is a number": (with_bug(title=7), 2),
    "title with line breaks": (with_bug(title="[P1] a\n\nb"), 2),
    "half a surrogate pair": (FULL.replace("eleven", "\\ud800"), 2),
    "null character": (FULL.replace("eleven", "\\u0000"), 2),
    "finding is text": (json.dumps({**REPLY, "findings": [BUG, "The name is wrong."]}), 2),
    "finding is a number": (json.dumps({**REPLY, "findings": [3, BUG, None, [], NIT]}), 2),
    "finding is empty": (json.dumps({**REPLY, "findings": [{}, BUG]}), 1),
    "unknown keys": (json.dumps({**REPLY, "findings": [{**BUG, "severity": "bad"}], "x": 1}), 1),
    "duplicate keys": (FULL.replace('"findings"', '"findings": [], "findings"', 1), 2),
    "wrong kinds overall": (
        json.dumps(
            {
                "findings": [BUG],
                "overall_correctness": 1,
                "overall_explanation": ["a"],
                "overall_confidence_score": {},
            }
        ),
        1,
    ),
    "too many findings": (json.dumps({"findings": [BUG] * 500}), MAX_FINDINGS),
}


@pytest.mark.parametrize("name", MALFORMED_REPLIES)
def test_a_malformed_reply_keeps_its_other_findings(name: str) -> None:
    text, count = MALFORMED_REPLIES[name]
    output = parse_review_output(text)
    assert output is not None
    assert len(output.findings) == count
    kept = {finding.confidence_score for finding in output.findings}
    assert not count or 0.9 in kept
    assert ReviewOutput.model_validate_json(output.model_dump_json()) == output


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "The patch looks good to me.",
        "null",
        '"just a string"',
        "42",
        "{",
        "}{",
        FULL[:-40],
        '{"findings": [{"title": "cut',
        '{"a": ' * 100_000,
        "[" * 100_000,
        '{"answer": "something else"}',
        '{"findings": [' * 5_000,
    ],
    ids=range(14),
)
def test_a_reply_without_a_review_is_plain_text(text: str) -> None:
    assert parse_review_output(text) is None


@pytest.mark.parametrize(
    ("changes", "priority"),
    [
        ({"priority": None}, 1),  # from the title
        ({"priority": "P2"}, 2),
        ({"priority": "0"}, 0),
        ({"priority": 2.0}, 2),
        ({"priority": 9, "title": "no priority"}, None),
        ({"priority": True, "title": "[p2] lower case"}, 2),
    ],
)
def test_the_priority_is_read_from_field_or_title(
    changes: dict[str, object], priority: int | None
) -> None:
    output = parse_review_output(json.dumps({"findings": [{**BUG, **changes}]}))
    assert output is not None
    assert output.findings[0].priority == priority


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Patch is correct.", "patch is correct"),
        ("incorrect", "patch is incorrect"),
        ("mostly fine", None),
        ("", None),
    ],
)
def test_correctness_is_read_in_its_usual_spellings(text: str, expected: str | None) -> None:
    output = parse_review_output(json.dumps({"findings": [], "overall_correctness": text}))
    assert output is not None
    assert output.overall_correctness == expected


def test_findings_are_sorted_by_priority_then_confidence() -> None:
    findings = [
        {"title": "unknown"},
        {"title": "unsure", "priority": 1, "confidence_score": 0.2},
        {"title": "sure", "priority": 1, "confidence_score": 0.9},
        {"title": "worst", "priority": 0},
    ]
    output = parse_review_output(json.dumps({"findings": findings}))
    assert output is not None
    assert [finding.title for finding in output.findings] == ["worst", "sure", "unsure", "unknown"]


def test_a_finding_without_priority_is_only_the_lowest() -> None:
    output = ReviewOutput(findings=(ReviewFinding(title="a"),))
    assert has_finding_at(output, 3)
    assert not has_finding_at(output, 2)
    assert has_finding_at(ReviewOutput(findings=(ReviewFinding(title="a", priority=0),)), 1)
    assert not has_finding_at(ReviewOutput(), 3)


def test_a_title_is_shown_without_its_priority() -> None:
    assert get_plain_title(READ_BUG) == "Start the discount at ten pieces"
    assert get_plain_title(ReviewFinding(title="[P1]")) == "[P1]"
