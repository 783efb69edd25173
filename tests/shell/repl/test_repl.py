"""The whole REPL, run in this process."""

import pytest

from messages.steering import (
    PromptDelivered,
    PromptsReturned,
    ReturnedPrompt,
    WithdrawPrompts,
)
from messages.turns import TextDelta, TurnStarted
from shell.console.ui_commands import InterruptTurn, SendPrompt
from shell.repl.key_actions import ESCAPE_DEBOUNCE_S
from shell.repl.resize import RESIZE_SETTLE_S
from shell.view.scrollback_renderer import STEERING_NOTE
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen
from tests.shell.screen_setup import start_session, submit_prompt

ESC = "\x1b"
CTRL_C, CTRL_D, CTRL_J, CTRL_U = "\x03", "\x04", "\n", "\x15"
UP = "\x1b[A"


def test_a_streamed_reply_ends_up_in_the_scrollback() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "hello")
        assert screen.posted == [SendPrompt(turn=1, text="hello")]
        screen.put_events(TurnStarted(turn=1, prompt="hello"), TextDelta(text="Well, **good"))
        await screen.wait_for_text("Well, **good")
        screen.put_events(
            TextDelta(text=" day**."),
            sample_events.reply_completed("-"),
            sample_events.turn_completed(),
        )
        await screen.wait_for_no_text("Esc to interrupt")
        summary = "Done in "  # after a second, which a slow machine may need
        assert [row for row in screen.rows if row and not row.startswith(summary)][:5] == [
            "greenroom · primary · claude-opus-5-5 · /home/x/project",
            "/help for commands and keys",
            "> hello",
            "Well, good day.",
            ">",
        ]
        assert screen.rows[2:7:2] == ["", "", ""]

    assert run_on_screen(script) == 0


def test_a_command_line_prompt_is_sent_once_ready() -> None:
    async def script(screen: ScreenHarness) -> None:
        await screen.wait_for_text("» fix the bug")
        assert screen.posted == []
        screen.put_events(sample_events.session_configured())
        await screen.wait_for_text("> fix the bug")
        assert screen.posted == [SendPrompt(turn=1, text="fix the bug")]

    run_on_screen(script, first_prompt="fix the bug")


def test_the_scripted_model_announces_itself_on_screen() -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(sample_events.session_configured(is_scripted=True))
        await screen.wait_for_text("a script answers")
        assert "ANTHROPIC_API_KEY" in screen.text
        assert "ANTHROPIC_BASE_URL" in screen.text

    run_on_screen(script)


def test_a_tool_row_shows_title_and_last_lines() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("hello\r")
        screen.put_events(TurnStarted(turn=1, prompt="hello"), sample_events.tool_started())
        await screen.wait_for_text("● Running git status · 0s")
        screen.put_events(sample_events.tool_ended("\n".join(f"line {n}" for n in range(20))))
        await screen.wait_for_text("… +17 lines")
        assert "line 17" in screen.text
        assert "line 16" not in screen.text

    run_on_screen(script)


def test_messages_during_a_turn_are_shown_where_they_were_delivered() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "one")
        screen.type("two\rthree\r")
        await screen.wait_for_text("» three")
        texts = ("one", "two", "three")
        assert screen.posted == [SendPrompt(turn=n, text=text) for n, text in enumerate(texts, 1)]
        screen.put_events(
            TurnStarted(turn=1, prompt="one"),
            sample_events.tool_ended("clean"),
            PromptDelivered(turn=1, number=2, prompt="two"),
        )
        await screen.wait_for_no_text("» two")
        rows = [row for row in screen.rows if row]
        at = rows.index("> two")
        assert "clean" in "".join(rows[:at])
        assert rows[at + 1].strip() == STEERING_NOTE
        screen.put_events(sample_events.turn_completed(), TurnStarted(turn=3, prompt="three"))
        await screen.wait_for_no_text("» three")
        assert "> three" in screen.rows

    run_on_screen(script)


def test_a_message_taken_back_too_late_is_shown_as_delivered() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "one")
        screen.type("two\r")
        await screen.wait_for_text("» two")
        screen.type(UP)
        await screen.wait_until(
            lambda: screen.posted[-1] == WithdrawPrompts(numbers=(2,)), "the withdrawal"
        )
        screen.put_events(PromptDelivered(turn=1, number=2, prompt="two"))
        await screen.wait_for_text(STEERING_NOTE)
        await screen.wait_for_no_text("» two")
        assert screen.parts.windows.draft_buffer.text == ""

    run_on_screen(script)


def test_esc_interrupts_once_and_restores_the_queue_before_the_draft() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "one")
        screen.type("two\rthree\rmy draft")
        await screen.wait_for_text("> my draft")
        screen.type(ESC)
        await screen.wait_for_text("Interrupting")
        await screen.press_key(ESC)
        assert screen.posted[3:] == [WithdrawPrompts(numbers=(2, 3)), InterruptTurn()]
        screen.put_events(
            PromptsReturned(
                prompts=(
                    ReturnedPrompt(number=2, text="two"),
                    ReturnedPrompt(number=3, text="three"),
                )
            )
        )
        await screen.wait_for_text("> two")
        assert screen.parts.windows.draft_buffer.text == "two\nthree\nmy draft"
        screen.put_events(sample_events.turn_interrupted())
        await screen.wait_for_text("Interrupted.")

    run_on_screen(script)


@pytest.mark.parametrize("keys", [ESC, ESC + ESC])
def test_a_quick_double_esc_acts_like_one(keys: str) -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "one")
        screen.type(keys)
        await screen.wait_for_text("Interrupting")
        assert screen.posted == [SendPrompt(turn=1, text="one"), InterruptTurn()]

    run_on_screen(script)


def test_an_esc_after_enter_is_a_new_press() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "one")
        actions = screen.parts.key_actions
        actions.on_escape()
        screen.put_events(sample_events.turn_interrupted())
        await screen.wait_for_text("Interrupted.")
        screen.parts.windows.draft_buffer.insert_text("two")
        actions.on_enter(is_last=True)
        actions.on_escape()
        sent = [
            SendPrompt(turn=1, text="one"),
            InterruptTurn(),
            SendPrompt(turn=2, text="two"),
            InterruptTurn(),
        ]
        assert screen.posted == sent

    run_on_screen(script)


def test_a_quick_second_esc_has_no_separate_effect() -> None:
    """This holds even if the first press took effect before the second one arrived."""

    async def script(screen: ScreenHarness) -> None:
        screen.put_events(
            sample_events.session_configured(),
            TurnStarted(turn=1, prompt="one"),
            sample_events.exec_approval(),
        )
        await screen.wait_for_text("y  Yes, once")
        actions = screen.parts.key_actions
        actions.on_escape()
        await screen.wait_for_text("approval (Ctrl-Y)")
        actions.on_escape()
        assert screen.posted == []
        screen.loop.offset_s += ESCAPE_DEBOUNCE_S
        actions.on_escape()
        assert screen.posted == [InterruptTurn()]

    run_on_screen(script)


def test_keys_and_esc_work_during_floods_of_text() -> None:
    text = "lorem *ipsum* `x`\n\n" * 20

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "one")
        screen.put_events(TurnStarted(turn=1, prompt="one"))
        screen.put_events(*(TextDelta(text=text) for _ in range(1_000)))
        screen.type("draft")
        await screen.wait_for_text("> draft")
        screen.type(ESC)
        await screen.wait_for_text("Interrupting")
        assert screen.screen_events
        screen.put_events(sample_events.turn_interrupted())
        await screen.wait_for_text("Interrupted.")
        assert "characters not shown" in screen.scrollback

    run_on_screen(script)


def test_alt_with_a_letter_neither_interrupts_nor_types() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "one")
        screen.type(ESC + "q" + "x")
        await screen.wait_for_text("> x")
        assert screen.posted == [SendPrompt(turn=1, text="one")]

    run_on_screen(script)


def test_ctrl_c_clears_interrupts_confirms_and_then_exits() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "one")
        screen.type("draft")
        await screen.wait_for_text("> draft")
        screen.type(CTRL_C)
        await screen.wait_for_no_text("draft")
        assert InterruptTurn() not in screen.posted
        screen.type(CTRL_C)
        await screen.wait_for_text("Interrupting")
        screen.type(CTRL_C)
        await screen.wait_for_text("Press Ctrl-C or Ctrl-D again to exit")
        screen.type(CTRL_D)
        await screen.wait_until(
            lambda: screen.parts.app.is_done or not screen.parts.app.is_running, "the end"
        )

    assert run_on_screen(script) == 130


def test_enter_sends_all_lines_of_the_draft() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("one" + CTRL_J + "two" + ESC + "\r" + "three\r")
        await screen.wait_for_text("Waiting for the model")
        assert screen.posted == [SendPrompt(turn=1, text="one\ntwo\nthree")]

    run_on_screen(script)


def test_a_paste_keeps_its_lines_and_is_not_sent() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("\x1b[200~one\r\ntwo\u202e\r\x1b[201~")
        await screen.wait_for_text("two<U+202E>")
        assert screen.posted == []
        screen.type("\r")
        await screen.wait_for_text("Waiting for the model")
        assert screen.posted == [SendPrompt(turn=1, text="one\ntwo\u202e\n")]

    run_on_screen(script)


def test_commands_print_results_and_unknown_ones_an_error() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/help\r")
        await screen.wait_for_text("/status")
        screen.type("/status\r")
        await screen.wait_for_text("session    s1")
        screen.type("/nonsense\r")
        await screen.wait_for_text("Unknown command /nonsense. Type /help for a list.")
        screen.type("/quit\r")
        await screen.wait_until(
            lambda: screen.parts.app.is_done or not screen.parts.app.is_running, "the end"
        )
        assert screen.posted == []

    assert run_on_screen(script, rows=60) == 0


def test_control_characters_in_all_texts_are_made_visible() -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(sample_events.session_configured(cwd=sample_events.HOSTILE_TEXT))
        await screen.wait_for_text(sample_events.SANITIZED_TEXT)
        await submit_prompt(screen, "hello")
        screen.put_events(
            TurnStarted(turn=1, prompt="hello"), TextDelta(text=sample_events.HOSTILE_TEXT)
        )
        await screen.wait_for_text("\n" + sample_events.SANITIZED_TEXT)
        screen.put_events(
            sample_events.reply_completed("-"),
            sample_events.tool_started(f"bash {sample_events.HOSTILE_TEXT}"),
            sample_events.tool_ended(
                sample_events.HOSTILE_TEXT, title=f"bash {sample_events.HOSTILE_TEXT}"
            ),
            sample_events.exec_approval(sample_events.HOSTILE_TEXT),
        )
        await screen.wait_for_text(f"│ {sample_events.SANITIZED_TEXT}")
        await screen.wait_until(
            lambda: screen.text.count(sample_events.SANITIZED_TEXT) == 5, "each of them"
        )
        for code in ("\x1b[2J", "\x1b]52", "\u202e", "\x9b", "\x07"):
            assert code not in screen.emulator.raw

    run_on_screen(script, columns=100, rows=40)


def test_the_last_notice_is_printed_before_the_exit() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.screen_events.put_notice("The session could not be written: disk full")
        screen.repl.exit(1)
        await screen.wait_until(lambda: not screen.parts.app.is_running, "the end")
        assert "disk full" in screen.text
        assert "primary · default" not in screen.text

    assert run_on_screen(script) == 1


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 5), (3, 20), (6, 12), (50, 300)])
def test_no_window_size_breaks_the_running_screen(rows: int, columns: int) -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(
            sample_events.session_configured(is_scripted=True),
            *sample_events.complete_turn("a | b\n\n```\ncode\n```\n"),
        )
        screen.put_events(TurnStarted(turn=2, prompt="x"), TextDelta(text="word " * 400))
        screen.put_events(
            sample_events.tool_started(), sample_events.exec_approval("echo " + "x" * 500)
        )
        screen.put_events(sample_events.tool_ended("日本語" * 30))
        screen.type("draft " * 30)
        await screen.wait_until(
            lambda: len(screen.parts.windows.draft_buffer.text) == 180, "the draft"
        )
        assert screen.parts.app.is_running

    assert run_on_screen(script, rows=rows, columns=columns) == 0


@pytest.mark.parametrize("widths", [(60, 40, 100, 30, 80), (79, 78, 77, 76, 75), (20, 80)])
def test_resizing_while_streaming_loses_and_repeats_nothing(
    widths: tuple[int, ...],
) -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "hello")
        screen.put_events(
            TurnStarted(turn=1, prompt="hello"), sample_events.tool_started("bash " + "x" * 100)
        )
        for number, columns in enumerate(widths):
            screen.put_events(TextDelta(text=f"Piece {number} " + "word " * 20))
            await screen.wait_for_text(f"Piece {number}")
            await screen.resize(columns)
            await screen.wait_for_text("> ")
        scrollback = screen.scrollback
        for text in ("> hello", "greenroom · primary", "● Running x", "tokens", "Piece 0"):
            assert scrollback.count(text) == 1, f"{text!r} in\n{scrollback}"
        assert sum(row == ">" for row in scrollback.split("\n")) == 1

    run_on_screen(script, rows=30, columns=110)


def test_drawing_pauses_until_the_window_stops_resizing() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.parts.resize.on_resize()
        screen.loop.offset_s -= 10.0  # the timer must not fire yet
        start = len(screen.emulator.raw)
        screen.put_events(*sample_events.complete_turn("Meanwhile."))
        await screen.press_key("t")
        assert screen.emulator.raw[start:] == ""
        screen.loop.offset_s += 10.0 + RESIZE_SETTLE_S
        await screen.wait_for_text("Meanwhile.")
        await screen.wait_for_text("> t")

    run_on_screen(script)
