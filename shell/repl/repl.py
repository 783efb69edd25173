"""The REPL: one long-lived application at the bottom of the terminal, connected to the console.

This module starts and ends the application; `ScreenParts` connects its parts. Nothing that is
slow to import is imported before the first drawing.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from functools import partial

from prompt_toolkit.input import Input, create_input
from prompt_toolkit.key_binding import KeyPress

from messages.address import Address
from messages.base import Message
from shell.commands.command import COMMAND_PATTERN, run_command
from shell.console.screen_event_queue import ScreenEventQueue
from shell.process.streams import HANGUP_STATUS
from shell.repl.base_repl import BaseRepl
from shell.repl.screen_parts import ScreenParts
from shell.repl.signals import create_exit_handlers, install_handlers
from shell.repl.terminal_output import FrameOutput, open_output
from shell.repl.tmux_escape_time import get_escape_time_hint
from shell.repl.typeahead import feed_keys, raw_mode_with_typeahead
from shell.sessions.session_context import SessionContext
from shell.view import screen_state
from shell.view.pager import Page
from shell.view.picker import Picker
from shell.view.screen_state import ScreenState, ScreenUpdate


class Repl(BaseRepl):
    """The interactive REPL; runs on the thread that calls `run`."""

    def __init__(  # noqa: PLR0913  (the last three are for tests)
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
        """`post` sends commands to the console, but none before the first drawing.

        `on_first_draw` is called right after it. Both are called on the thread of `run`.
        """
        super().__init__(post, session_context)
        color = "NO_COLOR" not in os.environ if color is None else color
        keyboard = keyboard or create_input(sys.stdin)
        self.parts = ScreenParts(
            self, screen_events, keyboard, output or open_output(sys.stdout), color=color
        )
        self._first_prompt = first_prompt
        self._on_first_draw = on_first_draw

    @property
    def state(self) -> ScreenState:
        """What is known about the session."""
        return self.parts.event_pump.state

    @property
    def now_s(self) -> float:
        """The event loop's time."""
        return self.parts.event_pump.now_s

    def apply(self, update: ScreenUpdate) -> None:
        """Set a new state and carry out its effects."""
        self.parts.event_pump.apply(update)

    def run_command(self, line: str) -> None:
        """Run a slash command; print the line and the result."""
        self.apply((self.state, (screen_state.PrintPrompt(line),)))
        self.print_notice(run_command(line, self))

    def show_page(self, page: Page) -> None:
        """Cover the screen with a page to read."""
        self.parts.page_view.open(page)

    def view_subagent(self, agent: Address) -> None:
        """Cover the screen with a subagent's page, which grows as the subagent works."""
        self.parts.task_view.view_subagent(agent)

    def show_picker(self, picker: Picker) -> None:
        """Let the user choose from a list."""
        self.parts.list_input.open(picker)

    async def run_async(self) -> int:
        """Run on the current event loop, in the main thread; return the exit status."""
        self._loop = asyncio.get_running_loop()
        self.parts.start(self._loop)
        app = self.parts.app
        handlers = {**create_exit_handlers(self.exit), **self.parts.suspension.signal_handlers}
        try:
            with (
                raw_mode_with_typeahead(app.input) as typeahead,
                install_handlers(self._loop, handlers),
            ):
                if typeahead:
                    self.parts.screen.clear_line()
                self._loop.call_soon(self._start, typeahead)
                return await app.run_async(set_exception_handler=False)
        except EOFError:
            return HANGUP_STATUS if self._exit_status is None else self._exit_status
        finally:
            self.parts.event_pump.stop()
            self.parts.screen.restore_terminal()
            self.parts.title.restore()

    def _start(self, typeahead: list[KeyPress]) -> None:
        """Start after the first drawing, once prompt_toolkit has installed its own handlers."""
        loop = self._loop
        assert loop is not None  # noqa: S101  (set by `run_async`)
        loop.set_exception_handler(self._on_loop_error)
        loop.add_signal_handler(signal.SIGWINCH, self.parts.resize.on_resize)
        self._on_first_draw()
        if COMMAND_PATTERN.match(self._first_prompt or ""):
            self.run_command(self._first_prompt or "")
        elif self._first_prompt:
            self.apply(screen_state.submit_prompt(self.state, self._first_prompt, self.now_s))
        feed_keys(self.parts.app, typeahead)
        if history_file := self.session_context.history_file:
            root = self.session_context.workspace_root
            get_hint = partial(get_escape_time_hint, os.environ, history_file.parent, root)
            self.run_in_thread(get_hint, lambda hint: self.print_notice(hint or ""))
        self.parts.event_pump.start(loop)
        if self._exit_status is not None:  # requested before the application ran
            self._exit()

    def _exit(self) -> None:
        """Print everything that is left, then end the application."""
        if self.parts.app.is_done or not self.parts.app.is_running:
            return
        self.parts.resize.finish()
        self.parts.overlays.close()
        self.parts.event_pump.finish()
        self.parts.app.exit(result=self._exit_status or 0)

    def _fail(self, error: Exception) -> None:
        if not self.parts.app.is_done and self.parts.app.is_running:
            self.parts.app.exit(exception=error)
