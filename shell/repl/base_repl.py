"""The part of a REPL that does not depend on how it draws."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from messages.base import Message
from shell.commands.command import Command
from shell.commands.command_table import COMMANDS
from shell.repl.run_in_thread import run_in_thread
from shell.sessions.next_session import NextSession
from shell.sessions.session_context import SessionContext
from shell.view import screen_state
from shell.view.screen_state import ScreenState, ScreenUpdate

T = TypeVar("T")


class BaseRepl(ABC):
    """A REPL that runs on the thread that calls `run`; the host of its slash commands."""

    def __init__(self, post: Callable[[Message], None], session_context: SessionContext) -> None:
        """`post` sends the user's commands to the console."""
        self._post, self._session_context = post, session_context
        self._loop: asyncio.AbstractEventLoop | None = None
        self._exit_status: int | None = None
        """Set as soon as an exit was requested."""
        self.next_session: NextSession | None = None
        """The session to open next; set when `run` has returned."""

    @property
    @abstractmethod
    def state(self) -> ScreenState:
        """What is known about the session."""

    @property
    def session_context(self) -> SessionContext:
        """The folders, files and secrets of the session."""
        return self._session_context

    @property
    def commands(self) -> Mapping[str, Command]:
        """All slash commands by name."""
        return COMMANDS

    def run(self) -> int:
        """Run until the user exits; return the exit status.

        Raises:
            Exception: an internal error; the terminal has been restored.
        """
        return asyncio.run(self.run_async())

    @abstractmethod
    async def run_async(self) -> int:
        """Run on the current event loop, in the main thread; return the exit status."""

    def exit(self, exit_status: int = 0) -> None:
        """End `run` with this status; may be called from any thread."""
        self._exit_status = exit_status if self._exit_status is None else self._exit_status
        if self._loop:
            with suppress(RuntimeError):  # the loop has already ended
                self._loop.call_soon_threadsafe(self._exit)

    def switch_session(self, next_session: NextSession) -> None:
        """End `run`, so that another session can be opened."""
        self.next_session = next_session
        self.exit()

    @abstractmethod
    def _exit(self) -> None: ...

    def _on_loop_error(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """End with an internal error rather than continue with a broken screen."""
        self._fail(context.get("exception") or RuntimeError(context["message"]))

    @abstractmethod
    def _fail(self, error: Exception) -> None:
        """End `run` with an error."""

    def post(self, command: Message) -> None:
        """Send a command of the user to the console."""
        self._post(command)

    @abstractmethod
    def apply(self, update: ScreenUpdate) -> None:
        """Set a new state and carry out its effects."""

    def print_notice(self, text: str) -> None:
        """Print a notice; an empty one prints nothing."""
        if text:
            self.apply((self.state, (screen_state.PrintNotice(text, "plain"),)))

    def run_in_thread(self, job: Callable[[], T], on_done: Callable[[T | None], None]) -> None:
        """Run slow work on a thread and pass its result to `on_done`; None: it failed."""
        if self._loop:
            run_in_thread(self._loop, job, on_done)
