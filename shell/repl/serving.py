"""What a REPL is to its commands, whatever it draws on."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

from messages.base import Message
from shell.commands.command import Command
from shell.commands.table import COMMANDS
from shell.repl.aside import aside
from shell.successor import Successor
from shell.view import state
from shell.view.state import ScreenUpdate, State
from shell.workplace import Workplace

T = TypeVar("T")


class Serving(ABC):
    """Serves a person on the thread that calls `run`."""

    def __init__(self, post: Callable[[Message], None], place: Workplace) -> None:
        """`post` carries intents to the console."""
        self._post, self._place = post, place
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leaving: int | None = None
        """The exit status, once somebody wants an end."""
        self.successor: Successor | None = None
        """The session to go on with after this one; set when `run` has returned."""

    @property
    @abstractmethod
    def state(self) -> State:
        """What is known of the session."""

    @property
    def place(self) -> Workplace:
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
        return asyncio.run(self.serve())

    @abstractmethod
    async def serve(self) -> int:
        """Serve on the loop that runs; returns the exit status."""

    def leave(self, status: int = 0) -> None:
        """End `run` with this status; any thread may ask."""
        self._leaving = status if self._leaving is None else self._leaving
        if self._loop:
            with suppress(RuntimeError):  # the loop has ended by itself
                self._loop.call_soon_threadsafe(self._exit)

    def leave_for(self, successor: Successor) -> None:
        """End `run`, so that another session can be opened."""
        self.successor = successor
        self.leave()

    @abstractmethod
    def _exit(self) -> None: ...

    def post(self, intent: Message) -> None:
        """Tell the console what the person wants."""
        self._post(intent)

    @abstractmethod
    def step(self, done: ScreenUpdate) -> None:
        """Take a new state and carry out what comes with it."""

    def remark(self, text: str) -> None:
        """Print lines of ours."""
        if text:
            self.step((self.state, (state.PrintNotice(text, "plain"),)))

    def later(self, job: Callable[[], T], then: Callable[[T | None], None]) -> None:
        """Do slow work beside the screen."""
        if self._loop:
            aside(self._loop, job, then)
