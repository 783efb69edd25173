"""Walks the tree of a text: which simple commands it holds, and whether that is certain.

The tree says where statements and expansions begin and end; every word, token and here-document
is read again from the bytes. What the two do not agree on, and every byte that neither
accounts for, makes the whole text uncertain.
Long because every kind of node is taken into the one account.
"""

import re
from typing import TYPE_CHECKING

from actors.bash.effects.indirect_effects import Words
from actors.bash.syntax.and_chains import ChainSpan, find_chain_spans, is_outermost_list
from actors.bash.syntax.byte_coverage import CASE_TERMINATORS, ByteCoverage
from actors.bash.syntax.expansions import (
    find_backticks,
    find_substitutions,
    is_plain_arithmetic,
    is_plain_expansion,
    is_plain_test,
    unescape_backticks,
)
from actors.bash.syntax.heredocs import Heredoc, read_heredoc
from actors.bash.syntax.loop_expansion import ForLoop
from actors.bash.syntax.parsed_command import Word
from actors.bash.syntax.simple_command import (
    SimpleCommand,
    has_reserved_word,
    read_simple_command,
    without_reserved_words,
)
from actors.bash.syntax.tree_queries import (
    COMMAND_LAST_TYPES,
    EXPANSION_TYPES,
    HEREDOC_PART_TYPES,
    SEQUENCE_TYPES,
    SIMPLE_COMMAND_TYPES,
    build_command_from_tree,
    find_outer_expansions,
    is_bracket_test,
    is_statement,
    map_expansions,
)
from actors.bash.syntax.word_reader import AmbiguousSyntaxError, WordReader, raise_ambiguous

if TYPE_CHECKING:
    from tree_sitter import Node

_VARIABLE = re.compile(rb"[a-z][a-z0-9]*")
"""Names that a loop may set without harm: none that bash or a program takes to heart."""


class TreeWalker:
    """What was found in one text."""

    def __init__(self, source: bytes, root: "Node") -> None:
        """Walk the tree of `source`."""
        self.commands: list[SimpleCommand] = []
        self.unparsed_fragments: list[tuple[int, bytes]] = []
        """Texts that bash would run and the tree does not hold, and where they begin."""
        self.uncertainties: list[str] = []
        self.heredoc_bodies: list[str] = []
        """What here-documents hold."""
        self.here_strings: list[str] = []
        """What here-strings say."""
        self.may_repeat = False
        self.for_loops: list[ForLoop] = []
        """What loops run over, outer ones before those within."""
        self.chain_spans: list[ChainSpan] = []
        self._source = source
        self._nodes = map_expansions(source, root)
        self._ends = {start: node.end_byte for start, node in self._nodes.items()}
        self._account = ByteCoverage(source)
        self._pending: list[tuple[Node, int]] = [(root, root.end_byte)]
        if root.has_error:
            self.uncertainties.append("it does not parse")
        while self._pending:
            node, end = self._pending.pop()
            self._visit(node, end)
        if not self.uncertainties:
            self._doubt_if(self._account.find_problem())

    def _visit(self, node: "Node", end: int) -> None:
        kind = node.type
        if kind in SIMPLE_COMMAND_TYPES:
            self._simple(node, end)
        elif kind == "redirected_statement":
            self._redirected(node, end)
        elif kind in SEQUENCE_TYPES:
            self._sequence(node, end)
        elif kind in EXPANSION_TYPES:
            self._hole(node)
        else:
            self._rarer(node, end)

    def _rarer(self, node: "Node", end: int) -> None:
        match node.type:
            case "test_command":
                self._test(node, end)
            case "for_statement":
                self._for(node)
            case "case_statement" | "case_item":
                self._case(node)
            case "function_definition":
                self.may_repeat = True
                self._doubt(node, "it defines a function")
            case "file_redirect":
                self._simple(node, node.end_byte)
            case _:
                self._doubt(node, f"{node.type.replace('_', ' ')} is not judged")

    def _doubt(self, node: "Node", why: str) -> None:
        """Make the whole uncertain, and look for commands in it all the same."""
        self.uncertainties.append(why)
        self._push(node.named_children)

    def _push(self, nodes: "list[Node]", last_end: int | None = None) -> None:
        for node in reversed(nodes):
            self._pending.append((node, node.end_byte if last_end is None else last_end))
            last_end = None

    def _sequence(self, node: "Node", end: int) -> None:
        """Take statements with operators and reserved words between them."""
        kind, children = node.type, node.children
        self.may_repeat = self.may_repeat or kind == "while_statement"
        if kind == "compound_statement" and children[0].type == "((":
            self._doubt(node, "arithmetic may run commands")
            return
        if kind == "list" and is_outermost_list(node):
            self.chain_spans += find_chain_spans(node)
        statements = self._behind_tokens(children, in_case=False)
        takes_rest = kind in COMMAND_LAST_TYPES
        self._push(statements, end if takes_rest else None)
        if not takes_rest and kind not in {"program", "elif_clause", "else_clause"}:
            self._doubt_if(self._account.check_group_end(node.end_byte))

    def _token(self, node: "Node", kind: str) -> None:
        why = self._account.check_token(kind, node.start_byte, node.end_byte)
        if why:
            self.uncertainties.append(why)

    def _behind_tokens(self, nodes: "list[Node]", *, in_case: bool = True) -> "list[Node]":
        """Take the operators, reserved words and comments; what is left are statements."""
        statements: list[Node] = []
        for node in nodes:
            kind = node.type
            if node.is_named and kind != "comment":
                statements.append(node)
            elif not in_case and kind in CASE_TERMINATORS:
                self.uncertainties.append(f"{kind!r} outside of a case")
            else:
                self._token(node, kind)
        return statements

    def _doubt_if(self, why: str) -> None:
        if why:
            self.uncertainties.append(why)

    def _simple(self, node: "Node", end: int, *, has_heredoc: bool = False) -> None:
        try:
            simple = read_simple_command(self._source, self._ends, node.start_byte)
        except AmbiguousSyntaxError as doubt:
            self._unread(node, str(doubt))
            return
        self._take(simple, None if has_heredoc else end)
        if simple.end < node.end_byte:
            self._push(
                [each for each in find_outer_expansions(node) if each.start_byte >= simple.end]
            )
        if has_reserved_word(simple):
            self.uncertainties.append(f"{simple.words[0].text!r} is a reserved word")
            self.commands.append(without_reserved_words(simple))

    def _take(self, simple: SimpleCommand, end: int | None) -> None:
        self.commands.append(simple)
        if simple.here_string:
            self.here_strings.append(simple.here_string)
        self._cover(simple.start, simple.end, simple.expansion_offsets)
        why = self._account.check_command_end(simple.end, end)
        if why:
            self.uncertainties.append(why)
            self.unparsed_fragments.append((simple.end, self._source[simple.end : end]))
        if simple.heredoc_offsets and end is not None:
            self.uncertainties.append("a here-document is not certain")

    def _unread(self, node: "Node", why: str) -> None:
        """Take the words from the tree, for the sake of deny rules."""
        self.uncertainties.append(why)
        self.commands.append(build_command_from_tree(self._source, node))
        self._push(find_outer_expansions(node))

    def _cover(self, start: int, end: int, holes: list[int]) -> None:
        """Account for these bytes; the expansions in them are looked at in their turn."""
        for hole in holes:
            self._account.cover(start, hole)
            start = self._ends[hole]
        self._account.cover(start, end)
        if holes:
            self._push([self._nodes[hole] for hole in holes])

    def _redirected(self, node: "Node", end: int) -> None:
        body = node.child_by_field_name("body")
        heredocs = [child for child in node.children if child.type == "heredoc_redirect"]
        for heredoc in heredocs:
            self._heredoc(heredoc)
        if len(heredocs) > 1:
            self.uncertainties.append("more than one here-document")
        if body is None or body.type in SIMPLE_COMMAND_TYPES or is_bracket_test(body):
            self._simple(body or node, end, has_heredoc=bool(heredocs))
        elif body.type in COMMAND_LAST_TYPES | {"redirected_statement"} and not heredocs:
            self._push([body], end)
        else:
            self._push([body])
            self._group_redirects(body, end, has_heredoc=bool(heredocs))

    def _group_redirects(self, body: "Node", end: int, *, has_heredoc: bool) -> None:
        try:
            simple = read_simple_command(self._source, self._ends, body.end_byte)
        except AmbiguousSyntaxError as doubt:
            self.uncertainties.append(str(doubt))
            return
        self._take(simple, None if has_heredoc else end)
        if simple.words or (simple.ask_reasons and not simple.redirects):
            self.uncertainties.append("words follow the redirections of a group")

    def _heredoc(self, node: "Node") -> None:
        children = {child.type: child for child in node.children}
        start, close = children.get("heredoc_start"), children.get("heredoc_end")
        rest = [c for c in node.children if c.type not in HEREDOC_PART_TYPES]
        for child in rest:
            if child.is_named:
                self._push([child])
            else:
                self._token(child, child.type)
        try:
            if start is None or close is None:
                raise_ambiguous("a here-document is not closed")
            heredoc = read_heredoc(self._source, start.start_byte, node.children[0].type == "<<-")
            if close.end_byte != heredoc.end:
                raise_ambiguous("where a here-document ends is not certain")
            self._heredoc_body(heredoc)
        except AmbiguousSyntaxError as doubt:
            self.uncertainties.append(str(doubt))
            self._push_all_holes(node)

    def _push_all_holes(self, node: "Node") -> None:
        """Look into the expansions below a node, also where the tree sees none."""
        holes = find_outer_expansions(node)
        if not holes:
            self.unparsed_fragments.extend(
                find_substitutions(self._source, node.start_byte, node.end_byte)
            )
        self._push(holes)

    def _heredoc_body(self, heredoc: Heredoc) -> None:
        holes: list[int] = []
        body = self._source[heredoc.body_start : heredoc.body_end]
        self.heredoc_bodies.append(body.decode(errors="replace"))
        if heredoc.is_expanded:
            reader = WordReader(self._source, self._ends, heredoc.body_start)
            self.unparsed_fragments.extend(
                find_backticks(self._source, heredoc.body_start, heredoc.body_end)
            )
            reader.skip_heredoc_body(heredoc.body_end)
            holes = reader.seen_expansions
        self._cover(heredoc.body_start, heredoc.end, holes)

    def _hole(self, node: "Node") -> None:
        source, start, end = self._source, node.start_byte, node.end_byte
        text = source[start:end]
        match node.type:
            case "command_substitution":
                self._substitution(node, text)
            case "process_substitution":
                self.uncertainties.append("process substitution")
                self._push(node.named_children)
            case "arithmetic_expansion" if is_plain_arithmetic(text):
                self._account.cover(start, end)
            case "simple_expansion" | "expansion" if is_plain_expansion(source, start, end):
                self._account.cover(start, end)
            case _:
                self.unparsed_fragments.extend(find_backticks(source, start, end))
                if not find_outer_expansions(node):
                    self.unparsed_fragments.extend(find_substitutions(source, start + 1, end))
                self._doubt(node, f"{text.decode(errors='replace')} is not plainly an expansion")

    def _substitution(self, node: "Node", text: bytes) -> None:
        if text.startswith(b"$(("):
            self.uncertainties.append("$(( may begin arithmetic")
        if text.startswith(b"`") and b"\\" in text:
            self.unparsed_fragments.append((node.start_byte, unescape_backticks(text)))
            self.uncertainties.append("backslashes in backticks")
        opening = 1 if text.startswith(b"`") else 2
        self._account.cover(node.start_byte, node.start_byte + opening)
        self._account.cover(node.end_byte - 1, node.end_byte)
        inside = node.children[1:-1]
        statements = [child for child in inside if is_statement(child)]
        if statements and statements[0].type == "file_redirect":
            self._simple(statements[0], statements[-1].end_byte)
            return
        self._push(self._behind_tokens(inside))

    def _test(self, node: "Node", end: int) -> None:
        if is_bracket_test(node):
            self._simple(node, end)
        elif is_plain_test(self._source[node.start_byte : node.end_byte]):
            self._account.cover(node.start_byte, node.end_byte)
            self._doubt_if(self._account.check_group_end(node.end_byte))
        else:
            self._doubt(node, "a test may run commands")

    def _for(self, node: "Node") -> None:
        self.may_repeat = True
        variable = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        name = self._source[variable.start_byte : variable.end_byte] if variable else b""
        if not _VARIABLE.fullmatch(name) or node.children[0].type != "for" or body is None:
            self._doubt(node, "a loop sets a variable")
            return
        if variable:
            self._account.cover(variable.start_byte, variable.end_byte)
        self._behind_tokens(node.children)
        values = self._words(node.children_by_field_name("value"))
        self.for_loops.append(ForLoop(name.decode(), values, body.start_byte, body.end_byte))
        self._push([body])

    def _case(self, node: "Node") -> None:
        values = node.children_by_field_name("value")
        self._words(values)
        self._push([each for each in self._behind_tokens(node.children) if each not in values])
        if node.type == "case_statement":
            self._doubt_if(self._account.check_group_end(node.end_byte))

    def _words(self, nodes: "list[Node]") -> Words:
        words: list[Word] = []
        for node in nodes:
            reader = WordReader(self._source, self._ends, node.start_byte)
            try:
                word = reader.read_word()
                words += [word] if word else []
            except AmbiguousSyntaxError as doubt:
                self.uncertainties.append(str(doubt))
            if reader.offset != node.end_byte:
                self.uncertainties.append("where a word ends is not certain")
            self._cover(node.start_byte, node.end_byte, reader.seen_expansions)
        return tuple(words)
