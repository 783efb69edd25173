"""Determines what one simple command would do, from its words alone."""

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
from actors.bash.syntax.parsed_command import CommandPart, RedirectedFile, Word, Words

_TOO_MANY_OPTIONS = "it has too many options before its subcommand"
_SPECIAL_CHARACTERS = frozenset("*?[]{}~$`=!#%\"'\\ \t\n")


def classify_command(
    words: Words, redirects: tuple[RedirectedFile, ...], ask_reason: str
) -> CommandPart:
    """Classify a command without looking inside it; `ask_reason` is what parsing found already."""
    if not words:
        return CommandPart("", (), redirects, ask_reason)
    first, arguments = words[0].text, words[1:]
    text = " ".join([word.text for word in words])
    ask_reason = (
        ask_reason
        or _find_name_problem(words[0])
        or (_TOO_MANY_OPTIONS if has_too_many_options(words) else "")
    )
    read_only = None if ask_reason or "/" in first else _match_read_only(first, arguments)
    bare = first.rpartition("/")[2]
    is_path = bare != first
    has_aliases = is_path or bare.startswith("git") or has_leading_options(bare, words)
    aliases = list_aliases(words, text) if has_aliases else ()
    written = find_written_paths(bare, arguments)
    if read_only is None:
        read = find_possible_read_paths(bare, arguments)
        opened = find_opened_files(bare, arguments)
        return CommandPart(
            text, words, redirects, ask_reason, is_path, aliases, read, opened, written
        )
    return CommandPart(
        text,
        words,
        redirects,
        ask_reason,
        is_path,
        aliases,
        read_only.paths,
        drop_non_files(read_only.paths),
        written,
        read_only=True,
        requires_trust=first == "git",
        read_depth=read_only.read_depth,
        name_patterns=read_only.name_patterns,
    )


def _match_read_only(name: str, arguments: Words) -> ReadOnlyCommand | None:
    return (
        match_read_only_git(arguments)
        if name == "git"
        else match_read_only_command(name, arguments)
    )


def _find_name_problem(word: Word) -> str:
    text = word.text
    is_plain = (
        word.is_literal
        and word.is_unquoted
        and text.isascii()
        and _SPECIAL_CHARACTERS.isdisjoint(text)
    )
    return (
        ""
        if is_plain or text == "["
        else "the command name is quoted or contains special characters"
    )
