"""From the text of a command to what it would do: total, without files, policy or surprises."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import dropwhile

from actors.bash.effects.embedded_commands import strip_command_prefix
from actors.bash.effects.indirect_effects import Words
from actors.bash.programs.command_effects import classify_command
from actors.bash.programs.effect_tables import find_indirect_effects
from actors.bash.programs.script_languages import find_file_names_in_code
from actors.bash.programs.shells import STDIN_SHELLS
from actors.bash.programs.stdin_commands import find_stdin_commands, find_stdin_readers
from actors.bash.syntax.and_chains import find_plain_chains, index_chains
from actors.bash.syntax.fallback_split import expand_obvious, extract_quoted, split_crudely
from actors.bash.syntax.fast_path import split_plain_commands
from actors.bash.syntax.loop_expansion import (
    ForLoop,
    LoopResults,
    can_vary,
    expand_loop_commands,
    expand_loop_reads,
)
from actors.bash.syntax.parsed_command import AndChain, CommandPart, ParsedCommand, Word
from actors.bash.syntax.simple_command import SimpleCommand
from actors.bash.syntax.syntax_tree import parse_syntax_tree
from actors.bash.syntax.tree_walker import TreeWalker

MAX_PARTS = 10_000
"""A text of more parts is refused: nobody reads it, and no rule may lapse on it."""
MAX_CHARACTERS = 100_000
"""A longer text is not parsed; it is split crudely, for deny rules, and asks."""
_DEEPEST = 40
"""Wrappers within wrappers (`sudo sudo …`, `bash -c "bash -c …"`) that are looked into."""
_LOOKS, _ROOM = 3, 2_000
"""So often each character is read again, as part of what wrappers around it run; and so many
characters beside that, for short texts in many wrappers."""
_MAY_BE_COMMAND = re.compile(r"[A-Za-z_./~$`({\[\"'\\]")
_ORDINARY = re.compile(r"[\n\t -~]*")
_CONTINUED = re.compile(r"(?<!\\)((?:\\\\)*)\\\n")
"""A line break that bash takes away, whatever quotes it stands in."""
_STRANGE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"}


def parse_command(text: str) -> ParsedCommand:
    """Say what a command would do. Never raises, looks at no file, takes time by length alone."""
    return _Parsing(len(text)).command(text, 0)


class _Parsing:
    """One text and the scripts inside it, which share one limit of parts."""

    def __init__(self, characters: int) -> None:
        self._parts_left = MAX_PARTS
        self._characters_left = _LOOKS * characters + _ROOM
        self._guessed_left = self._characters_left
        """Without room for a guess it is left out: what is guessed at asks anyway."""
        self._refusal = ""
        self._known: dict[tuple[object, ...], CommandPart] = {}
        """Parts that were read already: a script of many equal parts is judged by its few. By
        depth too, since what stands deeper is looked into less far."""

    def command(self, text: str, depth: int) -> ParsedCommand:
        plain = split_plain_commands(text) if len(text) <= MAX_CHARACTERS else None
        if plain is not None:
            parts = [self._plain_part(names, depth) for names in plain]
            chains = find_plain_chains(text, plain) if "&&" in text else ()
            return self._limited(self._fed(parts, (), (), depth), "", chains=chains)
        source = text.encode(errors="replace")
        tree = parse_syntax_tree(source) if len(source) <= MAX_CHARACTERS else None
        if tree is None:
            why = "it is too long or too deeply nested to be judged"
            seen = split_crudely(source + b"\n" + extract_quoted(source))
            parts = [self._crude_part(part, depth) for part in seen]
            parts.extend(self._joined(text, depth))
            return self._limited(parts, why, loops=True)
        found = TreeWalker(source, tree)
        commands = sorted(filter(_does_something, found.commands), key=lambda each: each.start)
        looped: LoopResults = {}
        parts = [self._looped(each, found.for_loops, depth, looped) for each in commands]
        for _, fragment in found.unparsed_fragments:
            parts.extend(self._script(fragment.decode(errors="replace"), depth))
        if tree.has_error:
            meant = expand_obvious(text)
            told = {part.text for part in parts}
            for each in dict.fromkeys((source, meant.encode(errors="replace"))):
                parts.extend(part for part in split_crudely(each) if part.text not in told)
        parts = self._fed(parts, found.heredoc_bodies, found.here_strings, depth)
        doubt = find_unusual_character(text) or next(iter(found.uncertainties), "")
        parts.extend(self._joined(text, depth) if doubt else ())
        # What a here-document runs does not run where it stands.
        is_clear = not (doubt or found.heredoc_bodies)
        chains = index_chains(commands, found.chain_spans) if is_clear else ()
        return self._limited(parts, doubt, loops=found.may_repeat, chains=chains)

    def _joined(self, text: str, depth: int) -> tuple[CommandPart, ...]:
        """Read what is not certain without its continued lines too, as bash does: denies hold."""
        if "\\\n" not in text or not self._may_guess(depth, len(text)):
            return ()
        joined = _CONTINUED.sub(r"\1", text)
        return self.command(joined, depth + 1).parts if joined != text else ()

    def _fed(
        self, parts: list[CommandPart], documents: Iterable[str], strings: Iterable[str], depth: int
    ) -> list[CommandPart]:
        """Add what programs may run of their input: here-documents, and what `echo` says."""
        said = (text for part in parts if _speaks(part) for text in _said(part))
        texts = dict.fromkeys((*documents, *said))
        given = (*texts, *strings)
        readers = find_stdin_readers(parts) if given else {}
        if not STDIN_SHELLS.isdisjoint(readers):
            parts = [*parts, *(each for text in texts for each in self._script(text, depth))]
        for name, at in readers.items():
            for text in given:
                parts[at] = self._guessing(parts[at], *find_stdin_commands(name, text), depth)
        return parts

    def _guessing(
        self, part: CommandPart, texts: Iterable[str], words: Iterable[Words], depth: int
    ) -> CommandPart:
        """Add what may be a command of a part; only denies hear it, and it uses up no room."""
        parts_left, characters_left, refusal = (
            self._parts_left, self._characters_left, self._refusal
        )  # fmt: skip
        self._parts_left, self._characters_left = MAX_PARTS, self._guessed_left
        inner = [
            self._looked_into(classify_command(each, (), ""), "", depth + 1)
            for each in words
            if self._may_guess(depth, _characters(each))
        ]
        for text in dict.fromkeys(texts):
            if self._may_guess(depth, len(text)):
                inner += self.command(text, depth + 1).parts
        if self._parts_left < 0 or self._characters_left < 0:
            self._refusal = refusal
        self._guessed_left = min(self._guessed_left, self._characters_left)
        self._parts_left, self._characters_left = parts_left, characters_left
        return part._replace(nested_parts=(*part.nested_parts, *inner))

    def _limited(
        self,
        parts: list[CommandPart],
        ask_reason: str,
        *,
        loops: bool = False,
        chains: tuple[AndChain, ...] = (),
    ) -> ParsedCommand:
        self._parts_left -= len(parts)
        if self._parts_left < 0:
            self._refusal = f"it has more than {MAX_PARTS:,} parts"
        return ParsedCommand(tuple(parts[:MAX_PARTS]), ask_reason, self._refusal, loops, chains)

    def _plain_part(self, names: tuple[str, ...], depth: int) -> CommandPart:
        part = self._known.get((depth, names))
        if part is None:
            words = tuple(map(Word, names))
            part = self._looked_into(classify_command(words, (), ""), "", depth)
            self._known[depth, names] = part
        return part

    def _part(self, simple: SimpleCommand, depth: int) -> CommandPart:
        floor = next(iter(simple.ask_reasons), "")
        words, redirects = tuple(simple.words), tuple(simple.redirects)
        meant = (depth, words, redirects, floor, simple.here_string, *simple.assigned_values)
        part = self._known.get(meant)
        if part is None:
            part = self._looked_into(
                classify_command(words, redirects, floor), simple.here_string, depth
            )
            values = _values(simple, part.text) if depth < _DEEPEST else []
            part = self._guessing(part, values, (), depth) if values else part
            self._known[meant] = part
        return part

    def _looped(
        self, simple: SimpleCommand, loops: Sequence[ForLoop], depth: int, known: LoopResults
    ) -> CommandPart:
        """Add what a loop makes of a part."""
        part = self._part(simple, depth)
        if not loops or not can_vary(part):
            return part
        at = simple.start
        inside = (
            id(part),
            tuple([(loop.body_start <= at) + (loop.body_end <= at) for loop in loops]),
        )
        looped = known.get(inside)
        if looped is None:
            run = expand_loop_commands(part, at, loops)
            looped = expand_loop_reads(part, at, loops)
            looped = self._guessing(looped, (), run, depth) if run else looped
            known[inside] = looped
        return looped

    def _crude_part(self, crude: CommandPart, depth: int) -> CommandPart:
        """Look into what nothing else has read: a deny holds there too."""
        part = self._known.get((depth, crude.text, "crude"))
        if part is None:
            part = self._looked_into(classify_command(crude.words, (), crude.ask_reason), "", depth)
            self._known[depth, crude.text, "crude"] = part
        return part

    def _looked_into(self, part: CommandPart, stdin: str, depth: int) -> CommandPart:
        """Add what is visible inside a wrapper."""
        hidden = find_indirect_effects(part.words, stdin)
        if not hidden.ask_reason:
            return (
                self._guessing(part, hidden.possible_scripts, (), depth)
                if hidden.possible_scripts
                else part
            )
        inner = [
            self._looked_into(classify_command(words, (), ""), "", depth + 1)
            for words in hidden.commands
            if self._may_look(depth, _characters(words))
        ]
        for script in hidden.scripts:
            inner.extend(self._script(script, depth))
        named = find_file_names_in_code(part.words)
        part = part._replace(
            ask_reason=part.ask_reason or hidden.ask_reason,
            read_only=False,
            nested_parts=tuple(inner),
            possible_read_paths=(*part.possible_read_paths, *named),
            written_paths=(*part.written_paths, *named),
        )
        if hidden.possible_commands or hidden.possible_scripts:
            return self._guessing(part, hidden.possible_scripts, hidden.possible_commands, depth)
        return part

    def _script(self, text: str, depth: int) -> tuple[CommandPart, ...]:
        return self.command(text, depth + 1).parts if self._may_look(depth, len(text)) else ()

    def _may_guess(self, depth: int, characters: int) -> bool:
        self._guessed_left -= characters
        return self._guessed_left >= 0 and self._is_shallow(depth)

    def _may_look(self, depth: int, characters: int) -> bool:
        """Whether there is room for another look inside; without, the whole is refused."""
        self._characters_left -= characters
        return self._is_shallow(depth if self._characters_left >= 0 else _DEEPEST)

    def _is_shallow(self, depth: int) -> bool:
        if depth >= _DEEPEST:
            self._refusal = "it holds more commands within commands than anybody reads"
        return depth < _DEEPEST


def _characters(words: Words) -> int:
    return sum([len(word.text) for word in words], len(words))


def _values(simple: SimpleCommand, text: str) -> list[str]:
    """List what variables are set to, and what expansions in a command word plainly come to."""
    found = [strip_command_prefix(each) for each in simple.assigned_values]
    if simple.words and not simple.words[0].is_literal and simple.words[0].text != "[":
        meant = expand_obvious(text)
        found += [meant] if meant != text else []
    return [each for each in found if _MAY_BE_COMMAND.match(each)]


def _speaks(part: CommandPart) -> bool:
    return bool(part.words) and part.words[0].text in {"echo", "printf"}


def _said(part: CommandPart) -> tuple[str, ...]:
    """What `echo` or `printf` may say: with and without a format."""
    words = list(dropwhile(lambda text: text.startswith("-"), (w.text for w in part.words[1:])))
    texts = (" ".join(words), " ".join(words[1:]) if part.words[0].text == "printf" else "")
    return tuple(text.replace("\\n", "\n") for text in texts if text)


def find_unusual_character(text: str) -> str:
    """Name what is not seen, or looks like a blank and is none: nobody can judge it by eye."""
    if _ORDINARY.fullmatch(text):
        return ""
    for char in text:
        if char not in "\n\t " and unicodedata.category(char) in _STRANGE:
            return f"it holds the character U+{ord(char):04X}"
    return ""


def _does_something(simple: SimpleCommand) -> bool:
    return bool(simple.words or simple.redirects or simple.ask_reasons)
