"""Answers as typed lines, for a terminal that can do nothing but print. Pure.

A line names the number of the prompt that it answers, which nobody knows before it is printed: what
was typed ahead, or meant for another prompt, answers nothing.
"""

import re
from dataclasses import dataclass
from typing import Literal

from messages.approvals import AnyApprovalRequest, QuestionRequest
from messages.questions import UserQuestion
from shell.numbered import numbered
from shell.view.approval import Judged, granted
from shell.visible import exact_line

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
    return Typed(_VERBS[found[1].lower()], numbered(found[2]), (found[3] or "").strip())


def ways(request: AnyApprovalRequest, number: int, replied: int = 0) -> str:
    """Say which lines answer a prompt, or its question after `replied` others."""
    if isinstance(request, QuestionRequest):
        lines = _replies(request.questions[replied], number)
    else:
        lines = _answers(request, number)
    column = max(len(line) for line, _ in lines)
    told = "\n".join(f"{line:<{column}}  {what}" for line, what in lines)
    return f"Answer with one of these lines:\n{told}"


def _answers(request: Judged, number: int) -> list[tuple[str, str]]:
    offered = {
        "once": (f"yes {number}", "once"),
        "session": (
            f"session {number}",
            f"don't ask again in this session for {granted(request.grants)}",
        ),
        "project": (f"project {number}", "the same in this project"),
    }
    lines = [line for answer, line in offered.items() if answer in request.available_decisions]
    wider = [
        (f"{said} {WIDER}", f"the same, but for {granted(request.broader_grants)}")
        for said, _ in lines
        if request.broader_grants and said.startswith(LASTING)
    ]
    no = [(f"no {number}", "no; say why behind it, if you like")]
    return [
        *lines,
        *wider,
        *(no if "no" in request.available_decisions else []),
        (f"later {number}", "not now"),
    ]


def _replies(question: UserQuestion, number: int) -> list[tuple[str, str]]:
    chosen = [
        (f"reply {number} {at}", exact_line(f"{choice.label} {choice.description}".strip()))
        for at, choice in enumerate(question.choices, 1)
    ]
    several = [(f"reply {number} 1, 2", "several of them")] if question.multiple else []
    own = (f"reply {number} WORDS", "in words of your own")
    none = (f"no {number}", "no answer")
    return [*chosen, *several, own, none, (f"later {number}", "not now")]


def may_be_said(given: Typed, request: AnyApprovalRequest) -> bool:
    """Whether a line answers a request as it offers."""
    if given.verb == "no" or isinstance(request, QuestionRequest):
        return given.verb == "no"
    if given.verb not in LASTING:
        return given.verb in request.available_decisions
    said = not given.words or (given.words == WIDER and bool(request.broader_grants))
    return given.verb in request.available_decisions and said


def reply_in(words: str, question: UserQuestion) -> str:
    """Read a reply: numbers of choices stand for them, all else for itself."""
    if not question.choices or not _NUMBERS.fullmatch(words):
        return words
    numbers = [numbered(each.strip()) for each in words.split(",")]
    several = len(numbers) > 1 and not question.multiple
    if several or not all(0 < number <= len(question.choices) for number in numbers):
        return ""
    return "\n".join(question.choices[number - 1].label for number in numbers)
