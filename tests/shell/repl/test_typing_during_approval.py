"""What the person writes while something is asked: it is kept, and seen to be kept."""

import pytest

from messages.approvals import SubmitDecision
from messages.user_questions import UserQuestion
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen

ESC, TAB, NEW_LINE, CTRL_Y = "\x1b", "\t", "\n", "\x19"
FIRST = "/primary/explore-2#1@1"
DRAFT = NEW_LINE.join(("one", "two", "three"))
LONG = "\n".join(f"line {number}" for number in range(30))


async def show_approval_over(here: ScreenHarness, draft: str, command: str = "git push") -> None:
    here.put_events(sample_events.session_configured())
    here.type(draft)
    await here.wait_for_text(draft.rpartition(NEW_LINE)[2])
    here.put_events(sample_events.exec_approval(command))
    await here.wait_for_text("y  Yes, once")


def test_a_draft_of_several_lines_is_seen_whole_below_a_request_where_there_is_room() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval_over(here, DRAFT)
        await here.wait_for_text("> one\ntwo\nthree")
        assert "your draft" not in here.text

    run_on_screen(script)


def test_where_a_request_leaves_no_room_its_last_row_says_what_draft_is_kept() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval_over(here, DRAFT, LONG)
        await here.wait_for_text("· your draft (3 lines): one")
        assert "│ line 0" in here.text
        here.type("!")
        await here.wait_for_text("three!")

    run_on_screen(script, columns=120)


def test_a_draft_hides_no_row_of_a_request() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval_over(
            here, NEW_LINE.join(DRAFT[0] * 20), "\n".join(LONG.split("\n")[:9])
        )
        await here.wait_for_text("│ line 8")
        assert "n  no" in here.text
        here.type(CTRL_Y)
        await here.wait_until_armed()
        await here.press_key("y")
        await here.wait_for_no_text("y  Yes, once")
        assert here.posted == [SubmitDecision(id=FIRST, decision="once")]

    run_on_screen(script)


def test_while_a_reason_is_written_the_draft_is_told_of() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval_over(here, DRAFT)
        here.type(CTRL_Y)
        await here.wait_until_armed()
        await here.press_key(TAB)
        await here.wait_for_text("Esc goes back · your draft (3 lines): one")
        await here.press_key(ESC)
        await here.wait_for_no_text("your draft")

    run_on_screen(script, columns=120)


def test_a_reason_that_was_left_is_there_again_for_who_comes_back_to_it() -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(
            sample_events.session_configured(),
            sample_events.exec_approval(),
            sample_events.exec_approval("rm x", number=2),
        )
        await here.wait_until_armed()
        await here.press_key(TAB)
        here.type("use a branch")
        await here.wait_for_text("no, because: use a branch")
        await here.press_key(ESC)
        await here.wait_for_no_text("no, because")
        await here.wait_until_armed()
        await here.press_key(TAB)
        await here.wait_for_text("no, because: use a branch")
        here.type(", please\r")
        await here.wait_for_text("│ rm x")
        no = SubmitDecision(id=FIRST, decision="no", feedback="use a branch, please")
        assert here.posted == [no]
        await here.wait_until_armed()
        await here.press_key(TAB)
        await here.wait_for_text("no, because:")
        assert not here.controller.windows.side_buffer.text, "that was for another request"

    run_on_screen(script)


def test_words_begun_for_one_question_are_not_there_for_the_next() -> None:
    async def script(here: ScreenHarness) -> None:
        questions = (UserQuestion(text="Which?"), UserQuestion(text="Why?"))
        here.put_events(
            sample_events.session_configured(), sample_events.question_approval(*questions)
        )
        await here.wait_for_text("Which?")
        await here.wait_until_armed()
        await here.press_key(TAB)
        here.type("this one")
        await here.wait_for_text("reply: this one")
        await here.press_key(ESC)
        await here.wait_for_no_text("reply: ")
        await here.wait_until_armed()
        await here.press_key(TAB)
        await here.wait_for_text("reply: this one")
        await here.press_key("\r")
        await here.wait_for_text("Why?")
        await here.wait_until_armed()
        await here.press_key(TAB)
        await here.wait_for_text("reply:")
        assert "this one" not in here.text

    run_on_screen(script)


@pytest.mark.parametrize("keys", [ESC, "\x03"])
def test_a_reason_left_for_later_comes_back_with_its_request(keys: str) -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(sample_events.session_configured(), sample_events.exec_approval())
        await here.wait_until_armed()
        await here.press_key(TAB)
        here.type("not now")
        await here.wait_for_text("no, because: not now")
        await here.press_key(keys)
        await here.wait_for_no_text("no, because")
        await here.wait_until_armed()
        await here.press_key(ESC)
        await here.wait_for_no_text("y  Yes, once")
        await here.press_key(CTRL_Y)
        await here.wait_for_text("Press a key to answer")
        await here.press_key(TAB)
        await here.wait_for_text("no, because: not now")

    run_on_screen(script)
