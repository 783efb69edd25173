"""Kinds of rows for the table of commands that run or write through their arguments."""

from collections.abc import Callable

from actors.permissions.commands.hidden import NOTHING, Hidden, Words
from actors.permissions.commands.options import Leading, OptionSpec
from actors.permissions.commands.shells import joined

EffectRule = Callable[[Words, str], Hidden]
"""From the words of a command (its name first) and the text on its input."""

_NO_OPTIONS = OptionSpec()
_NO_LEADING = Leading()
_MOST_GUESSES = 32


def always(why: str) -> EffectRule:
    """Ask, whatever the arguments."""
    return lambda _words, _stdin: Hidden(why)


def runs(why: str, leading: Leading = _NO_LEADING) -> EffectRule:
    """Ask; the command it runs stands behind its own options."""

    def hidden(words: Words, _stdin: str) -> Hidden:
        command = leading.command(words[1:])
        while command and command[0].text in {"!", "{"}:
            command = command[1:]
        commands = (command,) if command else ()
        return Hidden(why, commands, _beside(words, len(words) - len(command)))

    return hidden


def _beside(words: Words, start: int) -> tuple[Words, ...]:
    """List what else may be the command, should an option take a value or none against the row."""
    places = (*range(2, min(start, _MOST_GUESSES)), *([start + 1] if start > 1 else []))
    return tuple(words[at:] for at in places if words[at : at + 1] and words[at].text[:1] != "-")


def scripts(why: str, leading: Leading = _NO_LEADING, only: int | None = None) -> EffectRule:
    """Ask; its operands, joined, are a text for a shell; `only` the first so many."""

    def hidden(words: Words, _stdin: str) -> Hidden:
        operands = leading.command(words[1:])
        operands = operands[1:] if operands and operands[0].text == "--" else operands
        text = joined(operands[:only])
        return Hidden(why, scripts=(text,) if text else ())

    return hidden


def when(why: str, options: OptionSpec, *, assignments: bool = False) -> EffectRule:
    """Ask where one of these options stands, or may stand, among the arguments.

    `assignments` are `NAME=value` arguments that do the same harm.
    """

    def hidden(words: Words, _stdin: str) -> Hidden:
        found = options.first_in(words[1:])
        if assignments and not found:
            found = next((word.text for word in words[1:] if "=" in word.text), "")
        return Hidden(f"{found}: {why}") if found else NOTHING

    return hidden


def unless(why: str, operands: tuple[str, ...]) -> EffectRule:
    """Ask unless the first argument is one of these words."""

    def hidden(words: Words, _stdin: str) -> Hidden:
        first = words[1] if len(words) > 1 else None
        return NOTHING if first and first.literal and first.text in operands else Hidden(why)

    return hidden


def among(
    why: str,
    operands: tuple[str, ...],
    options: OptionSpec = _NO_OPTIONS,
    beginnings: tuple[str, ...] = (),
) -> EffectRule:
    """Ask where one of these words, options or beginnings of a word is among the arguments."""

    def hidden(words: Words, _stdin: str) -> Hidden:
        texts = [word.text for word in words[1:]]
        said = [text for text in texts if text in operands or text.startswith(beginnings)]
        found = said[0] if said else options.first_in(words[1:])
        return Hidden(f"{found}: {why}") if found else NOTHING

    return hidden


def either(first: EffectRule, second: EffectRule) -> EffectRule:
    """Ask for what the first finds, else for what the second does."""

    def hidden(words: Words, stdin: str) -> Hidden:
        found = first(words, stdin)
        return found if found.why else second(words, stdin)

    return hidden


def second_operand(why: str) -> EffectRule:
    """Ask where a second operand is given: the file it writes."""

    def hidden(words: Words, _stdin: str) -> Hidden:
        found = _NO_OPTIONS.first_in(words[1:])
        operands = [word for word in words[1:] if word.text == "-" or word.text[:1] not in "-+"]
        return Hidden(why) if found or len(operands) > 1 else NOTHING

    return hidden


def seen_through(guard: EffectRule) -> EffectRule:
    """Look for commands behind every operand, where options hide which of them is the command."""

    def hidden(words: Words, stdin: str) -> Hidden:
        found = guard(words, stdin)
        return anywhere_in(found.why, words) if found.why else found

    return hidden


def anywhere_in(why: str, words: Words) -> Hidden:
    """Ask, and take what begins at any operand for a command."""
    guesses: list[Words] = []
    scripts: list[str] = []
    for at, word in enumerate(words):
        text = _script_in(word.text)
        if at and text:
            scripts.append(text)
        elif at and len(guesses) < _MOST_GUESSES and not word.text.startswith("-"):
            guesses.append(words[at:])
    return Hidden(why, guesses=tuple(guesses), scripts=tuple(scripts))


def _script_in(text: str) -> str:
    """Take a word with blanks for a text to run; behind `NAME=` and `!` if it has them."""
    if " " not in text or " " not in text.strip():
        return ""
    name, equals, value = text.partition("=")
    return (value if equals and " " not in name else text).lstrip("!")


def of_scripts(guard: EffectRule) -> EffectRule:
    """Pass over the name of a script that is run, and what it is given behind `--`."""

    def hidden(words: Words, stdin: str) -> Hidden:
        if len(words) > len(("npm", "run")) and words[1].text in {"run", "run-script"}:
            end = next((at for at, word in enumerate(words) if word.text == "--"), len(words))
            name = words[2:3] if words[2].text.startswith("-") else ()
            words = (*words[:2], *name, *words[3:end])
        return guard(words, stdin)

    return hidden


def clustered(guard: EffectRule) -> EffectRule:
    """Read the first argument as options, though it has no dash (`tar xf`)."""

    def hidden(words: Words, stdin: str) -> Hidden:
        first = words[1:2]
        if first and first[0].text.isalpha():
            first = (first[0]._replace(text=f"-{first[0].text}"),)
        return guard((*words[:1], *first, *words[2:]), stdin)

    return hidden
