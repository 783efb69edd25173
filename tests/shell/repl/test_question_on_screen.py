"""Questions as a person meets them: answered only by keys that were meant for them."""

import pytest

from messages.approvals import DismissApproval, SubmitDecision
from messages.user_questions import Choice, UserQuestion
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen

ESC, TAB, CTRL_Y, ENTER = "\x1b", "\t", "\x19", "\r"
UP, DOWN, PAGE_DOWN = "\x1b[A", "\x1b[B", "\x1b[6~"
ID = "/primary/explore-2#q1@1"
COLOUR = UserQuestion(
    text="Which colour?",
    header="paint",
    choices=(Choice(label="red", description="as blood"), Choice(label="blue")),
)
SIZES = UserQuestion(
    text="Which sizes?", choices=(Choice(label="S"), Choice(label="M")), allow_multiple=True
)
NAME = UserQuestion(text="What name?")


async def show_question(here: ScreenHarness, *questions: UserQuestion) -> None:
    here.put_events(sample_events.session_configured(), sample_events.question_approval(*questions))
    await here.wait_for_text("no answer")
    await here.wait_until_armed()


def test_it_shows_who_asks_the_question_and_its_choices() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_question(here, COLOUR)
        assert here.rows[3:11] == [
            "primary › explore-2 asks you · 1 of 1",  # noqa: RUF001  (as a person sees it)
            "about: paint",
            "│ Which colour?",
            "› 1  red   as blood",  # noqa: RUF001  (an arrow)
            "  2  blue",
            "Tab  Answer in your own words     n  No answer     Esc  Decide later",
            "↑ ↓ Enter or a number: reply",
            ">",
        ]

    run_on_screen(script)


@pytest.mark.parametrize(
    ("keys", "reply"), [(["2"], "blue"), ([DOWN, ENTER], "blue"), ([UP, UP, ENTER], "red")]
)
def test_a_number_or_enter_on_a_choice_replies(keys: list[str], reply: str) -> None:
    async def script(here: ScreenHarness) -> None:
        await show_question(here, COLOUR)
        for key in keys:
            await here.press_key(key)
        await here.wait_for_no_text("no answer")
        assert here.posted == [SubmitDecision(id=ID, decision="once", answers=(reply,))]

    run_on_screen(script)


def test_several_choices_are_ticked_and_each_question_arms_anew() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_question(here, SIZES, COLOUR)
        for key in (" ", "2", "1", "1"):
            await here.press_key(key)
        await here.wait_for_text("[x] S")
        await here.wait_for_text("[x] M")
        here.loop.offset_s += 1
        here.type(ENTER)
        await here.wait_for_text("question 2 of 2: paint")
        assert not here.controller.approval_prompt.can_reject
        here.type("1")
        await here.wait_for_text("> 1")
        here.type("\x7f")
        await here.wait_until_armed()
        await here.press_key("1")
        await here.wait_for_no_text("no answer")
        assert here.posted == [SubmitDecision(id=ID, decision="once", answers=("S\nM", "red"))]

    run_on_screen(script)


def test_words_of_ones_own_reply_too_and_esc_goes_back_to_the_choices() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_question(here, NAME)
        await here.press_key(TAB)
        await here.wait_for_text("Enter sends this reply")
        await here.press_key(ESC)
        await here.wait_for_no_text("Enter sends this reply")
        await here.wait_until_armed()
        await here.press_key(TAB)
        here.type("Ada, of course")
        await here.wait_for_text("reply: Ada, of course")
        await here.press_key(ENTER)
        await here.wait_for_no_text("no answer")
        assert here.posted == [SubmitDecision(id=ID, decision="once", answers=("Ada, of course",))]

    run_on_screen(script)


def test_n_declines_and_esc_leaves_it_for_later() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_question(here, COLOUR)
        await here.press_key(ESC)
        await here.wait_for_no_text("no answer")
        assert here.posted == []
        await here.press_key(CTRL_Y)
        await here.wait_for_text("no answer")
        await here.wait_until_armed()
        await here.press_key("n")
        await here.wait_for_no_text("no answer")
        assert here.posted == [SubmitDecision(id=ID, decision="no")]

    run_on_screen(script)


@pytest.mark.parametrize("keys", ["1", "2\r", "\r", "x1"])
def test_keys_before_it_is_armed_do_not_reply(keys: str) -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(sample_events.session_configured())
        await here.wait_for_text("primary")
        here.type("draft " + keys.replace("\r", ""))
        here.put_events(sample_events.question_approval(COLOUR))
        await here.wait_for_text("Ctrl-Y to reply")
        assert here.posted == []

    run_on_screen(script)


@pytest.mark.parametrize("burst", ["yes 1", "12", "\x1b[200~1\x1b[201~", "q\r"])
def test_a_burst_or_a_paste_never_replies(burst: str) -> None:
    async def script(here: ScreenHarness) -> None:
        await show_question(here, COLOUR)
        here.type(burst)
        await here.press_key(DOWN)
        assert here.posted == []

    run_on_screen(script)


def test_an_armed_question_owns_all_keys() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_question(here, COLOUR)
        for key in ("y", "a", "z", "9", "/"):
            await here.press_key(key)
        assert here.controller.windows.draft_buffer.text == ""
        assert here.posted == []
        assert here.controller.approval_prompt.can_reject

    run_on_screen(script)


def test_a_long_question_is_read_to_its_end_before_it_can_be_replied_to() -> None:
    long = COLOUR.model_copy(update={"text": "why?\n" * 60})

    async def script(here: ScreenHarness) -> None:
        await show_question(here, long)
        await here.press_key("1")
        await here.wait_for_text("read to the end")
        assert here.posted == []
        for _ in range(12):
            await here.press_key(PAGE_DOWN)
        await here.wait_until(
            lambda: here.controller.approval_prompt.can_allow, "the end to be acknowledged"
        )
        await here.press_key("1")
        await here.wait_for_no_text("no answer")
        assert here.posted == [SubmitDecision(id=ID, decision="once", answers=("red",))]

    run_on_screen(script)


def test_a_question_withdrawn_half_way_forgets_its_replies() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_question(here, COLOUR, NAME)
        await here.press_key("1")
        await here.wait_for_text("question 2 of 2")
        here.put_events(
            DismissApproval(id=ID, outcome="withdrawn"),
            sample_events.question_approval(NAME, number=2),
        )
        await here.wait_for_no_text("question 2 of 2")
        await here.wait_for_text("│ What name?")
        assert here.posted == []

    run_on_screen(script)


def test_hostile_questions_and_choices_draw_nothing_but_themselves() -> None:
    hostile = UserQuestion(
        text=sample_events.HOSTILE_TEXT,
        header="\x1b[2J",
        choices=(
            Choice(
                label="a\ny  Yes, once" + sample_events.HOSTILE_TEXT,
                description=sample_events.HOSTILE_TEXT,
            ),
        ),
    )

    async def script(here: ScreenHarness) -> None:
        here.put_events(
            sample_events.session_configured(), sample_events.question_approval(hostile)
        )
        await here.wait_for_text("no answer")
        assert here.text.count(sample_events.SANITIZED_TEXT) == 3
        assert "y  Yes, once" not in [row.strip() for row in here.rows]
        for code in ("\x1b[2J", "\x1b]52", "\u202e", "\x9b"):
            assert code not in here.emulator.raw

    run_on_screen(script, columns=100)
