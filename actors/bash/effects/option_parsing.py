"""Finds options as getopt reads them: clusters, attached values, abbreviated long names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actors.bash.syntax.parsed_command import Words

_COMMAND_OR_OUTPUT = re.compile(
    r"-{1,3}(?:[\w-]*[-_])?"
    r"(?:exec|execute|command|cmd|eval|shell|script|hook|invoke|plugin|load|preload|require|loader|"
    r"wrapper|launcher|renderer|interpreter|executable|linker|compiler|pager|editor|browser|overlay|"
    r"modfile|kubeconfig|shell[-_]escape|output|output[-_]file|outfile|output[-_]dir|out|log|log[-_]file|"
    r"basetemp|junitxml|junit[-_]xml|XX:On\w+)"
    r"(?:[=:].*)?",
    re.DOTALL,
)
"""Options of programs without a list that take a command or an output file."""


def split_names(names: str) -> tuple[str, ...]:
    """Split a list of names in a table."""
    return tuple(names.split())


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """Options to look for, and those that take values, which end a cluster."""

    short: str = ""
    long: tuple[str, ...] = ()
    short_with_value: str = ""
    """Short options that take a value: the rest of a cluster after them is not an option."""

    def find_first(self, words: Words) -> str:
        """Return the first argument that is, abbreviates or may expand to one of these options."""
        for word in words:
            if not word.is_never_option or self._matches(word.text):
                return word.text
        return ""

    def _matches(self, text: str) -> bool:
        if text.startswith("--"):
            name = text[2:].partition("=")[0]
            return bool(name) and self._abbreviates(name)
        return text.startswith("-") and any(char in self.short for char in self._read_cluster(text))

    def _abbreviates(self, name: str) -> bool:
        return any(long.startswith(name) for long in self.long)

    def _read_cluster(self, text: str) -> Iterator[str]:
        for char in text[1:]:
            yield char
            if char in self.short_with_value:
                return


def find_unlisted_option(safe_options: re.Pattern[str], words: Words) -> str:
    """Return the first option that is not safe, or word that may expand to an option."""
    for word in words:
        if word.text == "--":
            break
        is_option = word.text[:1] == "-" and word.text != "-"
        if (is_option and not safe_options.fullmatch(word.text)) or not word.is_never_option:
            return word.text
    return ""


def find_command_or_output_option(words: Words) -> str:
    """Return the first option whose name says that it takes a command or an output file."""
    return next((word.text for word in words if _COMMAND_OR_OUTPUT.fullmatch(word.text)), "")


@dataclass(frozen=True, slots=True)
class WrapperOptions:
    """The options and operands before the command that a wrapper runs."""

    short_with_value: str = ""
    """Short options that take a value."""
    long_with_value: tuple[str, ...] = ()
    """Long options that take a value."""
    operand_count: int = 0
    """Operands before the command: a duration, a host, a folder."""
    allows_assignments: bool = False
    """`NAME=value` may come before the command too."""

    def find_command(self, words: Words) -> Words:
        """Return the words from the command on; `words` starts after the wrapper's name."""
        at = 0
        while at < len(words):
            text = words[at].text
            width = self._count_option_words(text)
            if not width:
                break
            at += width
            if text == "--":
                break
        while self.allows_assignments and at < len(words) and "=" in words[at].text:
            at += 1
        return words[at + self.operand_count :]

    def _count_option_words(self, text: str) -> int:
        """Count the words of the option that begins with this one; 0 if it is not an option."""
        if self.allows_assignments and "=" in text and not text.startswith("-"):
            return 1
        if not text.startswith("-"):
            return 0
        if text.startswith("--"):
            return 2 if any(long == text[2:] for long in self.long_with_value) else 1
        with_value = [at for at, char in enumerate(text) if at and char in self.short_with_value]
        return 2 if with_value and with_value[0] == len(text) - 1 else 1
