"""What the user sees of a review: its findings in the scrollback, worst first."""

from actors.agents.kinds.review_output import get_plain_title
from actors.agents.kinds.review_target import describe_target
from actors.agents.kinds.review_text import format_location
from messages.reviews import ReviewEnded, ReviewFinding, ReviewOutput
from shell.text.sanitize import sanitize, sanitize_line
from shell.view.number_format import format_count, format_duration
from shell.view.styled_text import Row, truncate, wrap_words

MAX_SHOWN_FINDINGS = 20
MAX_EXPLANATION_ROWS = 12
FINDINGS_HINT = 'Enter or /review findings shows the code · "fix the first one" works'
_TONES = {0: "bad", 1: "bad", 2: "warn"}
_MIN_TITLE_WIDTH = 20
_CORRECTNESS = {"patch is correct": "correct: yes", "patch is incorrect": "correct: no"}


def render_review_rows(
    ended: ReviewEnded, root: str, duration_s: float | None, width: int
) -> list[Row]:
    """Render the result of a review; paths are shown relative to `root`."""
    output = ended.output or ReviewOutput()
    duration = "" if duration_s is None else f" · {format_duration(duration_s)}"
    heading = sanitize_line(f"● {_format_heading(ended, output)}{duration}")
    rows: list[Row] = [(("strong", truncate(heading, width)),)]
    shown = output.findings[:MAX_SHOWN_FINDINGS]
    locations = [_shorten_location(finding, root) for finding in shown]
    location_width = min(max(map(len, locations), default=0), max(width - _MIN_TITLE_WIDTH - 6, 8))
    rows += [
        _render_finding(finding, location, location_width, width)
        for finding, location in zip(shown, locations, strict=True)
    ]
    if len(output.findings) > len(shown):
        rows.append(
            (("dim", f"  … +{format_count(len(output.findings) - len(shown), 'finding')}"),)
        )
    lines = wrap_words(sanitize(output.overall_explanation), max(width - 2, 1))
    rows += [
        (("dim" if output.findings else "plain", "  " + line),)
        for line in lines[:MAX_EXPLANATION_ROWS]
        if line
    ]
    if len(lines) > MAX_EXPLANATION_ROWS:
        rows.append((("dim", f"  … +{format_count(len(lines) - MAX_EXPLANATION_ROWS, 'line')}"),))
    if output.findings:
        rows += [(("dim", "  " + line),) for line in wrap_words(FINDINGS_HINT, max(width - 2, 1))]
    return rows


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
        (_shorten_location(finding, root), "" if score is None else f"confidence {score:g}"),
    )
    title = f"{_get_priority(finding)}  {get_plain_title(finding)}"
    return sanitize_line(title), " · ".join(place)


def format_review_markdown(ended: ReviewEnded) -> str:
    """Return a review as Markdown, for text output and exports."""
    if ended.output is None:
        return format_review_end(ended)[0]
    output = ended.output
    parts = [_format_heading(ended, output), output.overall_explanation]
    for number, finding in enumerate(output.findings, 1):
        title, place = format_finding(finding, "")
        head = f"{number}. {title}" + (f"\n   {place}" if place else "")
        body = "\n".join(f"   {line}" for line in finding.body.splitlines())
        parts.append(f"{head}\n{body}".rstrip())
    return "\n\n".join(filter(None, parts))


def _format_heading(ended: ReviewEnded, output: ReviewOutput) -> str:
    """Return what was reviewed, how many findings there are, and whether it is correct."""
    count = format_count(len(output.findings), "finding") if output.findings else "no findings"
    facts = (
        f"Review of {describe_target(ended.target)}",
        ended.detail or count,
        _CORRECTNESS.get(output.overall_correctness or "", ""),
    )
    return " · ".join(filter(None, facts))


def _render_finding(finding: ReviewFinding, location: str, location_width: int, width: int) -> Row:
    priority = _get_priority(finding)
    tone = _TONES.get(4 if finding.priority is None else finding.priority, "dim")
    score = finding.confidence_score
    confidence = "" if score is None else f"confidence {score:g}"
    place = truncate(location, location_width).ljust(location_width)
    title_width = width - 2 - len(priority) - 2 - location_width - 2
    title = sanitize_line(get_plain_title(finding))
    has_room = bool(confidence) and title_width > _MIN_TITLE_WIDTH + len(confidence) + 2
    if has_room:
        title_width -= len(confidence) + 2
    text = truncate(title, max(title_width, 1))
    row: Row = ((tone, f"  {priority}"), ("plain", f"  {place}  {text}"))
    if not has_room:
        return row
    padding = " " * (max(title_width - len(text), 0) + 2)
    return (*row, ("dim", f"{padding}{confidence}"))


def _get_priority(finding: ReviewFinding) -> str:
    return "P?" if finding.priority is None else f"P{finding.priority}"


def _shorten_location(finding: ReviewFinding, root: str) -> str:
    location = sanitize_line(format_location(finding))
    return location.removeprefix(f"{root.rstrip('/')}/") if root else location
