"""The whole screen, in this process."""

import pytest

from messages.turns import TextDelta, TurnStarted
from shell.intents import InterruptTurn, SendPrompt
from shell.repl.hands import ONE_PRESS_S, KeyActions
from shell.repl.resizing import SETTLE_S
from tests.shell import reports
from tests.shell.on_screen import OnScreen, play
from tests.shell.openings import asked, begun

ESC = "\x1b"
CTRL_C, CTRL_D, CTRL_J, CTRL_U = "\x03", "\x04", "\n", "\x15"
UP = "\x1b[A"


def test_a_message_is_sent_and_the_streamed_answer_ends_up_in_the_scrollback() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "hello")
        assert here.posted == [SendPrompt(text="hello")]
        here.report(TurnStarted(turn=1, prompt="hello"), TextDelta(text="Well, **good"))
        await here.shows("Well, **good")
        here.report(TextDelta(text=" day**."), reports.reply("-"), reports.completed())
        await here.hides("Esc interrupts")
        assert here.rows[:8] == [
            "greenroom · primary · claude-opus-5-5 · /home/x/project",
            "Say what you want done; /help lists commands and keys.",
            "",
            "> hello",
            "",
            "Well, good day.",
            "",
            ">",
        ]

    assert play(script) == 0


def test_a_prompt_given_on_the_command_line_goes_out_when_the_agent_is_ready() -> None:
    async def script(here: OnScreen) -> None:
        await here.shows("» fix the bug")
        assert here.posted == []
        here.report(reports.session())
        await here.shows("> fix the bug")
        assert here.posted == [SendPrompt(text="fix the bug")]

    play(script, first_prompt="fix the bug")


def test_the_rehearsal_says_that_it_is_a_script_and_what_to_set() -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session(is_scripted=True))
        await here.shows("a script plays its part")
        assert "ANTHROPIC_API_KEY" in here.text
        assert "ANTHROPIC_BASE_URL" in here.text

    play(script)


def test_a_tool_row_shows_what_ran_and_the_first_lines_of_its_output() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("hello\r")
        here.report(TurnStarted(turn=1, prompt="hello"), reports.tool_started())
        await here.shows("● bash git status · 0s")
        here.report(reports.tool_ended("\n".join(f"line {n}" for n in range(20))))
        await here.shows("… +12 lines")
        assert "line 7" in here.text
        assert "line 8" not in here.text

    play(script)


def test_messages_typed_while_a_turn_runs_are_queued_and_go_out_one_by_one() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "one")
        here.type("two\rthree\r")
        await here.shows("» three")
        assert here.posted == [SendPrompt(text="one")]
        here.report(TurnStarted(turn=1, prompt="one"), reports.completed())
        await here.hides("» two")
        assert here.posted == [SendPrompt(text="one"), SendPrompt(text="two")]
        here.type(UP)
        await here.shows("> three")
        await here.hides("» three")

    play(script)


def test_esc_interrupts_the_turn_once_and_hands_the_queue_back() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "one")
        here.type("two\r")
        await here.shows("» two")
        here.type(ESC)
        await here.shows("Interrupting")
        await here.press(ESC)
        await here.shows("> two")
        assert here.posted == [SendPrompt(text="one"), InterruptTurn()]
        here.report(reports.interrupted())
        await here.shows("Interrupted.")

    play(script)


@pytest.mark.parametrize("keys", [ESC, ESC + ESC])
def test_a_quick_double_esc_counts_as_one(keys: str) -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "one")
        here.type(keys)
        await here.shows("Interrupting")
        assert here.posted == [SendPrompt(text="one"), InterruptTurn()]

    play(script)


def test_an_esc_right_after_another_prompt_is_no_second_of_a_pair() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "one")
        hands = KeyActions(here.desk)
        hands.escape()
        here.report(reports.interrupted())
        await here.shows("Interrupted.")
        here.desk.view.draft.insert_text("two")
        hands.enter(last=True)
        hands.escape()
        sent = [SendPrompt(text="one"), InterruptTurn(), SendPrompt(text="two"), InterruptTurn()]
        assert here.posted == sent

    play(script)


def test_the_second_of_two_quick_presses_does_not_reach_what_lay_below() -> None:
    """Also where the first had its effect before the second came."""

    async def script(here: OnScreen) -> None:
        here.report(reports.session(), TurnStarted(turn=1, prompt="one"), reports.asked())
        await here.shows("1 of 1")
        hands = KeyActions(here.desk)
        hands.escape()
        await here.shows("approval (Ctrl-Y)")
        hands.escape()
        assert here.posted == []
        here.clock.ahead_s += ONE_PRESS_S
        hands.escape()
        assert here.posted == [InterruptTurn()]

    play(script)


def test_under_a_flood_of_text_keys_are_echoed_and_esc_interrupts() -> None:
    text = "lorem *ipsum* `x`\n\n" * 20

    async def script(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "one")
        here.report(TurnStarted(turn=1, prompt="one"))
        here.report(*(TextDelta(text=text) for _ in range(1_000)))
        here.type("draft")
        await here.shows("> draft")
        here.type(ESC)
        await here.shows("Interrupting")
        assert here.inbox
        here.report(reports.interrupted())
        await here.shows("Interrupted.")
        assert "characters not shown" in here.scrollback

    play(script)


def test_alt_with_a_letter_neither_interrupts_nor_types() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "one")
        here.type(ESC + "q" + "x")
        await here.shows("> x")
        assert here.posted == [SendPrompt(text="one")]

    play(script)


def test_ctrl_c_clears_then_interrupts_then_asks_and_then_leaves() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "one")
        here.type("draft")
        await here.shows("> draft")
        here.type(CTRL_C)
        await here.hides("draft")
        assert InterruptTurn() not in here.posted
        here.type(CTRL_C)
        await here.shows("Interrupting")
        here.type(CTRL_C)
        await here.shows("press Ctrl-C or Ctrl-D once more to leave")
        here.type(CTRL_D)
        await here.until(lambda: here.desk.app.is_done or not here.desk.app.is_running, "the end")

    assert play(script) == 130


def test_enter_sends_all_lines_of_a_draft() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("one" + CTRL_J + "two" + ESC + "\r" + "three\r")
        await here.shows("Thinking")
        assert here.posted == [SendPrompt(text="one\ntwo\nthree")]

    play(script)


def test_a_paste_keeps_its_lines_and_is_not_sent() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("\x1b[200~one\r\ntwo\u202e\r\x1b[201~")
        await here.shows("two<U+202E>")
        assert here.posted == []
        here.type("\r")
        await here.shows("Thinking")
        assert here.posted == [SendPrompt(text="one\ntwo\u202e\n")]

    play(script)


def test_commands_answer_in_lines_and_an_unknown_one_says_so() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("/help\r")
        await here.shows("/status")
        here.type("/status\r")
        await here.shows("session    s1")
        here.type("/nonsense\r")
        await here.shows("There is no command /nonsense; /help lists what there is.")
        here.type("/quit\r")
        await here.until(lambda: here.desk.app.is_done or not here.desk.app.is_running, "the end")
        assert here.posted == []

    assert play(script, rows=60) == 0


def test_hostile_text_draws_nothing_but_itself() -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session(cwd=reports.HOSTILE))
        await here.shows(reports.HOSTILE_VISIBLE)
        await asked(here, "hello")
        here.report(TurnStarted(turn=1, prompt="hello"), TextDelta(text=reports.HOSTILE))
        await here.shows("\n" + reports.HOSTILE_VISIBLE)
        here.report(
            reports.reply("-"),
            reports.tool_started(f"bash {reports.HOSTILE}"),
            reports.tool_ended(reports.HOSTILE, title=f"bash {reports.HOSTILE}"),
            reports.asked(reports.HOSTILE),
        )
        await here.shows(f"│ {reports.HOSTILE_VISIBLE}")
        await here.until(lambda: here.text.count(reports.HOSTILE_VISIBLE) == 5, "each of them")
        for code in ("\x1b[2J", "\x1b]52", "\u202e", "\x9b", "\x07"):
            assert code not in here.emulator.raw

    play(script, columns=100, rows=40)


def test_what_the_program_says_last_is_on_the_screen_when_it_ends() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        here.inbox.put_notice("The session could not be written: disk full")
        here.repl.leave(1)
        await here.until(lambda: not here.desk.app.is_running, "the end")
        assert "disk full" in here.text
        assert "primary · default" not in here.text

    assert play(script) == 1


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 5), (3, 20), (6, 12), (50, 300)])
def test_no_size_of_the_window_breaks_it(rows: int, columns: int) -> None:
    async def script(here: OnScreen) -> None:
        here.report(
            reports.session(is_scripted=True), *reports.whole_turn("a | b\n\n```\ncode\n```\n")
        )
        here.report(TurnStarted(turn=2, prompt="x"), TextDelta(text="word " * 400))
        here.report(reports.tool_started(), reports.asked("echo " + "x" * 500))
        here.report(reports.tool_ended("日本語" * 30))
        here.type("draft " * 30)
        await here.until(lambda: len(here.desk.view.draft.text) == 180, "the draft")
        assert here.desk.app.is_running

    assert play(script, rows=rows, columns=columns) == 0


@pytest.mark.parametrize("widths", [(60, 40, 100, 30, 80), (79, 78, 77, 76, 75), (20, 80)])
def test_resizes_while_text_streams_leave_one_drawing_and_lose_nothing(
    widths: tuple[int, ...],
) -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "hello")
        here.report(TurnStarted(turn=1, prompt="hello"), reports.tool_started("bash " + "x" * 100))
        for number, columns in enumerate(widths):
            here.report(TextDelta(text=f"Piece {number} " + "word " * 20))
            await here.shows(f"Piece {number}")
            await here.resize(columns)
            await here.shows("> ")
        everything = here.scrollback
        for once in ("> hello", "greenroom · primary", "● bash x", "tokens", "Piece 0"):
            assert everything.count(once) == 1, f"{once!r} in\n{everything}"
        assert sum(row == ">" for row in everything.split("\n")) == 1

    play(script, rows=30, columns=110)


def test_a_window_that_is_being_dragged_is_drawn_in_when_it_stands_still() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        here.desk.resizing.begin()
        here.clock.ahead_s -= 10.0  # no moment of the test is late
        drawn = len(here.emulator.raw)
        here.report(*reports.whole_turn("Meanwhile."))
        await here.press("t")
        assert here.emulator.raw[drawn:] == ""
        here.clock.ahead_s += 10.0 + SETTLE_S
        await here.shows("Meanwhile.")
        await here.shows("> t")

    play(script)
