"""Long pastes, shown in the input as a short placeholder and sent in full. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count

from shell.view.number_format import format_count

MAX_UNFOLDED_LINES = 8
MAX_UNFOLDED_CHARS = 1_000
"""Longer pastes are folded: they would push everything else off the screen."""


@dataclass(frozen=True, slots=True)
class FoldedPastes:
    """The full text of each placeholder."""

    text_by_placeholder: Mapping[str, str] = field(default_factory=dict[str, str])


def fold(pastes: FoldedPastes, text: str) -> tuple[FoldedPastes, str]:
    """Return what to insert for pasted text: the text or, if it is long, a placeholder."""
    lines = text.removesuffix("\n").count("\n") + 1
    if text.count("\n") < MAX_UNFOLDED_LINES and len(text) <= MAX_UNFOLDED_CHARS:
        return pastes, text
    size = format_count(lines, "line") if lines > 1 else format_count(len(text), "character")
    numbered = (f"[pasted {size} #{number}]" for number in count(2))
    placeholder = next(
        candidate
        for candidate in chain([f"[pasted {size}]"], numbered)
        if candidate not in pastes.text_by_placeholder
    )
    text_by_placeholder = {**pastes.text_by_placeholder, placeholder: text}
    return replace(pastes, text_by_placeholder=text_by_placeholder), placeholder


def unfold(pastes: FoldedPastes, draft: str) -> str:
    """Replace each placeholder that is still in the draft with its full text."""
    if not pastes.text_by_placeholder:
        return draft
    placeholders = re.compile("|".join(map(re.escape, pastes.text_by_placeholder)))
    return placeholders.sub(lambda match: pastes.text_by_placeholder[match[0]], draft)


def merge(pastes: FoldedPastes, earlier: FoldedPastes) -> FoldedPastes | None:
    """Add the pastes of an earlier draft; None: a placeholder stands for two texts."""
    both = {**pastes.text_by_placeholder, **earlier.text_by_placeholder}
    has_conflict = any(both[name] != text for name, text in pastes.text_by_placeholder.items())
    return None if has_conflict else FoldedPastes(both)


def has_folded_paste(pastes: FoldedPastes, draft: str) -> bool:
    """Return whether the draft contains a placeholder."""
    return any(placeholder in draft for placeholder in pastes.text_by_placeholder)


def without_placeholder(pastes: FoldedPastes, placeholder: str) -> FoldedPastes:
    """Forget a placeholder."""
    return replace(
        pastes,
        text_by_placeholder={
            other: text
            for other, text in pastes.text_by_placeholder.items()
            if other != placeholder
        },
    )


def find_placeholder_before(pastes: FoldedPastes, before: str) -> str:
    """Return the placeholder that ends at the cursor, which is deleted as one character."""
    return next(
        (placeholder for placeholder in pastes.text_by_placeholder if before.endswith(placeholder)),
        "",
    )
