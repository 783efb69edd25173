"""A slash command, and the protocol of the REPL that commands use."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from messages.address import Address
from messages.base import Message
from shell.sessions.next_session import NextSession
from shell.sessions.session_context import SessionContext
from shell.view.pager import Page
from shell.view.picker import Picker
from shell.view.screen_state import ScreenState, ScreenUpdate

T = TypeVar("T")

COMMAND_PATTERN = re.compile(r"/[\w?-]*(\s|$)")
"""Matches the start of a slash command, but not a path such as `/etc/hosts` or a comment."""


class ReplHost(Protocol):
    """The REPL as seen by commands; parts of the screen declare narrower protocols."""

    @property
    def state(self) -> ScreenState:
        """The state of the session on screen."""
        ...

    @property
    def now_s(self) -> float:
        """Time on the screen's clock, in seconds."""
        ...

    @property
    def commands(self) -> Mapping[str, "Command"]:
        """Commands by name, in the order of `/help`."""
        ...

    @property
    def session_context(self) -> SessionContext:
        """Folders, files and services of the session."""
        ...

    def post(self, command: Message) -> None:
        """Send a user command to the console."""
        ...

    def run_command(self, line: str) -> None:
        """Run a slash command and print its result."""
        ...

    def apply(self, update: ScreenUpdate) -> None:
        """Adopt a new state and carry out its effects."""
        ...

    def print_notice(self, text: str) -> None:
        """Print lines from the program itself."""
        ...

    def show_page(self, page: Page) -> None:
        """Show a page to read."""
        ...

    def view_subagent(self, agent: Address) -> None:
        """Show a subagent's page, which is updated while it works."""
        ...

    def show_picker(self, picker: Picker) -> None:
        """Show a list to choose from."""
        ...

    def run_in_thread(self, job: Callable[[], T], on_done: Callable[[T | None], None]) -> None:
        """Run slow work on a thread; `on_done` gets None if it failed."""
        ...

    def exit(self, exit_status: int = 0) -> None:
        """Exit the program."""
        ...

    def quit(self, exit_status: int = 0) -> None:
        """Exit the program; first ask what to do with background agents that are running."""
        ...

    def on_state_changed(self) -> None:
        """Continue with what waits for a state of the screen."""
        ...

    def switch_session(self, next_session: NextSession) -> None:
        """Close this session and open another one; ask about background agents first."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """One command; `run` takes its arguments and returns lines to print."""

    name: str
    run: Callable[[list[str], ReplHost], str]

    @property
    def help(self) -> str:
        """The docstring of `run`, which the documentation shows as Markdown."""
        return (self.run.__doc__ or "").strip()

    @property
    def plain_help(self) -> str:
        """`help` without backticks, for the screen."""
        return self.help.replace("`", "")


def run_command(line: str, host: ReplHost) -> str:
    """Run the slash command on a line that starts with `/`."""
    name, *words = line.removeprefix("/").split() or [""]
    command = host.commands.get(name)
    if not command:
        return f"Unknown command /{name}. Type /help for a list."
    return command.run(words, host)
