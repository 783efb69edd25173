"""Fuzzy search: rank texts by how well a few typed letters match them. Pure."""

import heapq
import re
from collections.abc import Iterable
from itertools import islice

_PREFIX, _WORD_PREFIX, _SUBSTRING, _SCATTERED = range(4)
_WORD_SEPARATORS = "/-_. "

MatchRank = tuple[int, int, int]


def find_best_matches(query: str, texts: Iterable[str], limit: int) -> list[str]:
    """Return the texts that contain the letters of `query` in order, the best match first."""
    if not query:
        return list(islice(texts, limit))
    scattered = re.compile(".*?".join(map(re.escape, query.lower())), re.DOTALL)
    ranked = (
        (rank, number, text)
        for number, text in enumerate(texts)
        if (rank := _rank(query.lower(), text.lower(), scattered)) is not None
    )
    return [text for _, _, text in heapq.nsmallest(limit, ranked)]


def _rank(query: str, text: str, scattered: "re.Pattern[str]") -> MatchRank | None:
    """Rank a match: start of the file name, start of a word, anywhere, then scattered letters."""
    name = text.rpartition("/")[2]
    if name.startswith(query) or text.startswith(query):
        return _PREFIX, text.count("/"), len(text)
    start = text.rfind(query)
    if start > 0:
        kind = _WORD_PREFIX if text[start - 1] in _WORD_SEPARATORS else _SUBSTRING
        return kind, text.count("/"), len(text)
    match = scattered.search(text)
    return (_SCATTERED, match.end() - match.start(), len(text)) if match else None
