"""Determines what one simple command would do, from its words alone."""

from actors.bash.effects.read_only import ReadOnlyCommand
from actors.bash.programs.command_spellings import (
    has_leading_options,
    has_too_many_options,
    list_aliases,
)
from actors.bash.programs.opened_files import drop_non_files, find_opened_files
from actors.bash.programs.path_arguments import find_possible_read_paths
from actors.bash.programs.plain_wrappers import skip_plain_wrappers
from actors.bash.programs.program import Program
from actors.bash.programs.table import find_program
from actors.bash.programs.version_queries import is_version_query
from actors.bash.syntax.parsed_command import (
    CommandPart,
    ReadDepth,
    RedirectedFile,
    Word,
    Words,
    join_words,
)

_TOO_MANY_OPTIONS = "it has too many options before its subcommand"
_SPECIAL_CHARACTERS = frozenset("*?[]{}~$`=!#%\"'\\ \t\n")


def classify_command(
    words: Words, redirects: tuple[RedirectedFile, ...], ask_reason: str
) -> CommandPart:
    """Classify a command without looking inside it; `ask_reason` is what parsing found already."""
    if not words:
        return CommandPart("", (), redirects, ask_reason)
    inner = skip_plain_wrappers(words)
    if inner != words:
        part = classify_command(inner, redirects, ask_reason)
        return part._replace(aliases=(*part.aliases, join_words(words)))
    first, arguments = words[0].text, words[1:]
    bare = first.rpartition("/")[2]
    is_path = bare != first
    program = find_program(bare)
    text = join_words(words)
    ask_reason = (
        ask_reason
        or _find_name_problem(words[0])
        or (_TOO_MANY_OPTIONS if has_too_many_options(program, words) else "")
    )
    is_query = not is_path and is_version_query(program, words)
    read_only = None
    if not (ask_reason or is_path):
        read_only = ReadOnlyCommand(()) if is_query else program.find_read_only(arguments)
    has_aliases = is_path or program.list_spellings or has_leading_options(program, words)
    aliases = list_aliases(program, words, text) if has_aliases else ()
    written = program.writes.find(arguments) if program.writes else ()
    has_root_paths = program.has_root_paths and not is_path
    read_depth: ReadDepth = ""
    name_patterns: tuple[str, ...] = ()
    if read_only is None:
        read_paths = find_possible_read_paths(program, arguments)
        opened = find_opened_files(program, arguments)
        read_depth = program.find_depth_below(arguments)
    else:
        read_paths, read_depth, name_patterns = read_only
        opened = drop_non_files(read_paths)
    return CommandPart(
        text,
        words,
        redirects,
        ask_reason,
        is_path,
        aliases,
        read_paths,
        opened,
        written,
        may_add_files=read_only is None and _may_add_files(program),
        has_root_paths=has_root_paths,
        read_only=read_only is not None,
        requires_trust=is_query and program.read_options is None,
        finds_repository=program.finds_repository,
        directory=program.find_directory(arguments) if program.find_directory else None,
        read_depth=read_depth,
        name_patterns=name_patterns,
        tracked_reads=program.find_tracked_reads(arguments) if program.find_tracked_reads else None,
    )


def _may_add_files(program: Program) -> bool:
    if program.takes_text:
        return False
    return program.writes is None or program.writes.adds_content


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
