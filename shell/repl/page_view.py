"""A page over the whole screen: opened, scrolled, closed; what is printed meanwhile waits."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from shell.view import pager
from shell.view.frame_layout import FOOTER_ROWS
from shell.view.pager import Page, Pager

if TYPE_CHECKING:
    from shell.repl.screen_controller import ScreenController

MAX_SCROLL_ROWS = 1_000_000
"""Rows to the end of any page."""


class PageView:
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
        self._desk.approval_prompt.on_draft_edit()
        if at_end:
            self.scroll(MAX_SCROLL_ROWS)
        self._desk.windows.focus_page()
        self._desk.update_screen_mode()

    def open_live(self, build_page: Callable[[], Page], on_close: Callable[[], None]) -> None:
        """Cover the screen with a page that grows; `closed` is called when it is left."""
        self.open(build_page(), at_end=True)
        self._source, self._closed = build_page, on_close

    def update(self) -> None:
        """Show what is new; whoever stands at the end stays at the end."""
        if self.pager is None or self._source is None:
            return
        page, before = self._source(), self.pager
        self.scroll(MAX_SCROLL_ROWS)
        at_end = self.pager == before
        self.pager = Pager(page, before.first_row)
        if at_end:
            self.scroll(MAX_SCROLL_ROWS)

    def scroll(self, rows: int) -> None:
        """Scroll by rows."""
        if self.pager:
            height = self._desk.size.rows - FOOTER_ROWS
            self.pager = pager.scroll(self.pager, rows, self._desk.size.columns, height)

    def scroll_pages(self, pages: int) -> None:
        """Scroll by screens, keeping a row in common."""
        self.scroll(pages * max(self._desk.size.rows - FOOTER_ROWS - 3, 1))

    def close(self) -> None:
        """Show the session again."""
        self.clear_page()
        self._desk.update_screen_mode()

    def clear_page(self) -> None:
        """Close the page for something that takes its place."""
        closed, self.pager, self._source, self._closed = self._closed, None, None, None
        if closed is not None:
            closed()
        self._desk.windows.focus_draft()
