"""Texts among the arguments of a command that may be commands themselves; only denies hear them."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from actors.bash.effects.indirect_effects import IndirectEffects, Words
from actors.bash.effects.table_rules import EffectRule
from actors.bash.syntax.expansions import find_backticks, find_substitutions
from actors.bash.syntax.parsed_command import Word

TextFinder = Callable[[Words], Iterator[str]]
"""Finds texts among the words of a command."""
WordListFinder = Callable[[Words], Iterator[Words]]
"""Finds commands that are given word by word."""

_NO_WORD = Word("")
_MOST = 32
"""Words that are looked at."""
_STRING = re.compile(
    r"""\\.|("(?>(?:[^"\n\\]|\\.)*)"|'(?>(?:[^'\n\\]|\\.)*)'|`(?>(?:[^`\n\\]|\\.)*)`)"""
)
"""Group 1 is a string with its quotes; else it is a character that a backslash quotes."""
_BETWEEN_QUOTES = re.compile(r"""["'`]([^"'`\n]*+)["'`]""")
"""As above, for what an apostrophe in another string or a comment puts out of step."""
_OPERATOR = re.compile(r"(?:\bq[xqw]?|%[xwWqQ]?)\s*+[(\[{<|/!]([^)\]}>|/!\n]++)")
"""What Perl, Ruby and rpm take for a string without quotes."""
_COMMA = re.compile(r"\s*+,?\s*+(?>(?:nil\s++)*)(?>(?:[\[({]\s*+(?:\w++\s*+[:=]?\s*+)?)*)")
"""Between two words of an argument list: `'a', ['b'`, `"a", {args: ["b"`, `"a" (list "b"`."""
_ESCAPE = re.compile(
    r"(?:!|(?<![A-Za-z0-9])(?i:shell|system|exec|spawn|sh|e?syscmd)\b[\s:(`]*+)\s*+([\w./~][^\n\"'`)]*+)"
)
"""How a command is run from inside an editor, a debugger, a client."""
_EXECUTED = re.compile(r"(?:^|[;{}$!/\d\s])e\s+(\S[^\n;}]*)|[\d$!/]e([\w./~][^\n;}]*)")
_REPLACED = re.compile(r"s([^\w\s\\])(?>(?:(?!\1)[^\n])*)\1((?>(?:(?!\1)[^\n])*))\1[gpiImM0-9]*+e")
"""What the `e` of `sed` runs, as a command and behind `s`."""
_TAKES_A_COMMAND = re.compile(
    r"--?[\w.-]*?(?:exec|execute|command|cmd|run|eval|shell|script|hook|invoke|wrapper|launcher"
    r"|pager|editor|preview)\b"
)
"""An option that a program nobody knows may take a command by."""
_ASSIGNED = re.compile(r"[A-Za-z_][\w.-]*+\+?=(.*+)", re.DOTALL)
_COMMAND_OPTION = re.compile(r"(?:\w{1,32}Command[ \t]++|\"[^\"]*+\":)(.*+)", re.DOTALL)
"""`ssh -o 'ProxyCommand x'`, `bind -x '"key":x'`."""


def search_arguments(guard: EffectRule) -> EffectRule:
    """See the commands that stand in one argument, or behind an option's `=`."""
    return _with(guard, _texts)


def search_code(guard: EffectRule) -> EffectRule:
    """See the commands that stand in a program among the arguments, in strings and in lists."""
    return _with(guard, _coded, _listed)


def search_sed_scripts(guard: EffectRule) -> EffectRule:
    """See what a script of `sed` runs."""
    return _with(guard, _executed)


def search_expansions(guard: EffectRule) -> EffectRule:
    """See the substitutions that stand in quoted arguments: the shell may expand them again."""
    return _with(guard, _expansions)


def search_assigned_values(guard: EffectRule) -> EffectRule:
    """See what variables are set to: some of them are commands to programs."""
    return _with(guard, _values)


def find_option_commands(words: Words) -> tuple[str, ...]:
    """Find the commands that options name, by how they are called alone."""
    if not any(" " in word.text for word in words):
        return ()
    found: list[str] = []
    for word, after in pairwise((*words[: _MOST + 1], _NO_WORD)):
        if word.text.startswith("-") and _TAKES_A_COMMAND.match(word.text):
            value = word.text.partition("=")[2] or after.text
            found += [strip_command_prefix(value)] if " " in value else []
    return tuple(found)


def find_commands_in_code(code: str) -> tuple[tuple[str, ...], tuple[Words, ...]]:
    """Find what a program may run: texts, and commands as words."""
    words = (Word(""), Word(code))
    return (*_coded(words), *_executed(words)), tuple(_listed(words))


def strip_command_prefix(value: str) -> str:
    """Take what a variable is set to for a command; empty: it can be none."""
    return value.lstrip("|!- \t\n")


def extract_option_value(text: str) -> str:
    """Take what an option's word holds beside its name; a transport's command, too."""
    if text.startswith("--"):
        return text.partition("=")[2]
    text = text[2:] if text.startswith("-") else text
    return text.partition("::")[2].replace("% ", "\\ ") or text


def _no_lists(_words: Words) -> Iterator[Words]:
    return iter(())


def _with(guard: EffectRule, texts: TextFinder, lists: WordListFinder = _no_lists) -> EffectRule:
    def hidden(words: Words, stdin: str) -> IndirectEffects:
        found = guard(words, stdin)
        if not found.ask_reason:
            return found
        seen = words[:_MOST]
        told = dict.fromkeys([*found.possible_scripts, *texts(seen)])
        return found._replace(
            possible_commands=(*found.possible_commands, *dict.fromkeys(lists(seen))),
            possible_scripts=tuple([each for each in told if each not in found.scripts]),
        )

    return hidden


def _texts(words: Words) -> Iterator[str]:
    for before, word in pairwise(words):
        value = extract_option_value(word.text)
        of_option = word.text[:1] == "-" or before.text[:1] == "-"
        name, equals, assigned = value.partition("=")
        if value and (" " in value or of_option):
            named = _COMMAND_OPTION.match(value)
            yield named[1] if named else value
        if equals and " " not in name and assigned and (of_option or " " in assigned):
            yield assigned
        if of_option and "," in value and " " not in value:
            yield value.replace(",", " ")
    yield from _expansions(words)


def _strings(code: str) -> Iterator[re.Match[str]]:
    return (found for found in _STRING.finditer(code) if found[1])


def _coded(words: Words) -> Iterator[str]:
    for word in words[1:]:
        code = word.text
        yield from (found[1] for found in _ESCAPE.finditer(code))
        yield from (found[1].strip() for found in _OPERATOR.finditer(code))
        for found in (*_strings(code), *_BETWEEN_QUOTES.finditer(code)):
            string = found.group()[1:-1]
            text = string.strip(" \\")
            opened = code[max(found.start() - 1, 0) : found.start()] in {"(", "["}
            if text and (" " in string or opened):
                yield text


def _listed(words: Words) -> Iterator[Words]:
    """Find commands that are given as lists of words, each in quotes."""
    for word in words[1:]:
        code, end = word.text, 0
        run: list[Word] = []
        for found in _strings(code):
            if run and not _COMMA.fullmatch(code, end, found.start()):
                yield from _as_command(run)
                run = []
            run.append(Word(found.group()[1:-1].rstrip("\\")))
            end = found.end()
        yield from _as_command(run)


def _as_command(run: list[Word]) -> Iterator[Words]:
    """Take a list for a command; a mode (`"-|"`) or a name may stand before it."""
    yield from (tuple(run[at:]) for at in range(min(2, len(run) - 1)))


def _executed(words: Words) -> Iterator[str]:
    for word in words[1:]:
        yield from (found[1] or found[2] for found in _EXECUTED.finditer(word.text))
        yield from (found[2].strip() for found in _REPLACED.finditer(word.text))


def _values(words: Words) -> Iterator[str]:
    for word in words[1:]:
        found = _ASSIGNED.fullmatch(word.text)
        if found:
            yield strip_command_prefix(found[1])


def _expansions(words: Words) -> Iterator[str]:
    for word in words[1:]:
        if "$(" in word.text or "`" in word.text:
            yield from _substituted(word)


def _substituted(word: Word) -> Iterator[str]:
    source = word.text.encode(errors="replace")
    end = len(source)
    found = (*find_substitutions(source, 0, end), *find_backticks(source, 0, end))
    yield from (text.decode(errors="replace") for _, text in found)
