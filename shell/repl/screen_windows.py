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

from shell.view.arming import DrawnRequest
from shell.view.frame_layout import (
    DRAFT_PROMPT,
    FrameInput,
    FrameLayout,
    compute_frame_layout,
    get_side_prompt,
)
from shell.view.hidden_characters import HiddenCharacterProcessor
from shell.view.styled_text import Row


class RowsControl(UIControl):
    """Draws rows that are already as wide as the window, from `first` on."""

    def __init__(self, rows: Callable[[], Sequence[Row]], *, takes_keys: bool = False) -> None:
        self._rows = rows
        self._takes_keys = takes_keys
        self.first_row = 0

    def is_focusable(self) -> bool:
        """Whether keys may be meant for it."""
        return self._takes_keys

    def create_content(self, width: int, height: int | None) -> UIContent:  # noqa: ARG002  (theirs)
        """Give prompt_toolkit the lines that it asks for, not all of them."""
        rows = self._rows()

        def line(number: int) -> StyleAndTextTuples:
            return [(f"class:{tone}", text) for tone, text in rows[number]]

        cursor = Point(x=0, y=max(min(self.first_row, len(rows) - 1), 0))
        return UIContent(line, len(rows), cursor_position=cursor, show_cursor=False)


class ScreenWindows:
    """The layout. It reads the scene and changes nothing but its own scrolling."""

    def __init__(self, frame_input: Callable[[], FrameInput], size: Callable[[], Size]) -> None:
        self._scene, self._size = frame_input, size
        self.draft_buffer = Buffer(multiline=True)
        self.side_buffer = Buffer(multiline=False)
        """Takes what is typed in the place of the draft: a reason, letters to look for."""
        self._body = RowsControl(
            lambda: panel.body if (panel := self.compute_frame_layout().panel) else ()
        )
        self._head_window = self._fixed(lambda plan: plan.panel.header if plan.panel else ())
        self._body_window = Window(
            self._body,
            height=lambda: Dimension.exact(self.compute_frame_layout().body_rows),
            get_vertical_scroll=lambda _: self._body.first_row,
        )
        self._answers_window = self._fixed(lambda plan: plan.panel.options if plan.panel else ())
        self._notice_window = self._fixed(lambda plan: plan.notice)
        self._draft_window = self._editor(self.draft_buffer, lambda: DRAFT_PROMPT)
        self._side_window = self._editor(self.side_buffer, lambda: get_side_prompt(self._scene()))
        self._page_window = self._fixed(lambda plan: plan.page, takes_keys=True)
        self.layout = Layout(self._stack(), focused_element=self._draft_window)

    def compute_frame_layout(self) -> FrameLayout:
        """Divide the window as it is now."""
        return compute_frame_layout(self._scene(), self._size())

    @property
    def scroll_offset(self) -> int:
        """So many rows of the command or diff have been scrolled away."""
        return self._body.first_row

    def scroll(self, rows: int) -> None:
        """Move the command or diff; never further than what is there."""
        plan = self.compute_frame_layout()
        last = len(plan.panel.body) - plan.body_rows if plan.panel else 0
        self._body.first_row = max(min(self._body.first_row + rows, last), 0)

    def scroll_pages(self, pages: int) -> None:
        """Move by screens, keeping one row in common."""
        self.scroll(pages * max(self.compute_frame_layout().body_rows - 1, 1))

    def scroll_to_top(self) -> None:
        """Begin at the top of another request."""
        self._body.first_row = 0

    def focus_draft(self) -> None:
        """Typed text goes into the draft."""
        self.layout.focus(self._draft_window)

    def start_side_input(self) -> None:
        """Typed text becomes a reason, or what is looked for."""
        self.side_buffer.reset()
        self.resume_side_input()

    def resume_side_input(self) -> None:
        """Typed text is looked for again, behind what was typed before."""
        self.layout.focus(self._side_window)

    def focus_page(self) -> None:
        """Typed text goes nowhere."""
        self.layout.focus(self._page_window)

    def get_drawn_request(self, request_id: str) -> DrawnRequest | None:
        """Say what the frame just drawn showed of the request; None: nothing of it."""
        if not self._drawn(self._notice_window):
            return None
        whole = all(map(self._drawn, (self._head_window, self._answers_window)))
        return DrawnRequest(request_id, is_complete=whole, shows_end=self._end_drawn())

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
        beside = Condition(lambda: bool(get_side_prompt(self._scene())))
        paging = Condition(lambda: self._scene().pager is not None)
        reasoning = Condition(lambda: self._scene().is_entering_text)
        return HSplit(
            [
                ConditionalContainer(self._page_window, filter=paging),
                self._fixed(lambda plan: plan.progress),
                self._head_window,
                self._body_window,
                self._answers_window,
                self._notice_window,
                self._fixed(lambda plan: plan.queued),
                self._fixed(lambda plan: plan.picker),
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
            RowsControl(lambda: rows(self.compute_frame_layout()), takes_keys=takes_keys),
            height=lambda: Dimension.exact(len(rows(self.compute_frame_layout()))),
        )

    def _editor(self, buffer: Buffer, mark: Callable[[], str]) -> Window:
        before = BeforeInput(mark, "class:person")
        return Window(
            BufferControl(buffer, input_processors=[HiddenCharacterProcessor(), before]),
            height=lambda: Dimension.exact(self.compute_frame_layout().input_rows),
            wrap_lines=True,
        )
