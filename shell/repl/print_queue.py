"""The queue of items to print: text may arrive faster than it can be laid out."""

from collections import deque

from shell.view.screen_state import (
    MAX_INTERRUPTED_TEXT_CHARS,
    Printable,
    PrintMarkdown,
    PrintOmission,
)


class PrintQueue:
    """A queue that drops nothing but the model's text, and counts what it dropped."""

    def __init__(self) -> None:
        self._items: deque[Printable] = deque()
        self._chars = 0
        """Length of the model's text in the queue."""
        self._dropped_chars = 0
        self._is_dropping = False

    def __bool__(self) -> bool:
        """Return whether an item waits."""
        return bool(self._items)

    def add(self, item: Printable) -> None:
        """Append an item; text dropped in a row is counted in one omission."""
        match item:
            case PrintOmission():
                self._dropped_chars += item.chars
            case PrintMarkdown() if (
                self._is_dropping and self._chars + len(item.text) > MAX_INTERRUPTED_TEXT_CHARS
            ):
                self._dropped_chars += len(item.text)
            case PrintMarkdown():
                self._items.append(item)
                self._chars += len(item.text)
            case _:
                self._add_omission()
                self._items.append(item)

    def pop(self) -> Printable:
        """Remove and return the next item.

        Raises:
            IndexError: the queue is empty.
        """
        item = self._items.popleft()
        if isinstance(item, PrintMarkdown):
            self._chars -= len(item.text)
        return item

    def start_dropping(self) -> None:
        """Drop text over the limit of an interrupted turn, in the queue and from now on."""
        waiting, self._items, self._chars = self._items, deque(), 0
        self._is_dropping = True
        for item in waiting:
            self.add(item)

    def stop_dropping(self) -> None:
        """Accept all text again, and print how much was dropped."""
        self._is_dropping = False
        self._add_omission()

    def _add_omission(self) -> None:
        if self._dropped_chars:
            self._items.append(PrintOmission(self._dropped_chars))
            self._dropped_chars = 0
