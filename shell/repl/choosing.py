"""The list to choose from, while one is open: its letters are typed in the place of the draft."""

from typing import TYPE_CHECKING

from shell.view import picker
from shell.view.picker import Picker

if TYPE_CHECKING:
    from shell.repl.desk import ScreenController


class Choosing:
    """At most one list at a time."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk
        self.picker: Picker | None = None

    def open(self, opened: Picker) -> None:
        """Show a list; it takes all keys until something is chosen or it is closed."""
        self.picker = opened
        self._desk.dialog.drafted()
        self._desk.view.focus_side()
        self._desk.settle()

    @property
    def whole(self) -> bool:
        """Whether no letters are typed."""
        return not self._desk.view.side.text

    def narrow(self) -> None:
        """Keep what fits the letters typed."""
        if self.picker and not self._desk.dialog.reasoning:
            self.picker = picker.narrowed(self.picker, self._desk.view.side.text)

    def move(self, by: int) -> None:
        """Choose another line."""
        if self.picker:
            self.picker = picker.moved(self.picker, by)

    def accept(self) -> None:
        """Take the chosen line."""
        chosen = self.picker
        number = picker.choice(chosen) if chosen else None
        self._leave()
        if chosen and number is not None:
            chosen.picked(number)
        self._desk.settle()

    def close(self) -> None:
        """Take nothing."""
        self._leave()
        self._desk.settle()

    def _leave(self) -> None:
        self.picker = None
        self._desk.view.focus_draft()
