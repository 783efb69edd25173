"""Notifications through the terminal: when and how to get the user's attention."""

import os
from collections.abc import Mapping

NOTIFY_AFTER_S = 10.0
"""A prompt that was on screen this long without a key press is considered unseen."""
_NOTIFYING_TERMINALS = frozenset({"iTerm.app", "WezTerm", "ghostty", "kitty"})
"""Values of `TERM_PROGRAM` for terminals that turn OSC 9 into a notification."""
_BELL = "\a"
NEEDS_ANSWER, TURN_ENDED = "Greenroom needs your answer", "Greenroom has finished"


def format_notification(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return what to write to the terminal to notify the user."""
    if environment.get("TERM_PROGRAM") in _NOTIFYING_TERMINALS and not environment.get("TMUX"):
        return f"\x1b]9;{text}\x1b\\"
    return _BELL
