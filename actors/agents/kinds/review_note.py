"""The result of a review as the agent that is told about it reads it."""

import re

from actors.agents.kinds.review_target import describe_target
from messages.reviews import ReviewEnded, ReviewFinding, ReviewOutput

MAX_BODY_CHARS = 2_000
MAX_TEXT_CHARS = 40_000
NO_RESULT = {
    "cancelled": "was cancelled and has no result",
    "limit_reached": "was stopped by a limit and has no result",
    "failed": "failed and has no result",
}
_FRAME_TAG = re.compile(r"<(?=\s*/?\s*review_result\b)", re.IGNORECASE)


def format_review_note(ended: ReviewEnded) -> str:
    """Return the note for the conversation, which findings cannot forge; empty: none is needed."""
    subject = f"The review of {describe_target(ended.target)} that the user started"
    if ended.output is not None:
        text = f"{subject} has ended.\n{_format_output(ended.output)}"
    elif ended.status in NO_RESULT:
        detail = f": {ended.detail}" if ended.detail else ""
        text = f"{subject} {NO_RESULT[ended.status]}{detail}."
    else:
        return ""
    text = _FRAME_TAG.sub("&lt;", text)
    if len(text) > MAX_TEXT_CHARS:
        text = f"{text[:MAX_TEXT_CHARS]}\n[truncated]"
    return f"<review_result>\n{text}\n</review_result>"


def format_location(finding: ReviewFinding) -> str:
    """Return where the code of a finding is, as `path:10-12`; empty: unknown."""
    location = finding.code_location
    if location is None:
        return ""
    lines = location.line_range
    if lines is None:
        return location.absolute_file_path
    end = f"-{lines.end}" if lines.end > lines.start else ""
    return f"{location.absolute_file_path}:{lines.start}{end}"


def _format_output(output: ReviewOutput) -> str:
    parts = [
        f"Conclusion: {output.overall_correctness}" if output.overall_correctness else "",
        output.overall_explanation,
        f"Findings: {len(output.findings)}, the worst first" if output.findings else "No findings.",
        *(_format_finding(number, finding) for number, finding in enumerate(output.findings, 1)),
    ]
    return "\n".join(filter(None, parts))


def _format_finding(number: int, finding: ReviewFinding) -> str:
    location, score = format_location(finding), finding.confidence_score
    facts = [location, "" if score is None else f"confidence {score:g}"]
    listed = ", ".join(filter(None, facts))
    body = "\n".join(f"   {line}" for line in finding.body[:MAX_BODY_CHARS].splitlines())
    return f"{number}. {finding.title}" + (f" ({listed})" if listed else "") + f"\n{body}".rstrip()
