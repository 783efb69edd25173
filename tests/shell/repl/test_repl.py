"""The whole screen, in this process."""

import pytest

from messages.turns import TextDelta, TurnStarted
from shell.console.ui_commands import InterruptTurn, SendPrompt
from shell.repl.key_actions import ESCAPE_DEBOUNCE_S, KeyActions
from shell.repl.resize import RESIZE_SETTLE_S
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen
from tests.shell.screen_setup import start_session, submit_prompt

ESC = "\x1b"
CTRL_C, CTRL_D, CTRL_J, CTRL_U = "\x03", "\x04", "\n", "\x15"
UP = "\x1b[A"


def test_a_message_is_sent_and_the_streamed_answer_ends_up_in_the_scrollback() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "hello")
        assert here.posted == [SendPrompt(text="hello")]
        here.put_events(TurnStarted(turn=1, prompt="hello"), TextDelta(text="Well, **good"))
        await here.wait_for_text("Well, **good")
        here.put_events(
            TextDelta(text=" day**."),
            sample_events.reply_completed("-"),
            sample_events.turn_completed(),
        )
        await here.wait_for_no_text("Esc to interrupt")
        assert here.rows[:8] == [
            "greenroom · primary · claude-opus-5-5 · /home/x/project",
            "/help for commands and keys",
            "",
            "> hello",
            "",
            "Well, good day.",
            "",
            ">",
        ]

    assert run_on_screen(script) == 0


def test_a_prompt_given_on_the_command_line_goes_out_when_the_agent_is_ready() -> None:
    async def script(here: ScreenHarness) -> None:
        await here.wait_for_text("» fix the bug")
        assert here.posted == []
        here.put_events(sample_events.session_configured())
        await here.wait_for_text("> fix the bug")
        assert here.posted == [SendPrompt(text="fix the bug")]

    run_on_screen(script, first_prompt="fix the bug")


def test_the_rehearsal_says_that_it_is_a_script_and_what_to_set() -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(sample_events.session_configured(is_scripted=True))
        await here.wait_for_text("a script plays its part")
        assert "ANTHROPIC_API_KEY" in here.text
        assert "ANTHROPIC_BASE_URL" in here.text

    run_on_screen(script)


def test_a_tool_row_shows_what_ran_and_the_first_lines_of_its_output() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        here.type("hello\r")
        here.put_events(TurnStarted(turn=1, prompt="hello"), sample_events.tool_started())
        await here.wait_for_text("● bash git status · 0s")
        here.put_events(sample_events.tool_ended("\n".join(f"line {n}" for n in range(20))))
        await here.wait_for_text("… +12 lines")
        assert "line 7" in here.text
        assert "line 8" not in here.text

    run_on_screen(script)


def test_messages_typed_while_a_turn_runs_are_queued_and_go_out_one_by_one() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "one")
        here.type("two\rthree\r")
        await here.wait_for_text("» three")
        assert here.posted == [SendPrompt(text="one")]
        here.put_events(TurnStarted(turn=1, prompt="one"), sample_events.turn_completed())
        await here.wait_for_no_text("» two")
        assert here.posted == [SendPrompt(text="one"), SendPrompt(text="two")]
        here.type(UP)
        await here.wait_for_text("> three")
        await here.wait_for_no_text("» three")

    run_on_screen(script)


def test_esc_interrupts_the_turn_once_and_hands_the_queue_back() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "one")
        here.type("two\r")
        await here.wait_for_text("» two")
        here.type(ESC)
        await here.wait_for_text("Interrupting")
        await here.press_key(ESC)
        await here.wait_for_text("> two")
        assert here.posted == [SendPrompt(text="one"), InterruptTurn()]
        here.put_events(sample_events.turn_interrupted())
        await here.wait_for_text("Interrupted.")

    run_on_screen(script)


@pytest.mark.parametrize("keys", [ESC, ESC + ESC])
def test_a_quick_double_esc_counts_as_one(keys: str) -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "one")
        here.type(keys)
        await here.wait_for_text("Interrupting")
        assert here.posted == [SendPrompt(text="one"), InterruptTurn()]

    run_on_screen(script)


def test_an_esc_right_after_another_prompt_is_no_second_of_a_pair() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "one")
        hands = KeyActions(here.controller)
        hands.on_escape()
        here.put_events(sample_events.turn_interrupted())
        await here.wait_for_text("Interrupted.")
        here.controller.windows.draft_buffer.insert_text("two")
        hands.on_enter(is_last=True)
        hands.on_escape()
        sent = [SendPrompt(text="one"), InterruptTurn(), SendPrompt(text="two"), InterruptTurn()]
        assert here.posted == sent

    run_on_screen(script)


def test_the_second_of_two_quick_presses_does_not_reach_what_lay_below() -> None:
    """Also where the first had its effect before the second came."""

    async def script(here: ScreenHarness) -> None:
        here.put_events(
            sample_events.session_configured(),
            TurnStarted(turn=1, prompt="one"),
            sample_events.exec_approval(),
        )
        await here.wait_for_text("1 of 1")
        hands = KeyActions(here.controller)
        hands.on_escape()
        await here.wait_for_text("approval (Ctrl-Y)")
        hands.on_escape()
        assert here.posted == []
        here.loop.offset_s += ESCAPE_DEBOUNCE_S
        hands.on_escape()
        assert here.posted == [InterruptTurn()]

    run_on_screen(script)


def test_under_a_flood_of_text_keys_are_echoed_and_esc_interrupts() -> None:
    text = "lorem *ipsum* `x`\n\n" * 20

    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "one")
        here.put_events(TurnStarted(turn=1, prompt="one"))
        here.put_events(*(TextDelta(text=text) for _ in range(1_000)))
        here.type("draft")
        await here.wait_for_text("> draft")
        here.type(ESC)
        await here.wait_for_text("Interrupting")
        assert here.screen_events
        here.put_events(sample_events.turn_interrupted())
        await here.wait_for_text("Interrupted.")
        assert "characters not shown" in here.scrollback

    run_on_screen(script)


def test_alt_with_a_letter_neither_interrupts_nor_types() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "one")
        here.type(ESC + "q" + "x")
        await here.wait_for_text("> x")
        assert here.posted == [SendPrompt(text="one")]

    run_on_screen(script)


def test_ctrl_c_clears_then_interrupts_then_asks_and_then_leaves() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "one")
        here.type("draft")
        await here.wait_for_text("> draft")
        here.type(CTRL_C)
        await here.wait_for_no_text("draft")
        assert InterruptTurn() not in here.posted
        here.type(CTRL_C)
        await here.wait_for_text("Interrupting")
        here.type(CTRL_C)
        await here.wait_for_text("Press Ctrl-C or Ctrl-D again to exit")
        here.type(CTRL_D)
        await here.wait_until(
            lambda: here.controller.app.is_done or not here.controller.app.is_running, "the end"
        )

    assert run_on_screen(script) == 130


def test_enter_sends_all_lines_of_a_draft() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        here.type("one" + CTRL_J + "two" + ESC + "\r" + "three\r")
        await here.wait_for_text("Thinking")
        assert here.posted == [SendPrompt(text="one\ntwo\nthree")]

    run_on_screen(script)


def test_a_paste_keeps_its_lines_and_is_not_sent() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        here.type("\x1b[200~one\r\ntwo\u202e\r\x1b[201~")
        await here.wait_for_text("two<U+202E>")
        assert here.posted == []
        here.type("\r")
        await here.wait_for_text("Thinking")
        assert here.posted == [SendPrompt(text="one\ntwo\u202e\n")]

    run_on_screen(script)


def test_commands_answer_in_lines_and_an_unknown_one_says_so() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        here.type("/help\r")
        await here.wait_for_text("/status")
        here.type("/status\r")
        await here.wait_for_text("session    s1")
        here.type("/nonsense\r")
        await here.wait_for_text("There is no command /nonsense; /help lists what there is.")
        here.type("/quit\r")
        await here.wait_until(
            lambda: here.controller.app.is_done or not here.controller.app.is_running, "the end"
        )
        assert here.posted == []

    assert run_on_screen(script, rows=60) == 0


def test_hostile_text_draws_nothing_but_itself() -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(sample_events.session_configured(cwd=sample_events.HOSTILE_TEXT))
        await here.wait_for_text(sample_events.SANITIZED_TEXT)
        await submit_prompt(here, "hello")
        here.put_events(
            TurnStarted(turn=1, prompt="hello"), TextDelta(text=sample_events.HOSTILE_TEXT)
        )
        await here.wait_for_text("\n" + sample_events.SANITIZED_TEXT)
        here.put_events(
            sample_events.reply_completed("-"),
            sample_events.tool_started(f"bash {sample_events.HOSTILE_TEXT}"),
            sample_events.tool_ended(
                sample_events.HOSTILE_TEXT, title=f"bash {sample_events.HOSTILE_TEXT}"
            ),
            sample_events.exec_approval(sample_events.HOSTILE_TEXT),
        )
        await here.wait_for_text(f"│ {sample_events.SANITIZED_TEXT}")
        await here.wait_until(
            lambda: here.text.count(sample_events.SANITIZED_TEXT) == 5, "each of them"
        )
        for code in ("\x1b[2J", "\x1b]52", "\u202e", "\x9b", "\x07"):
            assert code not in here.emulator.raw

    run_on_screen(script, columns=100, rows=40)


def test_what_the_program_says_last_is_on_the_screen_when_it_ends() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        here.screen_events.put_notice("The session could not be written: disk full")
        here.repl.exit(1)
        await here.wait_until(lambda: not here.controller.app.is_running, "the end")
        assert "disk full" in here.text
        assert "primary · default" not in here.text

    assert run_on_screen(script) == 1


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 5), (3, 20), (6, 12), (50, 300)])
def test_no_size_of_the_window_breaks_it(rows: int, columns: int) -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(
            sample_events.session_configured(is_scripted=True),
            *sample_events.complete_turn("a | b\n\n```\ncode\n```\n"),
        )
        here.put_events(TurnStarted(turn=2, prompt="x"), TextDelta(text="word " * 400))
        here.put_events(
            sample_events.tool_started(), sample_events.exec_approval("echo " + "x" * 500)
        )
        here.put_events(sample_events.tool_ended("日本語" * 30))
        here.type("draft " * 30)
        await here.wait_until(
            lambda: len(here.controller.windows.draft_buffer.text) == 180, "the draft"
        )
        assert here.controller.app.is_running

    assert run_on_screen(script, rows=rows, columns=columns) == 0


@pytest.mark.parametrize("widths", [(60, 40, 100, 30, 80), (79, 78, 77, 76, 75), (20, 80)])
def test_resizes_while_text_streams_leave_one_drawing_and_lose_nothing(
    widths: tuple[int, ...],
) -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "hello")
        here.put_events(
            TurnStarted(turn=1, prompt="hello"), sample_events.tool_started("bash " + "x" * 100)
        )
        for number, columns in enumerate(widths):
            here.put_events(TextDelta(text=f"Piece {number} " + "word " * 20))
            await here.wait_for_text(f"Piece {number}")
            await here.resize(columns)
            await here.wait_for_text("> ")
        everything = here.scrollback
        for once in ("> hello", "greenroom · primary", "● bash x", "tokens", "Piece 0"):
            assert everything.count(once) == 1, f"{once!r} in\n{everything}"
        assert sum(row == ">" for row in everything.split("\n")) == 1

    run_on_screen(script, rows=30, columns=110)


def test_a_window_that_is_being_dragged_is_drawn_in_when_it_stands_still() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        here.controller.resize.on_resize()
        here.loop.offset_s -= 10.0  # no moment of the test is late
        drawn = len(here.emulator.raw)
        here.put_events(*sample_events.complete_turn("Meanwhile."))
        await here.press_key("t")
        assert here.emulator.raw[drawn:] == ""
        here.loop.offset_s += 10.0 + RESIZE_SETTLE_S
        await here.wait_for_text("Meanwhile.")
        await here.wait_for_text("> t")

    run_on_screen(script)
