"""What is still to be printed, in order: text may come faster than it can be laid out."""

from collections import deque

from shell.view.screen_state import Printable, PrintMarkdown, PrintOmission

MAX_TEXT_AFTER_INTERRUPT_CHARS = 4_000
"""So much of the model's text is still printed when the person wants no more of it."""


class PrintQueue:
    """A queue in which only the model's text may be left out, and never without a word."""

    def __init__(self) -> None:
        self._items: deque[Printable] = deque()
        self._chars = 0
        """Of the model's text that waits."""
        self._skipped_chars = 0
        self._hurried = False

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return bool(self._items)

    def add(self, item: Printable) -> None:
        """Print this behind all else; what is skipped in one go is told in one line."""
        match item:
            case PrintOmission():
                self._skipped_chars += item.chars
            case PrintMarkdown() if (
                self._hurried and self._chars + len(item.text) > MAX_TEXT_AFTER_INTERRUPT_CHARS
            ):
                self._skipped_chars += len(item.text)
            case PrintMarkdown():
                self._items.append(item)
                self._chars += len(item.text)
            case _:
                self._tell_skipped()
                self._items.append(item)

    def pop(self) -> Printable:
        """Take the next item.

        Raises:
            IndexError: nothing waits.
        """
        item = self._items.popleft()
        if isinstance(item, PrintMarkdown):
            self._chars -= len(item.text)
        return item

    def start_dropping(self) -> None:
        """Leave out what of the text is too much, and what comes of it from now on."""
        waiting, self._items, self._chars = self._items, deque(), 0
        self._hurried = True
        for item in waiting:
            self.add(item)

    def stop_dropping(self) -> None:
        """Take all text again; what was left out is counted."""
        self._hurried = False
        self._tell_skipped()

    def _tell_skipped(self) -> None:
        if self._skipped_chars:
            self._items.append(PrintOmission(self._skipped_chars))
            self._skipped_chars = 0
