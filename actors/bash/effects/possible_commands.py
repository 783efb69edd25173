"""Finds texts in the arguments of a command that may be commands; only deny rules match them."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from actors.bash.effects.effect_rules import EffectRule
from actors.bash.effects.indirect_effects import IndirectEffects
from actors.bash.syntax.expansions import find_backticks, find_substitutions
from actors.bash.syntax.parsed_command import Word, Words

TextFinder = Callable[[Words], Iterator[str]]
"""Finds texts among the words of a command."""
WordListFinder = Callable[[Words], Iterator[Words]]
"""Finds commands that are given as lists of words."""

_EMPTY_WORD = Word("")
_MAX_WORDS = 32
"""Words that are searched."""
_STRING = re.compile(
    r"""\\.|("(?>(?:[^"\n\\]|\\.)*)"|'(?>(?:[^'\n\\]|\\.)*)'|`(?>(?:[^`\n\\]|\\.)*)`)"""
)
"""Group 1 is a string with its quotes; without it, the match is an escaped character."""
_BETWEEN_QUOTES = re.compile(r"""["'`]([^"'`\n]*+)["'`]""")
"""For strings that `_STRING` misses because of an apostrophe in another string or a comment."""
_QUOTE_OPERATOR = re.compile(r"(?:\bq[xqw]?|%[xwWqQ]?)\s*+[(\[{<|/!]([^)\]}>|/!\n]++)")
"""Strings without quotes in Perl, Ruby and rpm."""
_LIST_SEPARATOR = re.compile(r"\s*+,?\s*+(?>(?:nil\s++)*)(?>(?:[\[({]\s*+(?:\w++\s*+[:=]?\s*+)?)*)")
"""Between two words of an argument list: `'a', ['b'`, `"a", {args: ["b"`, `"a" (list "b"`."""
_SHELL_ESCAPE = re.compile(
    r"(?:!|(?<![A-Za-z0-9])(?i:shell|system|exec|spawn|sh|e?syscmd)\b[\s:(`]*+)\s*+([\w./~][^\n\"'`)]*+)"
)
"""A command that is run from inside an editor, a debugger or a client."""
_SED_EXECUTE = re.compile(r"(?:^|[;{}$!/\d\s])e\s+(\S[^\n;}]*)|[\d$!/]e([\w./~][^\n;}]*)")
_SED_SUBSTITUTE = re.compile(
    r"s([^\w\s\\])(?>(?:(?!\1)[^\n])*)\1((?>(?:(?!\1)[^\n])*))\1[gpiImM0-9]*+e"
)
"""What `e` in `sed` runs, as a command and as a flag of `s`."""
_COMMAND_OPTION = re.compile(
    r"--?[\w.-]*?(?:exec|execute|command|cmd|run|eval|shell|script|hook|invoke|wrapper|launcher"
    r"|pager|editor|preview)\b"
)
"""An option of an unknown program that may take a command."""
_ASSIGNMENT = re.compile(r"[A-Za-z_][\w.-]*+\+?=(.*+)", re.DOTALL)
_COMMAND_VALUE = re.compile(r"(?:\w{1,32}Command[ \t]++|\"[^\"]*+\":)(.*+)", re.DOTALL)
"""`ssh -o 'ProxyCommand x'`, `bind -x '"key":x'`."""


def search_arguments(rule: EffectRule) -> EffectRule:
    """Also find commands in single arguments and in option values after `=`."""
    return _add_search(rule, _find_in_arguments)


def search_code(rule: EffectRule) -> EffectRule:
    """Also find commands in program text among the arguments: in strings and in lists."""
    return _add_search(rule, _find_in_code, _find_lists_in_code)


def search_sed_scripts(rule: EffectRule) -> EffectRule:
    """Also find the commands that a `sed` script runs."""
    return _add_search(rule, _find_in_sed_scripts)


def search_expansions(rule: EffectRule) -> EffectRule:
    """Also find substitutions in quoted arguments, which the shell may expand again."""
    return _add_search(rule, _find_in_expansions)


def search_assigned_values(rule: EffectRule) -> EffectRule:
    """Also find the values of variables: programs run some of them as commands."""
    return _add_search(rule, _find_assigned_values)


def find_option_commands(words: Words) -> tuple[str, ...]:
    """Find commands in the values of options whose names suggest that they take one."""
    if not any(" " in word.text for word in words):
        return ()
    commands: list[str] = []
    for word, following in pairwise((*words[: _MAX_WORDS + 1], _EMPTY_WORD)):
        if word.text.startswith("-") and _COMMAND_OPTION.match(word.text):
            value = word.text.partition("=")[2] or following.text
            commands += [strip_command_prefix(value)] if " " in value else []
    return tuple(commands)


def find_commands_in_code(code: str) -> tuple[tuple[str, ...], tuple[Words, ...]]:
    """Find what a program may run: texts, and commands as words."""
    words = (_EMPTY_WORD, Word(code))
    texts = (*_find_in_code(words), *_find_in_sed_scripts(words))
    return texts, tuple(_find_lists_in_code(words))


def strip_command_prefix(value: str) -> str:
    """Return the value of a variable as a command, without `|`, `!` and `-` before it."""
    return value.lstrip("|!- \t\n")


def extract_option_value(text: str) -> str:
    """Return the value attached to an option; for `ext::…`, the command of the transport."""
    if text.startswith("--"):
        return text.partition("=")[2]
    text = text[2:] if text.startswith("-") else text
    return text.partition("::")[2].replace("% ", "\\ ") or text


def _find_no_lists(_words: Words) -> Iterator[Words]:
    return iter(())


def _add_search(
    rule: EffectRule, find_texts: TextFinder, find_lists: WordListFinder = _find_no_lists
) -> EffectRule:
    """Add what the finders find to the effects of a rule, if the rule asks."""

    def analyze(words: Words, stdin: str) -> IndirectEffects:
        effects = rule(words, stdin)
        if not effects.ask_reason:
            return effects
        searched = words[:_MAX_WORDS]
        texts = dict.fromkeys([*effects.possible_scripts, *find_texts(searched)])
        lists = dict.fromkeys(find_lists(searched))
        return effects._replace(
            possible_commands=(*effects.possible_commands, *lists),
            possible_scripts=tuple([text for text in texts if text not in effects.scripts]),
        )

    return analyze


def _find_in_arguments(words: Words) -> Iterator[str]:
    for previous, word in pairwise(words):
        value = extract_option_value(word.text)
        is_option = word.text[:1] == "-" or previous.text[:1] == "-"
        name, equals, assigned = value.partition("=")
        if value and (" " in value or is_option):
            match = _COMMAND_VALUE.match(value)
            yield match[1] if match else value
        if equals and " " not in name and assigned and (is_option or " " in assigned):
            yield assigned
        if is_option and "," in value and " " not in value:
            yield value.replace(",", " ")
    yield from _find_in_expansions(words)


def _find_strings(code: str) -> Iterator[re.Match[str]]:
    return (match for match in _STRING.finditer(code) if match[1])


def _find_in_code(words: Words) -> Iterator[str]:
    for word in words[1:]:
        code = word.text
        yield from (match[1] for match in _SHELL_ESCAPE.finditer(code))
        yield from (match[1].strip() for match in _QUOTE_OPERATOR.finditer(code))
        for match in (*_find_strings(code), *_BETWEEN_QUOTES.finditer(code)):
            string = match.group()[1:-1]
            text = string.strip(" \\")
            is_first_argument = code[max(match.start() - 1, 0) : match.start()] in {"(", "["}
            if text and (" " in string or is_first_argument):
                yield text


def _find_lists_in_code(words: Words) -> Iterator[Words]:
    """Find commands that are given as lists of quoted words."""
    for word in words[1:]:
        code, end = word.text, 0
        strings: list[Word] = []
        for match in _find_strings(code):
            if strings and not _LIST_SEPARATOR.fullmatch(code, end, match.start()):
                yield from _list_commands(strings)
                strings = []
            strings.append(Word(match.group()[1:-1].rstrip("\\")))
            end = match.end()
        yield from _list_commands(strings)


def _list_commands(strings: list[Word]) -> Iterator[Words]:
    """Take a list as a command, with and without its first item: a mode (`"-|"`) or a name."""
    yield from (tuple(strings[at:]) for at in range(min(2, len(strings) - 1)))


def _find_in_sed_scripts(words: Words) -> Iterator[str]:
    for word in words[1:]:
        yield from (match[1] or match[2] for match in _SED_EXECUTE.finditer(word.text))
        yield from (match[2].strip() for match in _SED_SUBSTITUTE.finditer(word.text))


def _find_assigned_values(words: Words) -> Iterator[str]:
    for word in words[1:]:
        match = _ASSIGNMENT.fullmatch(word.text)
        if match:
            yield strip_command_prefix(match[1])


def _find_in_expansions(words: Words) -> Iterator[str]:
    for word in words[1:]:
        if "$(" in word.text or "`" in word.text:
            yield from _find_substituted_commands(word)


def _find_substituted_commands(word: Word) -> Iterator[str]:
    source = word.text.encode(errors="replace")
    end = len(source)
    commands = (*find_substitutions(source, 0, end), *find_backticks(source, 0, end))
    for _, text in commands:
        yield text.decode(errors="replace").removeprefix("shell ")  # as `make` writes it
