"""The answers to an approval prompt: their keys, and how they are listed. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecision,
    PatchApprovalRequest,
    QuestionRequest,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer that a key gives."""

    key: str
    decision: ApprovalDecision
    is_broader: bool = False
    """It stores the broader grants."""
    accepts_edits: bool = False
    """It also changes the mode to auto-edit."""


ANSWERS = (
    Answer("y", "once"),
    Answer("a", "session"),
    Answer("p", "project"),
    Answer("A", "session", is_broader=True),
    Answer("P", "project", is_broader=True),
    Answer("e", "once", accepts_edits=True),
    Answer("n", "no"),
)
"""All answers, in the order in which they are listed."""
HIDEABLE_KEYS = ("", "AP", "aApP", "aApPe")
"""Keys of answers that may be left out in a small window, the fewest first."""


@dataclass(frozen=True, slots=True)
class AnswerList:
    """The answers that a prompt offers, and how they are shown."""

    answers: tuple[Answer, ...]
    cursor: int = 0
    is_armed: bool = False
    hidden_keys: str = ""
    """Keys of answers that are left out."""

    @property
    def selected(self) -> Answer | None:
        """The answer that Enter gives; None: there is none."""
        return self.answers[self.cursor % len(self.answers)] if self.answers else None

    @property
    def keys(self) -> str:
        """The keys of all answers."""
        return "".join([answer.key for answer in self.answers])


def list_answers(
    request: AnyApprovalRequest, *, can_accept_edits: bool, hidden_keys: str = ""
) -> tuple[Answer, ...]:
    """Return the answers that a request allows, without those of the `hidden_keys`.

    `can_accept_edits`: the mode can be changed to auto-edit.
    """
    if isinstance(request, QuestionRequest):
        return ()
    # What no grant can allow, auto-edit does not allow either.
    is_edit = isinstance(request, PatchApprovalRequest) and (
        "session" in request.available_decisions
    )
    return tuple(
        answer
        for answer in ANSWERS
        if answer.decision in request.available_decisions
        and answer.key not in hidden_keys
        and (request.broader_grants or not answer.is_broader)
        and ((can_accept_edits and is_edit) or not answer.accepts_edits)
    )


def find_answer(answers: Sequence[Answer], key: str) -> Answer | None:
    """Return the answer of a key; None: it has none."""
    return next((answer for answer in answers if answer.key == key), None)
