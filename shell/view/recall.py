"""What the person said before, stepped through from the input line. Pure."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Recall:
    """The entries, oldest first, and which of them is in the input."""

    entries: tuple[str, ...] = ()
    at: int | None = None
    """None: none of them is, the person's own draft is."""
    draft: str = ""
    """What was being typed when the first entry was brought back."""


def said(recall: Recall, text: str) -> Recall:
    """Add what was sent; the same again is kept once."""
    entries = recall.entries
    if not entries or entries[-1] != text:
        entries = (*entries, text)
    return Recall(entries)


def older(recall: Recall, draft: str) -> tuple[Recall, str] | None:
    """Bring back the entry before; None when there is none."""
    at = len(recall.entries) if recall.at is None else recall.at
    if at == 0:
        return None
    kept = draft if recall.at is None else recall.draft
    return replace(recall, at=at - 1, draft=kept), recall.entries[at - 1]


def newer(recall: Recall) -> tuple[Recall, str] | None:
    """Go back towards the draft; None when it is in the input already."""
    if recall.at is None:
        return None
    if recall.at + 1 < len(recall.entries):
        return replace(recall, at=recall.at + 1), recall.entries[recall.at + 1]
    return replace(recall, at=None, draft=""), recall.draft
