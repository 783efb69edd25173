"""A review as text, for the screen, headless runs and exports; needs no screen modules."""

from actors.agents.kinds.review_note import format_location
from actors.agents.kinds.review_output import get_plain_title
from actors.agents.kinds.review_target import describe_target
from messages.reviews import ReviewEnded, ReviewFinding, ReviewOutput
from shell.text.sanitize import sanitize_line
from shell.view.number_format import format_count

_CORRECTNESS = {"patch is correct": "correct: yes", "patch is incorrect": "correct: no"}


def format_review_end(ended: ReviewEnded) -> tuple[str, str]:
    """Return the notice about a review without a result, and its tone."""
    if ended.status in ("nothing_to_review", "invalid_target"):
        return ended.detail, "plain" if ended.status == "nothing_to_review" else "warn"
    subject = f"The review of {describe_target(ended.target)}"
    if ended.status == "cancelled":
        return f"{subject} was stopped.", "warn"
    verb = "was stopped by a limit" if ended.status == "limit_reached" else "failed"
    return f"{subject} {verb}: {ended.detail}", "bad"


def format_finding(finding: ReviewFinding, root: str) -> tuple[str, str]:
    """Return a finding's priority with its title, and its place with its confidence."""
    score = finding.confidence_score
    place = filter(
        None,
        (shorten_location(finding, root), "" if score is None else f"confidence {score:g}"),
    )
    title = f"{get_priority(finding)}  {get_plain_title(finding)}"
    return sanitize_line(title), " · ".join(place)


def format_review_markdown(ended: ReviewEnded) -> str:
    """Return a review as Markdown, for text output and exports."""
    if ended.output is None:
        return format_review_end(ended)[0]
    output = ended.output
    parts = [format_heading(ended, output), output.overall_explanation]
    for number, finding in enumerate(output.findings, 1):
        title, place = format_finding(finding, "")
        head = f"{number}. {title}" + (f"\n   {place}" if place else "")
        body = "\n".join(f"   {line}" for line in finding.body.splitlines())
        parts.append(f"{head}\n{body}".rstrip())
    return "\n\n".join(filter(None, parts))


def format_heading(ended: ReviewEnded, output: ReviewOutput) -> str:
    """Return what was reviewed, how many findings there are, and whether it is correct."""
    count = format_count(len(output.findings), "finding") if output.findings else "no findings"
    facts = (
        f"Review of {describe_target(ended.target)}",
        ended.detail or count,
        _CORRECTNESS.get(output.overall_correctness or "", ""),
    )
    return " · ".join(filter(None, facts))


def get_priority(finding: ReviewFinding) -> str:
    """Return the priority, `P0` to `P3`; `P?`: the review names none."""
    return "P?" if finding.priority is None else f"P{finding.priority}"


def shorten_location(finding: ReviewFinding, root: str) -> str:
    """Return where a finding is, relative to `root`."""
    location = sanitize_line(format_location(finding))
    return location.removeprefix(f"{root.rstrip('/')}/") if root else location
