"""What is still to be printed, in order: text may come faster than it can be laid out."""

from collections import deque

from shell.state import Printable, Prose, Remark

MOST_HURRIED_CHARS = 4_000
"""So much of the model's text is still printed when the person wants no more of it."""


class Backlog:
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
        """Print this behind all else."""
        if not isinstance(item, Prose):
            self._tell_skipped()
        elif self._hurried and self._chars + len(item.text) > MOST_HURRIED_CHARS:
            self.skip(len(item.text))
            return
        self._items.append(item)
        self._chars += _chars(item)

    def skip(self, chars: int) -> None:
        """Count text that is left out; said before what is printed next, unless that is text."""
        self._skipped_chars += chars

    def take(self) -> Printable:
        """Take the next item.

        Raises:
            IndexError: nothing waits.
        """
        item = self._items.popleft()
        self._chars -= _chars(item)
        return item

    def hurry(self) -> None:
        """Leave out what of the text is too much, and what comes of it from now on."""
        waiting, self._items, self._chars = self._items, deque(), 0
        self._hurried = True
        for item in waiting:
            self.add(item)

    def calm(self) -> None:
        """Take all text again; what was left out is counted."""
        self._hurried = False
        self._tell_skipped()

    def _tell_skipped(self) -> None:
        if self._skipped_chars:
            self._items.append(Remark(f"… {self._skipped_chars:,} characters are not shown"))
            self._skipped_chars = 0


def _chars(item: Printable) -> int:
    return len(item.text) if isinstance(item, Prose) else 0
