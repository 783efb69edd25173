"""The record of `curl`: it may fetch one URL, and with other options write, send or read files."""

import re

from actors.bash.effects.effect_rules import EffectRule
from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects
from actors.bash.effects.option_parsing import split_names
from actors.bash.effects.possible_commands import search_arguments
from actors.bash.effects.written_paths import WrittenPaths
from actors.bash.programs.program import Program
from actors.bash.syntax.parsed_command import Word, Words

_URL = re.compile(r"https?://\S+")
_FLAGS = "sSfLgiIvN046#"
_WITH_VALUE = "HAXmweuo"
_LONG_FLAGS = split_names(
    "silent show-error fail fail-with-body location globoff include head verbose progress-bar "
    "no-progress-meter no-buffer compressed http1.1 http2 ipv4 ipv6 retry-all-errors "
    "retry-connrefused version help"
)
_LONG_WITH_VALUE = split_names(
    "header user-agent request max-time connect-timeout retry retry-delay retry-max-time write-out "
    "referer user output"
)
_OUTPUT_OPTIONS = {"o", "output"}


def _find_unlisted(words: Words) -> str:
    """Return the first word that may do more than fetch one page, or an empty string."""
    has_url = False
    rest = iter(words)
    for word in rest:
        if not word.text.startswith("-"):
            if has_url or not (_URL.fullmatch(word.text) and _is_one_argument(word)):
                return word.text
            has_url = True
            continue
        option, value = _read_option(word.text)
        if not option:
            return word.text
        following = next(rest, None) if value is None else word._replace(text=value)
        if following is None or not (_is_one_argument(following) and _is_safe(option, following)):
            return word.text
    return ""


def _read_option(text: str) -> tuple[str, str | None]:
    """Return the last option in a word and its value; None: the next word. Empty: not listed."""
    if text.startswith("--"):
        name = text[2:]
        return (
            (name, None) if name in _LONG_WITH_VALUE else (name if name in _LONG_FLAGS else "", "")
        )
    for at, char in enumerate(text):
        if at and char in _WITH_VALUE:
            return char, text[at + 1 :] or None
        if at and char not in _FLAGS:
            return "", ""
    return text[1:], ""


def _is_safe(option: str, value: Word) -> bool:
    """Whether curl uses a value as it is: after `@` it reads a file, and `%output` writes one."""
    if option in _OUTPUT_OPTIONS:
        return value.text == "/dev/null"
    return not value.text.startswith("@") and "%output" not in value.text


def _is_one_argument(word: Word) -> bool:
    return word.is_literal or (word.is_one_word and word.is_never_option)


def _analyze(words: Words, _stdin: str) -> IndirectEffects:
    """Ask unless it only prints one page, fetched by HTTP."""
    found = _find_unlisted(words[1:])
    return IndirectEffects(f"`{found}` may write, send or read other data") if found else NO_EFFECTS


_EFFECT_RULE: EffectRule = search_arguments(_analyze)
CURL = Program(
    "curl",
    _EFFECT_RULE,
    has_listed_options=True,
    path_marker="@",
    writes=WrittenPaths(output_options=("-o", "--output")),
)
