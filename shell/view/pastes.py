"""Long pastes stand in the input as one word, and are sent whole. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count

from shell.view.figures import counted

MOST_LINES = 8
MOST_CHARS = 1_000
"""A longer paste is folded: it would push everything else off the screen."""


@dataclass(frozen=True, slots=True)
class Pastes:
    """What each word stands for."""

    whole: Mapping[str, str] = field(default_factory=dict[str, str])


def folded(pastes: Pastes, text: str) -> tuple[Pastes, str]:
    """Say what goes into the input for pasted text: the text, or a word for it."""
    lines = text.removesuffix("\n").count("\n") + 1
    if text.count("\n") < MOST_LINES and len(text) <= MOST_CHARS:
        return pastes, text
    size = counted(lines, "line") if lines > 1 else counted(len(text), "character")
    numbered = (f"[pasted {size} #{number}]" for number in count(2))
    word = next(word for word in chain([f"[pasted {size}]"], numbered) if word not in pastes.whole)
    return replace(pastes, whole={**pastes.whole, word: text}), word


def unfolded(pastes: Pastes, draft: str) -> str:
    """Put the whole text in the place of each word that is still there."""
    if not pastes.whole:
        return draft
    words = re.compile("|".join(map(re.escape, pastes.whole)))
    return words.sub(lambda found: pastes.whole[found[0]], draft)


def holds_any(pastes: Pastes, draft: str) -> bool:
    """Whether part of a draft is folded."""
    return any(word in draft for word in pastes.whole)


def without(pastes: Pastes, word: str) -> Pastes:
    """Forget what a word stood for."""
    return replace(
        pastes, whole={each: pastes.whole[each] for each in pastes.whole if each != word}
    )


def word_before(pastes: Pastes, before: str) -> str:
    """Find the word that ends at the cursor; it is deleted as one character is."""
    return next((word for word in pastes.whole if before.endswith(word)), "")
