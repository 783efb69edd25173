"""The input history, stepped through from the input line. Pure."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class InputHistory:
    """Earlier inputs, oldest first, and the position in them."""

    entries: tuple[str, ...] = ()
    position: int | None = None
    """Index of the entry in the input line; None: the input line holds the user's draft."""
    draft: str = ""
    """What was being typed when the user stepped back to the first entry."""


def with_entry(history: InputHistory, text: str) -> InputHistory:
    """Add a submitted text, unless it repeats the last entry."""
    entries = history.entries
    if not entries or entries[-1] != text:
        entries = (*entries, text)
    return InputHistory(entries)


def step_back(history: InputHistory, draft: str) -> tuple[InputHistory, str] | None:
    """Return the previous entry, or None at the oldest."""
    index = len(history.entries) if history.position is None else history.position
    if index == 0:
        return None
    saved_draft = draft if history.position is None else history.draft
    return replace(history, position=index - 1, draft=saved_draft), history.entries[index - 1]


def step_forward(history: InputHistory) -> tuple[InputHistory, str] | None:
    """Return the next entry, or the draft after the last one; None if the draft is shown."""
    if history.position is None:
        return None
    index = history.position + 1
    if index < len(history.entries):
        return replace(history, position=index), history.entries[index]
    return replace(history, position=None, draft=""), history.draft
