"""What one simple command would do, from its words alone."""

from dataclasses import replace

from actors.permissions.commands.command import Part, Redirect, Word
from actors.permissions.commands.git import git_spellings
from actors.permissions.commands.harmless_git import git_reading
from actors.permissions.commands.harmless_special import reading
from actors.permissions.commands.hidden import Words
from actors.permissions.commands.operands import read_operands, written_operands

_NOT_A_NAME = frozenset("*?[]{}~$`=!#\"'\\ \t\n")


def classified(words: Words, redirects: tuple[Redirect, ...], floor: str) -> Part:
    """Judge a command without looking into it; `floor` is what its reading found already."""
    if not words:
        return Part("", (), redirects, floor)
    text = " ".join(word.text for word in words)
    name = words[0].text.rpartition("/")[2]
    part = Part(
        text,
        words,
        redirects,
        floor or _name_floor(words[0]),
        path_spelling="/" in words[0].text,
        also=_also(words, text),
        reads=read_operands(name, words[1:]),
        writes=written_operands(name, words[1:]),
    )
    return part if part.floor or part.path_spelling else _with_harmless(part)


def _with_harmless(part: Part) -> Part:
    name, arguments = part.words[0].text, part.words[1:]
    found = git_reading(arguments) if name == "git" else reading(name, arguments)
    if found is None:
        return part
    return replace(
        part, harmless=True, trusted_only=name == "git", reads=found.reads, deep=found.deep
    )


def _name_floor(word: Word) -> str:
    is_bracket = word.text == "["
    is_plain = word.literal and word.plain and not _NOT_A_NAME.intersection(word.text)
    if is_bracket:
        return ""
    if not word.text.isascii() or not is_plain:
        return "the command word is not a plain literal"
    return ""


def _also(words: Words, text: str) -> tuple[str, ...]:
    bare = Word(words[0].text.rpartition("/")[2])
    spelled = (bare, *words[1:])
    found = [" ".join(word.text for word in spelled)]
    if bare.text == "git":
        found.extend(git_spellings(spelled))
    return tuple(each for each in dict.fromkeys(found) if each != text)
