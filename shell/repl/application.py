"""prompt_toolkit's application as we want it: inline, quick with Esc, gone when it ends."""

from prompt_toolkit.application import Application
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import Layout
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from shell.repl.terminal import FrameOutput, register_keys
from shell.view.styled_text import STYLE_BY_TONE

ESCAPE_SEQUENCE_TIMEOUT_S, KEY_CHORD_TIMEOUT_S = 0.03, 0.04
"""How long the bytes of a key may be apart, and how long Esc waits for a second key."""


class InlineApplication(Application[int]):
    """The application; its result is the exit status."""

    is_frozen = False
    """Nothing is drawn, whatever changes."""

    def invalidate(self) -> None:
        """Draw soon, unless nothing is to be drawn."""
        if not self.is_frozen:
            super().invalidate()


def create_application(
    layout: Layout, key_bindings: KeyBindings, keyboard: Input, output: FrameOutput, *, color: bool
) -> InlineApplication:
    """Put it together."""
    register_keys()
    app = InlineApplication(
        layout=layout,
        key_bindings=key_bindings,
        style=Style.from_dict(STYLE_BY_TONE),
        input=keyboard,
        output=output,
        erase_when_done=True,
        color_depth=None if color else ColorDepth.DEPTH_1_BIT,
        terminal_size_polling_interval=None,
    )
    app.ttimeoutlen, app.timeoutlen = ESCAPE_SEQUENCE_TIMEOUT_S, KEY_CHORD_TIMEOUT_S
    return app
