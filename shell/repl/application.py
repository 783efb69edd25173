"""prompt_toolkit's application as we want it: inline, quick with Esc, gone when it ends."""

from prompt_toolkit.application import Application
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import Layout
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from shell.repl.terminal import FrameOutput, teach_keys
from shell.view.ink import STYLES

ESCAPE_ALONE_S, ESCAPE_WAITS_S = 0.03, 0.04
"""How long the bytes of a key may be apart, and how long Esc waits for a second key."""


class Inline(Application[int]):
    """The application; its result is the exit status."""

    still = False
    """Nothing is drawn, whatever changes."""

    def invalidate(self) -> None:
        """Draw soon, unless nothing is to be drawn."""
        if not self.still:
            super().invalidate()


def application(
    layout: Layout, keys: KeyBindings, keyboard: Input, output: FrameOutput, *, colour: bool
) -> Inline:
    """Put it together."""
    teach_keys()
    app = Inline(
        layout=layout,
        key_bindings=keys,
        style=Style.from_dict(STYLES),
        input=keyboard,
        output=output,
        erase_when_done=True,
        color_depth=None if colour else ColorDepth.DEPTH_1_BIT,
        terminal_size_polling_interval=None,
    )
    app.ttimeoutlen, app.timeoutlen = ESCAPE_ALONE_S, ESCAPE_WAITS_S
    return app
