"""What the user sees of a review: its findings in the scrollback, worst first."""

from actors.agents.kinds.review_output import get_plain_title
from messages.reviews import ReviewEnded, ReviewFinding, ReviewOutput
from shell.text.sanitize import sanitize, sanitize_line
from shell.view.number_format import format_count, format_duration
from shell.view.review_text import format_heading, get_priority, shorten_location
from shell.view.styled_text import Row, truncate, wrap_words

MAX_SHOWN_FINDINGS = 20
MAX_EXPLANATION_ROWS = 12
FINDINGS_HINT = 'Enter or /review findings shows the code · "fix the first one" works'
_TONES = {0: "bad", 1: "bad", 2: "warn"}
_MIN_TITLE_WIDTH = 20


def render_review_rows(
    ended: ReviewEnded, root: str, duration_s: float | None, width: int
) -> list[Row]:
    """Render the result of a review; paths are shown relative to `root`."""
    output = ended.output or ReviewOutput()
    duration = "" if duration_s is None else f" · {format_duration(duration_s)}"
    heading = sanitize_line(f"● {format_heading(ended, output)}{duration}")
    rows: list[Row] = [(("strong", truncate(heading, width)),)]
    shown = output.findings[:MAX_SHOWN_FINDINGS]
    locations = [shorten_location(finding, root) for finding in shown]
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


def _render_finding(finding: ReviewFinding, location: str, location_width: int, width: int) -> Row:
    priority = get_priority(finding)
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
