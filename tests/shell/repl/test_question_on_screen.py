"""User questions on screen: only keys that are meant for them answer them."""

import pytest

from messages.approvals import DismissApproval, SubmitDecision
from messages.user_questions import Choice, UserQuestion
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen

ESC, TAB, CTRL_N, CTRL_Y, ENTER = "\x1b", "\t", "\x0e", "\x19", "\r"
UP, DOWN, PAGE_DOWN = "\x1b[A", "\x1b[B", "\x1b[6~"
ID = "/primary/explore-2#q1@1"
COLOR = UserQuestion(
    text="Which color?",
    header="paint",
    choices=(Choice(label="red", description="as blood"), Choice(label="blue")),
)
SIZES = UserQuestion(
    text="Which sizes?", choices=(Choice(label="S"), Choice(label="M")), allow_multiple=True
)
NAME = UserQuestion(text="What name?")


async def show_question(screen: ScreenHarness, *questions: UserQuestion) -> None:
    screen.put_events(
        sample_events.session_configured(), sample_events.question_approval(*questions)
    )
    await screen.wait_for_text("No answer")
    await screen.wait_until_armed()


def test_the_prompt_shows_requester_question_and_choices() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, COLOR)
        assert screen.rows[3:11] == [
            "primary › explore-2 asks you",  # noqa: RUF001  (as the user sees it)
            "about: paint",
            "│ Which color?",
            "› 1  red   as blood",  # noqa: RUF001  (an arrow)
            "  2  blue",
            "Tab  Answer in your own words     Ctrl-N  No answer     Esc  Decide later",
            "↑ ↓ Enter or a number: answer · or type your own",
            ">",
        ]

    run_on_screen(script)


@pytest.mark.parametrize(
    ("keys", "reply"), [(["2"], "blue"), ([DOWN, ENTER], "blue"), ([UP, UP, ENTER], "red")]
)
def test_a_number_or_enter_answers_with_the_choice(keys: list[str], reply: str) -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, COLOR)
        for key in keys:
            await screen.press_key(key)
        await screen.wait_for_no_text("No answer")
        assert screen.posted == [SubmitDecision(id=ID, decision="once", answers=(reply,))]

    run_on_screen(script)


def test_several_choices_can_be_selected_in_one_answer() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, SIZES, COLOR)
        for key in (" ", "2", "1", "1"):
            await screen.press_key(key)
        await screen.wait_for_text("[x] S")
        await screen.wait_for_text("[x] M")
        screen.loop.offset_s += 1
        screen.type(ENTER)
        await screen.wait_for_text("question 2 of 2: paint")
        assert not screen.parts.approval_prompt.can_reject
        screen.type("1")
        await screen.wait_for_text("> 1")
        screen.type("\x7f")
        await screen.wait_until_armed()
        await screen.press_key("1")
        await screen.wait_for_no_text("No answer")
        assert screen.posted == [SubmitDecision(id=ID, decision="once", answers=("S\nM", "red"))]

    run_on_screen(script)


async def answer_in_own_words(screen: ScreenHarness, reply: str) -> None:
    await screen.wait_for_text(f"reply: {reply}")
    await screen.press_key(ENTER)
    await screen.wait_for_no_text("No answer")
    assert screen.posted == [SubmitDecision(id=ID, decision="once", answers=(reply,))]


def test_a_question_without_choices_opens_its_field_at_once() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, NAME)
        await screen.wait_for_text("Enter sends this answer")
        screen.type("never 2 be")
        await answer_in_own_words(screen, "never 2 be")

    run_on_screen(script)


def test_esc_leaves_the_field_and_keys_open_it_again() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, NAME)
        await screen.wait_for_text("Enter sends this answer")
        screen.type("Ada")
        await screen.wait_for_text("reply: Ada")
        await screen.press_key(ESC)
        await screen.wait_for_no_text("Enter sends this answer")
        await screen.wait_until_armed()
        await screen.wait_for_text("Tab: answer in your own words")
        await screen.press_key(TAB)
        screen.type(" L.")
        await answer_in_own_words(screen, "Ada L.")

    run_on_screen(script)


def test_text_typed_right_after_an_answer_replies_to_the_next() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, COLOR, NAME)
        await screen.press_key("2")
        screen.type("green-db")
        await screen.wait_for_text("reply: green-db")
        screen.type(ENTER)
        await screen.wait_until_armed()
        assert screen.posted == []
        await screen.press_key(ENTER)
        await screen.wait_for_no_text("No answer")
        assert screen.posted == [
            SubmitDecision(id=ID, decision="once", answers=("blue", "green-db"))
        ]

    run_on_screen(script)


@pytest.mark.parametrize("keys", ["neither", "yes", "9 of them", "n"])
def test_letters_start_a_reply_in_own_words(keys: str) -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, COLOR)
        for key in keys:
            await screen.press_key(key)
        await answer_in_own_words(screen, keys)

    run_on_screen(script)


def test_a_long_question_scrolls_while_its_field_is_open() -> None:
    long = NAME.model_copy(update={"text": "why?\n" * 60})

    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, long)
        screen.type("so")
        await screen.wait_for_text("reply: so")
        await screen.press_key(ENTER)
        await screen.wait_for_text("Scroll to the end")
        for _ in range(12):
            await screen.press_key(PAGE_DOWN)
        await screen.wait_for_text("Enter sends this answer")
        await answer_in_own_words(screen, "so")

    run_on_screen(script)


def test_ctrl_n_gives_no_answer_and_esc_defers() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, COLOR)
        await screen.press_key(ESC)
        await screen.wait_for_no_text("No answer")
        assert screen.posted == []
        await screen.press_key(CTRL_Y)
        await screen.wait_for_text("No answer")
        await screen.wait_until_armed()
        await screen.press_key(CTRL_N)
        await screen.wait_for_no_text("No answer")
        assert screen.posted == [SubmitDecision(id=ID, decision="no")]

    run_on_screen(script)


def test_ctrl_n_keeps_the_answers_to_other_questions() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, COLOR, NAME, SIZES)
        await screen.press_key("1")
        await screen.wait_for_text("question 2 of 3")
        await screen.wait_for_text("Enter sends this answer")
        await screen.press_key(CTRL_N)
        await screen.wait_for_text("question 3 of 3")
        await screen.wait_until_armed()
        await screen.press_key(CTRL_N)
        await screen.wait_for_no_text("No answer")
        assert screen.posted == [SubmitDecision(id=ID, decision="once", answers=("red", "", ""))]

    run_on_screen(script)


def test_a_reply_after_tab_may_come_in_one_burst() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, COLOR)
        await screen.press_key(TAB)
        screen.type(f"green{ENTER}")
        await screen.wait_for_no_text("No answer")
        assert screen.posted == [SubmitDecision(id=ID, decision="once", answers=("green",))]

    run_on_screen(script)


def test_a_burst_does_not_answer_in_a_field_that_opened_itself() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, NAME)
        await screen.wait_for_text("Enter sends this answer")
        screen.type(f"Ada{ENTER}")
        await answer_in_own_words(screen, "Ada")

    run_on_screen(script)


def test_arrows_and_enter_in_one_burst_answer() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, COLOR)
        screen.type(UP + DOWN + DOWN + ENTER)
        await screen.wait_for_no_text("No answer")
        assert screen.posted == [SubmitDecision(id=ID, decision="once", answers=("blue",))]

    run_on_screen(script)


@pytest.mark.parametrize(
    ("burst", "shown"),
    [("12", "› 2  blue"), ("2\r", "› 2  blue"), ("red\r", "reply: red")],  # noqa: RUF001
)
def test_a_burst_of_letters_stays_visible_and_unsent(burst: str, shown: str) -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, COLOR)
        screen.type(burst)
        await screen.wait_for_text(shown)
        assert screen.posted == []
        await screen.press_key(ENTER)
        await screen.wait_for_no_text("No answer")
        (decision,) = screen.posted
        assert isinstance(decision, SubmitDecision)
        assert decision.answers == (shown.rsplit(maxsplit=1)[-1],)

    run_on_screen(script)


@pytest.mark.parametrize("keys", ["1", "2\r", "\r", "x1"])
def test_keys_before_arming_do_not_answer_questions(keys: str) -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(sample_events.session_configured())
        await screen.wait_for_text("primary")
        screen.type("draft " + keys.replace("\r", ""))
        screen.put_events(sample_events.question_approval(COLOR))
        await screen.wait_for_text("press Ctrl-Y to answer")
        assert screen.posted == []

    run_on_screen(script)


@pytest.mark.parametrize("burst", ["yes 1", "12", "\x1b[200~1\x1b[201~", "q\r"])
def test_a_burst_or_paste_never_answers_questions(burst: str) -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, COLOR)
        screen.type(burst)
        await screen.press_key(DOWN)
        assert screen.posted == []

    run_on_screen(script)


def test_an_armed_question_receives_all_the_keys() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, COLOR)
        for key in ("z", "y", "1", "9", "/"):
            await screen.press_key(key)
        await screen.wait_for_text("reply: zy19/")
        assert screen.parts.windows.draft_buffer.text == ""
        assert screen.posted == []
        assert screen.parts.approval_prompt.can_reject

    run_on_screen(script)


def test_a_long_question_needs_scrolling_to_its_end() -> None:
    long = COLOR.model_copy(update={"text": "why?\n" * 60})

    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, long)
        await screen.press_key("1")
        await screen.wait_for_text("Scroll to the end")
        assert screen.posted == []
        for _ in range(12):
            await screen.press_key(PAGE_DOWN)
        await screen.wait_until(
            lambda: screen.parts.approval_prompt.can_allow, "the end to be acknowledged"
        )
        await screen.press_key("1")
        await screen.wait_for_no_text("No answer")
        assert screen.posted == [SubmitDecision(id=ID, decision="once", answers=("red",))]

    run_on_screen(script)


def test_a_withdrawn_question_forgets_its_earlier_replies() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_question(screen, COLOR, NAME)
        await screen.press_key("1")
        await screen.wait_for_text("question 2 of 2")
        screen.put_events(
            DismissApproval(id=ID, outcome="withdrawn"),
            sample_events.question_approval(NAME, number=2),
        )
        await screen.wait_for_no_text("question 2 of 2")
        await screen.wait_for_text("│ What name?")
        assert screen.posted == []

    run_on_screen(script)


def test_control_characters_in_questions_are_made_visible() -> None:
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

    async def script(screen: ScreenHarness) -> None:
        screen.put_events(
            sample_events.session_configured(), sample_events.question_approval(hostile)
        )
        await screen.wait_for_text("No answer")
        assert screen.text.count(sample_events.SANITIZED_TEXT) == 3
        assert "y  Yes, once" not in [row.strip() for row in screen.rows]
        for code in ("\x1b[2J", "\x1b]52", "\u202e", "\x9b"):
            assert code not in screen.emulator.raw

    run_on_screen(script, columns=100)
