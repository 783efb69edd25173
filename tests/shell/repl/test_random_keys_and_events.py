"""Random keys, events and resizes: the screen always shows the current state."""

import random
from collections.abc import Callable

import pytest

from messages.turns import TextDelta, ThinkingDelta, TurnStarted
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen

ESC, CTRL_C, CTRL_U = "\x1b", "\x03", "\x15"
PASTE_START, PASTE_END = "\x1b[200~", "\x1b[201~"
FOOTER = "primary · default"
KEYS = (
    "a",
    "word ",
    "日本",
    "\x7f",
    "\r",
    "\n",
    ESC,
    ESC + ESC,
    ESC + "q",
    CTRL_C + "x",
    "/he",
    "\t",
    "\x1b[A",
    "\x1b[B",
    "\x19",
    f"{PASTE_START}one\ntwo\u202e{PASTE_END}",
    f"{PASTE_START}{'x' * 1_500}{PASTE_END}",
)


def without_spinner_rows(rows: list[str]) -> list[str]:
    """Return the rows that do not show the elapsed time."""
    return [row for row in rows if " tokens" not in row]


class RandomEvents:
    """Creates random events with distinct texts."""

    def __init__(self, screen: ScreenHarness, rng: random.Random) -> None:
        self._screen, self._rng = screen, rng
        self.expected_texts: list[str] = []

    def add_text(self) -> None:
        end = self._rng.choice(["\n\n", " ", "\n", "\n```py\n", "\n```\n"])
        self._screen.put_events(TextDelta(text="lorem *ipsum* " * self._rng.randrange(8) + end))

    def add_thinking(self) -> None:
        self._screen.put_events(ThinkingDelta(text="hm " * 20))

    def add_tool_call(self) -> None:
        title = f"tool-{len(self.expected_texts)}-"
        self.expected_texts.append(title)
        self._screen.put_events(
            sample_events.tool_started(title), sample_events.tool_ended("out", title=title)
        )

    def add_reply(self) -> None:
        self._screen.put_events(sample_events.reply_completed("-"))

    def add_request(self) -> None:
        number = len(self.expected_texts) + 1
        self.expected_texts.append(f"notice-{number}-")
        self._screen.screen_events.put_notice(self.expected_texts[-1])
        self._screen.put_events(sample_events.exec_approval(f"command {number}", number=number))

    def add_turn(self) -> None:
        self._screen.put_events(sample_events.turn_completed(), TurnStarted(turn=1, prompt="go on"))

    async def perform_next(self) -> None:
        add_event_functions: tuple[Callable[[], None], ...] = (
            self.add_text,
            self.add_text,
            self.add_thinking,
            self.add_tool_call,
            self.add_reply,
            self.add_request,
            self.add_turn,
        )
        draw = self._rng.random()
        if draw < 0.5:
            self._rng.choice(add_event_functions)()
        elif draw < 0.9:
            await self._screen.press_key(self._rng.choice(KEYS))
        else:
            await self._screen.resize(self._rng.choice([30, 60, 80, 81, 120]))


@pytest.mark.parametrize("seed", range(8))
def test_incremental_drawing_equals_a_complete_redraw(seed: int) -> None:
    async def script(screen: ScreenHarness) -> None:
        rng = random.Random(seed)  # noqa: S311  (a replayable sequence, no secret)
        screen.put_events(sample_events.session_configured(), TurnStarted(turn=1, prompt="hello"))
        await screen.wait_for_text(FOOTER)
        events = RandomEvents(screen, rng)
        for _ in range(60):
            await events.perform_next()
        screen.put_events(
            *(sample_events.tool_ended("", title="the-last-tool"), sample_events.turn_completed())
        )
        await screen.wait_until(lambda: "the-last-tool" in screen.scrollback, "the end")
        await screen.press_key("\x1b[15~")  # an unbound key: all earlier keys are handled after it
        await screen.wait_until(lambda: not screen.parts.app.invalidated, "a drawing")
        before = without_spinner_rows(screen.rows)
        screen.parts.screen.draw()
        assert without_spinner_rows(screen.rows) == before
        missing = [title for title in events.expected_texts if title not in screen.scrollback]
        repeated = [title for title in events.expected_texts if screen.scrollback.count(title) > 1]
        assert (missing, repeated) == ([], [])

    run_on_screen(script, rows=24, columns=80)


def test_every_write_leaves_the_input_on_screen() -> None:
    writes_without_input: list[str] = []

    async def script(screen: ScreenHarness) -> None:
        screen.put_events(sample_events.session_configured(), TurnStarted(turn=1, prompt="hello"))
        await screen.wait_for_text(FOOTER)

        def check_write(text: str) -> None:
            if FOOTER not in screen.text or not any(row.startswith(">") for row in screen.rows):
                writes_without_input.append(text)

        screen.emulator.on_write = check_write
        for number in range(60):
            screen.put_events(TextDelta(text=f"Paragraph {number} " + "word " * 30 + "\n\n"))
            screen.put_events(
                sample_events.tool_started(f"tool {number}"), sample_events.tool_ended(str(number))
            )
            await screen.press_key("x" if number % 20 else CTRL_U)
        screen.put_events(sample_events.reply_completed("-"), TextDelta(text="The end."))
        await screen.wait_for_text("The end.")
        screen.emulator.on_write = lambda _text: None
        assert writes_without_input == []
        for clear_code in ("\x1b[2J", "\x1b[3J", "\x1b[H", "\x1bc"):
            assert clear_code not in screen.emulator.raw
        raw = screen.emulator.raw  # at the top of the window, tmux treats ESC[J alone as a clear
        assert raw.count("\x1b[J") == raw.count("\x1b[K\x1b[B\r\x1b[J")
        assert all(screen.emulator.raw.count(f"Paragraph {number} ") <= 2 for number in range(60))

    run_on_screen(script, rows=24, columns=80)
