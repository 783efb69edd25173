"""The prompt_toolkit application: inline, quick to react to Esc, erased when it ends."""

from prompt_toolkit.application import Application
from prompt_toolkit.input import Input
from prompt_toolkit.layout import Layout
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from shell.repl.terminal_output import FrameOutput, register_keys
from shell.view.styled_text import STYLE_BY_TONE

ESCAPE_SEQUENCE_TIMEOUT_S, KEY_CHORD_TIMEOUT_S = 0.03, 0.04
"""Longest gap between the bytes of one key, and how long Esc waits for a second key."""


class InlineApplication(Application[int]):
    """An application whose drawing can be paused; its result is the exit status."""

    is_frozen = False
    """Drawing is paused."""

    def invalidate(self) -> None:
        """Schedule a redraw, unless drawing is paused."""
        if not self.is_frozen:
            super().invalidate()


def create_application(
    layout: Layout, keyboard: Input, output: FrameOutput, *, color: bool
) -> InlineApplication:
    """Create the application with our timeouts and styles; `key_bindings` are set later."""
    register_keys()
    app = InlineApplication(
        layout=layout,
        style=Style.from_dict(STYLE_BY_TONE),
        input=keyboard,
        output=output,
        erase_when_done=True,
        color_depth=None if color else ColorDepth.DEPTH_1_BIT,
        terminal_size_polling_interval=None,  # SIGWINCH reports each change
    )
    app.ttimeoutlen, app.timeoutlen = ESCAPE_SEQUENCE_TIMEOUT_S, KEY_CHORD_TIMEOUT_S
    return app
