"""The REPL: one long-lived application at the bottom of the terminal, wired to the console.

What happens comes through `updates`, keys through `hands`; this wires them to the drawing, and
begins and ends it. Nothing heavy is imported before the first drawing.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.key_binding.key_processor import KeyProcessor

from messages.base import Message
from shell import state
from shell.application import application
from shell.commands.command import Command, answered
from shell.commands.table import COMMANDS
from shell.dialog import Dialog
from shell.hands import Hands
from shell.inbox import Inbox
from shell.keys import bindings
from shell.live import FRAMES_PER_S
from shell.plan import Scene
from shell.signals import HUNG_UP, handled
from shell.state import State, Step
from shell.successor import Successor
from shell.terminal import FrameOutput, Screen, open_output
from shell.updates import Paper, Updates
from shell.view import View
from shell.workplace import Workplace


class Repl:
    """The screen and its person, on the thread that calls `run`."""

    def __init__(  # noqa: PLR0913  (two are only for tests)
        self,
        post: Callable[[Message], None],
        inbox: Inbox,
        place: Workplace,
        first_prompt: str | None = None,
        when_drawn: Callable[[], None] = lambda: None,
        *,
        keyboard: Input | None = None,
        output: FrameOutput | None = None,
        colour: bool | None = None,
    ) -> None:
        """`post` carries intents to the console; `when_drawn` is called once, at the first drawing.

        Both are called on the thread of `run`.
        """
        self._post, self.place = post, place
        self._output = output or open_output(sys.stdout)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leaving: int | None = None
        self.successor: Successor | None = None
        """The session to go on with after this one; set when `run` has returned."""
        self._height = 0
        self._spinning = False
        self.hint = ""
        colour = "NO_COLOR" not in os.environ if colour is None else colour
        paper = Paper(self._draw, lambda: self._output.get_size().columns, colour)
        self.updates = Updates(inbox, paper, post, self._refill, self._changed)
        self.dialog = Dialog(self.refresh, lambda: bool(self.view.draft.text))
        self.view = View(self._scene, self._output.get_size)
        self.view.draft.on_text_changed += self._typed
        self.app = application(
            self.view.layout,
            bindings(Hands(self)),
            keyboard or create_input(sys.stdin),
            self._output,
            colour=colour,
        )
        self.app.after_render += self._rendered
        self.app.key_processor.before_key_press += self._pressed
        self._screen = Screen(self.app, self._output, self._drawn)
        self._first_prompt = first_prompt
        self._when_drawn = when_drawn

    @property
    def state(self) -> State:
        """What is known of the session."""
        return self.updates.state

    @property
    def commands(self) -> Mapping[str, Command]:
        """Every slash command by its name."""
        return COMMANDS

    @property
    def now_s(self) -> float:
        """The loop's clock."""
        return self.updates.now_s

    def run(self) -> int:
        """Serve the person until they leave; returns the exit status.

        Raises:
            Exception: whatever a fault of ours raised; the terminal is restored.
        """
        return asyncio.run(self.serve())

    def leave(self, status: int = 0) -> None:
        """End `run` with this status; any thread may ask."""
        self._leaving = status if self._leaving is None else self._leaving
        if self._loop:
            with suppress(RuntimeError):  # the loop has ended by itself
                self._loop.call_soon_threadsafe(self._exit)

    def post(self, intent: Message) -> None:
        """Tell the console what the person wants."""
        self._post(intent)

    def leave_for(self, successor: Successor) -> None:
        """End `run`, so that another session can be opened."""
        self.successor = successor
        self.leave()

    def step(self, done: Step) -> None:
        """Take a new state and carry out what comes with it."""
        self.updates.step(done)

    def interrupt(self) -> None:
        """Stop the turn, and the text of it that has come but is not printed yet."""
        self.updates.hurry()
        self.step(state.interrupted(self.state))

    def remark(self, text: str) -> None:
        """Print lines of ours."""
        if text:
            self.step((self.state, (state.Remark(text, "plain"),)))

    def run_command(self, line: str) -> None:
        """Run a slash command."""
        self.step((self.state, (state.Said(line),)))
        self.remark(answered(line, self))

    def hint_for(self, text: str, seconds: float) -> None:
        """Show a line in place of the footer for a while."""
        self.hint = text
        self.refresh()
        if self._loop:
            self._loop.call_later(seconds, self._unhint, text)

    def acknowledged(self) -> None:
        """The terminal answered."""
        if self._loop:
            self.dialog.acknowledged(self._loop)

    def resized(self) -> None:
        """The window has another size."""
        self._screen.resized()

    def refresh(self) -> None:
        """Draw again what has changed; from the top when there is less of it."""
        if self.view.plan().rows < self._height:
            self._screen.draw()
        else:
            self.app.invalidate()

    def _unhint(self, text: str) -> None:
        if self.hint == text:
            self.hint = ""
            self.refresh()

    async def serve(self) -> int:
        """Do what `run` does, on a loop that already runs in the main thread."""
        self._loop = asyncio.get_running_loop()
        self.updates.keep_time(self._loop)
        self._loop.call_soon(self._begin)
        try:
            with handled(self._loop, self.leave, self._resume):
                return await self.app.run_async(set_exception_handler=False)
        except EOFError:
            return HUNG_UP if self._leaving is None else self._leaving
        finally:
            self.updates.stop()

    def _begin(self) -> None:
        """Start after the first drawing, when the library's own handlers are in place."""
        loop = self._loop
        assert loop is not None  # noqa: S101  (`serve` set it)
        loop.set_exception_handler(self._failed)
        loop.add_signal_handler(signal.SIGWINCH, self.resized)
        if self._first_prompt:
            self.step(state.entered(self.state, self._first_prompt, self.now_s))
        self._when_drawn()
        self.updates.start(loop)
        if self._leaving is not None:
            self._exit()

    def _spin(self) -> None:
        """Turn the spinner for as long as a turn runs."""
        self._spinning = bool(self.state.turn)
        if self._spinning and self._loop:
            self.app.invalidate()
            self._loop.call_later(1 / FRAMES_PER_S, self._spin)

    def _changed(self) -> None:
        """There is a new state; it is drawn right after this."""
        self._follow()
        if not self._spinning:
            self._spin()

    def _draw(self, above: str) -> None:
        if above:
            self._screen.draw(above)
        else:
            self.refresh()

    def _follow(self) -> None:
        """Let the dialog show what the state shows; a reason begun for another becomes draft."""
        reason = self.view.reason.text if self.dialog.reasoning else ""
        if self.dialog.follow(self.state, self.now_s):
            self.view.rewind()
            if reason:
                self.view.draft.insert_text(reason)

    def _refill(self, text: str) -> None:
        draft = self.view.draft
        draft.text = f"{text}\n{draft.text}" if draft.text else text
        draft.cursor_position = len(draft.text)

    def _typed(self, _draft: Buffer) -> None:
        self.dialog.drafted()

    def _rendered(self, _app: Application[Any]) -> None:
        self._drawn()

    def _pressed(self, _keys: KeyProcessor) -> None:
        if self._loop:
            self.dialog.pressed(self._loop)

    def _drawn(self) -> None:
        """Note what the frame showed, and let the terminal acknowledge what is new in it."""
        self._height = self.view.plan().rows
        arming = self.dialog.arming
        shown = self.view.shown(arming.id) if arming else None
        if shown and self.dialog.drawn(shown):
            self._screen.ask_for_acknowledgement()

    def _scene(self) -> Scene:
        dialog = self.dialog
        draft = self.view.draft.text
        return Scene(self.state, dialog.arming, draft, dialog.reasoning, self.hint, self.now_s)

    def _resume(self) -> None:
        """Come back from a stop that was not ours: the shell has put the terminal into its mode."""
        self.app.input.raw_mode().__enter__()
        self.app.renderer.reset()
        self._screen.draw()

    def _exit(self) -> None:
        """Draw what there is to say, then end."""
        if self.app.is_done or not self.app.is_running:
            return
        self.updates.finish()
        self.app.exit(result=self._leaving or 0)

    def _failed(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """A fault of ours: end with it, rather than go on with half a screen."""
        fault = context.get("exception") or RuntimeError(context["message"])
        if not self.app.is_done and self.app.is_running:
            self.app.exit(exception=fault)
