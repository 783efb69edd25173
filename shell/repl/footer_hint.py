"""A line that replaces the footer for a while: a hint, a question or a message."""

from asyncio import TimerHandle
from collections.abc import Callable

MESSAGE_DURATION_S = 2.0


class FooterHint:
    """At most one line at a time; a newer one replaces it."""

    def __init__(
        self,
        on_change: Callable[[], None],
        call_later: Callable[[float, Callable[[], None]], TimerHandle | None],
    ) -> None:
        """`on_change` is called when a redraw is needed."""
        self._on_change, self._call_later = on_change, call_later
        self.text = self._message = ""

    def show(self, text: str, duration_s: float) -> None:
        """Show a line for a while."""
        self.text = text
        self._on_change()
        self._call_later(duration_s, lambda: self._clear_if_shown(text))

    def show_message(self, text: str) -> None:
        """Show a line until the next key, or for a while."""
        self._message = text
        self.show(text, MESSAGE_DURATION_S)

    def clear(self) -> None:
        """Show the footer again."""
        self.text = ""
        self._on_change()

    def clear_message(self) -> None:
        """Show the footer again if a message replaces it."""
        self._clear_if_shown(self._message)

    def _clear_if_shown(self, text: str) -> None:
        if text and self.text == text:
            self.clear()
