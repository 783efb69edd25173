"""Whatever comes at whatever moment: what is on the screen is what belongs there."""

import random
from collections.abc import Callable

import pytest

from messages.turns import TextDelta, ThinkingDelta, TurnStarted
from tests.shell import reports
from tests.shell.on_screen import OnScreen, play

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


def still(rows: list[str]) -> list[str]:
    """The rows on which no time passes."""
    return [row for row in rows if " tokens" not in row]


class Happening:
    """Makes up reports, each of which can be told from every other."""

    def __init__(self, here: OnScreen, chance: random.Random) -> None:
        self._here, self._chance = here, chance
        self.ended: list[str] = []

    def text(self) -> None:
        end = self._chance.choice(["\n\n", " ", "\n", "\n```py\n", "\n```\n"])
        self._here.report(TextDelta(text="lorem *ipsum* " * self._chance.randrange(8) + end))

    def thought(self) -> None:
        self._here.report(ThinkingDelta(text="hm " * 20))

    def tool(self) -> None:
        title = f"tool-{len(self.ended)}-"
        self.ended.append(title)
        self._here.report(reports.tool_started(title), reports.tool_ended("out", title=title))

    def reply(self) -> None:
        self._here.report(reports.reply("-"))

    def request(self) -> None:
        number = len(self.ended) + 1
        self.ended.append(f"notice-{number}-")
        self._here.inbox.put_notice(self.ended[-1])
        self._here.report(reports.asked(f"command {number}", number=number))

    def turn(self) -> None:
        self._here.report(reports.completed(), TurnStarted(turn=1, prompt="go on"))

    async def next(self) -> None:
        acts: tuple[Callable[[], None], ...] = (
            self.text,
            self.text,
            self.thought,
            self.tool,
            self.reply,
            self.request,
            self.turn,
        )
        dice = self._chance.random()
        if dice < 0.5:
            self._chance.choice(acts)()
        elif dice < 0.9:
            await self._here.press(self._chance.choice(KEYS))
        else:
            await self._here.resize(self._chance.choice([30, 60, 80, 81, 120]))


@pytest.mark.parametrize("seed", range(8))
def test_what_was_drawn_bit_by_bit_is_what_a_fresh_drawing_shows(seed: int) -> None:
    async def script(here: OnScreen) -> None:
        chance = random.Random(seed)  # noqa: S311  (a replayable sequence, no secret)
        here.report(reports.session(), TurnStarted(turn=1, prompt="hello"))
        await here.shows(FOOTER)
        happening = Happening(here, chance)
        for _ in range(60):
            await happening.next()
        here.report(*(reports.tool_ended("", title="the-last-tool"), reports.completed()))
        await here.until(lambda: "the-last-tool" in here.scrollback, "the end")
        await here.press("\x1b[15~")  # a key without meaning: all before it has been dealt with
        await here.until(lambda: not here.desk.app.invalidated, "a drawing")
        before = still(here.rows)
        here.desk.screen.draw()
        assert still(here.rows) == before
        missing = [title for title in happening.ended if title not in here.scrollback]
        doubled = [title for title in happening.ended if here.scrollback.count(title) > 1]
        assert (missing, doubled) == ([], [])

    play(script, rows=24, columns=80)


def test_no_write_leaves_a_screen_without_its_input_and_nothing_is_cleared() -> None:
    without: list[str] = []

    async def script(here: OnScreen) -> None:
        here.report(reports.session(), TurnStarted(turn=1, prompt="hello"))
        await here.shows(FOOTER)

        def seen(text: str) -> None:
            if FOOTER not in here.text or not any(row.startswith(">") for row in here.rows):
                without.append(text)

        here.emulator.seen = seen
        for number in range(60):
            here.report(TextDelta(text=f"Paragraph {number} " + "word " * 30 + "\n\n"))
            here.report(reports.tool_started(f"tool {number}"), reports.tool_ended(str(number)))
            await here.press("x" if number % 20 else CTRL_U)
        here.report(reports.reply("-"), TextDelta(text="The end."))
        await here.shows("The end.")
        here.emulator.seen = lambda _text: None
        assert without == []
        for clears in ("\x1b[2J", "\x1b[3J", "\x1b[H", "\x1bc"):
            assert clears not in here.emulator.raw
        raw = here.emulator.raw  # at the top of the window tmux takes ESC[J alone for a clearing
        assert raw.count("\x1b[J") == raw.count("\x1b[K\x1b[B\r\x1b[J")
        assert all(here.emulator.raw.count(f"Paragraph {number} ") <= 2 for number in range(60))

    play(script, rows=24, columns=80)
