"""Reads options as getopt does: clusters, attached values, abbreviated long names."""

from collections.abc import Iterator
from dataclasses import dataclass

from actors.bash.syntax.parsed_command import Word

Words = tuple[Word, ...]


def split_names(names: str) -> tuple[str, ...]:
    """Split a row's list of names."""
    return tuple(names.split())


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """Options to look for, and what must be known to find them in a cluster."""

    short: str = ""
    long: tuple[str, ...] = ()
    short_with_value: str = ""
    """Short options that take a value: what follows them in a cluster is no option."""
    exempt: tuple[str, ...] = ()
    """Whole long names that are no abbreviation of a looked-for one."""

    def find_first(self, words: Words) -> str:
        """Find the first argument that is, abbreviates or may become one of these options."""
        for word in words:
            if not word.is_never_option or self._is_one(word.text):
                return word.text
        return ""

    def _is_one(self, text: str) -> bool:
        if text.startswith("--"):
            name = text[2:].partition("=")[0]
            return bool(name) and name not in self.exempt and self._abbreviates(name)
        return text.startswith("-") and any(char in self.short for char in self._cluster(text))

    def _abbreviates(self, name: str) -> bool:
        return any(long.startswith(name) for long in self.long)

    def _cluster(self, text: str) -> Iterator[str]:
        for char in text[1:]:
            yield char
            if char in self.short_with_value:
                return


@dataclass(frozen=True, slots=True)
class WrapperOptions:
    """The options that stand before the command a wrapper runs."""

    short_with_value: str = ""
    """Short options that take a value."""
    long_with_value: tuple[str, ...] = ()
    """Long options that take a value."""
    operand_count: int = 0
    """How many operands stand before the command: a duration, a host, a folder."""
    allows_assignments: bool = False
    """`NAME=value` may stand there too."""

    def find_command(self, words: Words) -> Words:
        """Skip to the command; `words` begin behind the wrapper's name."""
        at = 0
        while at < len(words):
            text = words[at].text
            taken = self._option(text)
            if not taken:
                break
            at += taken
            if text == "--":
                break
        while self.allows_assignments and at < len(words) and "=" in words[at].text:
            at += 1
        return words[at + self.operand_count :]

    def _option(self, text: str) -> int:
        """How many words an option takes; 0 for none."""
        if self.allows_assignments and "=" in text and not text.startswith("-"):
            return 1
        if not text.startswith("-"):
            return 0
        if text.startswith("--"):
            return 2 if any(long == text[2:] for long in self.long_with_value) else 1
        found = [at for at, char in enumerate(text) if at and char in self.short_with_value]
        return 2 if found and found[0] == len(text) - 1 else 1
