"""A page over the whole screen: opened, scrolled, closed; what is printed meanwhile waits."""

from typing import TYPE_CHECKING

from shell import pager
from shell.pager import Page, Pager

if TYPE_CHECKING:
    from shell.desk import Desk


class Paging:
    """At most one page at a time."""

    def __init__(self, desk: "Desk") -> None:
        self._desk = desk
        self.pager: Pager | None = None

    def open(self, page: Page, *, at_end: bool = False) -> None:
        """Cover the screen with a page."""
        self.pager = Pager(page)
        self._desk.dialog.drafted()
        if at_end:
            self.move(len(page.lines) * 1_000)
        self._desk.view.focus_page()
        self._desk.cover()

    def move(self, rows: int) -> None:
        """Scroll by rows."""
        if self.pager:
            size = self._desk.size
            self.pager = pager.moved(self.pager, rows, size.columns, size.rows)

    def turn(self, pages: int) -> None:
        """Scroll by screens, keeping a row in common."""
        self.move(pages * max(self._desk.size.rows - 3, 1))

    def close(self) -> None:
        """Show the session again."""
        self.pager = None
        self._desk.view.focus_draft()
        self._desk.uncover()
