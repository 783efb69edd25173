"""The windows of the application: they draw the frame layout and report what was drawn."""

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
from shell.view.styled_text import Row, to_live_style


class RowsControl(UIControl):
    """Draws rows that already fit the window's width, from `first_row` on."""

    def __init__(self, rows: Callable[[], Sequence[Row]], *, takes_keys: bool = False) -> None:
        self._rows = rows
        self._takes_keys = takes_keys
        self.first_row = 0

    def is_focusable(self) -> bool:
        """Return whether it can have the focus."""
        return self._takes_keys

    def create_content(self, width: int, height: int | None) -> UIContent:  # noqa: ARG002  (prompt_toolkit's signature)
        """Return content that creates only the lines that prompt_toolkit asks for."""
        rows = self._rows()

        def get_line(number: int) -> StyleAndTextTuples:
            return [(to_live_style(tone), text) for tone, text in rows[number]]

        cursor = Point(x=0, y=max(min(self.first_row, len(rows) - 1), 0))
        return UIContent(get_line, len(rows), cursor_position=cursor, show_cursor=False)


class ScreenWindows:
    """The windows of the screen; they read the frame input and change only the scroll position."""

    def __init__(self, frame_input: Callable[[], FrameInput], size: Callable[[], Size]) -> None:
        self._get_frame_input, self._get_size = frame_input, size
        self.draft_buffer = Buffer(multiline=True)
        self.side_buffer = Buffer(multiline=False)
        """The input that replaces the draft: a rejection reason, a reply or filter text."""
        self._body = RowsControl(
            lambda: panel.body if (panel := self.compute_frame_layout().panel) else ()
        )
        self._header_window = self._create_rows_window(
            lambda layout: layout.panel.header if layout.panel else ()
        )
        self._body_window = Window(
            self._body,
            height=lambda: Dimension.exact(self.compute_frame_layout().body_rows),
            get_vertical_scroll=lambda _: self._body.first_row,
        )
        self._options_window = self._create_rows_window(
            lambda layout: layout.panel.options if layout.panel else ()
        )
        self._notice_window = self._create_rows_window(lambda layout: layout.notice)
        self._draft_window = self._create_editor(self.draft_buffer, lambda: DRAFT_PROMPT)
        self._side_window = self._create_editor(
            self.side_buffer, lambda: get_side_prompt(self._get_frame_input())
        )
        self._page_window = self._create_rows_window(lambda layout: layout.page, takes_keys=True)
        self.layout = Layout(self._create_container(), focused_element=self._draft_window)

    def compute_frame_layout(self) -> FrameLayout:
        """Compute the layout for the current state and size."""
        return compute_frame_layout(self._get_frame_input(), self._get_size())

    def count_rows(self) -> int:
        """Count the rows of the frame for the current state and size."""
        return self.compute_frame_layout().row_count

    @property
    def current_buffer(self) -> Buffer:
        """The buffer that receives typed text; an unused one while a page has the focus."""
        return self.layout.current_buffer or Buffer()

    @property
    def scroll_offset(self) -> int:
        """Rows of the command or diff that are scrolled out above."""
        return self._body.first_row

    def scroll(self, rows: int) -> None:
        """Scroll the command or diff, at most to either end."""
        layout = self.compute_frame_layout()
        last = len(layout.panel.body) - layout.body_rows if layout.panel else 0
        self._body.first_row = max(min(self._body.first_row + rows, last), 0)

    def scroll_pages(self, pages: int) -> None:
        """Scroll by pages that overlap by one row."""
        self.scroll(pages * max(self.compute_frame_layout().body_rows - 1, 1))

    def scroll_to_top(self) -> None:
        """Scroll to the top, because another request is shown."""
        self._body.first_row = 0

    def focus_draft(self) -> None:
        """Direct typed text into the draft."""
        self.layout.focus(self._draft_window)

    def start_side_input(self) -> None:
        """Direct typed text into an empty side input."""
        self.side_buffer.reset()
        self.resume_side_input()

    def resume_side_input(self) -> None:
        """Direct typed text into the side input, after its current text."""
        self.layout.focus(self._side_window)

    def paste_into_side_input(self, text: str) -> None:
        """Insert pasted text into the side input, as one line."""
        self.side_buffer.insert_text(" ".join(text.split("\n")))

    def focus_page(self) -> None:
        """Ignore typed text."""
        self.layout.focus(self._page_window)

    def restore_focus(self) -> None:
        """Focus the topmost open part other than a prompt."""
        frame_input = self._get_frame_input()
        if frame_input.pager:
            self.focus_page()
        elif frame_input.picker:
            self.resume_side_input()
        else:
            self.focus_draft()

    def get_drawn_request(self, prompt_id: str) -> DrawnRequest | None:
        """Return what the last frame showed of the prompt; None: nothing."""
        if not self._was_drawn(self._notice_window):
            return None
        is_complete = all(map(self._was_drawn, (self._header_window, self._options_window)))
        panel = self.compute_frame_layout().panel
        return DrawnRequest(
            prompt_id,
            is_complete=is_complete,
            shows_end=self._was_end_drawn(),
            hidden_keys=panel.hidden_keys if panel else "",
        )

    def _was_end_drawn(self) -> bool:
        info = self._body_window.render_info
        if info is None or self._body_window not in self.layout.visible_windows:
            return False
        lines = info.displayed_lines
        return bool(lines) and lines[-1] == info.content_height - 1

    def _was_drawn(self, window: Window) -> bool:
        """Return whether every row of `window` was in the last frame."""
        info = window.render_info
        if info is None or window not in self.layout.visible_windows:
            return False
        return len(info.displayed_lines) == info.content_height > 0

    def _create_container(self) -> HSplit:
        has_side_input = Condition(lambda: bool(get_side_prompt(self._get_frame_input())))
        has_page = Condition(lambda: self._get_frame_input().pager is not None)
        is_entering_text = Condition(lambda: self._get_frame_input().is_entering_text)
        return HSplit(
            [
                ConditionalContainer(self._page_window, filter=has_page),
                self._create_rows_window(lambda layout: layout.progress),
                self._header_window,
                self._body_window,
                self._options_window,
                self._notice_window,
                self._create_rows_window(lambda layout: layout.queued),
                self._create_rows_window(lambda layout: layout.picker),
                ConditionalContainer(self._draft_window, filter=~has_side_input & ~has_page),
                ConditionalContainer(
                    self._side_window, filter=has_side_input & (~has_page | is_entering_text)
                ),
                self._create_rows_window(lambda layout: layout.menu),
                self._create_rows_window(lambda layout: layout.footer),
            ]
        )

    def _create_rows_window(
        self, rows: Callable[[FrameLayout], Sequence[Row]], *, takes_keys: bool = False
    ) -> Window:
        return Window(
            RowsControl(lambda: rows(self.compute_frame_layout()), takes_keys=takes_keys),
            height=lambda: Dimension.exact(len(rows(self.compute_frame_layout()))),
        )

    def _create_editor(self, buffer: Buffer, get_prompt: Callable[[], str]) -> Window:
        prompt = BeforeInput(get_prompt, "class:user")
        return Window(
            BufferControl(buffer, input_processors=[HiddenCharacterProcessor(), prompt]),
            height=lambda: Dimension.exact(self.compute_frame_layout().input_rows),
            wrap_lines=True,
        )
