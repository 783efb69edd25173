"""The reviews that an agent has started and that have not ended."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from actors.agents.turn.with_changes import with_changes
from messages.journal import Record
from messages.reviews import ReviewEnded, ReviewStarted, ReviewTarget
from messages.subagents import SubagentStarted


class ReviewStage(Enum):
    """Stage of a review."""

    EVALUATING = auto()
    """The permission engine is asked which files may be read."""
    PREPARING = auto()
    """A job finds the changes."""
    AWAITING_SPAWN = auto()
    STARTING = auto()
    """The record of the subagent's start is being written."""
    RUNNING = auto()
    INTERRUPTED = auto()
    """An earlier run or incarnation of the agent started it."""


@dataclass(frozen=True)
class Review:
    """One review and its progress toward its one end."""

    id: str
    target: ReviewTarget
    stage: ReviewStage = ReviewStage.EVALUATING
    prompt: str = ""
    start_append_id: int = 0
    """The append that must be on disk before its subagent starts."""
    subagent_started: SubagentStarted | None = None

    @property
    def decision_id(self) -> str:
        """Id of its permission evaluation."""
        return f"review {self.id}"


@dataclass(frozen=True)
class ReviewTable:
    """The open reviews by id, which is also the `call_id` of their subagents."""

    open: Mapping[str, Review] = field(default_factory=dict[str, Review])
    known_ids: frozenset[str] = frozenset()
    """Ids of all reviews of the session: one that is requested twice starts once."""

    @property
    def awaited_ids(self) -> frozenset[str]:
        """Ids of the permission evaluations that reviews wait for."""
        reviews = self.open.values()
        return frozenset(
            review.decision_id for review in reviews if review.stage is ReviewStage.EVALUATING
        )

    def find(self, review_id: str, stage: ReviewStage) -> Review | None:
        """Return the review with this id if it is in this stage; otherwise a message is late."""
        review = self.open.get(review_id)
        return review if review is not None and review.stage is stage else None

    def with_review(self, review: Review) -> "ReviewTable":
        """Return the table with one review added or replaced."""
        return with_changes(
            self, open={**self.open, review.id: review}, known_ids=self.known_ids | {review.id}
        )

    def without(self, review_id: str) -> "ReviewTable":
        """Return the table after a review ended."""
        remaining = {id_: review for id_, review in self.open.items() if id_ != review_id}
        return with_changes(self, open=remaining)


def restore_reviews(records: Iterable[Record]) -> ReviewTable:
    """Return the reviews that an earlier run or incarnation left open."""
    table = ReviewTable()
    for record in records:
        if isinstance(record, ReviewStarted):
            review = Review(record.id, record.target, ReviewStage.INTERRUPTED)
            table = table.with_review(review)
        elif isinstance(record, ReviewEnded):
            table = table.without(record.id)
    return table
