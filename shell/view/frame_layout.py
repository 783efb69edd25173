"""Which rows a frame shows: the one place that divides the height of the window. Pure."""

from dataclasses import dataclass, replace

from prompt_toolkit.data_structures import Size

from messages.approvals import AnyApprovalRequest, QuestionRequest
from shell.text.sanitize import sanitize, sanitize_line
from shell.view import arming as arming_rules
from shell.view.approval_answers import HIDEABLE_KEYS, AnswerList, list_answers
from shell.view.approval_panel import (
    MORE_ANSWERS_HINT,
    REJECTION_HINT,
    WINDOW_TOO_SMALL,
    PromptPanel,
    build_approval_panel,
    get_approval_hint,
)
from shell.view.arming import Arming
from shell.view.completion_menu import Menu, render_menu_rows
from shell.view.footer import render_footer
from shell.view.mode_changes import can_accept_edits
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
FILTER_PROMPT = "filter: "
FOOTER_ROWS = 1
_PROGRESS_DIVISOR = 3
"""While a prompt is on screen, progress rows take at most one part in this many of the window."""


@dataclass(frozen=True, slots=True)
class FrameInput:
    """Everything that one frame is computed from."""

    state: ScreenState
    arming: Arming | None
    """The arming state of the request on screen."""
    draft: str
    is_entering_text: bool
    """The user is typing a rejection reason or a reply."""
    hint: str
    now_s: float
    menu: Menu | None = None
    """Completions for the draft."""
    picker: Picker | None = None
    pager: Pager | None = None
    """A page that covers everything else."""
    selection: QuestionSelection = NO_SELECTION
    """The selected choices of the question on screen."""
    scroll_offset: int = 0
    """Rows of the command or diff that are scrolled out above."""


@dataclass(frozen=True, slots=True)
class FrameLayout:
    """The rows of one frame, from top to bottom."""

    progress: tuple[Row, ...] = ()
    panel: PromptPanel | None = None
    """None: no request is shown, or the window is too small for it (see `notice`)."""
    body_rows: int = 0
    """Rows of the panel's body that are visible at once."""
    notice: tuple[Row, ...] = ()
    """What the keys do now; below the panel."""
    queued: tuple[Row, ...] = ()
    picker: tuple[Row, ...] = ()
    """The list to choose from; above the input."""
    input_rows: int = 1
    menu: tuple[Row, ...] = ()
    footer: tuple[Row, ...] = ()
    page: tuple[Row, ...] = ()

    @property
    def row_count(self) -> int:
        """The total height."""
        fixed = self.panel.fixed_row_count - 1 + self.body_rows if self.panel else 0
        sections = (
            self.progress,
            self.notice,
            self.queued,
            self.picker,
            self.menu,
            self.footer,
            self.page,
        )
        return fixed + sum(map(len, sections)) + self.input_rows


def compute_frame_layout(frame_input: FrameInput, size: Size) -> FrameLayout:
    """Divide the window."""
    width = size.columns
    footer = (render_footer(frame_input.state, frame_input.hint, width),)
    if frame_input.arming and frame_input.state.approvals.current:
        return _compute_prompt_layout(frame_input, frame_input.arming, size, footer)
    if frame_input.pager:
        page = render_page_rows(frame_input.pager, width, size.rows - FOOTER_ROWS)
        return FrameLayout(page=tuple(page), input_rows=0, footer=footer)
    room = size.rows - FOOTER_ROWS
    draft_rows = 1 if frame_input.picker else _count_draft_rows(frame_input.draft, width)
    input_rows = max(min(draft_rows, MAX_INPUT_ROWS, room), 1)
    room -= input_rows
    picker = render_picker_rows(frame_input.picker, width, room) if frame_input.picker else []
    menu = [] if frame_input.picker else render_menu_rows(frame_input.menu, width, room)
    room -= len(picker) + len(menu)
    queued = render_queued_rows(frame_input.state.queued, width)[: max(room, 0)]
    room -= len(queued)
    progress = render_progress_rows(
        frame_input.state, frame_input.now_s, width, min(room, max(size.rows // 2, 1))
    )
    return FrameLayout(
        progress=tuple(progress),
        queued=tuple(queued),
        picker=tuple(picker),
        input_rows=input_rows,
        menu=tuple(menu),
        footer=footer,
    )


def get_side_prompt(frame_input: FrameInput) -> str:
    """Return the prompt of the input that replaces the draft; empty: the draft is shown."""
    if not frame_input.is_entering_text:
        return FILTER_PROMPT if frame_input.picker else ""
    return REPLY_PROMPT if frame_input.state.approvals.current_question else REJECTION_PROMPT


def _count_draft_rows(draft: str, width: int) -> int:
    if len(draft) > MAX_INPUT_ROWS * width:  # no frame lays out a long draft to count it
        return MAX_INPUT_ROWS
    # With the cursor behind the last character.
    return len(wrap(sanitize(draft) + " ", width - len(DRAFT_PROMPT)))


def _compute_prompt_layout(
    frame_input: FrameInput, arming: Arming, size: Size, footer: tuple[Row, ...]
) -> FrameLayout:
    queue, width = frame_input.state.approvals, size.columns
    request = queue.current
    assert request is not None  # noqa: S101  (the caller checked)
    room = size.rows - FOOTER_ROWS - 1  # the input
    panel = _build_fitting_panel(frame_input, arming, request, width, room)
    if not panel.has_room_in(room):
        too_small: list[Row] = [(("warn", line),) for line in wrap_words(WINDOW_TOO_SMALL, width)]
        return FrameLayout(notice=tuple(too_small[: max(room, 0)]), footer=footer)
    body_rows = min(len(panel.body), room - panel.fixed_row_count)
    room -= panel.fixed_row_count + body_rows
    input_rows = _count_input_rows_below_prompt(frame_input, width, 1 + room)
    room -= max(input_rows - 1, 0)
    tone, hint = _get_hint(request, arming, frame_input)
    position = _format_position(frame_input.scroll_offset, body_rows, len(panel.body))
    visible_draft_rows = 0 if get_side_prompt(frame_input) else input_rows
    hidden_draft = _format_hidden_draft(frame_input.draft, visible_draft_rows, width)
    more = MORE_ANSWERS_HINT if panel.hidden_keys else ""
    notice: tuple[Row, ...] = (((tone, truncate(hint + position + more + hidden_draft, width)),),)
    layout = FrameLayout((), panel, body_rows, notice, input_rows=input_rows, footer=footer)
    if frame_input.pager:
        height = room + 1 - input_rows
        pager = scroll(frame_input.pager, size.rows - FOOTER_ROWS - height, width, height)
        return replace(layout, page=tuple(render_page_rows(pager, width, height)))
    share = min(room, max(size.rows // _PROGRESS_DIVISOR, 1))
    if frame_input.picker:
        height = room if frame_input.picker.is_full_screen else share
        return replace(layout, picker=tuple(render_picker_rows(frame_input.picker, width, height)))
    progress = render_running_rows(frame_input.state, frame_input.now_s, width, share)
    return replace(layout, progress=tuple(progress))


def _build_fitting_panel(
    frame_input: FrameInput, arming: Arming, request: AnyApprovalRequest, width: int, rows: int
) -> PromptPanel:
    """Lay out the request on screen; answers whose rules do not fit are left out."""
    queue, selection = frame_input.state.approvals, frame_input.selection
    count = len(queue.shown)
    if isinstance(request, QuestionRequest):
        answered_count = len(queue.given_replies)
        return build_question_panel(request, answered_count, selection, count, width)

    can_accept = can_accept_edits(frame_input.state)
    is_armed = arming_rules.can_reject(arming) and not frame_input.is_entering_text

    def build(keys: str) -> PromptPanel:
        answers = list_answers(request, can_accept_edits=can_accept, hidden_keys=keys)
        shown = AnswerList(answers, selection.cursor, is_armed, keys)
        return build_approval_panel(request, count, width, shown)

    panels = map(build, HIDEABLE_KEYS)
    return next((panel for panel in panels if panel.has_room_in(rows)), build(""))


def _count_input_rows_below_prompt(frame_input: FrameInput, width: int, max_rows: int) -> int:
    """Return the height of the input; a draft takes no row that the prompt needs."""
    if frame_input.is_entering_text or frame_input.picker:
        return 1
    draft_rows = min(_count_draft_rows(frame_input.draft, width), MAX_INPUT_ROWS)
    return 0 if frame_input.pager else min(draft_rows, max_rows)


def _format_hidden_draft(draft: str, rows: int, width: int) -> str:
    """Return a reminder of a draft that `rows` do not show in full; empty: they show all of it."""
    if not draft.strip() or _count_draft_rows(draft, width) <= rows:
        return ""
    lines = draft.strip().split("\n")
    return f" · your draft ({format_count(len(lines), 'line')}): {sanitize_line(lines[0])}"


def _format_position(scroll_offset: int, visible_rows: int, row_count: int) -> str:
    """Return which rows of a long command or diff are visible."""
    first = min(scroll_offset, row_count - visible_rows) + 1
    last = first + visible_rows - 1
    return f" · {first:,}-{last:,} of {row_count:,}" if visible_rows < row_count else ""


def build_panel(
    request: AnyApprovalRequest,
    count: int,
    width: int,
    answered_count: int = 0,
    selection: QuestionSelection = NO_SELECTION,
) -> PromptPanel:
    """Lay out any request as the first of `count`, with `answered_count` questions answered."""
    if isinstance(request, QuestionRequest):
        return build_question_panel(request, answered_count, selection, count, width)
    answers = AnswerList(list_answers(request, can_accept_edits=False))
    return build_approval_panel(request, count, width, answers)


def _get_hint(request: AnyApprovalRequest, arming: Arming, frame_input: FrameInput) -> Fragment:
    has_draft = bool(frame_input.draft or (frame_input.picker and frame_input.picker.filter_text))
    if isinstance(request, QuestionRequest):
        question = request.questions[len(frame_input.state.approvals.given_replies)]
        return (
            TEXT_REPLY_HINT
            if frame_input.is_entering_text and arming_rules.can_allow(arming)
            else get_question_hint(question, arming, has_draft=has_draft)
        )
    return (
        REJECTION_HINT
        if frame_input.is_entering_text
        else get_approval_hint(request, arming, has_draft=has_draft)
    )
