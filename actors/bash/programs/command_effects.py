"""What one simple command would do, from its words alone."""

from actors.bash.effects.indirect_effects import Words
from actors.bash.effects.read_only import ReadOnlyCommand
from actors.bash.programs.command_aliases import (
    has_leading_options,
    has_too_many_options,
    list_aliases,
)
from actors.bash.programs.git import match_read_only_git
from actors.bash.programs.opened_files import drop_non_files, find_opened_files
from actors.bash.programs.path_arguments import find_possible_read_paths, find_written_paths
from actors.bash.programs.read_only_table import match_read_only_command
from actors.bash.syntax.parsed_command import CommandPart, RedirectedFile, Word

_CROWDED = "there are too many options before what it does"
_NOT_A_NAME = frozenset("*?[]{}~$`=!#%\"'\\ \t\n")


def classify_command(
    words: Words, redirects: tuple[RedirectedFile, ...], ask_reason: str
) -> CommandPart:
    """Judge a command without looking into it; `floor` is what its reading found already."""
    if not words:
        return CommandPart("", (), redirects, ask_reason)
    first, arguments = words[0].text, words[1:]
    text = " ".join([word.text for word in words])
    ask_reason = (
        ask_reason or _name_floor(words[0]) or (_CROWDED if has_too_many_options(words) else "")
    )
    harmless = None if ask_reason or "/" in first else _reading(first, arguments)
    bare = first.rpartition("/")[2]
    is_path = bare != first
    is_other = is_path or bare.startswith("git") or has_leading_options(bare, words)
    also = list_aliases(words, text) if is_other else ()
    writes = find_written_paths(bare, arguments)
    if harmless is None:
        reads = find_possible_read_paths(bare, arguments)
        opens = find_opened_files(bare, arguments)
        return CommandPart(text, words, redirects, ask_reason, is_path, also, reads, opens, writes)
    return CommandPart(
        text,
        words,
        redirects,
        ask_reason,
        is_path,
        also,
        harmless.paths,
        drop_non_files(harmless.paths),
        writes,
        read_only=True,
        requires_trust=first == "git",
        read_depth=harmless.read_depth,
        name_patterns=harmless.name_patterns,
    )


def _reading(name: str, arguments: Words) -> ReadOnlyCommand | None:
    return (
        match_read_only_git(arguments)
        if name == "git"
        else match_read_only_command(name, arguments)
    )


def _name_floor(word: Word) -> str:
    text = word.text
    is_plain = (
        word.is_literal and word.is_unquoted and text.isascii() and _NOT_A_NAME.isdisjoint(text)
    )
    return "" if is_plain or text == "[" else "the command word is not a plain literal"
