"""What counts as shown is what was drawn, not what was meant to be."""

import asyncio
from io import StringIO

import pytest
from prompt_toolkit.application import Application
from prompt_toolkit.application.current import set_app
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import DummyInput

from shell.repl.screen_windows import ScreenWindows
from shell.repl.terminal import FrameOutput
from shell.view.arming import Arming, DrawnRequest
from shell.view.event_reducer import apply_event
from shell.view.frame_layout import FrameInput
from shell.view.screen_state import ScreenState
from tests.shell import sample_events

pytestmark = pytest.mark.quick

STATE = apply_event(ScreenState(), sample_events.exec_approval("echo\n" * 200 + "rm -rf /"), 0.0)[0]
ID = STATE.approvals.prompt_id
WINDOW = Size(rows=24, columns=80)


def draw_frames(window: Size, *scrolls: int) -> list[DrawnRequest | None]:
    """Draw in a window that the plan believes to be WINDOW; say what was shown after each step."""

    async def draw() -> list[DrawnRequest | None]:
        scene = FrameInput(STATE, Arming(ID, 0.0), "", is_entering_text=False, hint="", now_s=0.0)
        view = ScreenWindows(lambda: scene, lambda: WINDOW)
        output = FrameOutput(StringIO(), lambda: window)
        app = Application[None](layout=view.layout, output=output, input=DummyInput())
        with set_app(app):
            app.renderer.render(app, app.layout)
            shown = [view.get_drawn_request(ID)]
            for rows in scrolls:
                view.scroll(rows)
                shown.append(view.get_drawn_request(ID))
                app.renderer.render(app, app.layout)
                shown.append(view.get_drawn_request(ID))
        await asyncio.sleep(0)
        return shown

    return asyncio.run(draw())


def test_the_end_counts_once_a_frame_has_drawn_it_and_not_when_it_is_scrolled_to() -> None:
    top = DrawnRequest(ID, is_complete=True, shows_end=False)
    assert draw_frames(WINDOW, 1_000) == [
        top,
        top,
        DrawnRequest(ID, is_complete=True, shows_end=True),
    ]


@pytest.mark.parametrize("rows", range(1, 20))
def test_rows_that_were_clipped_away_were_not_shown(rows: int) -> None:
    """The window was lower than the plan believed: the answers stand below its edge."""
    (shown,) = draw_frames(Size(rows=rows, columns=80))
    assert shown is None or not shown.is_complete
