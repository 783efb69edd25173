"""Parses a command and everything nested in it, within limits on the work."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import dropwhile

from actors.bash.effects.possible_commands import strip_command_prefix
from actors.bash.effects.read_only import SHOWN_VARIABLES
from actors.bash.programs.classify_command import classify_command
from actors.bash.programs.effect_lookup import find_code_files, find_indirect_effects
from actors.bash.programs.runners import count_runner_words, find_named_prefix
from actors.bash.programs.stdin_commands import find_stdin_commands, find_stdin_readers
from actors.bash.syntax.and_chains import find_plain_chains, index_chains
from actors.bash.syntax.fallback_split import expand_obvious, extract_quoted, split_crudely
from actors.bash.syntax.fast_path import split_plain_commands
from actors.bash.syntax.loop_expansion import ForLoop, expand_loop_reads, list_loop_commands
from actors.bash.syntax.parsed_command import (
    AndChain,
    CommandPart,
    ParsedCommand,
    RedirectedFile,
    Word,
    Words,
)
from actors.bash.syntax.simple_command import SimpleCommand
from actors.bash.syntax.syntax_tree import parse_syntax_tree
from actors.bash.syntax.tree_walker import TreeWalker
from actors.bash.syntax.variable_expansion import (
    Variables,
    bind_arguments,
    collect_variables,
    expand_words,
    merge_variables,
)

_MAX_PARTS = 10_000
"""A text with more parts is denied, because rules would not be applied to the rest."""
_MAX_CHARS = 100_000
"""A longer text is not parsed; it is split crudely, for deny rules, and asks."""
_MAX_DEPTH = 40
"""Nested wrappers that are analyzed: `sudo sudo …`, `bash -c "bash -c …"`."""
_READS_PER_CHAR, _EXTRA_CHARS = 3, 2_000
"""Nested commands may come to this many times the length of the text, plus this many characters
for short texts in many wrappers."""
_COMMAND_START = re.compile(r"[A-Za-z_./~$`({\[\"'\\]")
_ORDINARY_TEXT = re.compile(r"[\n\t -~]*")
_LINE_CONTINUATION = re.compile(r"(?<!\\)((?:\\\\)*)\\\n")
"""A line break that bash removes, even inside quotes."""
_LOOKUP_COMMANDS = {("hash",), ("type",), ("which",), ("command", "-v"), ("command", "-V")}
_UNUSUAL_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"}

TOO_LONG = "it is too long or too deeply nested to analyze"
TOO_MANY_PARTS = f"it contains more than {_MAX_PARTS:,} commands"
TOO_DEEP = "it nests commands inside commands too deeply to analyze"


class CommandParser:
    """Parses one text and the scripts nested in it, which share one set of limits."""

    def __init__(self, text: str) -> None:
        """Set the limits by the length of the text."""
        self._text = text
        self._parts_left = _MAX_PARTS
        self._chars_left = _READS_PER_CHAR * len(text) + _EXTRA_CHARS
        self._guess_chars_left = self._chars_left
        """Guesses beyond this limit are skipped: a command that needs guesses asks anyway."""
        self._deny_reason = ""
        self._variables: Variables = {}
        """What variables may stand for, in the texts so far."""
        self._variables_version = 0
        self._known_parts: dict[tuple[object, ...], CommandPart] = {}
        """Results by words and depth, so that equal parts of a script are analyzed once.

        The depth matters because deeper parts are analyzed less far.
        """

    def parse(self) -> ParsedCommand:
        """Determine what the text would do."""
        return self._parse_text(self._text, 0)

    def _parse_text(self, text: str, depth: int) -> ParsedCommand:
        plain = split_plain_commands(text) if len(text) <= _MAX_CHARS else None
        if plain is not None:
            parts = [self._parse_plain(words, depth) for words in plain]
            chains = find_plain_chains(text, plain) if "&&" in text else ()
            return self._build(self._add_stdin_commands(parts, (), (), depth), "", chains=chains)
        source = text.encode(errors="replace")
        tree = parse_syntax_tree(source) if len(source) <= _MAX_CHARS else None
        if tree is None:
            pieces = split_crudely(source + b"\n" + extract_quoted(source))
            parts = [self._parse_crude(piece, depth) for piece in pieces]
            parts.extend(self._parse_without_continuations(text, depth))
            return self._build(parts, TOO_LONG, may_repeat=True)  # what runs when is unknown
        walker = TreeWalker(source, tree)
        # In the order of the text: a `cd` affects only what follows it.
        commands = sorted(filter(_has_effect, walker.commands), key=lambda command: command.start)
        self._add_variables(
            collect_variables(source, commands, walker.for_loops, walker.function_names)
        )
        parts = [self._parse_in_loops(command, walker.for_loops, depth) for command in commands]
        for _, fragment in walker.unparsed_fragments:
            parts.extend(self._parse_script(fragment.decode(errors="replace"), depth))
        if tree.has_error:
            expanded = expand_obvious(text)
            known_texts = {part.text for part in parts}
            for candidate in dict.fromkeys((source, expanded.encode(errors="replace"))):
                parts.extend(
                    part for part in split_crudely(candidate) if part.text not in known_texts
                )
        parts = self._add_stdin_commands(parts, walker.heredoc_bodies, walker.here_strings, depth)
        ask_reason = _find_unusual_character(text) or next(iter(walker.uncertainties), "")
        parts.extend(self._parse_without_continuations(text, depth) if ask_reason else ())
        # Commands in a here-document do not run where it is written, so chains would be wrong.
        has_chains = not (ask_reason or walker.heredoc_bodies)
        chains = index_chains(commands, walker.chain_spans) if has_chains else ()
        return self._build(parts, ask_reason, may_repeat=walker.may_repeat, chains=chains)

    def _parse_without_continuations(self, text: str, depth: int) -> tuple[CommandPart, ...]:
        """Parse an uncertain text again without line continuations, as bash does, for denials."""
        if "\\\n" not in text or not self._can_guess(depth, len(text)):
            return ()
        joined = _LINE_CONTINUATION.sub(r"\1", text)
        return self._parse_text(joined, depth + 1).parts if joined != text else ()

    def _add_stdin_commands(
        self, parts: list[CommandPart], heredocs: Iterable[str], strings: Iterable[str], depth: int
    ) -> list[CommandPart]:
        """Add what programs may run from their input: here-documents, the output of `echo`."""
        printed = (text for part in parts if _is_echo(part) for text in _list_output(part))
        scripts = dict.fromkeys((*heredocs, *printed))
        inputs = (*scripts, *strings)
        readers = find_stdin_readers(parts) if inputs else ()
        if any(reader.program.stdin == "script" for reader in readers):
            parts = [
                *parts,
                *(part for text in scripts for part in self._parse_script(text, depth)),
            ]
        for reader in readers:
            index = reader.part_index
            for text in inputs:
                parts[index] = self._add_guesses(
                    parts[index], *find_stdin_commands(reader, text), depth
                )
        return parts

    def _add_guesses(
        self, part: CommandPart, texts: Iterable[str], commands: Iterable[Words], depth: int
    ) -> CommandPart:
        """Nest possible commands in a part; only deny rules match them, and they use no limits."""
        parts_left, chars_left, deny_reason = (
            self._parts_left, self._chars_left, self._deny_reason
        )  # fmt: skip
        self._parts_left, self._chars_left = _MAX_PARTS, self._guess_chars_left
        nested = [
            self._add_nested(classify_command(words, (), ""), "", depth + 1)
            for words in commands
            if self._can_guess(depth, _count_chars(words))
        ]
        for text in dict.fromkeys(texts):
            if self._can_guess(depth, len(text)):
                nested += self._parse_text(text, depth + 1).parts
        if self._parts_left < 0 or self._chars_left < 0:
            self._deny_reason = deny_reason
        self._guess_chars_left = min(self._guess_chars_left, self._chars_left)
        self._parts_left, self._chars_left = parts_left, chars_left
        return part._replace(nested_parts=(*part.nested_parts, *nested))

    def _build(
        self,
        parts: list[CommandPart],
        ask_reason: str,
        *,
        may_repeat: bool = False,
        chains: tuple[AndChain, ...] = (),
    ) -> ParsedCommand:
        self._parts_left -= len(parts)
        if self._parts_left < 0:
            self._deny_reason = TOO_MANY_PARTS
        return ParsedCommand(
            tuple(parts[:_MAX_PARTS]), ask_reason, self._deny_reason, may_repeat, chains
        )

    def _parse_plain(self, texts: tuple[str, ...], depth: int) -> CommandPart:
        part = self._known_parts.get((depth, texts))
        if part is None:
            words = tuple(map(Word, texts))
            part = self._add_nested(classify_command(words, (), ""), "", depth)
            self._known_parts[depth, texts] = part
        return part

    def _parse_simple(self, simple: SimpleCommand, depth: int) -> CommandPart:
        ask_reason = next(iter(simple.ask_reasons), "")
        words, redirects = tuple(simple.words), tuple(simple.redirects)
        is_literal = all(word.is_literal for word in words) and not redirects
        # No variable changes a literal command.
        version = 0 if is_literal else self._variables_version
        here_string, assignments = simple.here_string, simple.assignments
        key = (depth, words, redirects, ask_reason, version, here_string, *assignments)
        part = self._known_parts.get(key)
        if part is None:
            part = self._add_nested(
                classify_command(words, redirects, ask_reason), simple.here_string, depth
            )
            if depth < _MAX_DEPTH:
                part = self._add_expansions(part, _list_possible_commands(simple), depth)
            self._known_parts[key] = part
        return part

    def _add_variables(self, variables: Variables) -> None:
        if variables:
            self._variables = merge_variables(self._variables, variables)
            self._variables_version += 1

    def _add_expansions(self, part: CommandPart, texts: list[str], depth: int) -> CommandPart:
        """Nest what a part may be after expansions, and other texts that it may run."""
        words = () if _only_looks_up(part.words) else part.words
        commands = expand_words(words, self._variables)
        part = self._add_guesses(part, texts, commands, depth) if texts or commands else part
        redirects = [
            RedirectedFile(redirect.permission, word)
            for redirect in part.redirects
            if not redirect.word.is_literal
            for expanded in expand_words((redirect.word,), self._variables)
            for word in expanded
        ]
        if not redirects:
            return part
        nested = CommandPart("", redirects=tuple(redirects))
        return part._replace(nested_parts=(*part.nested_parts, nested))

    def _parse_in_loops(
        self, simple: SimpleCommand, loops: Sequence[ForLoop], depth: int
    ) -> CommandPart:
        """Parse a command, and replace loop variables among the files that it reads."""
        part = self._parse_simple(simple, depth)
        if not loops or all(word.is_literal for word in part.words):
            return part
        if any(loop.variable in SHOWN_VARIABLES for loop in loops):
            part = part._replace(read_only=False)
        elif not (part.ask_reason or part.read_only):
            expanded = self._expand_read_only(list_loop_commands(part.words, simple.start, loops))
            if expanded is not None:
                return expanded._replace(
                    text=part.text, words=part.words, redirects=part.redirects, aliases=part.aliases
                )
        return expand_loop_reads(part, simple.start, loops)

    def _expand_read_only(self, commands: list[Words]) -> CommandPart | None:
        """Combine the commands that a loop makes, if all of them are read-only in the same way."""
        parts = [self._add_nested(classify_command(words, (), ""), "", 0) for words in commands]
        if not parts or not all(part.read_only for part in parts):
            return None
        if len({(part.read_depth, part.name_patterns) for part in parts}) > 1:
            return None
        paths = dict.fromkeys(word for part in parts for word in part.possible_read_paths)
        opened = dict.fromkeys(word for part in parts for word in part.opened_files)
        return parts[0]._replace(possible_read_paths=tuple(paths), opened_files=tuple(opened))

    def _parse_crude(self, crude: CommandPart, depth: int) -> CommandPart:
        """Look inside a part that only the crude split found, so that denials apply there too."""
        part = self._known_parts.get((depth, crude.text, "crude"))
        if part is None:
            part = self._add_nested(classify_command(crude.words, (), crude.ask_reason), "", depth)
            self._known_parts[depth, crude.text, "crude"] = part
        return part

    def _add_nested(self, part: CommandPart, stdin: str, depth: int) -> CommandPart:
        """Add the commands that are visible inside a wrapper, and the name of what it runs."""
        analyzed = self._add_inner_commands(part, stdin, depth)
        prefix = (
            "" if part.ask_reason or not part.words else self._find_named_prefix(analyzed, depth)
        )
        return analyzed._replace(named_prefix=prefix) if prefix else analyzed

    def _add_inner_commands(self, part: CommandPart, stdin: str, depth: int) -> CommandPart:
        effects = find_indirect_effects(part.words, stdin)
        if effects.script_arguments:
            texts = [word.text for word in effects.script_arguments]
            self._add_variables(bind_arguments(texts, first=0))
        if not effects.ask_reason:
            if not effects.possible_scripts:
                return part
            return self._add_guesses(part, effects.possible_scripts, (), depth)
        nested = [
            self._add_nested(classify_command(words, (), ""), "", depth + 1)
            for words in effects.commands
            if self._can_descend(depth, _count_chars(words))
        ]
        for script in effects.scripts:
            nested.extend(self._parse_script(script, depth))
        files = find_code_files(part.words)
        part = part._replace(
            ask_reason=part.ask_reason or effects.ask_reason,
            read_only=False,
            nested_parts=tuple(nested),
            possible_read_paths=(*part.possible_read_paths, *files),
            written_paths=(*part.written_paths, *files),
        )
        if effects.possible_commands or effects.possible_scripts:
            return self._add_guesses(
                part, effects.possible_scripts, effects.possible_commands, depth
            )
        return part

    def _find_named_prefix(self, part: CommandPart, depth: int) -> str:
        """Return the words that name the program that a part runs, if only they make it ask."""
        texts = [word.text for word in part.words]
        count = 0 if part.is_named_by_path else count_runner_words(texts)
        if not count:
            return texts[0] if part.is_named_by_path and not part.ask_reason else ""
        words = part.words[count:]
        if not self._can_guess(depth, _count_chars(words)):
            return ""
        inner = self._add_nested(classify_command(words, (), ""), "", depth + 1)
        # Where guesses were skipped, deny rules were not applied to everything that may run.
        return find_named_prefix(part, inner) if self._guess_chars_left >= 0 else ""

    def _parse_script(self, text: str, depth: int) -> tuple[CommandPart, ...]:
        can_descend = self._can_descend(depth, len(text))
        return self._parse_text(text, depth + 1).parts if can_descend else ()

    def _can_guess(self, depth: int, chars: int) -> bool:
        self._guess_chars_left -= chars
        return self._guess_chars_left >= 0 and self._is_shallow(depth)

    def _can_descend(self, depth: int, chars: int) -> bool:
        """Whether the limits allow analyzing this much nested text; if not, deny the whole."""
        self._chars_left -= chars
        return self._is_shallow(depth if self._chars_left >= 0 else _MAX_DEPTH)

    def _is_shallow(self, depth: int) -> bool:
        if depth >= _MAX_DEPTH:
            self._deny_reason = TOO_DEEP
        return depth < _MAX_DEPTH


def _count_chars(words: Words) -> int:
    return sum([len(word.text) for word in words], len(words))


def _list_possible_commands(simple: SimpleCommand) -> list[str]:
    """List the values of variables that may be commands."""
    values = (strip_command_prefix(text.partition("=")[2]) for text in simple.assignments)
    return [value for value in values if _COMMAND_START.match(value)]


def _only_looks_up(words: Words) -> bool:
    """Whether a command only looks another one up, and so runs none: `command -v`."""
    texts = tuple([word.text for word in words[:2]])
    return texts[:1] in _LOOKUP_COMMANDS or texts in _LOOKUP_COMMANDS


def _is_echo(part: CommandPart) -> bool:
    return bool(part.words) and part.words[0].text in {"echo", "printf"}


def _list_output(part: CommandPart) -> tuple[str, ...]:
    """List what `echo` or `printf` may print: with and without a format."""
    words = list(dropwhile(lambda text: text.startswith("-"), (w.text for w in part.words[1:])))
    texts = (" ".join(words), " ".join(words[1:]) if part.words[0].text == "printf" else "")
    return tuple(text.replace("\\n", "\n") for text in texts if text)


def _find_unusual_character(text: str) -> str:
    """Return a reason to ask if a character is invisible or only looks like a blank."""
    if _ORDINARY_TEXT.fullmatch(text):
        return ""
    for char in text:
        if char not in "\n\t " and unicodedata.category(char) in _UNUSUAL_CATEGORIES:
            return f"it contains the invisible or misleading character U+{ord(char):04X}"
    return ""


def _has_effect(simple: SimpleCommand) -> bool:
    return bool(simple.words or simple.redirects or simple.ask_reasons)
