"""Answers as typed lines, for a terminal that can only print. Pure.

A line contains the number of the prompt that it answers. The number is unknown before the prompt is
printed, so a line that was typed ahead or meant for another prompt answers nothing.
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
    """A typed line that answers a prompt."""

    verb: AnswerVerb
    prompt_number: int
    text: str = ""


def parse_answer(line: str) -> TypedAnswer | None:
    """Parse a line as an answer; None: it is an ordinary message."""
    match = _LINE.fullmatch(line.strip())
    if not match:
        return None
    return TypedAnswer(
        _VERBS[match[1].lower()], parse_list_number(match[2]), (match[3] or "").strip()
    )


def format_answer_options(
    request: AnyApprovalRequest, prompt_number: int, answered_count: int = 0
) -> str:
    """List the lines that answer a prompt; of questions, the first unanswered one."""
    if isinstance(request, QuestionRequest):
        options = _list_replies(request.questions[answered_count], prompt_number)
    else:
        options = _list_decisions(request, prompt_number)
    column = max(len(line) for line, _ in options)
    lines = "\n".join(f"{line:<{column}}  {meaning}" for line, meaning in options)
    return f"Answer with one of these lines:\n{lines}"


def _list_decisions(request: CallApprovalRequest, number: int) -> list[tuple[str, str]]:
    lines_by_decision = {
        "once": (f"yes {number}", "Yes, once"),
        "session": (
            f"session {number}",
            f"Yes, and don't ask again this session for {format_grants(request.grants)}",
        ),
        "project": (f"project {number}", "Yes, for this project"),
    }
    options = [
        option
        for decision, option in lines_by_decision.items()
        if decision in request.available_decisions
    ]
    broader = [
        (
            f"{line} {BROADER_KEYWORD}",
            f"Same, for all commands matching {format_grants(request.broader_grants)}",
        )
        for line, _ in options
        if request.broader_grants and line.startswith(GRANT_VERBS)
    ]
    no = [(f"no {number} REASON", "No, and say why (optional)")]
    return [
        *options,
        *broader,
        *(no if "no" in request.available_decisions else []),
        (f"later {number}", "Decide later"),
    ]


def _list_replies(question: UserQuestion, number: int) -> list[tuple[str, str]]:
    choices = [
        (
            f"reply {number} {choice_number}",
            sanitize_line_strict(f"{choice.label} {choice.description}".strip()),
        )
        for choice_number, choice in enumerate(question.choices, 1)
    ]
    multiple = [(f"reply {number} 1, 2", "Several choices")] if question.allow_multiple else []
    own_words = (f"reply {number} WORDS", "Answer in your own words")
    no_answer = (f"no {number}", "No answer")
    return [*choices, *multiple, own_words, no_answer, (f"later {number}", "Decide later")]


def is_valid_answer(answer: TypedAnswer, request: AnyApprovalRequest) -> bool:
    """Return whether the request offers the answer."""
    if answer.verb == "no" or isinstance(request, QuestionRequest):
        return answer.verb == "no"
    if answer.verb not in GRANT_VERBS:
        return answer.verb in request.available_decisions
    is_known_grant = not answer.text or (
        answer.text == BROADER_KEYWORD and bool(request.broader_grants)
    )
    return answer.verb in request.available_decisions and is_known_grant


def parse_reply(text: str, question: UserQuestion) -> str:
    """Return the reply: the labels of the typed numbers, or the text; empty: invalid numbers."""
    if not question.choices or not _NUMBERS.fullmatch(text):
        return text
    numbers = [parse_list_number(digits.strip()) for digits in text.split(",")]
    has_too_many = len(numbers) > 1 and not question.allow_multiple
    if has_too_many or not all(0 < number <= len(question.choices) for number in numbers):
        return ""
    return "\n".join(question.choices[number - 1].label for number in numbers)
