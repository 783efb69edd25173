"""The prompt for user questions: one question at a time, its choices and their keys. Pure.

Like an approval prompt it has fixed rows that never scroll away; the question scrolls between them.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from messages.approvals import QuestionRequest
from messages.user_questions import UserQuestion
from shell.text.sanitize import sanitize_line_strict, sanitize_strict
from shell.view import arming
from shell.view.approval_panel import (
    PromptPanel,
    format_count_of,
    format_requester,
    join_side_by_side,
    render_barred,
    render_barred_words,
    wrap_row,
)
from shell.view.arming import Arming
from shell.view.styled_text import Fragment, Row, measure_width

TEXT_REPLY_HINT: Fragment = ("strong", "Enter sends this answer · Esc goes back")


@dataclass(frozen=True, slots=True)
class QuestionSelection:
    """The choice under the cursor and the choices that are selected."""

    cursor: int = 0
    checked: frozenset[int] = frozenset()


NO_SELECTION = QuestionSelection()


def move_cursor(selection: QuestionSelection, question: UserQuestion, by: int) -> QuestionSelection:
    """Move the cursor to another choice; the list wraps around."""
    count = max(len(question.choices), 1)
    return replace(selection, cursor=(selection.cursor + by) % count)


def toggle_choice(selection: QuestionSelection, number: int) -> QuestionSelection:
    """Select or deselect a choice and move the cursor to it."""
    return QuestionSelection(number, selection.checked ^ {number})


def build_reply(question: UserQuestion, selection: QuestionSelection) -> str:
    """Return what Enter replies; empty: nothing is selected."""
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
    """Lay out the first unanswered question of the first of `count` requests."""
    question = request.questions[answered_count]
    return PromptPanel(
        header=tuple(_render_header(request, answered_count, count, width)),
        body=tuple(
            _render_plan(question.text, width)
            if request.switch_proposal and not request.switch_proposal.agent
            else _render_body(question, width)
        ),
        options=tuple(_render_choices(question, selection, width)),
    )


def get_question_hint(question: UserQuestion, arming_state: Arming, *, has_draft: bool) -> Fragment:
    """Return the line that explains what the keys do now."""
    if not arming.can_reject(arming_state):
        return ("dim", "You have a draft; press Ctrl-Y to answer" if has_draft else "One moment")
    if not arming.can_allow(arming_state):
        return ("warn", "Scroll to the end before you answer: PgDn")
    if not question.choices:
        return ("strong", "Tab: answer in your own words")
    if question.allow_multiple:
        return ("strong", "↑ ↓ Space or a number: select · Enter: answer · or type your own")
    return ("strong", "↑ ↓ Enter or a number: answer · or type your own")


def _render_header(
    request: QuestionRequest, answered_count: int, count: int, width: int
) -> list[Row]:
    title = f"{format_requester(request)} asks you{format_count_of(count)}"
    rows = wrap_row(title, "title", width)
    topic = sanitize_line_strict(request.questions[answered_count].header)
    position = f"question {answered_count + 1} of {len(request.questions)}"
    if len(request.questions) > 1:
        return [*rows, *wrap_row(f"{position}: {topic}" if topic else position, "dim", width)]
    return [*rows, *(wrap_row(f"about: {topic}", "dim", width) if topic else [])]


@lru_cache(maxsize=2)
def _render_plan(text: str, width: int) -> tuple[Row, ...]:
    """Lay out a plan, which is Markdown; cached, since each frame asks for it several times."""
    from shell.view.markdown_renderer import render_markdown  # noqa: PLC0415  (rich loads slowly)

    lines = render_markdown(sanitize_strict(text), max(width - 2, 4), color=False)
    return tuple(row for line in lines for row in render_barred(line, "plain", width))


def _render_body(question: UserQuestion, width: int) -> list[Row]:
    lines = [(line, "strong") for line in sanitize_strict(question.text).split("\n")]
    for number, choice in enumerate(question.choices, 1):
        if choice.description and not _format_inline_description(question, number - 1, width):
            lines.append((f"{number}: {sanitize_line_strict(choice.description)}", "plain"))
    return [row for line, tone in lines for row in render_barred_words(line, tone, width)]


def _format_inline_description(question: UserQuestion, number: int, width: int) -> str:
    """Return the description next to the label; empty: there is none, or it does not fit."""
    choice = question.choices[number]
    column = max(measure_width(sanitize_line_strict(other.label)) for other in question.choices)
    padding = " " * (column - measure_width(sanitize_line_strict(choice.label)) + 2)
    room = width - (len("> 1  [ ] ") if question.allow_multiple else len("> 1  ")) - column - 2
    description = sanitize_line_strict(choice.description)
    fits = description and measure_width(description) <= room
    return padding + description if fits else ""


def _render_choices(question: UserQuestion, selection: QuestionSelection, width: int) -> list[Row]:
    rows: list[Row] = []
    for number, choice in enumerate(question.choices):
        cursor = "› " if number == selection.cursor else "  "  # noqa: RUF001  (an arrow)
        checkbox = (
            ("[x] " if number in selection.checked else "[ ] ") if question.allow_multiple else ""
        )
        tone = "user" if number == selection.cursor else "plain"
        label_rows = wrap_row(
            f"{cursor}{number + 1}  {checkbox}{sanitize_line_strict(choice.label)}", tone, width
        )
        description = _format_inline_description(question, number, width)
        rows.extend([(*label_rows[0], ("dim", description))] if description else label_rows)
    keys = ("Tab  Answer in your own words", "Ctrl-N  No answer", "Esc  Decide later")
    lines = join_side_by_side(keys, width)
    return [*rows, *(row for line in lines for row in wrap_row(line, "plain", width))]
