"""A terminal that can only print: what is typed to which prompt."""

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

COLOUR = UserQuestion(text="Which?", choices=(Choice(label="red"), Choice(label="blue")))
NAME = UserQuestion(text="What name?")
SIZES = COLOUR.model_copy(update={"allow_multiple": True})


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
def test_only_a_line_that_names_the_prompt_is_an_answer(
    line: str, answer: TypedAnswer | None
) -> None:
    assert parse_answer(line) == answer


@pytest.mark.parametrize(
    ("words", "question", "reply"),
    [
        ("2", COLOUR, "blue"),
        ("green", COLOUR, "green"),
        ("3", COLOUR, ""),
        ("0", COLOUR, ""),
        ("9" * 5000, COLOUR, ""),
        ("1,2", COLOUR, ""),
        ("1, 2", SIZES, "red\nblue"),
        ("7", UserQuestion(text="How many?"), "7"),
    ],
)
def test_numbers_reply_with_choices_and_words_with_themselves(
    words: str, question: UserQuestion, reply: str
) -> None:
    assert parse_reply(words, question) == reply


def test_only_what_a_request_allows_is_offered() -> None:
    once = sample_events.exec_approval(answers=("once", "no")).request
    assert format_answer_options(once, 4).split("\n") == [
        "Answer with one of these lines:",
        "yes 4    once",
        "no 4     no; say why behind it, if you like",
        "later 4  not now",
    ]
    lasting = format_answer_options(sample_events.exec_approval().request, 4)
    assert "session 4  Yes, and don't ask again this session for `bash git push`" in lasting


def test_each_choice_of_a_question_is_offered_as_the_line_that_takes_it() -> None:
    asked = sample_events.question_approval(NAME, SIZES).request
    assert format_answer_options(asked, 2).split("\n")[1:] == [
        "reply 2 WORDS  Answer in your own words",
        "no 2           no answer",
        "later 2        not now",
    ]
    assert format_answer_options(asked, 2, answered_count=1).split("\n")[1:4] == [
        "reply 2 1      red",
        "reply 2 2      blue",
        "reply 2 1, 2   several of them",
    ]
