"""Long pastes stand in the input as one word, and are sent whole. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count

from shell.view.number_format import format_count

MAX_UNFOLDED_LINES = 8
MAX_UNFOLDED_CHARS = 1_000
"""A longer paste is folded: it would push everything else off the screen."""


@dataclass(frozen=True, slots=True)
class FoldedPastes:
    """What each word stands for."""

    text_by_placeholder: Mapping[str, str] = field(default_factory=dict[str, str])


def fold(pastes: FoldedPastes, text: str) -> tuple[FoldedPastes, str]:
    """Say what goes into the input for pasted text: the text, or a word for it."""
    lines = text.removesuffix("\n").count("\n") + 1
    if text.count("\n") < MAX_UNFOLDED_LINES and len(text) <= MAX_UNFOLDED_CHARS:
        return pastes, text
    size = format_count(lines, "line") if lines > 1 else format_count(len(text), "character")
    numbered = (f"[pasted {size} #{number}]" for number in count(2))
    word = next(
        word
        for word in chain([f"[pasted {size}]"], numbered)
        if word not in pastes.text_by_placeholder
    )
    return replace(pastes, text_by_placeholder={**pastes.text_by_placeholder, word: text}), word


def unfold(pastes: FoldedPastes, draft: str) -> str:
    """Put the whole text in the place of each word that is still there."""
    if not pastes.text_by_placeholder:
        return draft
    words = re.compile("|".join(map(re.escape, pastes.text_by_placeholder)))
    return words.sub(lambda found: pastes.text_by_placeholder[found[0]], draft)


def has_folded_paste(pastes: FoldedPastes, draft: str) -> bool:
    """Whether part of a draft is folded."""
    return any(word in draft for word in pastes.text_by_placeholder)


def without_placeholder(pastes: FoldedPastes, placeholder: str) -> FoldedPastes:
    """Forget what a word stood for."""
    return replace(
        pastes,
        text_by_placeholder={
            each: pastes.text_by_placeholder[each]
            for each in pastes.text_by_placeholder
            if each != placeholder
        },
    )


def find_placeholder_before(pastes: FoldedPastes, before: str) -> str:
    """Find the word that ends at the cursor; it is deleted as one character is."""
    return next((word for word in pastes.text_by_placeholder if before.endswith(word)), "")
