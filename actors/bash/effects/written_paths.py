"""Finds the arguments of a command that are paths it writes, makes or removes."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from actors.bash.syntax.parsed_command import Word, Words

OperandFinder = Callable[[Words, list[Word]], list[Word]]
"""From the arguments of a command and the operands among them, the operands that it writes."""

UNNAMED_FILES = Word("$files", is_literal=False)
"""Stands for files that a command writes and does not name."""
_PATTERN = re.compile(r"[*?[]")
_UNCLEAR = re.compile(r"[$`~(){}]")
"""An expansion, or the end of one, in the last name of a path."""
_IN_PLACE_OPTION = re.compile(r"-[A-Za-z0-9]*i|--in-?place|inplace$")


def write_none(_arguments: Words, _operands: list[Word]) -> list[Word]:
    """Return none: the program writes no operand."""
    return []


def write_all(_arguments: Words, operands: list[Word]) -> list[Word]:
    """Return every operand."""
    return [*operands]


def write_first(_arguments: Words, operands: list[Word]) -> list[Word]:
    """Return the first operand."""
    return operands[:1]


def write_second(_arguments: Words, operands: list[Word]) -> list[Word]:
    """Return the second operand."""
    return operands[1:2]


def write_last(_arguments: Words, operands: list[Word]) -> list[Word]:
    """Return the last operand: the target."""
    return operands[-1:]


def write_in_place(arguments: Words, operands: list[Word]) -> list[Word]:
    """Return every operand if there is an option like `-i`."""
    return operands if any(_IN_PLACE_OPTION.match(word.text) for word in arguments) else []


def never_writes_unnamed(_arguments: Words) -> bool:
    """Return False: the program writes no file that its arguments do not name."""
    return False


def writes_unnamed_if(pattern: str) -> Callable[[Words], bool]:
    """Return a check for an argument that matches, such as an option that extracts files."""
    compiled = re.compile(pattern)
    return lambda arguments: any(compiled.fullmatch(word.text) for word in arguments)


names_backups = writes_unnamed_if("-[A-SU-Za-su-z]*S.*|--su.*")
"""Whether an argument is a suffix for backups: `cp -S rc x .bash` writes `.bashrc`."""


class WrittenPaths(NamedTuple):
    """Which arguments of one program are paths that it writes."""

    operands: OperandFinder = write_none
    output_options: tuple[str, ...] = ()
    """Options whose value is a path that is written."""
    allows_clusters: bool = True
    """Whether an option may be the last of a cluster: `-qo x`."""
    below_folders: bool = False
    """Whether it writes or removes what is in an operand that is a folder."""
    into_folders: bool = False
    """Whether it writes into its target if that is a folder."""
    adds_content: bool = True
    """Whether it may create files with content, or links. False: it makes empty files at most."""
    writes_unnamed: Callable[[Words], bool] = never_writes_unnamed
    """Whether it also creates files that the arguments do not name, such as those in an archive."""

    def find(self, arguments: Words) -> Words:
        """List the paths that a command with these arguments writes."""
        operands = [word for word in arguments if not word.text.startswith("-")]
        found = self.operands(arguments, operands)
        targets = self._list_option_values(arguments)
        if self.below_folders:
            found += add_wildcards([*operands, *targets])
        if self.into_folders:
            found += _list_targets_in_folders([*operands[-1:], *targets], operands)
        if self.writes_unnamed(arguments):
            targets.append(UNNAMED_FILES)
        return (*found, *targets)

    def _list_option_values(self, arguments: Words) -> list[Word]:
        found: list[Word] = []
        for at, word in enumerate(arguments):
            for option in self.output_options if word.text.startswith("-") else ():
                value = _read_option_value(option, word.text, allows_clusters=self.allows_clusters)
                if value == "":
                    found += arguments[at + 1 : at + 2]
                elif value:
                    found.append(word.with_text(value))
        return found


def add_wildcards(folders: Iterable[Word]) -> list[Word]:
    """Return patterns for everything below the folders, as rules write them."""
    return [
        folder.with_text(f"{folder.text.rstrip('/')}/*") for folder in folders if folder.is_literal
    ]


def _list_targets_in_folders(folders: list[Word], files: list[Word]) -> list[Word]:
    """List what is written if the target is a folder: files of the same names in it."""
    named = [(file, file.text.rstrip("/").rpartition("/")[2]) for file in files]
    return [
        folder._replace(
            text=f"{folder.text.rstrip('/')}/{name}",
            is_literal=folder.is_literal and (file.is_literal or not _UNCLEAR.search(name)),
        )
        for folder in folders
        for file, name in named
        # The names that a pattern matches are checked where the files are.
        if file is not folder and (file.is_literal or not _PATTERN.search(name))
    ]


def _read_option_value(option: str, text: str, *, allows_clusters: bool) -> str | None:
    """Return the value of an option in a word; "": the next word is it; None: another option."""
    if option.startswith("--"):
        name, equals, value = text.partition("=")
        is_match = len(name) > len("--") and option.startswith(name)
        return (value if equals else "") if is_match else None
    if text.startswith(option):
        return text[len(option) :]
    letters, letter, value = text.partition(option[1:])
    is_cluster = allows_clusters and letter and letters[:1] == "-" and letters[1:].isalnum()
    return value if is_cluster else None
