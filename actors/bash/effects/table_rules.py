"""Kinds of rows for the table of commands that run or write through their arguments."""

from collections.abc import Callable

from actors.bash.effects.command_options import OptionSpec, WrapperOptions
from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects, Words
from actors.bash.programs.shells import join_words

EffectRule = Callable[[Words, str], IndirectEffects]
"""From the words of a command (its name first) and the text on its input."""

_NO_OPTIONS = OptionSpec()
_NO_LEADING = WrapperOptions()
_MOST_GUESSES = 32


def ask_always(why: str) -> EffectRule:
    """Ask, whatever the arguments."""
    return lambda _words, _stdin: IndirectEffects(why)


def runs_command(why: str, options: WrapperOptions = _NO_LEADING) -> EffectRule:
    """Ask; the command it runs stands behind its own options."""

    def hidden(words: Words, _stdin: str) -> IndirectEffects:
        command = options.find_command(words[1:])
        while command and command[0].text in {"!", "{"}:
            command = command[1:]
        commands = (command,) if command else ()
        return IndirectEffects(why, commands, _beside(words, len(words) - len(command)))

    return hidden


def _beside(words: Words, start: int) -> tuple[Words, ...]:
    """List what else may be the command, should an option take a value or none against the row."""
    places = (*range(2, min(start, _MOST_GUESSES)), *([start + 1] if start > 1 else []))
    return tuple(words[at:] for at in places if words[at : at + 1] and words[at].text[:1] != "-")


def runs_script(
    why: str, options: WrapperOptions = _NO_LEADING, max_operands: int | None = None
) -> EffectRule:
    """Ask; its operands, joined, are a text for a shell; `only` the first so many."""

    def hidden(words: Words, _stdin: str) -> IndirectEffects:
        operands = options.find_command(words[1:])
        operands = operands[1:] if operands and operands[0].text == "--" else operands
        text = join_words(operands[:max_operands])
        return IndirectEffects(why, scripts=(text,) if text else ())

    return hidden


def ask_on_options(why: str, options: OptionSpec, *, on_assignments: bool = False) -> EffectRule:
    """Ask where one of these options stands, or may stand, among the arguments.

    `assignments` are `NAME=value` arguments that do the same harm.
    """

    def hidden(words: Words, _stdin: str) -> IndirectEffects:
        found = options.find_first(words[1:])
        if on_assignments and not found:
            found = next((word.text for word in words[1:] if "=" in word.text), "")
        return IndirectEffects(f"{found}: {why}") if found else NO_EFFECTS

    return hidden


def ask_unless_subcommand(why: str, subcommands: tuple[str, ...]) -> EffectRule:
    """Ask unless the first argument is one of these words."""

    def hidden(words: Words, _stdin: str) -> IndirectEffects:
        first = words[1] if len(words) > 1 else None
        return (
            NO_EFFECTS
            if first and first.is_literal and first.text in subcommands
            else IndirectEffects(why)
        )

    return hidden


def ask_on_words(
    why: str,
    trigger_words: tuple[str, ...],
    options: OptionSpec = _NO_OPTIONS,
    prefixes: tuple[str, ...] = (),
) -> EffectRule:
    """Ask where one of these words, options or beginnings of a word is among the arguments."""

    def hidden(words: Words, _stdin: str) -> IndirectEffects:
        texts = [word.text for word in words[1:]]
        said = [text for text in texts if text in trigger_words or text.startswith(prefixes)]
        found = said[0] if said else options.find_first(words[1:])
        return IndirectEffects(f"{found}: {why}") if found else NO_EFFECTS

    return hidden


def first_match(first: EffectRule, second: EffectRule) -> EffectRule:
    """Ask for what the first finds, else for what the second does."""

    def hidden(words: Words, stdin: str) -> IndirectEffects:
        found = first(words, stdin)
        return found if found.ask_reason else second(words, stdin)

    return hidden


def ask_on_second_operand(why: str) -> EffectRule:
    """Ask where a second operand is given: the file it writes."""

    def hidden(words: Words, _stdin: str) -> IndirectEffects:
        found = _NO_OPTIONS.find_first(words[1:])
        operands = [word for word in words[1:] if word.text == "-" or word.text[:1] not in "-+"]
        return IndirectEffects(why) if found or len(operands) > 1 else NO_EFFECTS

    return hidden


def search_all_operands(guard: EffectRule) -> EffectRule:
    """Look for commands behind every operand, where options hide which of them is the command."""

    def hidden(words: Words, stdin: str) -> IndirectEffects:
        found = guard(words, stdin)
        return find_commands_anywhere(found.ask_reason, words) if found.ask_reason else found

    return hidden


def find_commands_anywhere(why: str, words: Words) -> IndirectEffects:
    """Ask, and take what begins at any operand for a command."""
    guesses: list[Words] = []
    scripts: list[str] = []
    for at, word in enumerate(words):
        text = _script_in(word.text)
        if at and text:
            scripts.append(text)
        elif at and len(guesses) < _MOST_GUESSES and not word.text.startswith("-"):
            guesses.append(words[at:])
    return IndirectEffects(why, possible_commands=tuple(guesses), scripts=tuple(scripts))


def _script_in(text: str) -> str:
    """Take a word with blanks for a text to run; behind `NAME=` and `!` if it has them."""
    if " " not in text or " " not in text.strip():
        return ""
    name, equals, value = text.partition("=")
    return (value if equals and " " not in name else text).lstrip("!")


def skip_script_arguments(guard: EffectRule) -> EffectRule:
    """Pass over the name of a script that is run, and what it is given behind `--`."""

    def hidden(words: Words, stdin: str) -> IndirectEffects:
        if len(words) > len(("npm", "run")) and words[1].text in {"run", "run-script"}:
            end = next((at for at, word in enumerate(words) if word.text == "--"), len(words))
            name = words[2:3] if words[2].text.startswith("-") else ()
            words = (*words[:2], *name, *words[3:end])
        return guard(words, stdin)

    return hidden


def accept_bundled_options(guard: EffectRule) -> EffectRule:
    """Read the first argument as options, though it has no dash (`tar xf`)."""

    def hidden(words: Words, stdin: str) -> IndirectEffects:
        first = words[1:2]
        if first and first[0].text.isalpha():
            first = (first[0]._replace(text=f"-{first[0].text}"),)
        return guard((*words[:1], *first, *words[2:]), stdin)

    return hidden
