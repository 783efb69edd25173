"""What the parts of the screen may ask of the program around it."""

from typing import Protocol

from messages.base import Message
from shell.sessions.session_context import SessionContext


class Person(Protocol):
    """What only the whole program can do for the person."""

    @property
    def session_context(self) -> SessionContext:
        """Where the session works."""
        ...

    def post(self, command: Message) -> None:
        """Tell the console what the person wants."""
        ...

    def run_command(self, line: str) -> None:
        """Run a slash command."""
        ...

    def exit(self, exit_status: int = 0) -> None:
        """End the program."""
        ...

    def suspend(self) -> None:
        """Stop the program until `fg`."""
        ...
