"""What stands on which row: the one place that divides the height of the window. Pure."""

from dataclasses import dataclass, replace

from prompt_toolkit.data_structures import Size

from messages.approvals import AnyApprovalRequest, QuestionRequest
from shell.text.sanitize import sanitize_line, visible
from shell.view.approval_panel import (
    REJECTION_HINT,
    WINDOW_TOO_SMALL,
    PromptPanel,
    build_approval_panel,
    get_approval_hint,
)
from shell.view.arming import Arming
from shell.view.completion_menu import Menu, render_menu_rows
from shell.view.footer import render_footer
from shell.view.number_format import format_count
from shell.view.pager import Pager, render_page_rows, scroll
from shell.view.picker import Picker, render_picker_rows
from shell.view.progress_rows import render_progress_rows, render_queued_rows, render_running_rows
from shell.view.question_panel import (
    NO_SELECTION,
    TEXT_REPLY_HINT,
    QuestionSelection,
    build_question_panel,
    get_question_hint,
)
from shell.view.screen_state import ScreenState
from shell.view.styled_text import Fragment, Row, truncate, wrap, wrap_words

MAX_INPUT_ROWS = 8
DRAFT_PROMPT = "> "
REJECTION_PROMPT = "no, because: "
REPLY_PROMPT = "reply: "
FILTER_PROMPT = "look for: "
FOOTER_ROWS = 1
_WORKING_SHARE = 3
"""While something is asked, no more than this part of the window tells what else is at work."""


@dataclass(frozen=True, slots=True)
class FrameInput:
    """What is to be drawn."""

    state: ScreenState
    arming: Arming | None
    """Of the request on screen."""
    draft: str
    is_entering_text: bool
    """The person is writing why not."""
    hint: str
    now_s: float
    menu: Menu | None = None
    """What may be completed."""
    picker: Picker | None = None
    pager: Pager | None = None
    """Covers everything else."""
    selection: QuestionSelection = NO_SELECTION
    """Of the choices of the question on screen."""
    scroll_offset: int = 0
    """So many rows of the command or diff are above what is shown."""


@dataclass(frozen=True, slots=True)
class FrameLayout:
    """The rows of one frame, from top to bottom."""

    progress: tuple[Row, ...] = ()
    panel: PromptPanel | None = None
    """None: no request is shown, or there is no room for it (`notice`)."""
    body_rows: int = 0
    """So many of the panel's body are on the screen at once."""
    notice: tuple[Row, ...] = ()
    """Under the panel: what the keys do now."""
    queued: tuple[Row, ...] = ()
    picker: tuple[Row, ...] = ()
    """To choose from, above the input."""
    input_rows: int = 1
    menu: tuple[Row, ...] = ()
    footer: tuple[Row, ...] = ()
    page: tuple[Row, ...] = ()

    @property
    def row_count(self) -> int:
        """The height of it all."""
        fixed = self.panel.fixed_row_count - 1 + self.body_rows if self.panel else 0
        windows = (
            self.progress,
            self.notice,
            self.queued,
            self.picker,
            self.menu,
            self.footer,
            self.page,
        )
        return fixed + sum(map(len, windows)) + self.input_rows


def compute_frame_layout(frame_input: FrameInput, size: Size) -> FrameLayout:
    """Divide the window."""
    width = size.columns
    footer = (render_footer(frame_input.state, frame_input.hint, width),)
    if frame_input.arming and frame_input.state.approvals.current:
        return _with_panel(frame_input, frame_input.arming, size, footer)
    if frame_input.pager:
        page = render_page_rows(frame_input.pager, width, size.rows - FOOTER_ROWS)
        return FrameLayout(page=tuple(page), input_rows=0, footer=footer)
    room = size.rows - FOOTER_ROWS
    wanted = 1 if frame_input.picker else min(_draft_rows(frame_input.draft, width), MAX_INPUT_ROWS)
    input_rows = max(min(wanted, room), 1)
    room -= input_rows
    listed = render_picker_rows(frame_input.picker, width, room) if frame_input.picker else []
    menu = [] if frame_input.picker else render_menu_rows(frame_input.menu, width, room)
    room -= len(listed) + len(menu)
    queued = render_queued_rows(frame_input.state.queued_prompts, width)[: max(room, 0)]
    room -= len(queued)
    live = render_progress_rows(
        frame_input.state, frame_input.now_s, width, min(room, max(size.rows // 2, 1))
    )
    return FrameLayout(
        progress=tuple(live),
        queued=tuple(queued),
        picker=tuple(listed),
        input_rows=input_rows,
        menu=tuple(menu),
        footer=footer,
    )


def get_side_prompt(frame_input: FrameInput) -> str:
    """Say what is written in the place of the draft; empty: the draft is."""
    if not frame_input.is_entering_text:
        return FILTER_PROMPT if frame_input.picker else ""
    return (
        REPLY_PROMPT
        if isinstance(frame_input.state.approvals.current, QuestionRequest)
        else REJECTION_PROMPT
    )


def _draft_rows(draft: str, width: int) -> int:
    if len(draft) > MAX_INPUT_ROWS * width:
        return MAX_INPUT_ROWS
    return len(wrap(visible(draft) + " ", width - len(DRAFT_PROMPT)))


def _with_panel(
    scene: FrameInput, arming: Arming, size: Size, footer: tuple[Row, ...]
) -> FrameLayout:
    request, width = scene.state.approvals.current, size.columns
    assert request is not None  # noqa: S101  (the caller looked)
    requests = scene.state.approvals
    replied, count = len(requests.given_replies), len(requests.parked)
    shown = build_panel(request, count, width, replied, scene.selection)
    room = size.rows - FOOTER_ROWS - 1  # the input
    if not shown.has_room_in(room):
        low: list[Row] = [(("warn", line),) for line in wrap_words(WINDOW_TOO_SMALL, width)]
        return FrameLayout(notice=tuple(low[: max(room, 0)]), footer=footer)
    body_rows = min(len(shown.body), room - shown.fixed_row_count)
    room -= shown.fixed_row_count + body_rows
    input_rows = _input_beside(scene, width, 1 + room)
    room -= max(input_rows - 1, 0)
    tone, hint = _hint(request, arming, scene)
    place = _place(scene.scroll_offset, body_rows, len(shown.body))
    kept = _kept(scene.draft, 0 if get_side_prompt(scene) else input_rows, width)
    notice: tuple[Row, ...] = (((tone, truncate(hint + place + kept, width)),),)
    plan = FrameLayout((), shown, body_rows, notice, input_rows=input_rows, footer=footer)
    if scene.pager:
        height = room + 1 - input_rows
        lower = scroll(scene.pager, size.rows - FOOTER_ROWS - height, width, height)
        return replace(plan, page=tuple(render_page_rows(lower, width, height)))
    share = min(room, max(size.rows // _WORKING_SHARE, 1))
    if scene.picker:
        height = room if scene.picker.is_full_screen else share
        return replace(plan, picker=tuple(render_picker_rows(scene.picker, width, height)))
    return replace(
        plan, progress=tuple(render_running_rows(scene.state, scene.now_s, width, share))
    )


def _input_beside(scene: FrameInput, width: int, most: int) -> int:
    """Say how high the input is below a request: a draft gets no row that the request needs."""
    if scene.is_entering_text or scene.picker:
        return 1
    wanted = min(_draft_rows(scene.draft, width), MAX_INPUT_ROWS)
    return 0 if scene.pager else min(wanted, most)


def _kept(draft: str, rows: int, width: int) -> str:
    """Say what draft is kept, where less of it is on the screen; empty: there is no more."""
    if not draft.strip() or _draft_rows(draft, width) <= rows:
        return ""
    lines = draft.strip().split("\n")
    return f" · your draft of {format_count(len(lines), 'line')}: {sanitize_line(lines[0])}"


def _place(above: int, shown: int, rows: int) -> str:
    """Say which rows of a long command or diff are shown."""
    first = min(above, rows - shown) + 1
    return f" · {first:,}-{first + shown - 1:,} of {rows:,}" if shown < rows else ""


def build_panel(
    request: AnyApprovalRequest,
    count: int,
    width: int,
    answered_count: int = 0,
    selection: QuestionSelection = NO_SELECTION,
) -> PromptPanel:
    """Lay out any request, as the first of `count`, `replied` of its questions being answered."""
    if isinstance(request, QuestionRequest):
        return build_question_panel(request, answered_count, selection, count, width)
    return build_approval_panel(request, count, width)


def _hint(request: AnyApprovalRequest, arming: Arming, scene: FrameInput) -> Fragment:
    draft = bool(scene.draft or (scene.picker and scene.picker.filter_text))
    if isinstance(request, QuestionRequest):
        asked = request.questions[len(scene.state.approvals.given_replies)]
        return (
            TEXT_REPLY_HINT
            if scene.is_entering_text
            else get_question_hint(asked, arming, has_draft=draft)
        )
    return (
        REJECTION_HINT
        if scene.is_entering_text
        else get_approval_hint(request, arming, has_draft=draft)
    )
