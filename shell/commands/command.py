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
        """What is known of the session."""
        ...

    @property
    def now_s(self) -> float:
        """The clock of the screen."""
        ...

    @property
    def commands(self) -> Mapping[str, "Command"]:
        """Every command by its name, in the order of `/help`."""
        ...

    @property
    def session_context(self) -> SessionContext:
        """Where the session works."""
        ...

    def post(self, command: Message) -> None:
        """Send a command of the user to the console."""
        ...

    def run_command(self, line: str) -> None:
        """Run a slash command and print its result."""
        ...

    def apply(self, update: ScreenUpdate) -> None:
        """Take a new state and carry out what comes with it."""
        ...

    def print_notice(self, text: str) -> None:
        """Print lines of ours."""
        ...

    def show_page(self, page: Page) -> None:
        """Let the person read a page."""
        ...

    def view_subagent(self, agent: Address) -> None:
        """Let the person read what an agent below does, while it does it."""
        ...

    def show_picker(self, picker: Picker) -> None:
        """Let the person choose from a list."""
        ...

    def run_in_thread(self, job: Callable[[], T], on_done: Callable[[T | None], None]) -> None:
        """Do slow work beside the screen; a job that failed has no result."""
        ...

    def exit(self, exit_status: int = 0) -> None:
        """End the program."""
        ...

    def switch_session(self, next_session: NextSession) -> None:
        """Close this session and go on with another one."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """One command: parses its words, tells or opens something, returns lines to print."""

    name: str
    run: Callable[[list[str], ReplHost], str]

    @property
    def help(self) -> str:
        """The docstring of its function, which `/help` and the README show."""
        return (self.run.__doc__ or "").strip()


def run_command(line: str, host: ReplHost) -> str:
    """Run the command that a line beginning with `/` names."""
    name, *words = line.removeprefix("/").split() or [""]
    command = host.commands.get(name)
    if not command:
        return f"There is no command /{name}; /help lists what there is."
    return command.run(words, host)
