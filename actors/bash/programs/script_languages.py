"""Effect rules of commands that take a program among their arguments: sed, awk, interpreters."""

import re
from itertools import pairwise

from actors.bash.effects.command_options import OptionSpec
from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects
from actors.bash.syntax.parsed_command import Word, Words

_SED_ADDRESS = r"(?:\d+|\$|\d+~\d+)"
_SED_COMMAND = (
    rf"(?:(?:{_SED_ADDRESS}(?:,\+?{_SED_ADDRESS})?)?!?[pdq=]"
    rf"|(?:{_SED_ADDRESS}(?:,{_SED_ADDRESS})?)?s/[^/\\\n;{{}}]*/[^/\\\n;{{}}]*/[gpiI0-9]*)"
)
_PLAIN_SED_SCRIPT = re.compile(rf"{_SED_COMMAND}|(?!.*\[){_SED_COMMAND}(?>(?:; ?{_SED_COMMAND})*)")
"""Prints, deletions, and substitutions whose ends are certain; no `e`, `w`, `r` or block.

Within `[…]` a `/` does not end a pattern, so a `[` makes it uncertain where commands begin.
"""
_SED_OPTIONS = {"-n", "-E", "-r", "-s", "-u", "-z", "--quiet", "--silent", "--regexp-extended"}
_MODULE_OPTION = re.compile(r"-[bBdEiIOPqRsSuvx]*m(\w*)")
_VERSION_SUFFIX = re.compile(r"\d[\d.]*$")
_LANGUAGE_COMMANDS = frozenset(
    ["awk", "gawk", "mawk", "nawk", "sed", "gsed", "perl", "python", "ruby", "node", "php", "lua"]
) | {"bun", "deno", "tclsh", "vi", "vim", "nvim", "ex", "ed"}
_CLOCK_OPTIONS = OptionSpec("s", ("set",), "dfrI")
_PRINTF_OPTIONS = OptionSpec("v")
_PRINTF_ASSIGNMENT = re.compile(r"(?<!%)(?:%%)*%[-+ #0'*.\dhlLjzt]*n")
_FILE_NAME = re.compile(r"""["'`]([^"'`\s]{1,255})["'`]|\bw!?(?:\s+|(?=[./~]))([^\s|]{1,255})""")
_UNSAFE_AWK = re.compile(r"system|getline|close|[|>@\\]|ENVIRON")


def find_file_names_in_code(words: Words) -> Words:
    """List the texts in a program among the arguments that may be file names."""
    bare = words[0].text.rpartition("/")[2]
    name = bare if bare.isalpha() else _VERSION_SUFFIX.sub("", bare)
    if name not in _LANGUAGE_COMMANDS:
        return ()
    matches = (match for word in words[1:] for match in _FILE_NAME.finditer(word.text))
    return tuple(Word(match[1] or match[2]) for match in matches)


def analyze_sed(words: Words, _stdin: str) -> IndirectEffects:
    """Ask unless the script is one plain print, deletion or substitution."""
    arguments = [word for word in words[1:] if word.text not in _SED_OPTIONS]
    if arguments and arguments[0].text in {"-e", "--expression"}:
        arguments.pop(0)
    if not arguments:
        return NO_EFFECTS
    script, files = arguments[0], arguments[1:]
    if not script.is_literal or not _PLAIN_SED_SCRIPT.fullmatch(script.text):
        return IndirectEffects("the sed script may run commands or write files")
    unsafe = next(
        (word.text for word in files if not word.is_never_option or word.text.startswith("-")), ""
    )
    return IndirectEffects(f"`{unsafe}` may make sed write files") if unsafe else NO_EFFECTS


def analyze_awk(words: Words, _stdin: str) -> IndirectEffects:
    """Ask if the program may run a command or write a file, or is not fully visible."""
    at = 1
    while at < len(words) and words[at].text.startswith("-F"):
        at += 2 if words[at].text == "-F" else 1
    if at >= len(words):
        return NO_EFFECTS
    program, files = words[at], words[at + 1 :]
    if not program.is_literal or program.text.startswith("-") or _UNSAFE_AWK.search(program.text):
        return IndirectEffects("the awk program may run commands or write files")
    unsafe = [
        word.text
        for word in files
        if not word.is_never_option or "=" in word.text or word.text[:1] == "-"
    ]
    return IndirectEffects(f"awk may run `{unsafe[0]}` as code") if unsafe else NO_EFFECTS


def analyze_date(words: Words, _stdin: str) -> IndirectEffects:
    """Ask if `date` sets the clock: with `-s`, or with an operand that is not a format."""
    found = _CLOCK_OPTIONS.find_first(words[1:])
    is_value = False
    for word in words[1:]:
        if not is_value and word.text[:1] not in {"+", "-"}:
            found = found or word.text
        is_value = word.text in {"-d", "-f", "-r", "--date", "--file", "--reference"}
    return IndirectEffects(f"`{found}` may set the system clock") if found else NO_EFFECTS


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
        if _only_prints_information(words):
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
        return IndirectEffects(f"`{found}` may run code") if found else NO_EFFECTS

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


def _only_prints_information(words: Words) -> bool:
    return [word.text for word in words[1:]] in (["--version"], ["-V"], ["--help"], ["-h"])
