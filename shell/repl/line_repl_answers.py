"""Answers as typed lines, for a terminal that can do nothing but print. Pure.

A line names the number of the prompt that it answers, which nobody knows before it is printed: what
was typed ahead, or meant for another prompt, answers nothing.
"""

import re
from dataclasses import dataclass
from typing import Literal

from messages.approvals import AnyApprovalRequest, QuestionRequest
from messages.user_questions import UserQuestion
from shell.text.list_number import parse_list_number
from shell.text.sanitize import sanitize_line_strict
from shell.view.approval_panel import CallApprovalRequest, format_grants

_LINE = re.compile(r"(yes|session|project|no|later|reply) (\d+)(?: (.*))?", re.IGNORECASE)
_NUMBERS = re.compile(r"\d+(?:\s*,\s*\d+)*")

BROADER_KEYWORD = "wider"
GRANT_VERBS = ("session", "project")
AnswerVerb = Literal["once", "session", "project", "no", "later", "reply"]
_VERBS: dict[str, AnswerVerb] = {
    "yes": "once",
    "session": "session",
    "project": "project",
    "no": "no",
    "later": "later",
    "reply": "reply",
}


@dataclass(frozen=True, slots=True)
class TypedAnswer:
    """What a line says to a prompt."""

    verb: AnswerVerb
    prompt_number: int
    """Of the prompt."""
    text: str = ""


def parse_answer(line: str) -> TypedAnswer | None:
    """Read a line as an answer; None: it is a message like any other."""
    found = _LINE.fullmatch(line.strip())
    if not found:
        return None
    return TypedAnswer(
        _VERBS[found[1].lower()], parse_list_number(found[2]), (found[3] or "").strip()
    )


def format_answer_options(
    request: AnyApprovalRequest, prompt_number: int, answered_count: int = 0
) -> str:
    """Say which lines answer a prompt, or its question after `replied` others."""
    if isinstance(request, QuestionRequest):
        lines = _replies(request.questions[answered_count], prompt_number)
    else:
        lines = _answers(request, prompt_number)
    column = max(len(line) for line, _ in lines)
    told = "\n".join(f"{line:<{column}}  {what}" for line, what in lines)
    return f"Answer with one of these lines:\n{told}"


def _answers(request: CallApprovalRequest, number: int) -> list[tuple[str, str]]:
    offered = {
        "once": (f"yes {number}", "once"),
        "session": (
            f"session {number}",
            f"don't ask again in this session for {format_grants(request.grants)}",
        ),
        "project": (f"project {number}", "the same in this project"),
    }
    lines = [line for answer, line in offered.items() if answer in request.available_decisions]
    wider = [
        (f"{said} {BROADER_KEYWORD}", f"the same, but for {format_grants(request.broader_grants)}")
        for said, _ in lines
        if request.broader_grants and said.startswith(GRANT_VERBS)
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
        (
            f"reply {number} {at}",
            sanitize_line_strict(f"{choice.label} {choice.description}".strip()),
        )
        for at, choice in enumerate(question.choices, 1)
    ]
    several = [(f"reply {number} 1, 2", "several of them")] if question.allow_multiple else []
    own = (f"reply {number} WORDS", "in words of your own")
    none = (f"no {number}", "no answer")
    return [*chosen, *several, own, none, (f"later {number}", "not now")]


def is_valid_answer(answer: TypedAnswer, request: AnyApprovalRequest) -> bool:
    """Whether a line answers a request as it offers."""
    if answer.verb == "no" or isinstance(request, QuestionRequest):
        return answer.verb == "no"
    if answer.verb not in GRANT_VERBS:
        return answer.verb in request.available_decisions
    said = not answer.text or (answer.text == BROADER_KEYWORD and bool(request.broader_grants))
    return answer.verb in request.available_decisions and said


def parse_reply(text: str, question: UserQuestion) -> str:
    """Read a reply: numbers of choices stand for them, all else for itself."""
    if not question.choices or not _NUMBERS.fullmatch(text):
        return text
    numbers = [parse_list_number(each.strip()) for each in text.split(",")]
    several = len(numbers) > 1 and not question.allow_multiple
    if several or not all(0 < number <= len(question.choices) for number in numbers):
        return ""
    return "\n".join(question.choices[number - 1].label for number in numbers)
