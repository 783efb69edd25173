"""Lists other spellings of a command, which ask and deny rules match as well."""

from collections.abc import Iterator
from itertools import islice, pairwise

from actors.bash.programs.program import Program
from actors.bash.syntax.parsed_command import Word, Words, join_words

_MAX_SKIPPED_WORDS = 64
"""Words that are skipped to find the subcommand."""


def list_aliases(program: Program, words: Words, text: str) -> tuple[str, ...]:
    """List a command by its bare name, and without the options before its subcommand."""
    bare_words = (Word(words[0].text.rpartition("/")[2]), *words[1:])
    aliases = [join_words(bare_words)]
    if program.list_spellings is not None:
        aliases.extend(program.list_spellings(bare_words))
    elif has_leading_options(program, words):
        bare = bare_words[0]
        tails = islice(_list_subcommand_tails(words), _MAX_SKIPPED_WORDS)
        aliases.extend(join_words((bare, *tail)) for tail in tails)
        aliases.extend(join_words((bare, *rest)) for rest in _drop_options(words))
    return tuple(alias for alias in dict.fromkeys(aliases) if alias != text)


def has_too_many_options(program: Program, words: Words) -> bool:
    """Whether a command may have more options before its subcommand than are skipped."""
    return len(words) > _MAX_SKIPPED_WORDS and has_leading_options(program, words)


def has_leading_options(program: Program, words: Words) -> bool:
    """Whether a program with subcommands has options that may come before the subcommand."""
    return program.has_subcommands and any(map(_is_option, words[1:]))


def _is_option(word: Word) -> bool:
    return word.text[:1] in {"-", "+"}


def _list_subcommand_tails(words: Words) -> Iterator[Words]:
    """List the words from each possible subcommand on: after options, or after their values."""
    at = 1
    while at < len(words):
        if not _is_option(words[at]):
            yield words[at:]
            if not _may_take_value(words[at - 1]):
                return
        at += 1


def _drop_options(words: Words) -> Iterator[Words]:
    """Drop all options (`gh pr -R x merge`), first without and then with their possible values."""
    yield tuple([word for word in words[1:] if not _is_option(word)])
    yield tuple(
        [
            word
            for previous, word in pairwise(words)
            if not (_is_option(word) or _may_take_value(previous))
        ]
    )


def _may_take_value(word: Word) -> bool:
    return word.text[:1] == "-" and "=" not in word.text
