"""The part of a REPL that does not depend on how it draws."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from messages.address import Address
from messages.base import Message
from shell.commands.command import Command
from shell.commands.command_table import COMMANDS
from shell.console.ui_commands import StopSubagent
from shell.repl.run_in_thread import run_in_thread
from shell.sessions.next_session import NextSession
from shell.sessions.session_context import SessionContext
from shell.view import screen_state
from shell.view.leave_question import are_stopped, build_leave_picker, list_running_background
from shell.view.picker import Picker
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
        self._awaited_stops: tuple[Address, ...] = ()
        """Agents that the user stops before leaving."""
        self._leave: Callable[[], None] | None = None
        """What follows when they have ended."""
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

    def quit(self, exit_status: int = 0) -> None:
        """Exit; first ask what to do with background agents that are running."""
        self._leave_session(partial(self.exit, exit_status))

    def switch_session(self, next_session: NextSession) -> None:
        """End `run`, so that another session can be opened; ask about background agents first."""
        self._leave_session(partial(self._switch_session, next_session))

    def _switch_session(self, next_session: NextSession) -> None:
        self.next_session = next_session
        self.exit()

    def _leave_session(self, leave: Callable[[], None]) -> None:
        agents = list_running_background(self.state)
        if agents:
            addresses = tuple(agent.address for agent in agents)
            on_stop = partial(self._stop_agents, addresses, leave)
            self.show_picker(build_leave_picker(agents, leave, on_stop))
        else:
            leave()

    def _stop_agents(self, agents: tuple[Address, ...], leave: Callable[[], None]) -> None:
        """Stop agents and leave when their ends are recorded."""
        self._awaited_stops, self._leave = agents, leave
        for agent in agents:
            self.post(StopSubagent(agent=agent, wakes_parent=False))
        self.print_notice("Stopping the background agents…")

    def on_state_changed(self) -> None:
        """Leave the session once the agents that the user stopped have ended."""
        leave = self._leave
        if leave is not None and are_stopped(self.state, self._awaited_stops):
            self._leave = None
            leave()

    @abstractmethod
    def show_picker(self, picker: Picker) -> None:
        """Show a list to choose from."""

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
