"""Text that the user types while a request is on screen is kept and stays visible."""

import pytest

from messages.approvals import SubmitDecision
from messages.user_questions import UserQuestion
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen
from tests.shell.screen_setup import ESC, TAB, type_and_leave_text

NEW_LINE, CTRL_Y = "\n", "\x19"
FIRST = "/primary/explore-2#1@1"
DRAFT = NEW_LINE.join(("one", "two", "three"))
LONG = "\n".join(f"line {number}" for number in range(30))


async def show_approval_over(screen: ScreenHarness, draft: str, command: str = "git push") -> None:
    screen.put_events(sample_events.session_configured())
    screen.type(draft)
    await screen.wait_for_text(draft.rpartition(NEW_LINE)[2])
    screen.put_events(sample_events.exec_approval(command))
    await screen.wait_for_text("y  Yes, once")


def test_a_long_draft_is_visible_below_a_request() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval_over(screen, DRAFT)
        await screen.wait_for_text("> one\ntwo\nthree")
        assert "your draft" not in screen.text

    run_on_screen(script)


def test_a_hidden_draft_is_mentioned_below_the_request() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval_over(screen, DRAFT, LONG)
        await screen.wait_for_text("· your draft (3 lines): one")
        assert "│ line 0" in screen.text
        screen.type("!")
        await screen.wait_for_text("three!")

    run_on_screen(script, columns=120)


def test_a_long_draft_hides_no_row_of_requests() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval_over(
            screen, NEW_LINE.join(DRAFT[0] * 20), "\n".join(LONG.split("\n")[:9])
        )
        await screen.wait_for_text("│ line 8")
        assert "n  No" in screen.text
        screen.type(CTRL_Y)
        await screen.wait_until_armed()
        await screen.press_key("y")
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted == [SubmitDecision(id=FIRST, decision="once")]

    run_on_screen(script)


def test_a_draft_is_mentioned_while_typing_a_reason() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval_over(screen, DRAFT)
        screen.type(CTRL_Y)
        await screen.wait_until_armed()
        await screen.press_key(TAB)
        await screen.wait_for_text("Esc goes back · your draft (3 lines): one")
        await screen.press_key(ESC)
        await screen.wait_for_no_text("your draft")

    run_on_screen(script, columns=120)


def test_an_unfinished_reason_is_restored_for_the_same_request() -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(
            sample_events.session_configured(),
            sample_events.exec_approval(),
            sample_events.exec_approval("rm x", number=2),
        )
        await screen.wait_until_armed()
        await type_and_leave_text(screen, "no, because", "use a branch")
        await screen.press_key(TAB)
        await screen.wait_for_text("no, because: use a branch")
        screen.type(", please\r")
        await screen.wait_for_text("│ rm x")
        no = SubmitDecision(id=FIRST, decision="no", feedback="use a branch, please")
        assert screen.posted == [no]
        await screen.wait_until_armed()
        await screen.press_key(TAB)
        await screen.wait_for_text("no, because:")
        assert not screen.parts.windows.side_buffer.text, "the reason belongs to another request"

    run_on_screen(script)


def test_text_typed_for_one_question_is_not_reused() -> None:
    async def script(screen: ScreenHarness) -> None:
        questions = (UserQuestion(text="Which?"), UserQuestion(text="Why?"))
        screen.put_events(
            sample_events.session_configured(), sample_events.question_approval(*questions)
        )
        await screen.wait_for_text("Which?")
        await screen.wait_until_armed()
        await type_and_leave_text(screen, "reply", "this one")
        await screen.press_key(TAB)
        await screen.wait_for_text("reply: this one")
        await screen.press_key("\r")
        await screen.wait_for_text("Why?")
        await screen.wait_until_armed()
        await screen.press_key(TAB)
        await screen.wait_for_text("reply:")
        assert "this one" not in screen.text

    run_on_screen(script)


@pytest.mark.parametrize("leave_key", [ESC, "\x03"], ids=["Esc", "Ctrl-C"])
def test_an_unfinished_reason_returns_with_its_deferred_request(leave_key: str) -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(sample_events.session_configured(), sample_events.exec_approval())
        await screen.wait_until_armed()
        await type_and_leave_text(screen, "no, because", "not now", leave_key)
        await screen.press_key(ESC)
        await screen.wait_for_no_text("y  Yes, once")
        await screen.press_key(CTRL_Y)
        await screen.wait_for_text("Press a key to answer")
        await screen.press_key(TAB)
        await screen.wait_for_text("no, because: not now")

    run_on_screen(script)
