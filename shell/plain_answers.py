"""Answers as typed lines, for a terminal that can do nothing but print. Pure.

A line names the number of the prompt that it answers, which nobody knows before it is printed: what
was typed ahead, or meant for another prompt, answers nothing.
"""

import re
from dataclasses import dataclass
from typing import Literal

from messages.approvals import AnyApprovalRequest, QuestionRequest
from messages.questions import Question

_LINE = re.compile(r"(yes|session|project|no|later|reply) (\d+)(?: (.*))?", re.IGNORECASE)
_NUMBERS = re.compile(r"\d+(?:\s*,\s*\d+)*")

WIDER = "wider"
LASTING = ("session", "project")
Verb = Literal["once", "session", "project", "no", "later", "reply"]
_VERBS: dict[str, Verb] = {
    "yes": "once",
    "session": "session",
    "project": "project",
    "no": "no",
    "later": "later",
    "reply": "reply",
}


@dataclass(frozen=True, slots=True)
class Typed:
    """What a line says to a prompt."""

    verb: Verb
    number: int
    """Of the prompt."""
    words: str = ""


def typed(line: str) -> Typed | None:
    """Read a line as an answer; None: it is a message like any other."""
    found = _LINE.fullmatch(line.strip())
    if not found:
        return None
    return Typed(_VERBS[found[1].lower()], int(found[2]), (found[3] or "").strip())


def ways(request: AnyApprovalRequest, number: int) -> str:
    """Say which lines answer a prompt."""
    if isinstance(request, QuestionRequest):
        return f"Answer with a line: reply {number} WORDS-OR-NUMBERS · no {number} · later {number}"
    offered = {
        "once": f"yes {number}",
        "session": f"session {number} (don't ask again)",
        "project": f"project {number} (nor in this project)",
        "no": f"no {number} · no {number} BECAUSE",
    }
    lines = [told for answer, told in offered.items() if answer in request.answers]
    wider = [f"session {number} {WIDER}", f"project {number} {WIDER}"] if request.wider else []
    return "Answer with a line: " + " · ".join([*lines, *wider, f"later {number}"])


def may_be_said(given: Typed, request: AnyApprovalRequest) -> bool:
    """Whether a line answers a request as it offers."""
    if given.verb == "no" or isinstance(request, QuestionRequest):
        return given.verb == "no"
    if given.verb not in LASTING:
        return given.verb in request.answers
    said = not given.words or (given.words == WIDER and bool(request.wider))
    return given.verb in request.answers and said


def reply_in(words: str, question: Question) -> str:
    """Read a reply: numbers of choices stand for them, all else for itself."""
    if not question.choices or not _NUMBERS.fullmatch(words):
        return words
    numbers = [int(each) for each in words.split(",")]
    several = len(numbers) > 1 and not question.multiple
    if several or not all(0 < number <= len(question.choices) for number in numbers):
        return ""
    return "\n".join(question.choices[number - 1].label for number in numbers)
