"""Reviews of changes: what is reviewed, and what was found."""

from typing import Annotated, Literal

from annotated_types import Ge, Le
from pydantic import Field

from messages.base import Message, Value
from messages.subagents import SubagentStatus


class UncommittedChanges(Value):
    """Staged, unstaged and untracked changes."""

    type: Literal["uncommitted_changes"] = "uncommitted_changes"


class BaseBranch(Value):
    """Everything that changed since the merge base with a branch, uncommitted changes included."""

    type: Literal["base_branch"] = "base_branch"
    branch: str


class CommitTarget(Value):
    """What one commit changed."""

    type: Literal["commit"] = "commit"
    sha: str
    """Any name of the commit that git resolves."""


class CustomTarget(Value):
    """What the user describes."""

    type: Literal["custom"] = "custom"
    instructions: str


ReviewTarget = Annotated[
    UncommittedChanges | BaseBranch | CommitTarget | CustomTarget, Field(discriminator="type")
]


Score = Annotated[float, Ge(0), Le(1)]
Priority = Literal[0, 1, 2, 3]
"""0 is the worst."""


class LineRange(Value):
    """Lines of a file, from 1, both included."""

    start: int
    end: int


class CodeLocation(Value):
    """The code that a finding is about."""

    absolute_file_path: str
    line_range: LineRange | None = None


class ReviewFinding(Value):
    """One problem in the reviewed changes; a reply may omit any of these fields."""

    title: str
    body: str = ""
    """Markdown."""
    confidence_score: Score | None = None
    priority: Priority | None = None
    code_location: CodeLocation | None = None


Correctness = Literal["patch is correct", "patch is incorrect"]


class ReviewOutput(Value):
    """The result of a review."""

    findings: tuple[ReviewFinding, ...] = ()
    """Worst first."""
    overall_correctness: Correctness | None = None
    overall_explanation: str = ""
    overall_confidence_score: Score | None = None


class StartReview(Message):
    """Review changes while the conversation continues; answered by `ReviewStarted`."""

    notify_undelivered = True
    type: Literal["start_review"] = "start_review"
    id: str
    """Assigned by the sender, so that a review that is requested twice starts once."""
    target: ReviewTarget


class ReviewStarted(Message):
    """Recorded: a review was entered; exactly one `ReviewEnded` follows."""

    type: Literal["review_started"] = "review_started"
    id: str
    target: ReviewTarget


ReviewStatus = SubagentStatus | Literal["nothing_to_review", "invalid_target"]
"""nothing_to_review: the target has no changes · invalid_target: git does not know it, or there is
no repository."""


class ReviewEnded(Message):
    """Recorded: a review was exited; its result becomes part of the conversation."""

    type: Literal["review_ended"] = "review_ended"
    id: str
    target: ReviewTarget
    status: ReviewStatus
    detail: str = ""
    """Why there is no result; of a completed review, why it has no findings to read."""
    output: ReviewOutput | None = None
    """Only of a completed review."""
