"""Questions as a person meets them: answered only by keys that were meant for them."""

import pytest

from messages.approvals import DismissApproval, SubmitDecision
from messages.questions import Choice, UserQuestion
from tests.shell import reports
from tests.shell.on_screen import OnScreen, play

ESC, TAB, CTRL_Y, ENTER = "\x1b", "\t", "\x19", "\r"
UP, DOWN, PAGE_DOWN = "\x1b[A", "\x1b[B", "\x1b[6~"
ID = "/primary/explore-2#q1@1"
COLOUR = UserQuestion(
    question="Which colour?",
    header="paint",
    choices=(Choice(label="red", description="as blood"), Choice(label="blue")),
)
SIZES = UserQuestion(
    question="Which sizes?", choices=(Choice(label="S"), Choice(label="M")), multiple=True
)
NAME = UserQuestion(question="What name?")


async def asked(here: OnScreen, *questions: UserQuestion) -> None:
    here.report(reports.session(), reports.asked_questions(*questions))
    await here.shows("no answer")
    await here.armed()


def test_it_shows_who_asks_the_question_and_its_choices() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here, COLOUR)
        assert here.rows[3:11] == [
            "primary › explore-2 asks you · 1 of 1",  # noqa: RUF001  (as a person sees it)
            "about: paint",
            "│ Which colour?",
            "› 1  red   as blood",  # noqa: RUF001  (an arrow)
            "  2  blue",
            "Tab  in words of your own     n  no answer     Esc  later",
            "↑ ↓ Enter or a number: reply",
            ">",
        ]

    play(script)


@pytest.mark.parametrize(
    ("keys", "reply"), [(["2"], "blue"), ([DOWN, ENTER], "blue"), ([UP, UP, ENTER], "red")]
)
def test_a_number_or_enter_on_a_choice_replies(keys: list[str], reply: str) -> None:
    async def script(here: OnScreen) -> None:
        await asked(here, COLOUR)
        for key in keys:
            await here.press(key)
        await here.hides("no answer")
        assert here.posted == [SubmitDecision(id=ID, decision="once", answers=(reply,))]

    play(script)


def test_several_choices_are_ticked_and_each_question_arms_anew() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here, SIZES, COLOUR)
        for key in (" ", "2", "1", "1"):
            await here.press(key)
        await here.shows("[x] S")
        await here.shows("[x] M")
        here.clock.ahead_s += 1
        here.type(ENTER)
        await here.shows("question 2 of 2: paint")
        assert not here.desk.dialog.may_refuse
        here.type("1")
        await here.shows("> 1")
        here.type("\x7f")
        await here.armed()
        await here.press("1")
        await here.hides("no answer")
        assert here.posted == [SubmitDecision(id=ID, decision="once", answers=("S\nM", "red"))]

    play(script)


def test_words_of_ones_own_reply_too_and_esc_goes_back_to_the_choices() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here, NAME)
        await here.press(TAB)
        await here.shows("Enter sends this reply")
        await here.press(ESC)
        await here.hides("Enter sends this reply")
        await here.armed()
        await here.press(TAB)
        here.type("Ada, of course")
        await here.shows("reply: Ada, of course")
        await here.press(ENTER)
        await here.hides("no answer")
        assert here.posted == [SubmitDecision(id=ID, decision="once", answers=("Ada, of course",))]

    play(script)


def test_n_declines_and_esc_leaves_it_for_later() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here, COLOUR)
        await here.press(ESC)
        await here.hides("no answer")
        assert here.posted == []
        await here.press(CTRL_Y)
        await here.shows("no answer")
        await here.armed()
        await here.press("n")
        await here.hides("no answer")
        assert here.posted == [SubmitDecision(id=ID, decision="no")]

    play(script)


@pytest.mark.parametrize("keys", ["1", "2\r", "\r", "x1"])
def test_keys_before_it_is_armed_do_not_reply(keys: str) -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session())
        await here.shows("primary")
        here.type("draft " + keys.replace("\r", ""))
        here.report(reports.asked_questions(COLOUR))
        await here.shows("Ctrl-Y to reply")
        assert here.posted == []

    play(script)


@pytest.mark.parametrize("burst", ["yes 1", "12", "\x1b[200~1\x1b[201~", "q\r"])
def test_a_burst_or_a_paste_never_replies(burst: str) -> None:
    async def script(here: OnScreen) -> None:
        await asked(here, COLOUR)
        here.type(burst)
        await here.press(DOWN)
        assert here.posted == []

    play(script)


def test_an_armed_question_owns_all_keys() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here, COLOUR)
        for key in ("y", "a", "z", "9", "/"):
            await here.press(key)
        assert here.desk.view.draft.text == ""
        assert here.posted == []
        assert here.desk.dialog.may_refuse

    play(script)


def test_a_long_question_is_read_to_its_end_before_it_can_be_replied_to() -> None:
    long = COLOUR.model_copy(update={"question": "why?\n" * 60})

    async def script(here: OnScreen) -> None:
        await asked(here, long)
        await here.press("1")
        await here.shows("read to the end")
        assert here.posted == []
        for _ in range(12):
            await here.press(PAGE_DOWN)
        await here.until(lambda: here.desk.dialog.may_allow, "the end to be acknowledged")
        await here.press("1")
        await here.hides("no answer")
        assert here.posted == [SubmitDecision(id=ID, decision="once", answers=("red",))]

    play(script)


def test_a_question_withdrawn_half_way_forgets_its_replies() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here, COLOUR, NAME)
        await here.press("1")
        await here.shows("question 2 of 2")
        here.report(
            DismissApproval(id=ID, why="withdrawn"), reports.asked_questions(NAME, number=2)
        )
        await here.hides("question 2 of 2")
        await here.shows("│ What name?")
        assert here.posted == []

    play(script)


def test_hostile_questions_and_choices_draw_nothing_but_themselves() -> None:
    hostile = UserQuestion(
        question=reports.HOSTILE,
        header="\x1b[2J",
        choices=(Choice(label="a\ny  once" + reports.HOSTILE, description=reports.HOSTILE),),
    )

    async def script(here: OnScreen) -> None:
        here.report(reports.session(), reports.asked_questions(hostile))
        await here.shows("no answer")
        assert here.text.count(reports.HOSTILE_VISIBLE) == 3
        assert "y  once" not in [row.strip() for row in here.rows]
        for code in ("\x1b[2J", "\x1b]52", "\u202e", "\x9b"):
            assert code not in here.emulator.raw

    play(script, columns=100)
