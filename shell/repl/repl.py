"""The REPL: one long-lived application at the bottom of the terminal, wired to the console.

What happens comes through `updates`, keys through `hands`; this wires them to the drawing, and
begins and ends it. Nothing heavy is imported before the first drawing.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from prompt_toolkit.input import Input, create_input
from prompt_toolkit.key_binding import KeyPress

from messages.address import Address
from messages.base import Message
from shell.commands.command import answered
from shell.inbox import ScreenEventQueue
from shell.repl.desk import ScreenController
from shell.repl.serving import Serving
from shell.repl.signals import HUNG_UP, endings, handled, stop
from shell.repl.terminal import FrameOutput, open_output
from shell.repl.tmux import told_of_escape_time
from shell.repl.typed_ahead import taken_over
from shell.view import state
from shell.view.pager import Page
from shell.view.picker import Picker
from shell.view.state import ScreenUpdate, State
from shell.workplace import Workplace


class Repl(Serving):
    """The screen and its person, on the thread that calls `run`."""

    def __init__(  # noqa: PLR0913  (two are only for tests)
        self,
        post: Callable[[Message], None],
        inbox: ScreenEventQueue,
        place: Workplace,
        first_prompt: str | None = None,
        when_drawn: Callable[[], None] = lambda: None,
        *,
        keyboard: Input | None = None,
        output: FrameOutput | None = None,
        colour: bool | None = None,
    ) -> None:
        """`post` carries intents to the console, none before `when_drawn`, at the first drawing.

        Both are called on the thread of `run`.
        """
        super().__init__(post, place)
        colour = "NO_COLOR" not in os.environ if colour is None else colour
        keyboard = keyboard or create_input(sys.stdin)
        self.desk = ScreenController(
            self, inbox, keyboard, output or open_output(sys.stdout), colour=colour
        )
        self._stops = {signal.SIGTSTP: self.suspend, signal.SIGCONT: self.desk.found_again}
        self._first_prompt = first_prompt
        self._when_drawn = when_drawn

    @property
    def state(self) -> State:
        """What is known of the session."""
        return self.desk.state

    @property
    def now_s(self) -> float:
        """The loop's clock."""
        return self.desk.now_s

    def step(self, done: ScreenUpdate) -> None:
        """Take a new state and carry out what comes with it."""
        self.desk.step(done)

    def run_command(self, line: str) -> None:
        """Run a slash command."""
        self.desk.step((self.state, (state.PrintPrompt(line),)))
        self.remark(answered(line, self))

    def show(self, page: Page) -> None:
        """Cover the screen with a page to read."""
        self.desk.paging.open(page)

    def watch(self, agent: Address) -> None:
        """Cover the screen with what an agent does, and let it stream."""
        self.desk.overseeing.read(agent)

    def pick(self, picker: Picker) -> None:
        """Let the person choose from a list."""
        self.desk.choosing.open(picker)

    def suspend(self) -> None:
        """Stop the program until `fg`."""
        if self._loop:
            with self.desk.away():
                stop(self._loop, self._stops)

    async def serve(self) -> int:
        """Do what `run` does, on a loop that already runs in the main thread."""
        self._loop = asyncio.get_running_loop()
        self.desk.start(self._loop)
        app = self.desk.app
        signals = {**endings(self.leave), **self._stops}
        try:
            with taken_over(app.input) as typed, handled(self._loop, signals):
                if typed:
                    self.desk.screen.begin_line()
                self._loop.call_soon(self._begin, typed)
                return await app.run_async(set_exception_handler=False)
        except EOFError:
            return HUNG_UP if self._leaving is None else self._leaving
        finally:
            self.desk.updates.stop()
            self.desk.screen.end()

    def _begin(self, typed: list[KeyPress]) -> None:
        """Start after the first drawing, when the library's own handlers are in place."""
        loop = self._loop
        assert loop is not None  # noqa: S101  (`serve` set it)
        loop.set_exception_handler(self._failed)
        loop.add_signal_handler(signal.SIGWINCH, self.desk.resizing.begin)
        self._when_drawn()
        if self._first_prompt:
            self.desk.step(state.entered(self.state, self._first_prompt, self.desk.now_s))
        self.desk.press(typed)
        if kept := self._place.history_file:
            told = partial(told_of_escape_time, os.environ, kept.parent)
            self.later(told, lambda line: self.remark(line or ""))
        self.desk.updates.start(loop)
        if self._leaving is not None:
            self._exit()

    def _exit(self) -> None:
        """Draw what there is to say, then end."""
        if self.desk.app.is_done or not self.desk.app.is_running:
            return
        self.desk.resizing.end()
        if self.desk.choosing.picker:
            self.desk.choosing.close()
        if self.desk.paging.pager:
            self.desk.paging.close()
        self.desk.updates.finish()
        self.desk.app.exit(result=self._leaving or 0)

    def _failed(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """A fault of ours: end with it, rather than go on with half a screen."""
        fault = context.get("exception") or RuntimeError(context["message"])
        if not self.desk.app.is_done and self.desk.app.is_running:
            self.desk.app.exit(exception=fault)
