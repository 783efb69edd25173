"""Which of many texts is meant by a few letters of it. Pure."""

import heapq
import re
from collections.abc import Iterable
from itertools import islice

_BEGINS, _WORD_BEGINS, _HOLDS, _SCATTERED = range(4)
_WORD_ENDS = "/-_. "

MatchRank = tuple[int, int, int]


def find_best_matches(query: str, texts: Iterable[str], limit: int) -> list[str]:
    """Name the texts that hold the letters of `wanted` in order, the likeliest first."""
    if not query:
        return list(islice(texts, limit))
    spread = re.compile(".*?".join(map(re.escape, query.lower())), re.DOTALL)
    ranked = (
        (rank, number, text)
        for number, text in enumerate(texts)
        if (rank := _rank(query.lower(), text.lower(), spread)) is not None
    )
    return [text for _, _, text in heapq.nsmallest(limit, ranked)]


def _rank(wanted: str, text: str, spread: "re.Pattern[str]") -> MatchRank | None:
    """Order by where the letters stand: begin of the last part of a path, of a word, anywhere."""
    last = text.rpartition("/")[2]
    if last.startswith(wanted) or text.startswith(wanted):
        return _BEGINS, text.count("/"), len(text)
    at = text.rfind(wanted)
    if at > 0:
        how = _WORD_BEGINS if text[at - 1] in _WORD_ENDS else _HOLDS
        return how, text.count("/"), len(text)
    found = spread.search(text)
    return (_SCATTERED, found.end() - found.start(), len(text)) if found else None
