"""Input for an open list; the filter text is typed in place of the draft."""

from collections.abc import Callable

from shell.repl.prompt_arming import PromptArming
from shell.repl.screen_windows import ScreenWindows
from shell.view import picker
from shell.view.picker import Picker


class ListInput:
    """At most one open list at a time."""

    def __init__(
        self,
        windows: ScreenWindows,
        approval_prompt: PromptArming,
        on_open_or_close: Callable[[], None],
    ) -> None:
        self._windows, self._approval_prompt = windows, approval_prompt
        self._on_open_or_close = on_open_or_close
        self.picker: Picker | None = None

    def open(self, picker: Picker) -> None:
        """Show a list, which receives all keys until an item is chosen or it is closed."""
        self.picker = picker
        self._approval_prompt.on_draft_edit()  # no key for the list may answer a prompt
        self._windows.start_side_input()
        self._on_open_or_close()

    @property
    def is_filter_empty(self) -> bool:
        """Whether no filter text is typed."""
        return not self._windows.side_buffer.text

    def apply_filter(self) -> None:
        """Show only the items that match the filter text."""
        if self.picker and not self._approval_prompt.is_entering_text:
            filter_text = self._windows.side_buffer.text
            self.picker = picker.filter_items(self.picker, filter_text)

    def move(self, by: int) -> None:
        """Select another item."""
        if self.picker:
            self.picker = picker.move_selection(self.picker, by)

    def accept(self) -> None:
        """Close the list and choose the selected item."""
        closed = self.picker
        index = picker.get_selected_index(closed) if closed else None
        self._clear()
        if closed and index is not None:
            closed.on_pick(index)
        self._on_open_or_close()

    def close(self) -> None:
        """Close the list without a choice."""
        self._clear()
        self._on_open_or_close()

    def _clear(self) -> None:
        self.picker = None
        self._windows.focus_draft()
