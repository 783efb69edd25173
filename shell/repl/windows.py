"""The windows of the application: they draw the plan and report what was really drawn."""

from collections.abc import Callable, Sequence

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point, Size
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Dimension,
    HSplit,
    Layout,
    UIContent,
    UIControl,
    Window,
)
from prompt_toolkit.layout.processors import BeforeInput

from shell.view.arming import Shown
from shell.view.ink import Row
from shell.view.plan import MARK, FrameInput, FrameLayout, planned, side_mark
from shell.view.unseen import ShowHidden


class Rows(UIControl):
    """Draws rows that are already as wide as the window, from `first` on."""

    def __init__(self, rows: Callable[[], Sequence[Row]], *, takes_keys: bool = False) -> None:
        self._rows = rows
        self._takes_keys = takes_keys
        self.first = 0

    def is_focusable(self) -> bool:
        """Whether keys may be meant for it."""
        return self._takes_keys

    def create_content(self, width: int, height: int | None) -> UIContent:  # noqa: ARG002  (theirs)
        """Give prompt_toolkit the lines that it asks for, not all of them."""
        rows = self._rows()

        def line(number: int) -> StyleAndTextTuples:
            return [(f"class:{tone}", text) for tone, text in rows[number]]

        cursor = Point(x=0, y=max(min(self.first, len(rows) - 1), 0))
        return UIContent(line, len(rows), cursor_position=cursor, show_cursor=False)


class View:
    """The layout. It reads the scene and changes nothing but its own scrolling."""

    def __init__(self, scene: Callable[[], FrameInput], size: Callable[[], Size]) -> None:
        self._scene, self._size = scene, size
        self.draft = Buffer(multiline=True)
        self.side = Buffer(multiline=False)
        """Takes what is typed in the place of the draft: a reason, letters to look for."""
        self._body = Rows(lambda: panel.body if (panel := self.plan().panel) else ())
        self._head_window = self._fixed(lambda plan: plan.panel.head if plan.panel else ())
        self._body_window = Window(
            self._body,
            height=lambda: Dimension.exact(self.plan().body_rows),
            get_vertical_scroll=lambda _: self._body.first,
        )
        self._answers_window = self._fixed(lambda plan: plan.panel.answers if plan.panel else ())
        self._notice_window = self._fixed(lambda plan: plan.notice)
        self._draft_window = self._editor(self.draft, lambda: MARK)
        self._side_window = self._editor(self.side, lambda: side_mark(self._scene()))
        self._page_window = self._fixed(lambda plan: plan.page, takes_keys=True)
        self.layout = Layout(self._stack(), focused_element=self._draft_window)

    def plan(self) -> FrameLayout:
        """Divide the window as it is now."""
        return planned(self._scene(), self._size())

    @property
    def scrolled(self) -> int:
        """So many rows of the command or diff have been scrolled away."""
        return self._body.first

    def scroll(self, rows: int) -> None:
        """Move the command or diff; never further than what is there."""
        plan = self.plan()
        last = len(plan.panel.body) - plan.body_rows if plan.panel else 0
        self._body.first = max(min(self._body.first + rows, last), 0)

    def page(self, pages: int) -> None:
        """Move by screens, keeping one row in common."""
        self.scroll(pages * max(self.plan().body_rows - 1, 1))

    def rewind(self) -> None:
        """Begin at the top of another request."""
        self._body.first = 0

    def focus_draft(self) -> None:
        """Typed text goes into the draft."""
        self.layout.focus(self._draft_window)

    def focus_side(self) -> None:
        """Typed text becomes a reason, or what is looked for."""
        self.side.reset()
        self.focus_list()

    def focus_list(self) -> None:
        """Typed text is looked for again, behind what was typed before."""
        self.layout.focus(self._side_window)

    def focus_page(self) -> None:
        """Typed text goes nowhere."""
        self.layout.focus(self._page_window)

    def shown(self, request_id: str) -> Shown | None:
        """Say what the frame just drawn showed of the request; None: nothing of it."""
        if not self._drawn(self._notice_window):
            return None
        whole = all(map(self._drawn, (self._head_window, self._answers_window)))
        return Shown(request_id, whole=whole, end=self._end_drawn())

    def _end_drawn(self) -> bool:
        info = self._body_window.render_info
        if info is None or self._body_window not in self.layout.visible_windows:
            return False
        lines = info.displayed_lines
        return bool(lines) and lines[-1] == info.content_height - 1

    def _drawn(self, window: Window) -> bool:
        """Whether every row of `window` was in the last frame."""
        info = window.render_info
        if info is None or window not in self.layout.visible_windows:
            return False
        return len(info.displayed_lines) == info.content_height > 0

    def _stack(self) -> HSplit:
        beside = Condition(lambda: bool(side_mark(self._scene())))
        paging = Condition(lambda: self._scene().pager is not None)
        reasoning = Condition(lambda: self._scene().reasoning)
        return HSplit(
            [
                ConditionalContainer(self._page_window, filter=paging),
                self._fixed(lambda plan: plan.live),
                self._head_window,
                self._body_window,
                self._answers_window,
                self._notice_window,
                self._fixed(lambda plan: plan.queued),
                self._fixed(lambda plan: plan.list),
                ConditionalContainer(self._draft_window, filter=~beside & ~paging),
                ConditionalContainer(self._side_window, filter=beside & (~paging | reasoning)),
                self._fixed(lambda plan: plan.menu),
                self._fixed(lambda plan: plan.footer),
            ]
        )

    def _fixed(
        self, rows: Callable[[FrameLayout], Sequence[Row]], *, takes_keys: bool = False
    ) -> Window:
        return Window(
            Rows(lambda: rows(self.plan()), takes_keys=takes_keys),
            height=lambda: Dimension.exact(len(rows(self.plan()))),
        )

    def _editor(self, buffer: Buffer, mark: Callable[[], str]) -> Window:
        before = BeforeInput(mark, "class:person")
        return Window(
            BufferControl(buffer, input_processors=[ShowHidden(), before]),
            height=lambda: Dimension.exact(self.plan().input_rows),
            wrap_lines=True,
        )
