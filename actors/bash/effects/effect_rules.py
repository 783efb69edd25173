"""Kinds of effect rules, for tables of commands that run or write through their arguments.

Each takes an effect as a predicate, such as "runs another program", which becomes the reason:
"it runs another program", or "`--pre` runs another program" where an option causes it.
"""

import re
from collections.abc import Callable

from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects
from actors.bash.effects.option_parsing import OptionSpec, WrapperOptions, find_unlisted_option
from actors.bash.syntax.parsed_command import Words, join_words

EffectRule = Callable[[Words, str], IndirectEffects]
"""From the words of a command (its name first) and the text on its standard input."""

_NO_OPTIONS = OptionSpec()
_NO_WRAPPER_OPTIONS = WrapperOptions()
_MAX_GUESSES = 32


def ask_always(effect: str) -> EffectRule:
    """Ask, regardless of the arguments."""
    return lambda _words, _stdin: IndirectEffects(f"it {effect}")


def runs_command(effect: str, options: WrapperOptions = _NO_WRAPPER_OPTIONS) -> EffectRule:
    """Ask; the command that it runs follows its own options."""

    def analyze(words: Words, _stdin: str) -> IndirectEffects:
        command = options.find_command(words[1:])
        while command and command[0].text in {"!", "{"}:
            command = command[1:]
        commands = (command,) if command else ()
        guesses = _list_nearby_commands(words, len(words) - len(command))
        return IndirectEffects(f"it {effect}", commands, guesses)

    return analyze


def _list_nearby_commands(words: Words, start: int) -> tuple[Words, ...]:
    """List the other possible commands, in case the table is wrong about which options take values.

    `start` is the index of the command according to the table.
    """
    indexes = (*range(2, min(start, _MAX_GUESSES)), *([start + 1] if start > 1 else []))
    return tuple(words[at:] for at in indexes if words[at : at + 1] and words[at].text[:1] != "-")


def runs_script(
    effect: str, options: WrapperOptions = _NO_WRAPPER_OPTIONS, max_operands: int | None = None
) -> EffectRule:
    """Ask; its first `max_operands` operands, joined, form a script for a shell."""

    def analyze(words: Words, _stdin: str) -> IndirectEffects:
        operands = options.find_command(words[1:])
        operands = operands[1:] if operands and operands[0].text == "--" else operands
        text = join_words(operands[:max_operands])
        return IndirectEffects(f"it {effect}", scripts=(text,) if text else ())

    return analyze


def ask_on_options(effect: str, options: OptionSpec) -> EffectRule:
    """Ask if one of these options is, or may be, among the arguments."""

    def analyze(words: Words, _stdin: str) -> IndirectEffects:
        found = options.find_first(words[1:])
        return IndirectEffects(f"`{found}` {effect}") if found else NO_EFFECTS

    return analyze


def ask_unless_listed(safe_options: str, safe_operands: str = ".*") -> EffectRule:
    """Ask about an option or an operand that its pattern does not match completely."""
    options, operands = re.compile(safe_options), re.compile(safe_operands, re.DOTALL)

    def analyze(words: Words, _stdin: str) -> IndirectEffects:
        found = find_unlisted_option(options, words[1:])
        unsafe = (
            word.text
            for word in words[1:]
            if word.text[:1] != "-" and not operands.fullmatch(word.text)
        )
        found = found or next(unsafe, "")
        return IndirectEffects(f"`{found}` is not known to be safe") if found else NO_EFFECTS

    return analyze


def ask_unless_subcommand(
    effect: str, subcommands: tuple[str, ...], options: WrapperOptions | None = None
) -> EffectRule:
    """Ask unless the first argument, or with `options` the first operand, is one of these words."""

    def analyze(words: Words, _stdin: str) -> IndirectEffects:
        arguments = options.find_command(words[1:]) if options else words[1:]
        first = arguments[0] if arguments else None
        is_safe = first is not None and first.is_literal and first.text in subcommands
        return NO_EFFECTS if is_safe else IndirectEffects(f"it {effect}")

    return analyze


def ask_on_words(
    effect: str,
    trigger_words: tuple[str, ...],
    options: OptionSpec = _NO_OPTIONS,
    prefixes: tuple[str, ...] = (),
) -> EffectRule:
    """Ask if one of these words, prefixes of a word or options is among the arguments."""

    def analyze(words: Words, _stdin: str) -> IndirectEffects:
        texts = [word.text for word in words[1:]]
        matches = [text for text in texts if text in trigger_words or text.startswith(prefixes)]
        found = matches[0] if matches else options.find_first(words[1:])
        return IndirectEffects(f"`{found}` {effect}") if found else NO_EFFECTS

    return analyze


def first_match(first: EffectRule, second: EffectRule) -> EffectRule:
    """Apply the first rule; if it does not ask, apply the second."""

    def analyze(words: Words, stdin: str) -> IndirectEffects:
        effects = first(words, stdin)
        return effects if effects.ask_reason else second(words, stdin)

    return analyze


def ask_on_second_operand(effect: str) -> EffectRule:
    """Ask if there is a second operand: the file that it writes."""

    def analyze(words: Words, _stdin: str) -> IndirectEffects:
        found = _NO_OPTIONS.find_first(words[1:])
        operands = [word for word in words[1:] if word.text == "-" or word.text[:1] not in "-+"]
        return IndirectEffects(f"it {effect}") if found or len(operands) > 1 else NO_EFFECTS

    return analyze


def search_all_operands(rule: EffectRule) -> EffectRule:
    """Treat every operand as a possible command: which one it is depends on the options."""

    def analyze(words: Words, stdin: str) -> IndirectEffects:
        effects = rule(words, stdin)
        if not effects.ask_reason:
            return effects
        return find_commands_anywhere(effects.ask_reason, words)

    return analyze


def find_commands_anywhere(ask_reason: str, words: Words) -> IndirectEffects:
    """Ask, with a possible command at every operand."""
    guesses: list[Words] = []
    scripts: list[str] = []
    for at, word in enumerate(words):
        script = _extract_script(word.text)
        if at and script:
            scripts.append(script)
        elif at and len(guesses) < _MAX_GUESSES and not word.text.startswith("-"):
            guesses.append(words[at:])
    return IndirectEffects(ask_reason, possible_commands=tuple(guesses), scripts=tuple(scripts))


def _extract_script(text: str) -> str:
    """Return a word with blanks as a script to run, without a leading `NAME=` and `!`."""
    if " " not in text or " " not in text.strip():
        return ""
    name, equals, value = text.partition("=")
    return (value if equals and " " not in name else text).lstrip("!")


def skip_script_arguments(rule: EffectRule) -> EffectRule:
    """Ignore the name of a package script that is run, and the arguments after `--`."""

    def analyze(words: Words, stdin: str) -> IndirectEffects:
        if len(words) > len(("npm", "run")) and words[1].text in {"run", "run-script"}:
            end = next((at for at, word in enumerate(words) if word.text == "--"), len(words))
            name = words[2:3] if words[2].text.startswith("-") else ()
            words = (*words[:2], *name, *words[3:end])
        return rule(words, stdin)

    return analyze


def accept_bundled_options(rule: EffectRule) -> EffectRule:
    """Read the letters of the first argument as options even without a dash (`tar xf`)."""

    def analyze(words: Words, stdin: str) -> IndirectEffects:
        first = words[1:2]
        if first and first[0].text.isalpha():
            first = tuple([first[0]._replace(text=f"-{letter}") for letter in first[0].text])
        return rule((*words[:1], *first, *words[2:]), stdin)

    return analyze
