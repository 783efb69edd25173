"""What stands on which row: the one place that divides the height of the window. Pure."""

from dataclasses import dataclass

from prompt_toolkit.data_structures import Size

from shell.approval import REASON_HINT, TOO_LOW, Panel, hint_of, panel
from shell.arming import Arming
from shell.footer import footer_row
from shell.ink import Row, cut, wrapped
from shell.live import live_rows, queued_rows
from shell.state import State
from shell.visible import visible

MOST_INPUT_ROWS = 8
MARK = "> "
REASON_MARK = "no, because: "
_FOOTER_ROWS = 1


@dataclass(frozen=True, slots=True)
class Scene:
    """What is to be drawn."""

    state: State
    arming: Arming | None
    """Of the request on screen."""
    draft: str
    reasoning: bool
    """The person is writing why not."""
    hint: str
    now_s: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The rows of one frame, from top to bottom."""

    live: tuple[Row, ...] = ()
    panel: Panel | None = None
    """None: no request is shown, or there is no room for it (`notice`)."""
    body_rows: int = 0
    """So many of the panel's body are on the screen at once."""
    notice: tuple[Row, ...] = ()
    """Under the panel: what the keys do now."""
    queued: tuple[Row, ...] = ()
    input_rows: int = 1
    footer: tuple[Row, ...] = ()

    @property
    def rows(self) -> int:
        """The height of it all."""
        fixed = self.panel.fixed_rows - 1 + self.body_rows if self.panel else 0
        around = len(self.live) + len(self.notice) + len(self.queued) + len(self.footer)
        return fixed + around + self.input_rows


def planned(scene: Scene, size: Size) -> Plan:
    """Divide the window."""
    width = size.columns
    footer = (footer_row(scene.state, scene.hint, width),)
    room = size.rows - _FOOTER_ROWS
    if scene.arming and scene.state.requests.shown:
        return _with_panel(scene, scene.arming, width, room, footer)
    input_rows = max(min(_draft_rows(scene.draft, width), MOST_INPUT_ROWS, room), 1)
    room -= input_rows
    queued = queued_rows(scene.state.queue, width)[: max(room, 0)]
    room -= len(queued)
    live = live_rows(scene.state, scene.now_s, width, min(room, max(size.rows // 2, 1)))
    return Plan(live=tuple(live), queued=tuple(queued), input_rows=input_rows, footer=footer)


def _draft_rows(draft: str, width: int) -> int:
    if len(draft) > MOST_INPUT_ROWS * width:
        return MOST_INPUT_ROWS
    return len(wrapped(visible(draft) + " ", width - len(MARK)))


def _with_panel(
    scene: Scene, arming: Arming, width: int, room: int, footer: tuple[Row, ...]
) -> Plan:
    request = scene.state.requests.shown
    assert request is not None  # noqa: S101  (the caller looked)
    shown = panel(request, len(scene.state.requests.parked), width)
    room -= 1  # the input
    if not shown.fits(room):
        low: Row = (("warn", cut(TOO_LOW, width)),)
        return Plan(notice=(low,) if room > 0 else (), footer=footer)
    body_rows = min(len(shown.body), room - shown.fixed_rows)
    room -= shown.fixed_rows + body_rows
    asked = hint_of(request, arming, draft=bool(scene.draft))
    tone, hint = REASON_HINT if scene.reasoning else asked
    notice: tuple[Row, ...] = (((tone, cut(hint, width)),),)
    live = live_rows(scene.state, scene.now_s, width, min(room, 1))
    return Plan(tuple(live), shown, body_rows, notice, footer=footer)
