"""A full-screen page: opened, scrolled and closed; printed output waits meanwhile."""

from collections.abc import Callable

from prompt_toolkit.data_structures import Size

from shell.repl.prompt_arming import PromptArming
from shell.repl.screen_windows import ScreenWindows
from shell.view import pager
from shell.view.frame_layout import FOOTER_ROWS
from shell.view.pager import Page, Pager

MAX_SCROLL_ROWS = 1_000_000
"""Rows to the end of any page."""


class PageView:
    """At most one open page at a time."""

    def __init__(
        self,
        windows: ScreenWindows,
        approval_prompt: PromptArming,
        get_size: Callable[[], Size],
        on_open_or_close: Callable[[], None],
    ) -> None:
        self._windows, self._approval_prompt = windows, approval_prompt
        self._get_size = get_size
        self._on_open_or_close = on_open_or_close
        self.pager: Pager | None = None
        self._build_page: Callable[[], Page] | None = None
        """Rebuilds a page that grows."""
        self._on_close: Callable[[], None] | None = None

    def open(self, page: Page, *, at_end: bool = False) -> None:
        """Cover the screen with a page."""
        self.pager = Pager(page)
        self._approval_prompt.on_draft_edit()  # no key for the page may answer a prompt
        if at_end:
            self.scroll(MAX_SCROLL_ROWS)
        self._windows.focus_page()
        self._on_open_or_close()

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
        was_at_end = self.pager == before  # there was nothing left to scroll
        self.pager = Pager(page, before.first_row)
        if was_at_end:
            self.scroll(MAX_SCROLL_ROWS)

    def scroll(self, rows: int) -> None:
        """Scroll by rows."""
        if self.pager:
            size = self._get_size()
            self.pager = pager.scroll(self.pager, rows, size.columns, size.rows - FOOTER_ROWS)

    def scroll_pages(self, pages: int) -> None:
        """Scroll by pages that overlap by one row."""
        self.scroll(pages * max(self._get_size().rows - FOOTER_ROWS - 3, 1))

    def close(self) -> None:
        """Close the page and show the session again."""
        self._clear()
        self._on_open_or_close()

    def replace(self, show_next: Callable[[], None]) -> None:
        """Close the page without redrawing before `show_next` has shown something else."""
        self._clear()
        show_next()
        self._on_open_or_close()

    def _clear(self) -> None:
        on_close, self.pager, self._build_page, self._on_close = self._on_close, None, None, None
        if on_close is not None:
            on_close()
        self._windows.focus_draft()
