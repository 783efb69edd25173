"""The list to choose from, while one is open: its letters are typed in the place of the draft."""

from typing import TYPE_CHECKING

from shell.view import picker
from shell.view.picker import Picker

if TYPE_CHECKING:
    from shell.repl.screen_controller import ScreenController


class ListInput:
    """At most one list at a time."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk
        self.picker: Picker | None = None

    def open(self, picker: Picker) -> None:
        """Show a list; it takes all keys until something is chosen or it is closed."""
        self.picker = picker
        self._desk.approval_prompt.on_draft_edit()
        self._desk.windows.start_side_input()
        self._desk.update_screen_mode()

    @property
    def is_filter_empty(self) -> bool:
        """Whether no letters are typed."""
        return not self._desk.windows.side_buffer.text

    def apply_filter(self) -> None:
        """Keep what fits the letters typed."""
        if self.picker and not self._desk.approval_prompt.is_entering_text:
            self.picker = picker.filter_items(self.picker, self._desk.windows.side_buffer.text)

    def move(self, by: int) -> None:
        """Choose another line."""
        if self.picker:
            self.picker = picker.move_selection(self.picker, by)

    def accept(self) -> None:
        """Take the chosen line."""
        chosen = self.picker
        number = picker.get_selected_index(chosen) if chosen else None
        self._leave()
        if chosen and number is not None:
            chosen.on_pick(number)
        self._desk.update_screen_mode()

    def close(self) -> None:
        """Take nothing."""
        self._leave()
        self._desk.update_screen_mode()

    def _leave(self) -> None:
        self.picker = None
        self._desk.windows.focus_draft()
