"""Commands that take a program among their arguments: sed, awk, interpreters."""

import re
from itertools import pairwise

from actors.bash.effects.command_options import OptionSpec
from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects, Words
from actors.bash.syntax.parsed_command import Word

_SED_ADDRESS = r"(?:\d+|\$|\d+~\d+)"
_SED_COMMAND = (
    rf"(?:(?:{_SED_ADDRESS}(?:,\+?{_SED_ADDRESS})?)?!?[pdq=]"
    rf"|(?:{_SED_ADDRESS}(?:,{_SED_ADDRESS})?)?s/[^/\\\n;{{}}]*/[^/\\\n;{{}}]*/[gpiI0-9]*)"
)
_SED_PLAIN = re.compile(rf"{_SED_COMMAND}|(?!.*\[){_SED_COMMAND}(?>(?:; ?{_SED_COMMAND})*)")
"""Prints, deletes, and substitutions whose ends are beyond doubt: no `e`, `w`, `r`, no block.

Within `[…]` a `/` ends nothing, so that of several commands one may be what we take for another.
"""
_SED_OPTIONS = {"-n", "-E", "-r", "-s", "-u", "-z", "--quiet", "--silent", "--regexp-extended"}
_MODULE = re.compile(r"-[bBdEiIOPqRsSuvx]*m(\w*)")
_VERSION = re.compile(r"\d[\d.]*$")
_LANGUAGES = frozenset(
    ["awk", "gawk", "mawk", "nawk", "sed", "gsed", "perl", "python", "ruby", "node", "php", "lua"]
) | {"bun", "deno", "tclsh", "vi", "vim", "nvim", "ex", "ed"}
_NAMES = re.compile(r"""["'`]([^"'`\s]{1,255})["'`]|\bw!?(?:\s+|(?=[./~]))([^\s|]{1,255})""")
_AWK_ACTS = re.compile(r"system|getline|close|[|>@\\]|ENVIRON")


def find_file_names_in_code(words: Words) -> Words:
    """List the texts in a program among the arguments that may be names of files."""
    bare = words[0].text.rpartition("/")[2]
    name = bare if bare.isalpha() else _VERSION.sub("", bare)
    if name not in _LANGUAGES:
        return ()
    found = (match for word in words[1:] for match in _NAMES.finditer(word.text))
    return tuple(Word(match[1] or match[2]) for match in found)


def analyze_sed(words: Words, _stdin: str) -> IndirectEffects:
    """Ask unless the script is one plain print, deletion or substitution."""
    arguments = [word for word in words[1:] if word.text not in _SED_OPTIONS]
    if arguments and arguments[0].text in {"-e", "--expression"}:
        arguments.pop(0)
    if not arguments:
        return NO_EFFECTS
    script, files = arguments[0], arguments[1:]
    if not script.is_literal or not _SED_PLAIN.fullmatch(script.text):
        return IndirectEffects("a sed script may run commands and write files")
    odd = next(
        (word.text for word in files if not word.is_never_option or word.text.startswith("-")), ""
    )
    return IndirectEffects(f"{odd}: sed may write files") if odd else NO_EFFECTS


def analyze_awk(words: Words, _stdin: str) -> IndirectEffects:
    """Ask where the program may run a command or write a file, or is not all to be seen."""
    at = 1
    while at < len(words) and words[at].text.startswith("-F"):
        at += 2 if words[at].text == "-F" else 1
    if at >= len(words):
        return NO_EFFECTS
    program, files = words[at], words[at + 1 :]
    if not program.is_literal or program.text.startswith("-") or _AWK_ACTS.search(program.text):
        return IndirectEffects("an awk program may run commands and write files")
    odd = [
        word.text
        for word in files
        if not word.is_never_option or "=" in word.text or word.text[:1] == "-"
    ]
    return IndirectEffects(f"{odd[0]}: awk may take it for code") if odd else NO_EFFECTS


_CLOCK = OptionSpec("s", ("set",), "dfrI")


def analyze_date(words: Words, _stdin: str) -> IndirectEffects:
    """Ask where `date` sets the clock: by `-s`, or by an operand that is no format."""
    found = _CLOCK.find_first(words[1:])
    valued = False
    for word in words[1:]:
        if not valued and word.text[:1] not in {"+", "-"}:
            found = found or word.text
        valued = word.text in {"-d", "-f", "-r", "--date", "--file", "--reference"}
    return IndirectEffects(f"{found}: it sets the clock") if found else NO_EFFECTS


_PRINTF = OptionSpec("v")
_SETTING = re.compile(r"(?<!%)(?:%%)*%[-+ #0'*.\dhlLjzt]*n")


def analyze_printf(words: Words, _stdin: str) -> IndirectEffects:
    """Ask where `printf` sets a variable: by `-v`, or by `%n` in its format."""
    found = _PRINTF.find_first(words[1:])
    form = next((word.text for word in words[1:] if word.text != "--"), "")
    if not found and _SETTING.search(form):
        found = form
    return IndirectEffects(f"{found}: it sets a variable") if found else NO_EFFECTS


class InterpreterRule:
    """A row for a language: what makes it run its arguments or its input."""

    def __init__(
        self, short: str, modules: tuple[str, ...], long: tuple[str, ...], valued: str
    ) -> None:
        """Take the options that carry code, and the modules that take code as an argument.

        `valued` are short options beside those that take the next word.
        """
        self._options = OptionSpec(short, long, valued)
        self._modules = modules
        self._valued = valued

    def __call__(self, words: Words, stdin: str) -> IndirectEffects:
        """Ask for code among the arguments or on the input; a script's own name is no secret."""
        operands = [at for at, word in enumerate(words) if at and word.text[:1] != "-"]
        first = operands[0] if operands else 0
        script = next((at for at in operands if not self._may_be_value(words, at)), len(words))
        own = words[1 : script + 1]
        if _only_asks(words):
            return NO_EFFECTS
        attached = [found[1] for word in own if (found := _MODULE.fullmatch(word.text))]
        if self._modules and any(name in self._modules for name in attached):
            return IndirectEffects(f"{attached[0]} runs code")
        if not first or stdin or words[1].text == "-":
            return IndirectEffects("it runs what it reads")
        module = next((word.text for before, word in pairwise(own) if _names_module(before)), "")
        return IndirectEffects(f"{module} runs code") if module in self._modules else self._odd(own)

    def _may_be_value(self, words: Words, at: int) -> bool:
        """Whether it may belong to the option before it, so that options may still follow."""
        before = words[at - 1].text
        if before.startswith("--"):
            return "=" not in before and len(before) > len("--")
        return before[:1] == "-" and before[-1:] in {*self._valued}

    def _odd(self, own: Words) -> IndirectEffects:
        found = self._options.find_first(own)
        return IndirectEffects(f"{found}: it runs what its arguments say") if found else NO_EFFECTS


def _names_module(word: Word) -> bool:
    found = _MODULE.fullmatch(word.text)
    return found is not None and not found[1]


def make_interpreter_rule(
    short: str, modules: tuple[str, ...] = (), *, long: tuple[str, ...] = (), valued: str = ""
) -> InterpreterRule:
    """Make a row for a language."""
    return InterpreterRule(short, modules, long, valued)


def _only_asks(words: Words) -> bool:
    return [word.text for word in words[1:]] in (["--version"], ["-V"], ["--help"], ["-h"])
