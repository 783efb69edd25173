"""The console of `greenroom review`: starts one review and ends with it."""

from messages.address import PRIMARY
from messages.reviews import (
    BaseBranch,
    CommitTarget,
    CustomTarget,
    ReviewEnded,
    ReviewTarget,
    StartReview,
    UncommittedChanges,
)
from messages.turns import SessionConfigured
from shell.headless.event_queue import EventQueue
from shell.headless.headless_console import HeadlessConsole
from shell.startup.options import ReviewOptions

REVIEW_ID = "review"
"""The only review of the session, which is new."""


class ReviewConsole(HeadlessConsole):
    """Starts a review once the agent is ready."""

    def __init__(self, target: ReviewTarget, queue: EventQueue, *, forward_all: bool) -> None:
        super().__init__("", queue, forward_all=forward_all)
        self._target = target

    def start_work(self, configured: SessionConfigured) -> None:  # noqa: ARG002  (as its base)
        """Start the review; the agent ignores an id that it knows."""
        self.tell(PRIMARY, StartReview(id=REVIEW_ID, target=self._target))

    def on_review_ended(self, ended: ReviewEnded) -> None:
        """End the run."""
        self.put_event(ended, ends_run=True)


def make_target(options: ReviewOptions) -> ReviewTarget:
    """Return the target that the command line names."""
    match options.kind:
        case "uncommitted":
            return UncommittedChanges()
        case "base":
            return BaseBranch(branch=options.value)
        case "commit":
            return CommitTarget(sha=options.value)
        case "custom":
            return CustomTarget(instructions=options.value)
