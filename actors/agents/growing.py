"""The reply that a subagent is at: how far it has come, and when those above are told."""

from dataclasses import dataclass, field

from messages.turns import Delta, ReplyProgress, TextDelta, ToolInputDelta

PROGRESS_INTERVAL_CHARS = 400
"""About a hundred tokens, which take a model a second or more."""


@dataclass
class ProgressThrottle:
    """What has come of one reply."""

    _texts: list[str] = field(default_factory=list[str])
    _chars: int = 0
    _next_told_chars: int = PROGRESS_INTERVAL_CHARS

    @property
    def text(self) -> str:
        """All that it says so far."""
        return "".join(self._texts)

    def add(self, delta: Delta, turn: int) -> ReplyProgress | None:
        """Count what came; returns what those above are told, if it is time."""
        begins = isinstance(delta, TextDelta) and not self._texts
        if isinstance(delta, TextDelta):
            self._texts.append(delta.text)
        self._chars += delta.char_count if isinstance(delta, ToolInputDelta) else len(delta.text)
        if not begins and self._chars < self._next_told_chars:
            return None
        self._next_told_chars = self._chars + PROGRESS_INTERVAL_CHARS
        return ReplyProgress(turn=turn, char_count=self._chars, has_text=bool(self._texts))
