"""The list, the page and the task view: whether they cover prompts or the whole screen."""

from collections.abc import Callable

from shell.repl.list_input import ListInput
from shell.repl.page_view import PageView
from shell.repl.screen import Screen
from shell.repl.task_view import TaskView


class Overlays:
    """The parts that the user opens over the draft or over the whole screen."""

    def __init__(
        self,
        list_input: ListInput,
        page_view: PageView,
        task_view: TaskView,
        screen: Screen,
        on_uncovered: Callable[[], None],
    ) -> None:
        """`on_uncovered` is called when printed output is visible again."""
        self._list_input, self._page_view, self._task_view = list_input, page_view, task_view
        self._screen = screen
        self._on_uncovered = on_uncovered

    @property
    def is_screen_covered(self) -> bool:
        """Whether a page or the task view takes the whole screen; printed output waits."""
        return self._page_view.pager is not None or self._task_view.is_open

    @property
    def hides_prompts(self) -> bool:
        """Whether the open part leaves no room for a prompt; only the task view leaves some."""
        is_open = self._list_input.picker or self._page_view.pager
        return bool(is_open) and not self._task_view.is_open

    @property
    def is_busy(self) -> bool:
        """Whether the user is using an open part in a way that no prompt may arm over."""
        is_filtering = self._list_input.picker and not self._list_input.is_filter_empty
        return bool(is_filtering) or self.hides_prompts or self._task_view.is_confirming_stop

    def update(self) -> None:
        """Update an open page or task view to the current state."""
        self._page_view.update()
        self._task_view.update()

    def update_screen_mode(self) -> None:
        """Switch to full screen while something covers it, else draw below the printed output."""
        if self.is_screen_covered:
            self._screen.enter_full_screen()
        else:
            self._screen.leave_full_screen()
            self._on_uncovered()

    def close(self) -> None:
        """Close an open list and an open page."""
        if self._list_input.picker:
            self._list_input.close()
        if self._page_view.pager:
            self._page_view.close()
