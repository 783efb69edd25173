"""What a REPL is to its commands, whatever it draws on."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

from messages.base import Message
from shell.commands.command import Command
from shell.commands.command_table import COMMANDS
from shell.repl.run_in_thread import aside
from shell.sessions.next_session import NextSession
from shell.sessions.session_context import SessionContext
from shell.view import screen_state
from shell.view.screen_state import ScreenState, ScreenUpdate

T = TypeVar("T")


class BaseRepl(ABC):
    """Serves a person on the thread that calls `run`."""

    def __init__(self, post: Callable[[Message], None], session_context: SessionContext) -> None:
        """`post` carries intents to the console."""
        self._post, self._place = post, session_context
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leaving: int | None = None
        """The exit status, once somebody wants an end."""
        self.next_session: NextSession | None = None
        """The session to go on with after this one; set when `run` has returned."""

    @property
    @abstractmethod
    def state(self) -> ScreenState:
        """What is known of the session."""

    @property
    def session_context(self) -> SessionContext:
        """Where the session works."""
        return self._place

    @property
    def commands(self) -> Mapping[str, Command]:
        """Every slash command by its name."""
        return COMMANDS

    def run(self) -> int:
        """Serve the person until they leave; returns the exit status.

        Raises:
            Exception: whatever a fault of ours raised; a terminal is restored.
        """
        return asyncio.run(self.run_async())

    @abstractmethod
    async def run_async(self) -> int:
        """Serve on the loop that runs; returns the exit status."""

    def exit(self, exit_status: int = 0) -> None:
        """End `run` with this status; any thread may ask."""
        self._leaving = exit_status if self._leaving is None else self._leaving
        if self._loop:
            with suppress(RuntimeError):  # the loop has ended by itself
                self._loop.call_soon_threadsafe(self._exit)

    def switch_session(self, next_session: NextSession) -> None:
        """End `run`, so that another session can be opened."""
        self.next_session = next_session
        self.exit()

    @abstractmethod
    def _exit(self) -> None: ...

    def post(self, command: Message) -> None:
        """Tell the console what the person wants."""
        self._post(command)

    @abstractmethod
    def apply(self, update: ScreenUpdate) -> None:
        """Take a new state and carry out what comes with it."""

    def print_notice(self, text: str) -> None:
        """Print lines of ours."""
        if text:
            self.apply((self.state, (screen_state.PrintNotice(text, "plain"),)))

    def run_in_thread(self, job: Callable[[], T], on_done: Callable[[T | None], None]) -> None:
        """Do slow work beside the screen."""
        if self._loop:
            aside(self._loop, job, on_done)
