"""What a shell command would do, as far as its text shows."""

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

ReadDepth = Literal["", "visible", "all", "follow_links", "tracked"]
"""What a command reads below its paths: nothing, files that are not hidden, all, links too, or
those that git tracks."""

_PATH_PATTERN = re.compile(r"[\w./@%+:,*?\[\]][\w./@%+:,*?\[\]-]*")


class Word(NamedTuple):
    """One word of a command, as bash would see it after quote removal."""

    text: str
    """Expansions are kept as written: `$x`, `*.py`, `$(pwd)`."""
    is_literal: bool = True
    """The program gets exactly `text`: nothing in it is expanded."""
    is_unquoted: bool = True
    """Written without quotes and backslashes."""
    is_one_word: bool = True
    """Is not split at blanks, regardless of what its expansions yield."""
    is_never_option: bool = True
    """Never becomes an option, regardless of what its expansions yield."""
    has_home_prefix: bool = False
    """Begins with an unquoted `~/`, or is `~`; the rest is literal."""

    @property
    def is_plain_pattern(self) -> bool:
        """It contains `*`, `?` or `[…]`, and nothing else is expanded."""
        is_expanded = self.is_unquoted and not self.is_literal
        return is_expanded and _PATH_PATTERN.fullmatch(self.text) is not None

    def with_text(self, text: str) -> "Word":
        """Return a word for a part of this one, with the same quoting."""
        return Word(text, self.is_literal, self.is_unquoted, self.is_one_word)


Words = tuple[Word, ...]


def join_words(words: Words) -> str:
    """Join words with single blanks, as `eval` does."""
    return " ".join([word.text for word in words])


class RedirectedFile(NamedTuple):
    """A file that a redirection opens; not `/dev/null`, a descriptor or a here-document."""

    permission: Literal["read", "write"]
    word: Word


class TrackedReads(NamedTuple):
    """The tracked files whose content a git command prints or copies."""

    possible_paths: Words
    """Arguments that may be paths."""
    limits: Words
    """Those that limit which files it prints, if they are paths; empty: it prints all."""
    are_certain: bool = False
    """All of them are paths; otherwise those that exist."""


class CommandPart(NamedTuple):
    """One simple command, or the redirections of a group."""

    text: str
    """The words joined by one blank, without assignments and redirections."""
    words: Words = ()
    redirects: tuple[RedirectedFile, ...] = ()
    ask_reason: str = ""
    """Why the user is asked even if a rule allows it; empty for no reason."""
    is_named_by_path: bool = False
    """The command word is a path: `/bin/rm`, `./x`. No allow for a bare name covers it."""
    aliases: tuple[str, ...] = ()
    """Other spellings that ask and deny rules match as well."""
    possible_read_paths: Words = ()
    """Arguments that may be paths it reads."""
    opened_files: Words = ()
    """Arguments that are certainly paths it reads; only for commands known to read files."""
    written_paths: Words = ()
    """Arguments that are paths it writes, makes or removes."""
    may_add_files: bool = False
    """It may create files with content, or links, apart from its redirections."""
    has_root_paths: bool = False
    """Paths it reads may be relative to the repository root: x in `git show HEAD:x`."""
    read_only: bool = False
    """Only reads, provided that all of `possible_read_paths` may be read."""
    requires_trust: bool = False
    """Is read-only only in a folder whose configuration is trusted."""
    finds_repository: bool = False
    """It uses the git repository around its working directory. It is read-only only in a folder
    whose configuration is trusted."""
    directory: Word | None = None
    """The folder that it changes to by itself: `git -C DIR`."""
    read_depth: ReadDepth = ""
    """What it reads below its paths."""
    name_patterns: tuple[str, ...] = ()
    """Patterns of the names that it reads there; empty: all."""
    tracked_reads: TrackedReads | None = None
    """For git: the tracked files that it prints or copies."""
    nested_parts: tuple["CommandPart", ...] = ()
    """The commands visible inside a wrapper; deny rules apply to them too."""
    named_prefix: str = ""
    """The words that name the program it runs, such as `./gradlew` and `uv run pytest`, if it asks
    only because such a name does not show what the program does. Else empty."""


class AndChain(NamedTuple):
    """A part and those that run only if it succeeds, by their indexes in a command."""

    first_index: int
    last_index: int


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """A whole command line."""

    parts: tuple[CommandPart, ...] = ()
    """In the order of the text, including those inside substitutions and groups."""
    ask_reason: str = ""
    """Why the whole command at least asks; empty for no reason."""
    deny_reason: str = ""
    """Why the whole command is denied; empty for no reason."""
    may_repeat: bool = False
    """A part of it may run more than once, so a `cd` may affect parts before it."""
    chains: tuple[AndChain, ...] = ()
    """Parts that run only if one before them succeeded."""
