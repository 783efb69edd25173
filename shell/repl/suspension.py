"""Suspending the program with Ctrl-Z, and resuming it with `fg`."""

import signal

from shell.repl.prompt_arming import PromptArming
from shell.repl.resize import Resize
from shell.repl.screen import Screen
from shell.repl.screen_loop import ScreenLoop
from shell.repl.signals import SignalHandlers, suspend_process


class Suspension:
    """Hands the terminal to other programs; afterwards a prompt must be armed again."""

    def __init__(
        self, screen: Screen, resize: Resize, approval_prompt: PromptArming, loop: ScreenLoop
    ) -> None:
        self._screen, self._resize, self._loop = screen, resize, loop
        self._approval_prompt = approval_prompt
        self.signal_handlers: SignalHandlers = {
            signal.SIGTSTP: self.suspend,
            signal.SIGCONT: self.resume,
        }

    def suspend(self) -> None:
        """Suspend the program until `fg`."""
        if loop := self._loop.running:
            self._resize.finish()
            with self._screen.release_terminal():
                suspend_process(loop, self.signal_handlers)
                self._approval_prompt.reset(loop.time())

    def resume(self) -> None:
        """Redraw after the program was stopped and another one used the terminal."""
        if loop := self._loop.running:
            self._approval_prompt.reset(loop.time())
            self._screen.reclaim_terminal()
