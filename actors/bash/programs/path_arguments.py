"""Finds arguments that may be paths, for rules that deny reading them."""

import re
from collections.abc import Iterator

from actors.bash.programs.program import Program
from actors.bash.syntax.parsed_command import Word, Words

_CLUSTER = re.compile(r"-[A-Za-z]{2,6}(?=[A-Za-z]*[./])")
"""Short options, the last of which may have a path attached."""


def find_possible_read_paths(program: Program, arguments: Words) -> Words:
    """List every argument and option value that may be a path."""
    if program.takes_text:
        return ()
    marker = program.path_marker
    has_inner_paths = bool(marker) or program.mounts_paths
    found: list[Word] = []
    for word in arguments:
        if word.text[:1] != "-" and "=" not in word.text and not has_inner_paths:
            found.append(word)
            continue
        for value in _list_values(word):
            found.append(value)
            if marker and marker in value.text:
                found.append(value.with_text(value.text.rpartition(marker)[2]))
            if program.mounts_paths:
                found.append(value.with_text(value.text.partition(":")[0]))
    found += _list_referenced_files(found)
    return tuple([word for word in found if word.text])


def _list_referenced_files(words: list[Word]) -> list[Word]:
    """List files that arguments refer to: `@list`, `file:///list`."""
    return [
        word.with_text(word.text.rpartition("file://")[2].removeprefix("@"))
        for word in words
        if word.text[:1] == "@" or "file://" in word.text
    ]


def _list_values(word: Word) -> Iterator[Word]:
    """List the possible paths in a word: itself, the text after `=`, attached option values."""
    text = word.text
    name, equals, value = text.partition("=")
    if not text.startswith("-"):
        yield word.with_text(value) if equals and name.isidentifier() and value else word
        return
    if equals and value:
        yield word.with_text(value)
    if text[1:2] != "-":
        yield from (word.with_text(attached) for attached in _list_attached_values(text))


def _list_attached_values(text: str) -> Iterator[str]:
    """List the possible attached values in a cluster of short options."""
    if text[2:]:
        yield text[2:]
    cluster = _CLUSTER.match(text)
    if cluster:
        yield from (text[at:] for at in range(3, cluster.end() + 1))
