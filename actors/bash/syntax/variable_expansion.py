"""Expands words as far as the text itself shows what they stand for.

The results can be wrong or incomplete, so only deny rules and protection may use them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, product

from actors.bash.syntax.loop_expansion import ForLoop
from actors.bash.syntax.parsed_command import Word, Words
from actors.bash.syntax.simple_command import SimpleCommand

Value = tuple[str, ...]
"""The values of a variable as words: one, or several for an array and for `$@`."""
Variables = dict[str, tuple[Value, ...]]
"""The values that a text gives to each variable, regardless of the order of its commands."""

_MAX_EXPANSIONS = 64
"""Expansions of one command, of one word, and values of one variable."""
_MAX_REFERENCES = 8
"""References in one word that are followed."""
_SPLIT = "\x01"
"""Separates words where bash splits even inside quotes: `"$@"`, `{a,b}`."""
_KEPT = "\x02"
"""Stands for the `$` of a reference that is not followed."""
_REFERENCE = re.compile(
    r"\$(?:(\d|[A-Za-z_]\w*|[@*])"
    r"|\{(\w+|[@*])(?:\[[^][{}]*\])?(?::?[-=+]([^{}]*)|[^\w{}][^{}]*)?\})"
)
"""`$x`, `${x}`, `${x[0]}`, `${x:-default}`, `${x#prefix}`; another one inside comes first."""
_PRINTED = re.compile(r"(?:\$\(|`)(?:which|echo|printf|command -v|type -[pP])\s++([\w./ -]++)[`)]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_QUOTES = str.maketrans("", "", "\"'")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.DOTALL)
_ARRAY = re.compile(rb"(?<![\w$])([A-Za-z_]\w*)\+?=\(([^()]*)\)")
_READERS = {"read", "mapfile", "readarray"}
_MAY_EXPAND = re.compile(r"[$`{*?[~]")


def collect_variables(
    source: bytes,
    commands: Iterable[SimpleCommand],
    loops: Iterable[ForLoop],
    functions: Iterable[str],
) -> Variables:
    """Find the values that a text gives to variables, and to the arguments of its functions."""
    found = [*_list_values(commands, frozenset(functions))]
    found += [(loop.variable, (value.text,)) for loop in loops for value in loop.values]
    for match in _ARRAY.finditer(source):
        name = match[1].decode()
        elements = tuple(match[2].decode(errors="replace").translate(_QUOTES).split())
        found += [(name, elements), *((name, (element,)) for element in elements)]
    variables: Variables = {}
    for name, value in dict.fromkeys(found):
        variables[name] = (*variables.get(name, ()), value)[:_MAX_EXPANSIONS]
    return variables


def bind_arguments(arguments: Sequence[str], first: int = 1) -> Variables:
    """Return the variables for the arguments of a function, or with `first` 0, of `sh -c`."""
    variables: Variables = {
        str(number): ((text,),)
        for number, text in enumerate(arguments, first)
        if number < 10  # noqa: PLR2004
    }
    everything = tuple(arguments[1 - first :])
    return variables | {"@": (everything,), "*": (everything,)}


def merge_variables(first: Variables, second: Variables) -> Variables:
    """Return the values of both."""
    merged = dict(first)
    for name, values in second.items():
        merged[name] = tuple(dict.fromkeys((*merged.get(name, ()), *values)))[:_MAX_EXPANSIONS]
    return merged


def expand_words(words: Words, variables: Mapping[str, tuple[Value, ...]]) -> list[Words]:
    """List what a command may be after its expansions; not the command as it is written."""
    if all(word.is_literal for word in words):
        return []
    # The first words vary fastest, because they say which command it is.
    choices = [
        [(word,)] if word.is_literal else _expand_word(word, variables) for word in reversed(words)
    ]
    commands = (
        tuple(chain.from_iterable(reversed(combination)))
        for combination in islice(product(*choices), _MAX_EXPANSIONS)
    )
    return [command for command in dict.fromkeys(commands) if command and command != words]


def _list_values(
    commands: Iterable[SimpleCommand], functions: frozenset[str]
) -> Iterator[tuple[str, Value]]:
    for command in commands:
        words = [word.text for word in command.words]
        for text in (*command.assignments, *words):
            match = _ASSIGNMENT.fullmatch(text)
            if match:
                yield match[1], (match[2],)
        name = words[0] if words else ""
        if name in _READERS:
            yield from ((text, (command.here_string,)) for text in words[1:])
        if name == "set" or name in functions:
            arguments = words[2:] if words[1:2] == ["--"] else words[1:]
            for variable, values in bind_arguments(arguments).items():
                yield from ((variable, value) for value in values)


def _expand_word(word: Word, variables: Mapping[str, tuple[Value, ...]]) -> list[Words]:
    """List the words that one word may become."""
    text = _PRINTED.sub(lambda match: match[1], word.text)
    reference = None if word.is_one_word else _REFERENCE.fullmatch(text)
    is_optional = reference is not None and not reference[3]
    texts = islice(_expand_references(text, variables, _MAX_REFERENCES), _MAX_EXPANSIONS)
    choices = [_split(_expand_braces(expanded), word) for expanded in texts]
    return [*dict.fromkeys((*choices, ()) if is_optional else choices)]


def _expand_references(
    text: str, variables: Mapping[str, tuple[Value, ...]], left: int
) -> Iterator[str]:
    match = _REFERENCE.search(text) if left else None
    if match is None:
        yield text.replace(_KEPT, "$")
        return
    before, after = text[: match.start()], text[match.end() :]
    candidates = [_SPLIT.join(value) for value in variables.get(match[1] or match[2], ())]
    if match[3] is not None:
        candidates.append(match[3].translate(_QUOTES))
    elif match[1] == "IFS" or match[2] == "IFS":
        candidates.append(" ")
    elif not candidates:
        candidates.append(_KEPT + match.group()[1:])
    for candidate in candidates:
        yield from _expand_references(before + candidate + after, variables, left - 1)


def _expand_braces(text: str) -> str:
    """Expand braces to words, the innermost ones first."""
    pending, expanded = [text], dict[str, None]()
    while pending and len(expanded) + len(pending) < _MAX_EXPANSIONS:
        candidate = pending.pop(0)
        braces = _BRACES.search(candidate)
        if braces is None:
            expanded[candidate] = None
            continue
        choices = braces[1].split(",")
        pending[:0] = [
            candidate[: braces.start()] + choice + candidate[braces.end() :] for choice in choices
        ]
    return _SPLIT.join([*expanded, *pending])


def _split(text: str, word: Word) -> Words:
    if text == word.text:
        return (word,)  # nothing was expanded, so no piece of it is a word of its own
    pieces = text.split(_SPLIT)
    if not word.is_one_word:
        pieces = [piece for part in pieces for piece in part.split()]
    return tuple(Word(piece, is_literal=not _MAY_EXPAND.search(piece)) for piece in pieces)
