"""What the end of a review means for the result of `greenroom review`. Pure."""

from actors.agents.kinds.review_output import has_finding_at
from messages.reviews import ReviewEnded, ReviewStatus
from shell.view.review_text import format_review_end

REVIEW_STATUSES: dict[ReviewStatus, int] = {
    "completed": 0,
    "nothing_to_review": 0,
    "invalid_target": 2,
    "limit_reached": 3,
    "cancelled": 1,
    "failed": 1,
}
"""Exit status by how the review ended."""
FINDINGS_STATUS = 4
CANNOT_CHECK = "{detail}, so --fail-on cannot be checked"


def get_review_error(ended: ReviewEnded) -> str | None:
    """Return why a review has no result; None: there was nothing to review."""
    return None if ended.status == "nothing_to_review" else format_review_end(ended)[0]


def check_findings(ended: ReviewEnded, fail_on: int | None) -> tuple[str | None, int]:
    """Return the error and the exit status of a review that ended as it should."""
    if fail_on is None or ended.output is None:
        return None, 0
    if ended.detail:  # text without findings must not look like a review that found nothing
        return CANNOT_CHECK.format(detail=ended.detail), 1
    return None, FINDINGS_STATUS if has_finding_at(ended.output, fail_on) else 0
