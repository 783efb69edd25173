"""What stands on which row: the one place that divides the height of the window. Pure."""

from dataclasses import dataclass, replace

from prompt_toolkit.data_structures import Size

from messages.approvals import AnyApprovalRequest, QuestionRequest
from shell.view.approval import REASON_HINT, TOO_LOW, Panel, hint_of, panel
from shell.view.arming import Arming
from shell.view.figures import counted
from shell.view.footer import footer_row
from shell.view.ink import Fragment, Row, cut, flowed, wrapped
from shell.view.live import live_rows, queued_rows, working_rows
from shell.view.menu import Menu, menu_rows
from shell.view.pager import Pager, moved, page_rows
from shell.view.picker import Picker, picker_rows
from shell.view.question import NOTHING, WORDS_HINT, Selection, question_hint, question_panel
from shell.view.state import State
from shell.visible import visible, visible_line

MOST_INPUT_ROWS = 8
MARK = "> "
REASON_MARK = "no, because: "
REPLY_MARK = "reply: "
LIST_MARK = "look for: "
FOOTER_ROWS = 1
_WORKING_SHARE = 3
"""While something is asked, no more than this part of the window tells what else is at work."""


@dataclass(frozen=True, slots=True)
class FrameInput:
    """What is to be drawn."""

    state: State
    arming: Arming | None
    """Of the request on screen."""
    draft: str
    reasoning: bool
    """The person is writing why not."""
    hint: str
    now_s: float
    menu: Menu | None = None
    """What may be completed."""
    picker: Picker | None = None
    pager: Pager | None = None
    """Covers everything else."""
    selection: Selection = NOTHING
    """Of the choices of the question on screen."""
    scrolled: int = 0
    """So many rows of the command or diff are above what is shown."""


@dataclass(frozen=True, slots=True)
class FrameLayout:
    """The rows of one frame, from top to bottom."""

    live: tuple[Row, ...] = ()
    panel: Panel | None = None
    """None: no request is shown, or there is no room for it (`notice`)."""
    body_rows: int = 0
    """So many of the panel's body are on the screen at once."""
    notice: tuple[Row, ...] = ()
    """Under the panel: what the keys do now."""
    queued: tuple[Row, ...] = ()
    list: tuple[Row, ...] = ()
    """To choose from, above the input."""
    input_rows: int = 1
    menu: tuple[Row, ...] = ()
    footer: tuple[Row, ...] = ()
    page: tuple[Row, ...] = ()

    @property
    def rows(self) -> int:
        """The height of it all."""
        fixed = self.panel.fixed_rows - 1 + self.body_rows if self.panel else 0
        windows = (
            self.live,
            self.notice,
            self.queued,
            self.list,
            self.menu,
            self.footer,
            self.page,
        )
        return fixed + sum(map(len, windows)) + self.input_rows


def planned(scene: FrameInput, size: Size) -> FrameLayout:
    """Divide the window."""
    width = size.columns
    footer = (footer_row(scene.state, scene.hint, width),)
    if scene.arming and scene.state.requests.shown:
        return _with_panel(scene, scene.arming, size, footer)
    if scene.pager:
        page = page_rows(scene.pager, width, size.rows - FOOTER_ROWS)
        return FrameLayout(page=tuple(page), input_rows=0, footer=footer)
    room = size.rows - FOOTER_ROWS
    wanted = 1 if scene.picker else min(_draft_rows(scene.draft, width), MOST_INPUT_ROWS)
    input_rows = max(min(wanted, room), 1)
    room -= input_rows
    listed = picker_rows(scene.picker, width, room) if scene.picker else []
    menu = [] if scene.picker else menu_rows(scene.menu, width, room)
    room -= len(listed) + len(menu)
    queued = queued_rows(scene.state.queue, width)[: max(room, 0)]
    room -= len(queued)
    live = live_rows(scene.state, scene.now_s, width, min(room, max(size.rows // 2, 1)))
    return FrameLayout(
        live=tuple(live),
        queued=tuple(queued),
        list=tuple(listed),
        input_rows=input_rows,
        menu=tuple(menu),
        footer=footer,
    )


def side_mark(scene: FrameInput) -> str:
    """Say what is written in the place of the draft; empty: the draft is."""
    if not scene.reasoning:
        return LIST_MARK if scene.picker else ""
    return REPLY_MARK if isinstance(scene.state.requests.shown, QuestionRequest) else REASON_MARK


def _draft_rows(draft: str, width: int) -> int:
    if len(draft) > MOST_INPUT_ROWS * width:
        return MOST_INPUT_ROWS
    return len(wrapped(visible(draft) + " ", width - len(MARK)))


def _with_panel(
    scene: FrameInput, arming: Arming, size: Size, footer: tuple[Row, ...]
) -> FrameLayout:
    request, width = scene.state.requests.shown, size.columns
    assert request is not None  # noqa: S101  (the caller looked)
    requests = scene.state.requests
    replied, count = len(requests.replied), len(requests.parked)
    shown = panel_of(request, count, width, replied, scene.selection)
    room = size.rows - FOOTER_ROWS - 1  # the input
    if not shown.fits(room):
        low: list[Row] = [(("warn", line),) for line in flowed(TOO_LOW, width)]
        return FrameLayout(notice=tuple(low[: max(room, 0)]), footer=footer)
    body_rows = min(len(shown.body), room - shown.fixed_rows)
    room -= shown.fixed_rows + body_rows
    input_rows = _input_beside(scene, width, 1 + room)
    room -= max(input_rows - 1, 0)
    tone, hint = _hint(request, arming, scene)
    place = _place(scene.scrolled, body_rows, len(shown.body))
    kept = _kept(scene.draft, 0 if side_mark(scene) else input_rows, width)
    notice: tuple[Row, ...] = (((tone, cut(hint + place + kept, width)),),)
    plan = FrameLayout((), shown, body_rows, notice, input_rows=input_rows, footer=footer)
    if scene.pager:
        height = room + 1 - input_rows
        lower = moved(scene.pager, size.rows - FOOTER_ROWS - height, width, height)
        return replace(plan, page=tuple(page_rows(lower, width, height)))
    share = min(room, max(size.rows // _WORKING_SHARE, 1))
    if scene.picker:
        height = room if scene.picker.covers else share
        return replace(plan, list=tuple(picker_rows(scene.picker, width, height)))
    return replace(plan, live=tuple(working_rows(scene.state, scene.now_s, width, share)))


def _input_beside(scene: FrameInput, width: int, most: int) -> int:
    """Say how high the input is below a request: a draft gets no row that the request needs."""
    if scene.reasoning or scene.picker:
        return 1
    wanted = min(_draft_rows(scene.draft, width), MOST_INPUT_ROWS)
    return 0 if scene.pager else min(wanted, most)


def _kept(draft: str, rows: int, width: int) -> str:
    """Say what draft is kept, where less of it is on the screen; empty: there is no more."""
    if not draft.strip() or _draft_rows(draft, width) <= rows:
        return ""
    lines = draft.strip().split("\n")
    return f" · your draft of {counted(len(lines), 'line')}: {visible_line(lines[0])}"


def _place(above: int, shown: int, rows: int) -> str:
    """Say which rows of a long command or diff are shown."""
    first = min(above, rows - shown) + 1
    return f" · {first:,}-{first + shown - 1:,} of {rows:,}" if shown < rows else ""


def panel_of(
    request: AnyApprovalRequest,
    count: int,
    width: int,
    replied: int = 0,
    selection: Selection = NOTHING,
) -> Panel:
    """Lay out any request, as the first of `count`, `replied` of its questions being answered."""
    if isinstance(request, QuestionRequest):
        return question_panel(request, replied, selection, count, width)
    return panel(request, count, width)


def _hint(request: AnyApprovalRequest, arming: Arming, scene: FrameInput) -> Fragment:
    draft = bool(scene.draft or (scene.picker and scene.picker.wanted))
    if isinstance(request, QuestionRequest):
        asked = request.questions[len(scene.state.requests.replied)]
        return WORDS_HINT if scene.reasoning else question_hint(asked, arming, draft=draft)
    return REASON_HINT if scene.reasoning else hint_of(request, arming, draft=draft)
