"""The question prompt: one question at a time, its choices, and what the keys make of them. Pure.

Like an approval it has fixed rows that never scroll away; the question scrolls between them.
"""

from dataclasses import dataclass, replace

from messages.approvals import QuestionRequest
from messages.questions import UserQuestion
from shell.view import arming
from shell.view.approval import Panel, asks, barred_words, going_on, side_by_side
from shell.view.arming import Arming
from shell.view.ink import Fragment, Row, width_of
from shell.visible import exact, exact_line

WORDS_HINT: Fragment = ("strong", "Enter sends this reply, Esc goes back")


@dataclass(frozen=True, slots=True)
class Selection:
    """Which choice the cursor is on, and which are ticked."""

    chosen: int = 0
    ticked: frozenset[int] = frozenset()


NOTHING = Selection()


def moved(selection: Selection, question: UserQuestion, by: int) -> Selection:
    """Put the cursor on another choice."""
    count = max(len(question.choices), 1)
    return replace(selection, chosen=(selection.chosen + by) % count)


def toggled(selection: Selection, number: int) -> Selection:
    """Tick a choice, or take the tick away; the cursor goes there."""
    return Selection(number, selection.ticked ^ {number})


def reply_of(question: UserQuestion, selection: Selection) -> str:
    """Say what Enter replies; empty: nothing yet."""
    if not question.choices:
        return ""
    numbers = sorted(selection.ticked) if question.multiple else [selection.chosen]
    return "\n".join(question.choices[number].label for number in numbers)


def question_panel(
    request: QuestionRequest, replied: int, selection: Selection, count: int, width: int
) -> Panel:
    """Lay out the question that comes after `replied` others, of the first of `count` requests."""
    question = request.questions[replied]
    return Panel(
        head=tuple(_head(request, replied, count, width)),
        body=tuple(_body(question, width)),
        answers=tuple(_answers(question, selection, width)),
    )


def question_hint(question: UserQuestion, state: Arming, *, draft: bool) -> Fragment:
    """Say what the keys do now."""
    if not arming.may_refuse(state):
        return ("dim", "Ctrl-Y to reply: a draft is being typed" if draft else "…")
    if not arming.may_allow(state):
        return ("warn", "PgDn: read to the end before you reply")
    if not question.choices:
        return ("strong", "Tab: reply in words of your own")
    if question.multiple:
        return ("strong", "↑ ↓ Space or a number: tick · Enter: reply")
    return ("strong", "↑ ↓ Enter or a number: reply")


def _head(request: QuestionRequest, replied: int, count: int, width: int) -> list[Row]:
    told = f"{asks(request)} asks you · 1 of {count}"
    rows = going_on(told, "title", width)
    header = exact_line(request.questions[replied].header)
    of = f"question {replied + 1} of {len(request.questions)}"
    if len(request.questions) > 1:
        return [*rows, *going_on(f"{of}: {header}" if header else of, "dim", width)]
    return [*rows, *(going_on(f"about: {header}", "dim", width) if header else [])]


def _body(question: UserQuestion, width: int) -> list[Row]:
    lines = [(line, "strong") for line in exact(question.question).split("\n")]
    for number, choice in enumerate(question.choices, 1):
        if choice.description and not _beside(question, number - 1, width):
            lines.append((f"{number}: {exact_line(choice.description)}", "plain"))
    return [row for line, tone in lines for row in barred_words(line, tone, width)]


def _beside(question: UserQuestion, number: int, width: int) -> str:
    """Say what a choice means on the row of its label; empty: it does not fit, or says nothing."""
    choice = question.choices[number]
    column = max(width_of(exact_line(each.label)) for each in question.choices)
    blanks = " " * (column - width_of(exact_line(choice.label)) + 2)
    room = width - (len("> 1  [ ] ") if question.multiple else len("> 1  ")) - column - 2
    told = exact_line(choice.description)
    return blanks + told if told and width_of(told) <= room else ""


def _answers(question: UserQuestion, selection: Selection, width: int) -> list[Row]:
    rows: list[Row] = []
    for number, choice in enumerate(question.choices):
        cursor = "› " if number == selection.chosen else "  "  # noqa: RUF001  (an arrow)
        tick = ("[x] " if number in selection.ticked else "[ ] ") if question.multiple else ""
        tone = "person" if number == selection.chosen else "plain"
        told = going_on(f"{cursor}{number + 1}  {tick}{exact_line(choice.label)}", tone, width)
        beside = _beside(question, number, width)
        rows.extend([(*told[0], ("dim", beside))] if beside else told)
    last = side_by_side(("Tab  in words of your own", "n  no answer", "Esc  later"), width)
    return [*rows, *(row for line in last for row in going_on(line, "plain", width))]
