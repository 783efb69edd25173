"""`greenroom review` as a process: targets, output and exit status."""

import json
import subprocess
from typing import Any

import pytest

from tests.program.program_harness import Program, request_messages
from tests.scripted_server import respond_text

FINDING = {
    "title": "[P1] Start the discount at ten pieces",
    "body": "It starts at eleven.",
    "confidence_score": 0.9,
    "priority": 1,
    "code_location": {
        "absolute_file_path": "/w/price.py",
        "line_range": {"start": 10, "end": 12},
    },
}
REVIEW = {
    "findings": [FINDING],
    "overall_correctness": "patch is incorrect",
    "overall_explanation": "One bug.",
    "overall_confidence_score": 0.7,
}
TEXT = """\
Review of uncommitted changes · 1 finding · correct: no

One bug.

1. P1  Start the discount at ten pieces
   /w/price.py:10-12 · confidence 0.9
   It starts at eleven.
"""


@pytest.fixture
def changed(program: Program) -> Program:
    """The program in a repository with one commit and one uncommitted change."""
    root = program.repository
    (root / "price.py").write_text("one\n")
    settings = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(["git", *settings, *words], cwd=root, check=True, timeout=30)
    (root / "price.py").write_text("two\n")
    (root / "AGENTS.md").write_text("Instructions of the project.\n")
    return program


def get_request_text(body: dict[str, Any]) -> str:
    return json.dumps([body["system"], body["messages"]])


def test_a_review_prints_findings_and_continues_as_a_session(changed: Program) -> None:
    with changed.serve(respond_text(json.dumps(REVIEW)), respond_text("Fixed.")) as server:
        reviewed = changed.run("review")
        assert (reviewed.exit_status, reviewed.stdout.decode()) == (0, TEXT)
        request = server.requests[0]
        assert request.headers["x-greenroom-subagent"] == "review"
        assert "+two" in get_request_text(request.body)
        assert "Instructions of the project" not in json.dumps(request.body["system"])

        fixed = changed.run("-p", "fix the first", "--continue")
        assert fixed.stdout == b"Fixed.\n"
        assert "Start the discount at ten pieces" in json.dumps(request_messages(server))


def test_findings_at_or_above_a_priority_exit_with_four(changed: Program) -> None:
    replies = [respond_text(json.dumps(REVIEW))] * 2
    with changed.serve(*replies, respond_text("Looks good.")):
        failing = changed.run("review", "--fail-on", "P1", "--output-format", "json")
        assert failing.exit_status == 4
        assert failing.result["subtype"] == "success"
        assert failing.result["review"] == REVIEW
        assert changed.run("review", "--fail-on", "P0").exit_status == 0
        unreadable = changed.run("review", "--fail-on", "P0", "--output-format", "json")
        assert unreadable.exit_status == 1
        assert unreadable.result["review"]["overall_explanation"] == "Looks good."
        assert "--fail-on cannot be checked" in unreadable.stderr


def test_reviews_without_a_result_say_why(changed: Program) -> None:
    with changed.serve() as server:
        for arguments, status, text in (
            (("--base", "missing"), 2, "There is no branch missing."),
            (("--commit=-h",), 2, "There is no commit -h."),
            (("--base", "a", "--commit", "b"), 2, "review takes one of"),
            (("--fail-on", "P7"), 2, "invalid choice"),
            (("--base", "HEAD", "--output-format", "xml"), 2, "invalid choice"),
        ):
            done = changed.run("review", *arguments)
            assert (done.exit_status, done.stdout) == (status, b"")
            assert text in done.stderr
        (changed.repository / "price.py").write_text("one\n")
        (changed.repository / "AGENTS.md").unlink()
        nothing = changed.run("review", "--fail-on", "P3", "--output-format", "json")
        assert nothing.exit_status == 0
        assert nothing.result["result"] == "Nothing to review: there are no uncommitted changes."
        assert "review" not in nothing.result
        assert server.requests == []


def test_a_review_works_without_a_key(changed: Program) -> None:
    done = changed.run("review", "--fail-on", "P3", "--output-format", "json")
    assert done.exit_status == 4
    assert len(done.result["review"]["findings"]) == 1
