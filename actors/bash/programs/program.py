"""The record of one program: what it reads, writes and runs, and which forms are read-only."""

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from actors.bash.effects.effect_rules import EffectRule
from actors.bash.effects.read_only import (
    ReadOnlyCommand,
    ReadOnlyOptions,
    find_depth,
    is_safe_argument,
    match_read_only_options,
)
from actors.bash.effects.written_paths import WrittenPaths
from actors.bash.syntax.parsed_command import ReadDepth, TrackedReads, Word, Words

StdinUse = Literal["", "script", "commands", "code", "arguments"]
"""What a program may run from its input: a shell script, text with commands, other code, or the
command among its arguments with more arguments."""
SpellingFinder = Callable[[Words], tuple[str, ...]]
"""Lists other spellings of a command; the first word is its bare name."""


def read_all_below(_arguments: Words) -> ReadDepth:
    """Return that a program reads all files below its operands."""
    return "all"


class Program(NamedTuple):
    """What is known about one program, or about several that are alike."""

    names: str
    """Names, separated by blanks."""

    # What it runs.

    effect_rule: EffectRule | None = None
    """What it runs or writes through its arguments, and when that asks."""
    runner_subcommands: tuple[str, ...] = ()
    """Subcommands that run the program named by the next word: `run` of uv. An empty one: the first
    argument of the program itself names it, as for npx."""
    has_listed_options: bool = False
    """The effect rule lists the safe options; without a list, the name of an option decides."""
    stdin: StdinUse = ""
    stdin_line_prefix: re.Pattern[str] | None = None
    """What comes before the command in each line of its input."""

    # What it reads.

    takes_text: bool = False
    """Its arguments are text, not files."""
    path_marker: str = ""
    """What precedes a path within an argument: `HEAD:x`, `@x`."""
    has_root_paths: bool = False
    """Its paths may be relative to the repository root, wherever it runs."""
    mounts_paths: bool = False
    """In `HOST:CONTAINER` among its arguments, the first half is a path on this system."""
    code_names_files: bool = False
    """The code among its arguments may name files that it reads or writes."""
    read_options: ReadOnlyOptions | None = None
    """The options of its read-only forms, which also show which arguments are paths it reads."""
    find_read_depth: Callable[[Words], ReadDepth] | None = None
    """Finds what it reads below its paths where `read_options` does not say, as for copying."""
    find_tracked_reads: Callable[[Words], TrackedReads | None] | None = None
    """Finds the tracked files that it prints or copies."""
    has_harmless_options: bool = False
    """No option, even one that is not listed, does more than print."""
    list_read_paths: Callable[[Words], Words] | None = None
    """Lists the arguments that are paths it reads, if `read_options` cannot."""

    # What it writes.

    writes: WrittenPaths | None = None

    # Its read-only forms.

    match_read_only: Callable[[Words], ReadOnlyCommand | None] | None = None
    """Matches its read-only forms, if `read_options` cannot."""
    finds_repository: bool = False
    """It uses the git repository around its working directory, whose configuration can start
    programs; even a read-only form needs a trusted project."""

    find_directory: Callable[[Words], Word | None] | None = None
    """Finds the option that makes it run in another folder."""

    # Its other spellings.

    has_subcommands: bool = False
    """It accepts options before its subcommand."""
    list_spellings: SpellingFinder | None = None
    """Lists other spellings, if its options before the subcommand are known."""

    def find_depth_below(self, arguments: Words) -> ReadDepth:
        """Return what it reads below its paths, also in a form that is not read-only."""
        if self.find_read_depth is not None:
            return self.find_read_depth(arguments)
        return find_depth(self.read_options, arguments) if self.read_options else ""

    def find_read_only(self, arguments: Words) -> ReadOnlyCommand | None:
        """Return what a command reads; None if it is not known to only read."""
        matcher, options = self.match_read_only, self.read_options
        if matcher is not None:
            is_safe = self.takes_text or all(map(is_safe_argument, arguments))
            return matcher(arguments) if is_safe else None
        if options is None:
            return None
        for word in arguments:
            is_name = word.is_never_option or self.has_harmless_options
            if not (is_safe_argument(word) or (is_name and word.is_plain_pattern)):
                return None
        return match_read_only_options(options, arguments)
