"""Effect rules of commands that take a program among their arguments: awk, interpreters."""

import re
from itertools import pairwise

from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects
from actors.bash.effects.option_parsing import OptionSpec, find_command_or_output_option
from actors.bash.syntax.parsed_command import Word, Words

_MODULE_OPTION = re.compile(r"-[bBdEiIOPqRsSuvx]*m(\w*)")
_PRINTF_OPTIONS = OptionSpec("v")
_PRINTF_ASSIGNMENT = re.compile(r"(?<!%)(?:%%)*%[-+ #0'*.\dhlLjzt]*n")
_FILE_NAME = re.compile(r"""["'`]([^"'`\s]{1,255})["'`]|\bw!?(?:\s+|(?=[./~]))([^\s|]{1,255})""")


def find_file_names_in_code(words: Words) -> Words:
    """List the texts in a program among the arguments that may be file names."""
    matches = (match for word in words[1:] for match in _FILE_NAME.finditer(word.text))
    return tuple(Word(match[1] or match[2]) for match in matches)


def analyze_printf(words: Words, _stdin: str) -> IndirectEffects:
    """Ask if `printf` sets a variable: with `-v`, or with `%n` in its format."""
    found = _PRINTF_OPTIONS.find_first(words[1:])
    format_text = next((word.text for word in words[1:] if word.text != "--"), "")
    if not found and _PRINTF_ASSIGNMENT.search(format_text):
        found = format_text
    return IndirectEffects(f"`{found}` sets a variable") if found else NO_EFFECTS


class InterpreterRule:
    """The effect rule of an interpreter, which may run its arguments or its input as code."""

    def __init__(
        self, short: str, modules: tuple[str, ...], long: tuple[str, ...], short_with_value: str
    ) -> None:
        """Create a rule from the options that carry code and the modules that run code.

        `short_with_value` are other short options that take the next word.
        """
        self._options = OptionSpec(short, long, short_with_value)
        self._modules = modules
        self._short_with_value = short_with_value

    def __call__(self, words: Words, stdin: str) -> IndirectEffects:
        """Ask for code among the arguments or on standard input; a script file does not ask."""
        operands = [at for at, word in enumerate(words) if at and word.text[:1] != "-"]
        first = operands[0] if operands else 0
        script = next((at for at in operands if not self._may_be_value(words, at)), len(words))
        own_words = words[1 : script + 1]
        if _runs_nothing_from_input(words):
            return NO_EFFECTS
        attached = [
            match[1] for word in own_words if (match := _MODULE_OPTION.fullmatch(word.text))
        ]
        if self._modules and any(name in self._modules for name in attached):
            return IndirectEffects(f"the module `{attached[0]}` can run code")
        if not first or stdin or words[1].text == "-":
            return IndirectEffects("it runs code from its input")
        pairs = pairwise(own_words)
        module = next((word.text for previous, word in pairs if _precedes_module(previous)), "")
        if module in self._modules:
            return IndirectEffects(f"the module `{module}` can run code")
        found = self._options.find_first(own_words)
        if not found and (module or attached):
            found = find_command_or_output_option(words)
        return IndirectEffects(f"`{found}` may run code or write a file") if found else NO_EFFECTS

    def _may_be_value(self, words: Words, at: int) -> bool:
        """Whether a word may be the value of the option before it, so options may still follow."""
        previous = words[at - 1].text
        if previous.startswith("--"):
            return "=" not in previous and len(previous) > len("--")
        return previous[:1] == "-" and previous[-1:] in {*self._short_with_value}


def _precedes_module(word: Word) -> bool:
    match = _MODULE_OPTION.fullmatch(word.text)
    return match is not None and not match[1]


def make_interpreter_rule(
    short: str,
    modules: tuple[str, ...] = (),
    *,
    long: tuple[str, ...] = (),
    short_with_value: str = "",
) -> InterpreterRule:
    """Make the effect rule of an interpreter."""
    return InterpreterRule(short, modules, long, short_with_value)


def _runs_nothing_from_input(words: Words) -> bool:
    options = (["--version"], ["-V"], ["-v"], ["--help"], ["-h"], ["--test"])
    return [word.text for word in words[1:]] in options
