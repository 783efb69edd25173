"""Answers as typed lines, for a terminal that can only print."""

import pytest

from messages.user_questions import Choice, UserQuestion
from shell.repl.line_repl_answers import (
    TypedAnswer,
    format_answer_options,
    parse_answer,
    parse_reply,
)
from shell.text.list_number import OUT_OF_RANGE
from tests.shell import sample_events

pytestmark = pytest.mark.quick

COLOR = UserQuestion(text="Which?", choices=(Choice(label="red"), Choice(label="blue")))
NAME = UserQuestion(text="What name?")
SIZES = COLOR.model_copy(update={"allow_multiple": True})


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("yes 3", TypedAnswer("once", 3)),
        ("Session 12", TypedAnswer("session", 12)),
        ("no 3 use a branch", TypedAnswer("no", 3, "use a branch")),
        ("reply 1 2, 3", TypedAnswer("reply", 1, "2, 3")),
        ("yes " + "9" * 5000, TypedAnswer("once", OUT_OF_RANGE)),
        ("yes", None),
        ("yes, do it", None),
        ("no 3rd party code", None),
        ("please say yes 3", None),
    ],
)
def test_only_lines_with_the_prompt_number_are_answers(
    line: str, answer: TypedAnswer | None
) -> None:
    assert parse_answer(line) == answer


@pytest.mark.parametrize(
    ("text", "question", "reply"),
    [
        ("2", COLOR, "blue"),
        ("green", COLOR, "green"),
        ("3", COLOR, ""),
        ("0", COLOR, ""),
        ("9" * 5000, COLOR, ""),
        ("1,2", COLOR, ""),
        ("1, 2", SIZES, "red\nblue"),
        ("7", UserQuestion(text="How many?"), "7"),
    ],
)
def test_numbers_reply_with_labels_and_text_with_itself(
    text: str, question: UserQuestion, reply: str
) -> None:
    assert parse_reply(text, question) == reply


def test_only_available_decisions_are_offered_as_answers() -> None:
    once = sample_events.exec_approval(available_decisions=("once", "no")).request
    assert format_answer_options(once, 4).split("\n") == [
        "Answer with one of these lines:",
        "yes 4        Yes, once",
        "no 4 REASON  No, and say why (optional)",
        "later 4      Decide later",
    ]
    options = format_answer_options(sample_events.exec_approval().request, 4)
    assert "session 4    Yes, and don't ask again this session for `bash git push`" in options


def test_each_choice_is_listed_with_its_answer_line() -> None:
    request = sample_events.question_approval(NAME, SIZES).request
    assert format_answer_options(request, 2).split("\n")[1:] == [
        "reply 2 WORDS  Answer in your own words",
        "no 2           No answer",
        "later 2        Decide later",
    ]
    assert format_answer_options(request, 2, answered_count=1).split("\n")[1:4] == [
        "reply 2 1      red",
        "reply 2 2      blue",
        "reply 2 1, 2   Several choices",
    ]
