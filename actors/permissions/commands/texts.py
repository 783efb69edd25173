"""Texts among the arguments of a command that may be commands themselves; only denies hear them."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from actors.permissions.commands.command import Word
from actors.permissions.commands.expansions import backticks, substitutions
from actors.permissions.commands.guards import Guard
from actors.permissions.commands.hidden import Hidden, Words

Texts = Callable[[Words], Iterator[str]]
"""Finds texts among the words of a command."""

_MOST = 32
"""Words that are looked at."""
_STRING = re.compile(r"""["'`]([^"'`\n]*+)["'`]""")
_EXECUTED = re.compile(r"(?:^|[;{}$!/\d\s])e\s+(\S[^\n;}]*)")
"""What the `e` of `sed` runs."""


def in_texts(guard: Guard) -> Guard:
    """See the commands that stand in one argument, or behind an option's `=`."""
    return _with(guard, _texts)


def in_code(guard: Guard) -> Guard:
    """See the commands that stand in strings of a program among the arguments."""
    return _with(guard, _strings)


def in_expansions(guard: Guard) -> Guard:
    """See the substitutions that stand in quoted arguments: the shell may expand them again."""
    return _with(guard, _expansions)


def value_of(text: str) -> str:
    """Take what an option's word holds beside its name; a transport's command, too."""
    if text.startswith("--"):
        return text.partition("=")[2]
    text = text[2:] if text.startswith("-") else text
    return text.partition("::")[2] or text


def _with(guard: Guard, texts: Texts) -> Guard:
    def hidden(words: Words, stdin: str) -> Hidden:
        found = guard(words, stdin)
        if not found.why:
            return found
        told = dict.fromkeys(texts(words[:_MOST]))
        return found._replace(guessed=tuple(each for each in told if each not in found.scripts))

    return hidden


def _texts(words: Words) -> Iterator[str]:
    for before, word in pairwise(words):
        value = value_of(word.text)
        name, equals, assigned = value.partition("=")
        if value and (" " in value or word.text[:1] == "-" or before.text[:1] == "-"):
            yield value
        if equals and " " not in name and " " in assigned:
            yield assigned
    yield from _expansions(words)


def _strings(words: Words) -> Iterator[str]:
    for word in words[1:]:
        strings = (found[1].strip() for found in _STRING.finditer(word.text))
        yield from (text for text in strings if " " in text)
        yield from (found[1] for found in _EXECUTED.finditer(word.text))


def _expansions(words: Words) -> Iterator[str]:
    for word in words[1:]:
        if "$(" in word.text or "`" in word.text:
            yield from _substituted(word)


def _substituted(word: Word) -> Iterator[str]:
    source = word.text.encode(errors="replace")
    end = len(source)
    found = (*substitutions(source, 0, end), *backticks(source, 0, end))
    yield from (text.decode(errors="replace") for _, text in found)
