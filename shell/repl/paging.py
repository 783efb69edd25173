"""A page over the whole screen: opened, scrolled, closed; what is printed meanwhile waits."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from shell.view import pager
from shell.view.pager import Page, Pager
from shell.view.plan import FOOTER_ROWS

if TYPE_CHECKING:
    from shell.repl.desk import ScreenController

FAR = 1_000_000
"""Rows to the end of any page."""


class Paging:
    """At most one page at a time."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk
        self.pager: Pager | None = None
        self._source: Callable[[], Page] | None = None
        """Makes the page anew, where it grows."""
        self._closed: Callable[[], None] | None = None

    def open(self, page: Page, *, at_end: bool = False) -> None:
        """Cover the screen with a page."""
        self.pager = Pager(page)
        self._desk.dialog.drafted()
        if at_end:
            self.move(FAR)
        self._desk.view.focus_page()
        self._desk.settle()

    def open_live(self, source: Callable[[], Page], closed: Callable[[], None]) -> None:
        """Cover the screen with a page that grows; `closed` is called when it is left."""
        self.open(source(), at_end=True)
        self._source, self._closed = source, closed

    def follow(self) -> None:
        """Show what is new; whoever stands at the end stays at the end."""
        if self.pager is None or self._source is None:
            return
        page, before = self._source(), self.pager
        self.move(FAR)
        at_end = self.pager == before
        self.pager = Pager(page, before.first)
        if at_end:
            self.move(FAR)

    def move(self, rows: int) -> None:
        """Scroll by rows."""
        if self.pager:
            height = self._desk.size.rows - FOOTER_ROWS
            self.pager = pager.moved(self.pager, rows, self._desk.size.columns, height)

    def turn(self, pages: int) -> None:
        """Scroll by screens, keeping a row in common."""
        self.move(pages * max(self._desk.size.rows - FOOTER_ROWS - 3, 1))

    def close(self) -> None:
        """Show the session again."""
        self.leave()
        self._desk.settle()

    def leave(self) -> None:
        """Close the page for something that takes its place."""
        closed, self.pager, self._source, self._closed = self._closed, None, None, None
        if closed is not None:
            closed()
        self._desk.view.focus_draft()
