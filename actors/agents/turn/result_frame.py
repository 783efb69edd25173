"""The frame around a subagent's text, which that text cannot forge."""

import re

_FRAME_TAG = re.compile(r"<(?=\s*/?\s*task_)", re.IGNORECASE)
NO_TEXT = "(no text)"


def frame_text(text: str) -> str:
    """Return a subagent's text in its frame; tags of the frame inside the text are escaped."""
    return f"<task_result>\n{escape_tags(text).strip() or NO_TEXT}\n</task_result>"


def escape_tags(text: str) -> str:
    """Return text in which no tag of a result or a notification is left."""
    return _FRAME_TAG.sub("&lt;", text)
