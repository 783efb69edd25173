"""Only rows that were actually drawn are reported as drawn."""

import asyncio
from io import StringIO

import pytest
from prompt_toolkit.application import Application
from prompt_toolkit.application.current import set_app
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import DummyInput

from shell.repl.screen_windows import ScreenWindows
from shell.repl.terminal_output import FrameOutput
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
    """Draw in a window whose layout assumes WINDOW; return what was drawn after each step."""

    async def draw() -> list[DrawnRequest | None]:
        frame_input = FrameInput(
            STATE, Arming(ID, 0.0), "", is_entering_text=False, hint="", now_s=0.0
        )
        windows = ScreenWindows(lambda: frame_input, lambda: WINDOW)
        output = FrameOutput(StringIO(), lambda: window)
        app = Application[None](layout=windows.layout, output=output, input=DummyInput())
        with set_app(app):
            app.renderer.render(app, app.layout)
            drawn = [windows.get_drawn_request(ID)]
            for rows in scrolls:
                windows.scroll(rows)
                drawn.append(windows.get_drawn_request(ID))
                app.renderer.render(app, app.layout)
                drawn.append(windows.get_drawn_request(ID))
        await asyncio.sleep(0)
        return drawn

    return asyncio.run(draw())


def test_the_end_is_shown_only_after_drawing_it() -> None:
    top = DrawnRequest(ID, is_complete=True, shows_end=False)
    assert draw_frames(WINDOW, 1_000) == [
        top,
        top,
        DrawnRequest(ID, is_complete=True, shows_end=True),
    ]


@pytest.mark.parametrize("rows", range(1, 20))
def test_clipped_rows_are_not_reported_as_drawn(rows: int) -> None:
    """The window is smaller than the layout assumes, so the answers are below its edge."""
    (drawn,) = draw_frames(Size(rows=rows, columns=80))
    assert drawn is None or not drawn.is_complete
