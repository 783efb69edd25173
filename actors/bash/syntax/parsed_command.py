"""What a shell command would do, as far as it can be read off its text."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

ReadDepth = Literal["", "shown", "all", "linked"]
"""What a command reads below its paths: nothing, what is not hidden, all, and through links too."""


class Word(NamedTuple):
    """One word of a command, as bash would see it after quote removal."""

    text: str
    """What is not literal stands as it is written: `$x`, `*.py`, `$(pwd)`."""
    is_literal: bool = True
    """The program gets exactly `text`: nothing in it is expanded."""
    is_unquoted: bool = True
    """Written without quotes and backslashes."""
    is_one_word: bool = True
    """Is not split apart at blanks, whatever its expansions yield."""
    is_never_option: bool = True
    """Never becomes an option, whatever its expansions yield."""
    has_home_prefix: bool = False
    """Begins with an unquoted `~/`, or is `~`; the rest is literal."""


class RedirectedFile(NamedTuple):
    """A file that a redirection opens; `/dev/null`, descriptors and here-documents are none."""

    permission: Literal["read", "write"]
    word: Word


class CommandPart(NamedTuple):
    """One simple command, or the redirections of a group."""

    text: str
    """The words joined by one blank, without assignments and redirections."""
    words: tuple[Word, ...] = ()
    redirects: tuple[RedirectedFile, ...] = ()
    ask_reason: str = ""
    """Why a person is asked whatever is allowed; empty for no reason."""
    is_named_by_path: bool = False
    """The command word is a path: `/bin/rm`, `./x`. No allow for a bare name covers it."""
    aliases: tuple[str, ...] = ()
    """Other spellings that ask and deny rules see as well."""
    possible_read_paths: tuple[Word, ...] = ()
    """Arguments that may be paths it reads."""
    opened_files: tuple[Word, ...] = ()
    """Those that are paths it reads for certain, of what is known to read files."""
    written_paths: tuple[Word, ...] = ()
    """Arguments that are paths it writes, makes or removes."""
    read_only: bool = False
    """Only reads, provided that all of `reads` may be read."""
    requires_trust: bool = False
    """Harmless only in a folder whose configuration is trusted (git)."""
    read_depth: ReadDepth = ""
    """What it reads below its paths."""
    name_patterns: tuple[str, ...] = ()
    """Patterns of the names that it reads there; empty: all."""
    nested_parts: tuple["CommandPart", ...] = ()
    """What is plainly visible inside a wrapper; deny rules hold for it too."""


class AndChain(NamedTuple):
    """A part, and those that follow on its success alone, by their places in a command."""

    first_index: int
    last_index: int


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """A whole command line."""

    parts: tuple[CommandPart, ...] = ()
    """In the order of the text, those inside substitutions and groups too."""
    ask_reason: str = ""
    """Why the whole is at least a question; empty for no reason."""
    deny_reason: str = ""
    """Why the whole is refused; empty for no reason."""
    may_repeat: bool = False
    """Something in it may run more than once, so `cd` may act on what stands before it."""
    chains: tuple[AndChain, ...] = ()
    """Parts that run only where one before them has succeeded."""
