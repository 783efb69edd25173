"""Whatever comes at whatever moment: what is on the screen is what belongs there."""

import random
from collections.abc import Callable

import pytest

from messages.turns import TextDelta, ThinkingDelta, TurnStarted
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen

ESC, CTRL_C, CTRL_U = "\x1b", "\x03", "\x15"
PASTE, PASTED = "\x1b[200~", "\x1b[201~"
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
    f"{PASTE}one\ntwo\u202e{PASTED}",
    f"{PASTE}{'x' * 1_500}{PASTED}",
)


def without_spinner_rows(rows: list[str]) -> list[str]:
    """The rows on which no time passes."""
    return [row for row in rows if " tokens" not in row]


class RandomEvents:
    """Makes up reports, each of which can be told from every other."""

    def __init__(self, screen: ScreenHarness, rng: random.Random) -> None:
        self._here, self._chance = screen, rng
        self.expected_texts: list[str] = []

    def add_text(self) -> None:
        end = self._chance.choice(["\n\n", " ", "\n", "\n```py\n", "\n```\n"])
        self._here.put_events(TextDelta(text="lorem *ipsum* " * self._chance.randrange(8) + end))

    def add_thinking(self) -> None:
        self._here.put_events(ThinkingDelta(text="hm " * 20))

    def add_tool_call(self) -> None:
        title = f"tool-{len(self.expected_texts)}-"
        self.expected_texts.append(title)
        self._here.put_events(
            sample_events.tool_started(title), sample_events.tool_ended("out", title=title)
        )

    def add_reply(self) -> None:
        self._here.put_events(sample_events.reply_completed("-"))

    def add_request(self) -> None:
        number = len(self.expected_texts) + 1
        self.expected_texts.append(f"notice-{number}-")
        self._here.screen_events.put_notice(self.expected_texts[-1])
        self._here.put_events(sample_events.exec_approval(f"command {number}", number=number))

    def add_turn(self) -> None:
        self._here.put_events(sample_events.turn_completed(), TurnStarted(turn=1, prompt="go on"))

    async def perform_next(self) -> None:
        acts: tuple[Callable[[], None], ...] = (
            self.add_text,
            self.add_text,
            self.add_thinking,
            self.add_tool_call,
            self.add_reply,
            self.add_request,
            self.add_turn,
        )
        dice = self._chance.random()
        if dice < 0.5:
            self._chance.choice(acts)()
        elif dice < 0.9:
            await self._here.press_key(self._chance.choice(KEYS))
        else:
            await self._here.resize(self._chance.choice([30, 60, 80, 81, 120]))


@pytest.mark.parametrize("seed", range(8))
def test_what_was_drawn_bit_by_bit_is_what_a_fresh_drawing_shows(seed: int) -> None:
    async def script(here: ScreenHarness) -> None:
        chance = random.Random(seed)  # noqa: S311  (a replayable sequence, no secret)
        here.put_events(sample_events.session_configured(), TurnStarted(turn=1, prompt="hello"))
        await here.wait_for_text(FOOTER)
        happening = RandomEvents(here, chance)
        for _ in range(60):
            await happening.perform_next()
        here.put_events(
            *(sample_events.tool_ended("", title="the-last-tool"), sample_events.turn_completed())
        )
        await here.wait_until(lambda: "the-last-tool" in here.scrollback, "the end")
        await here.press_key("\x1b[15~")  # a key without meaning: all before it has been dealt with
        await here.wait_until(lambda: not here.controller.app.invalidated, "a drawing")
        before = without_spinner_rows(here.rows)
        here.controller.screen.draw()
        assert without_spinner_rows(here.rows) == before
        missing = [title for title in happening.expected_texts if title not in here.scrollback]
        doubled = [title for title in happening.expected_texts if here.scrollback.count(title) > 1]
        assert (missing, doubled) == ([], [])

    run_on_screen(script, rows=24, columns=80)


def test_no_write_leaves_a_screen_without_its_input_and_nothing_is_cleared() -> None:
    without: list[str] = []

    async def script(here: ScreenHarness) -> None:
        here.put_events(sample_events.session_configured(), TurnStarted(turn=1, prompt="hello"))
        await here.wait_for_text(FOOTER)

        def seen(text: str) -> None:
            if FOOTER not in here.text or not any(row.startswith(">") for row in here.rows):
                without.append(text)

        here.emulator.on_write = seen
        for number in range(60):
            here.put_events(TextDelta(text=f"Paragraph {number} " + "word " * 30 + "\n\n"))
            here.put_events(
                sample_events.tool_started(f"tool {number}"), sample_events.tool_ended(str(number))
            )
            await here.press_key("x" if number % 20 else CTRL_U)
        here.put_events(sample_events.reply_completed("-"), TextDelta(text="The end."))
        await here.wait_for_text("The end.")
        here.emulator.on_write = lambda _text: None
        assert without == []
        for clears in ("\x1b[2J", "\x1b[3J", "\x1b[H", "\x1bc"):
            assert clears not in here.emulator.raw
        raw = here.emulator.raw  # at the top of the window tmux takes ESC[J alone for a clearing
        assert raw.count("\x1b[J") == raw.count("\x1b[K\x1b[B\r\x1b[J")
        assert all(here.emulator.raw.count(f"Paragraph {number} ") <= 2 for number in range(60))

    run_on_screen(script, rows=24, columns=80)
