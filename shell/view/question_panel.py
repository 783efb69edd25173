"""The question prompt: one question at a time, its choices, and what the keys make of them. Pure.

Like an approval it has fixed rows that never scroll away; the question scrolls between them.
"""

from dataclasses import dataclass, replace

from messages.approvals import QuestionRequest
from messages.user_questions import UserQuestion
from shell.text.sanitize import exact, sanitize_line_strict
from shell.view import arming
from shell.view.approval_panel import (
    PromptPanel,
    format_requester,
    join_side_by_side,
    render_barred_words,
    wrap_row,
)
from shell.view.arming import Arming
from shell.view.styled_text import Fragment, Row, measure_width

TEXT_REPLY_HINT: Fragment = ("strong", "Enter sends this reply, Esc goes back")


@dataclass(frozen=True, slots=True)
class QuestionSelection:
    """Which choice the cursor is on, and which are ticked."""

    cursor: int = 0
    checked: frozenset[int] = frozenset()


NO_SELECTION = QuestionSelection()


def move_cursor(selection: QuestionSelection, question: UserQuestion, by: int) -> QuestionSelection:
    """Put the cursor on another choice."""
    count = max(len(question.choices), 1)
    return replace(selection, cursor=(selection.cursor + by) % count)


def toggle_choice(selection: QuestionSelection, number: int) -> QuestionSelection:
    """Tick a choice, or take the tick away; the cursor goes there."""
    return QuestionSelection(number, selection.checked ^ {number})


def build_reply(question: UserQuestion, selection: QuestionSelection) -> str:
    """Say what Enter replies; empty: nothing yet."""
    if not question.choices:
        return ""
    numbers = sorted(selection.checked) if question.allow_multiple else [selection.cursor]
    return "\n".join(question.choices[number].label for number in numbers)


def build_question_panel(
    request: QuestionRequest,
    answered_count: int,
    selection: QuestionSelection,
    count: int,
    width: int,
) -> PromptPanel:
    """Lay out the question that comes after `replied` others, of the first of `count` requests."""
    question = request.questions[answered_count]
    return PromptPanel(
        header=tuple(_head(request, answered_count, count, width)),
        body=tuple(_body(question, width)),
        options=tuple(_answers(question, selection, width)),
    )


def get_question_hint(question: UserQuestion, arming_state: Arming, *, has_draft: bool) -> Fragment:
    """Say what the keys do now."""
    if not arming.can_reject(arming_state):
        return ("dim", "Ctrl-Y to reply: a draft is being typed" if has_draft else "…")
    if not arming.can_allow(arming_state):
        return ("warn", "PgDn: read to the end before you reply")
    if not question.choices:
        return ("strong", "Tab: reply in words of your own")
    if question.allow_multiple:
        return ("strong", "↑ ↓ Space or a number: tick · Enter: reply")
    return ("strong", "↑ ↓ Enter or a number: reply")


def _head(request: QuestionRequest, replied: int, count: int, width: int) -> list[Row]:
    told = f"{format_requester(request)} asks you · 1 of {count}"
    rows = wrap_row(told, "title", width)
    header = sanitize_line_strict(request.questions[replied].header)
    of = f"question {replied + 1} of {len(request.questions)}"
    if len(request.questions) > 1:
        return [*rows, *wrap_row(f"{of}: {header}" if header else of, "dim", width)]
    return [*rows, *(wrap_row(f"about: {header}", "dim", width) if header else [])]


def _body(question: UserQuestion, width: int) -> list[Row]:
    lines = [(line, "strong") for line in exact(question.text).split("\n")]
    for number, choice in enumerate(question.choices, 1):
        if choice.description and not _beside(question, number - 1, width):
            lines.append((f"{number}: {sanitize_line_strict(choice.description)}", "plain"))
    return [row for line, tone in lines for row in render_barred_words(line, tone, width)]


def _beside(question: UserQuestion, number: int, width: int) -> str:
    """Say what a choice means on the row of its label; empty: it does not fit, or says nothing."""
    choice = question.choices[number]
    column = max(measure_width(sanitize_line_strict(each.label)) for each in question.choices)
    blanks = " " * (column - measure_width(sanitize_line_strict(choice.label)) + 2)
    room = width - (len("> 1  [ ] ") if question.allow_multiple else len("> 1  ")) - column - 2
    told = sanitize_line_strict(choice.description)
    return blanks + told if told and measure_width(told) <= room else ""


def _answers(question: UserQuestion, selection: QuestionSelection, width: int) -> list[Row]:
    rows: list[Row] = []
    for number, choice in enumerate(question.choices):
        cursor = "› " if number == selection.cursor else "  "  # noqa: RUF001  (an arrow)
        tick = (
            ("[x] " if number in selection.checked else "[ ] ") if question.allow_multiple else ""
        )
        tone = "person" if number == selection.cursor else "plain"
        told = wrap_row(
            f"{cursor}{number + 1}  {tick}{sanitize_line_strict(choice.label)}", tone, width
        )
        beside = _beside(question, number, width)
        rows.extend([(*told[0], ("dim", beside))] if beside else told)
    last = join_side_by_side(("Tab  in words of your own", "n  no answer", "Esc  later"), width)
    return [*rows, *(row for line in last for row in wrap_row(line, "plain", width))]
