"""What the person said before, stepped through from the input line. Pure."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class InputHistory:
    """The entries, oldest first, and which of them is in the input."""

    entries: tuple[str, ...] = ()
    position: int | None = None
    """None: none of them is, the person's own draft is."""
    draft: str = ""
    """What was being typed when the first entry was brought back."""


def with_entry(recall: InputHistory, text: str) -> InputHistory:
    """Add what was sent; the same again is kept once."""
    entries = recall.entries
    if not entries or entries[-1] != text:
        entries = (*entries, text)
    return InputHistory(entries)


def step_back(recall: InputHistory, draft: str) -> tuple[InputHistory, str] | None:
    """Bring back the entry before; None when there is none."""
    at = len(recall.entries) if recall.position is None else recall.position
    if at == 0:
        return None
    kept = draft if recall.position is None else recall.draft
    return replace(recall, position=at - 1, draft=kept), recall.entries[at - 1]


def step_forward(recall: InputHistory) -> tuple[InputHistory, str] | None:
    """Go back towards the draft; None when it is in the input already."""
    if recall.position is None:
        return None
    if recall.position + 1 < len(recall.entries):
        return replace(recall, position=recall.position + 1), recall.entries[recall.position + 1]
    return replace(recall, position=None, draft=""), recall.draft
