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
from shell.commands.command import run_command
from shell.console.screen_events import ScreenEventQueue
from shell.repl.base_repl import BaseRepl
from shell.repl.screen_controller import ScreenController
from shell.repl.signals import (
    HANGUP_STATUS,
    create_exit_handlers,
    install_handlers,
    suspend_process,
)
from shell.repl.terminal import FrameOutput, open_output
from shell.repl.tmux_escape_time import get_escape_time_hint
from shell.repl.typeahead import raw_mode_with_typeahead
from shell.sessions.session_context import SessionContext
from shell.view import screen_state
from shell.view.pager import Page
from shell.view.picker import Picker
from shell.view.screen_state import ScreenState, ScreenUpdate


class Repl(BaseRepl):
    """The screen and its person, on the thread that calls `run`."""

    def __init__(  # noqa: PLR0913  (two are only for tests)
        self,
        post: Callable[[Message], None],
        screen_events: ScreenEventQueue,
        session_context: SessionContext,
        first_prompt: str | None = None,
        on_first_draw: Callable[[], None] = lambda: None,
        *,
        keyboard: Input | None = None,
        output: FrameOutput | None = None,
        color: bool | None = None,
    ) -> None:
        """`post` carries intents to the console, none before `when_drawn`, at the first drawing.

        Both are called on the thread of `run`.
        """
        super().__init__(post, session_context)
        color = "NO_COLOR" not in os.environ if color is None else color
        keyboard = keyboard or create_input(sys.stdin)
        self.controller = ScreenController(
            self, screen_events, keyboard, output or open_output(sys.stdout), color=color
        )
        self._stops = {
            signal.SIGTSTP: self.suspend,
            signal.SIGCONT: self.controller.resume_after_suspend,
        }
        self._first_prompt = first_prompt
        self._when_drawn = on_first_draw

    @property
    def state(self) -> ScreenState:
        """What is known of the session."""
        return self.controller.state

    @property
    def now_s(self) -> float:
        """The loop's clock."""
        return self.controller.now_s

    def apply(self, update: ScreenUpdate) -> None:
        """Take a new state and carry out what comes with it."""
        self.controller.apply(update)

    def run_command(self, line: str) -> None:
        """Run a slash command."""
        self.controller.apply((self.state, (screen_state.PrintPrompt(line),)))
        self.print_notice(run_command(line, self))

    def show_page(self, page: Page) -> None:
        """Cover the screen with a page to read."""
        self.controller.page_view.open(page)

    def view_subagent(self, agent: Address) -> None:
        """Cover the screen with what an agent does, and let it stream."""
        self.controller.task_view.view_subagent(agent)

    def show_picker(self, picker: Picker) -> None:
        """Let the person choose from a list."""
        self.controller.list_input.open(picker)

    def suspend(self) -> None:
        """Stop the program until `fg`."""
        if self._loop:
            with self.controller.release_terminal():
                suspend_process(self._loop, self._stops)

    async def run_async(self) -> int:
        """Do what `run` does, on a loop that already runs in the main thread."""
        self._loop = asyncio.get_running_loop()
        self.controller.start(self._loop)
        app = self.controller.app
        signals = {**create_exit_handlers(self.exit), **self._stops}
        try:
            with raw_mode_with_typeahead(app.input) as typed, install_handlers(self._loop, signals):
                if typed:
                    self.controller.screen.clear_line()
                self._loop.call_soon(self._begin, typed)
                return await app.run_async(set_exception_handler=False)
        except EOFError:
            return HANGUP_STATUS if self._leaving is None else self._leaving
        finally:
            self.controller.event_pump.stop()
            self.controller.screen.restore_terminal()

    def _begin(self, typed: list[KeyPress]) -> None:
        """Start after the first drawing, when the library's own handlers are in place."""
        loop = self._loop
        assert loop is not None  # noqa: S101  (`serve` set it)
        loop.set_exception_handler(self._failed)
        loop.add_signal_handler(signal.SIGWINCH, self.controller.resize.on_resize)
        self._when_drawn()
        if self._first_prompt:
            self.controller.apply(
                screen_state.submit_prompt(self.state, self._first_prompt, self.controller.now_s)
            )
        self.controller.feed_keys(typed)
        if kept := self._place.history_file:
            told = partial(get_escape_time_hint, os.environ, kept.parent)
            self.run_in_thread(told, lambda line: self.print_notice(line or ""))
        self.controller.event_pump.start(loop)
        if self._leaving is not None:
            self._exit()

    def _exit(self) -> None:
        """Draw what there is to say, then end."""
        if self.controller.app.is_done or not self.controller.app.is_running:
            return
        self.controller.resize.finish()
        if self.controller.list_input.picker:
            self.controller.list_input.close()
        if self.controller.page_view.pager:
            self.controller.page_view.close()
        self.controller.event_pump.finish()
        self.controller.app.exit(result=self._leaving or 0)

    def _failed(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """A fault of ours: end with it, rather than go on with half a screen."""
        fault = context.get("exception") or RuntimeError(context["message"])
        if not self.controller.app.is_done and self.controller.app.is_running:
            self.controller.app.exit(exception=fault)
