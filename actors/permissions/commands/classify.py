"""What one simple command would do, from its words alone."""

from actors.permissions.commands.command import CommandPart, Redirect, Word
from actors.permissions.commands.harmless import ReadOnlyCommand
from actors.permissions.commands.harmless_git import git_reading
from actors.permissions.commands.harmless_special import reading
from actors.permissions.commands.hidden import Words
from actors.permissions.commands.opened import files_of, opened_operands
from actors.permissions.commands.operands import read_operands, written_operands
from actors.permissions.commands.spellings import has_options, is_crowded, spellings

_CROWDED = "there are too many options before what it does"
_NOT_A_NAME = frozenset("*?[]{}~$`=!#%\"'\\ \t\n")


def classified(words: Words, redirects: tuple[Redirect, ...], floor: str) -> CommandPart:
    """Judge a command without looking into it; `floor` is what its reading found already."""
    if not words:
        return CommandPart("", (), redirects, floor)
    first, arguments = words[0].text, words[1:]
    text = " ".join([word.text for word in words])
    floor = floor or _name_floor(words[0]) or (_CROWDED if is_crowded(words) else "")
    harmless = None if floor or "/" in first else _reading(first, arguments)
    bare = first.rpartition("/")[2]
    is_path = bare != first
    is_other = is_path or bare.startswith("git") or has_options(bare, words)
    also = spellings(words, text) if is_other else ()
    writes = written_operands(bare, arguments)
    if harmless is None:
        reads = read_operands(bare, arguments)
        opens = opened_operands(bare, arguments)
        return CommandPart(text, words, redirects, floor, is_path, also, reads, opens, writes)
    return CommandPart(
        text,
        words,
        redirects,
        floor,
        is_path,
        also,
        harmless.reads,
        files_of(harmless.reads),
        writes,
        harmless=True,
        trusted_only=first == "git",
        deep=harmless.deep,
        only=harmless.only,
    )


def _reading(name: str, arguments: Words) -> ReadOnlyCommand | None:
    return git_reading(arguments) if name == "git" else reading(name, arguments)


def _name_floor(word: Word) -> str:
    text = word.text
    is_plain = word.literal and word.plain and text.isascii() and _NOT_A_NAME.isdisjoint(text)
    return "" if is_plain or text == "[" else "the command word is not a plain literal"
