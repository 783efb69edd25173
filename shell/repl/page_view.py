"""A full-screen page: opened, scrolled and closed; printed output waits meanwhile."""

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
    """At most one open page at a time."""

    def __init__(self, controller: "ScreenController") -> None:
        self._controller = controller
        self.pager: Pager | None = None
        self._build_page: Callable[[], Page] | None = None
        """Rebuilds a page that grows."""
        self._on_close: Callable[[], None] | None = None

    def open(self, page: Page, *, at_end: bool = False) -> None:
        """Cover the screen with a page."""
        self.pager = Pager(page)
        self._controller.approval_prompt.on_draft_edit()
        if at_end:
            self.scroll(MAX_SCROLL_ROWS)
        self._controller.windows.focus_page()
        self._controller.update_screen_mode()

    def open_live(self, build_page: Callable[[], Page], on_close: Callable[[], None]) -> None:
        """Cover the screen with a page that grows; `on_close` is called when it is closed."""
        self.open(build_page(), at_end=True)
        self._build_page, self._on_close = build_page, on_close

    def update(self) -> None:
        """Rebuild a growing page; if it was scrolled to the end, it stays at the end."""
        if self.pager is None or self._build_page is None:
            return
        page, before = self._build_page(), self.pager
        self.scroll(MAX_SCROLL_ROWS)
        was_at_end = self.pager == before
        self.pager = Pager(page, before.first_row)
        if was_at_end:
            self.scroll(MAX_SCROLL_ROWS)

    def scroll(self, rows: int) -> None:
        """Scroll by rows."""
        if self.pager:
            size = self._controller.size
            self.pager = pager.scroll(self.pager, rows, size.columns, size.rows - FOOTER_ROWS)

    def scroll_pages(self, pages: int) -> None:
        """Scroll by pages that overlap by one row."""
        self.scroll(pages * max(self._controller.size.rows - FOOTER_ROWS - 3, 1))

    def close(self) -> None:
        """Close the page and show the session again."""
        self.clear_page()
        self._controller.update_screen_mode()

    def clear_page(self) -> None:
        """Close the page without redrawing, because something else replaces it."""
        on_close, self.pager, self._build_page, self._on_close = self._on_close, None, None, None
        if on_close is not None:
            on_close()
        self._controller.windows.focus_draft()
