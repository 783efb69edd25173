"""How a terminal is made to fetch its person, and when."""

import os
from collections.abc import Mapping

NOTIFY_AFTER_S = 10.0
"""A question that has been on the screen for so long, and no key came, is unseen."""
_TELLING = frozenset({"iTerm.app", "WezTerm", "ghostty", "kitty"})
"""What these call themselves in `TERM_PROGRAM`; they turn OSC 9 into a notification."""
_BELL = "\a"


def format_notification(environment: Mapping[str, str] = os.environ) -> str:
    """Say what is written to the terminal for a ring."""
    if environment.get("TERM_PROGRAM") in _TELLING and not environment.get("TMUX"):
        return "\x1b]9;Greenroom: a question waits for you\x1b\\"
    return _BELL
