"""Walks the tree of a text: which simple commands it holds, and whether that is certain.

The tree says where statements and expansions begin and end; every word, token and here-document
is read again from the bytes. What the two do not agree on, and every byte that neither
accounts for, makes the whole text uncertain.
Long because every kind of node is taken into the one account.
"""

import re
from typing import TYPE_CHECKING

from actors.permissions.commands.accounts import OF_CASE, Account
from actors.permissions.commands.chains import Span, chain_spans, is_outermost
from actors.permissions.commands.command import Word
from actors.permissions.commands.expansions import (
    backticks,
    is_plain_arithmetic,
    is_plain_expansion,
    is_plain_test,
    substitutions,
    unescaped,
)
from actors.permissions.commands.heredocs import Heredoc, read_heredoc
from actors.permissions.commands.hidden import Words
from actors.permissions.commands.loops import Loop
from actors.permissions.commands.simple import (
    Simple,
    is_reserved,
    read_simple,
    without_reserved,
)
from actors.permissions.commands.trees import (
    ENDING_WITH_A_COMMAND,
    HOLES,
    OF_HEREDOC,
    SEQUENCES,
    SIMPLE,
    as_the_tree_has_it,
    holes_in,
    holes_of,
    is_bracket_test,
    is_statement,
)
from actors.permissions.commands.words import UncertainError, WordReader, refuse

if TYPE_CHECKING:
    from tree_sitter import Node

_VARIABLE = re.compile(rb"[a-z][a-z0-9]*")
"""Names that a loop may set without harm: none that bash or a program takes to heart."""


class Statements:
    """What was found in one text."""

    def __init__(self, source: bytes, root: "Node") -> None:
        """Walk the tree of `source`."""
        self.commands: list[Simple] = []
        self.fragments: list[tuple[int, bytes]] = []
        """Texts that bash would run and the tree does not hold, and where they begin."""
        self.doubts: list[str] = []
        self.documents: list[str] = []
        """What here-documents hold."""
        self.strings: list[str] = []
        """What here-strings say."""
        self.loops = False
        self.over: list[Loop] = []
        """What loops run over, outer ones before those within."""
        self.chains: list[Span] = []
        self._source = source
        self._nodes = holes_of(source, root)
        self._ends = {start: node.end_byte for start, node in self._nodes.items()}
        self._account = Account(source)
        self._pending: list[tuple[Node, int]] = [(root, root.end_byte)]
        if root.has_error:
            self.doubts.append("it does not parse")
        while self._pending:
            node, end = self._pending.pop()
            self._visit(node, end)
        if not self.doubts:
            self._doubt_if(self._account.problem())

    def _visit(self, node: "Node", end: int) -> None:
        kind = node.type
        if kind in SIMPLE:
            self._simple(node, end)
        elif kind == "redirected_statement":
            self._redirected(node, end)
        elif kind in SEQUENCES:
            self._sequence(node, end)
        elif kind in HOLES:
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
                self.loops = True
                self._doubt(node, "it defines a function")
            case "file_redirect":
                self._simple(node, node.end_byte)
            case _:
                self._doubt(node, f"{node.type.replace('_', ' ')} is not judged")

    def _doubt(self, node: "Node", why: str) -> None:
        """Make the whole uncertain, and look for commands in it all the same."""
        self.doubts.append(why)
        self._push(node.named_children)

    def _push(self, nodes: "list[Node]", last_end: int | None = None) -> None:
        for node in reversed(nodes):
            self._pending.append((node, node.end_byte if last_end is None else last_end))
            last_end = None

    def _sequence(self, node: "Node", end: int) -> None:
        """Take statements with operators and reserved words between them."""
        kind, children = node.type, node.children
        self.loops = self.loops or kind == "while_statement"
        if kind == "compound_statement" and children[0].type == "((":
            self._doubt(node, "arithmetic may run commands")
            return
        if kind == "list" and is_outermost(node):
            self.chains += chain_spans(node)
        statements = self._behind_tokens(children, in_case=False)
        takes_rest = kind in ENDING_WITH_A_COMMAND
        self._push(statements, end if takes_rest else None)
        if not takes_rest and kind not in {"program", "elif_clause", "else_clause"}:
            self._doubt_if(self._account.group_end(node.end_byte))

    def _token(self, node: "Node", kind: str) -> None:
        why = self._account.token(kind, node.start_byte, node.end_byte)
        if why:
            self.doubts.append(why)

    def _behind_tokens(self, nodes: "list[Node]", *, in_case: bool = True) -> "list[Node]":
        """Take the operators, reserved words and comments; what is left are statements."""
        statements: list[Node] = []
        for node in nodes:
            kind = node.type
            if node.is_named and kind != "comment":
                statements.append(node)
            elif not in_case and kind in OF_CASE:
                self.doubts.append(f"{kind!r} outside of a case")
            else:
                self._token(node, kind)
        return statements

    def _doubt_if(self, why: str) -> None:
        if why:
            self.doubts.append(why)

    def _simple(self, node: "Node", end: int, *, has_heredoc: bool = False) -> None:
        try:
            simple = read_simple(self._source, self._ends, node.start_byte)
        except UncertainError as doubt:
            self._unread(node, str(doubt))
            return
        self._take(simple, None if has_heredoc else end)
        if simple.end < node.end_byte:
            self._push([each for each in holes_in(node) if each.start_byte >= simple.end])
        if is_reserved(simple):
            self.doubts.append(f"{simple.words[0].text!r} is a reserved word")
            self.commands.append(without_reserved(simple))

    def _take(self, simple: Simple, end: int | None) -> None:
        self.commands.append(simple)
        if simple.stdin:
            self.strings.append(simple.stdin)
        self._cover(simple.start, simple.end, simple.holes)
        why = self._account.command_end(simple.end, end)
        if why:
            self.doubts.append(why)
            self.fragments.append((simple.end, self._source[simple.end : end]))
        if simple.heredocs and end is not None:
            self.doubts.append("a here-document is not certain")

    def _unread(self, node: "Node", why: str) -> None:
        """Take the words from the tree, for the sake of deny rules."""
        self.doubts.append(why)
        self.commands.append(as_the_tree_has_it(self._source, node))
        self._push(holes_in(node))

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
            self.doubts.append("more than one here-document")
        if body is None or body.type in SIMPLE or is_bracket_test(body):
            self._simple(body or node, end, has_heredoc=bool(heredocs))
        elif body.type in ENDING_WITH_A_COMMAND | {"redirected_statement"} and not heredocs:
            self._push([body], end)
        else:
            self._push([body])
            self._group_redirects(body, end, has_heredoc=bool(heredocs))

    def _group_redirects(self, body: "Node", end: int, *, has_heredoc: bool) -> None:
        try:
            simple = read_simple(self._source, self._ends, body.end_byte)
        except UncertainError as doubt:
            self.doubts.append(str(doubt))
            return
        self._take(simple, None if has_heredoc else end)
        if simple.words or (simple.floors and not simple.redirects):
            self.doubts.append("words follow the redirections of a group")

    def _heredoc(self, node: "Node") -> None:
        children = {child.type: child for child in node.children}
        start, close = children.get("heredoc_start"), children.get("heredoc_end")
        rest = [c for c in node.children if c.type not in OF_HEREDOC]
        for child in rest:
            if child.is_named:
                self._push([child])
            else:
                self._token(child, child.type)
        try:
            if start is None or close is None:
                refuse("a here-document is not closed")
            heredoc = read_heredoc(self._source, start.start_byte, node.children[0].type == "<<-")
            if close.end_byte != heredoc.end:
                refuse("where a here-document ends is not certain")
            self._heredoc_body(heredoc)
        except UncertainError as doubt:
            self.doubts.append(str(doubt))
            self._push_all_holes(node)

    def _push_all_holes(self, node: "Node") -> None:
        """Look into the expansions below a node, also where the tree sees none."""
        holes = holes_in(node)
        if not holes:
            self.fragments.extend(substitutions(self._source, node.start_byte, node.end_byte))
        self._push(holes)

    def _heredoc_body(self, heredoc: Heredoc) -> None:
        holes: list[int] = []
        body = self._source[heredoc.start : heredoc.body_end]
        self.documents.append(body.decode(errors="replace"))
        if heredoc.expands:
            reader = WordReader(self._source, self._ends, heredoc.start)
            self.fragments.extend(backticks(self._source, heredoc.start, heredoc.body_end))
            reader.body(heredoc.body_end)
            holes = reader.holes_seen
        self._cover(heredoc.start, heredoc.end, holes)

    def _hole(self, node: "Node") -> None:
        source, start, end = self._source, node.start_byte, node.end_byte
        text = source[start:end]
        match node.type:
            case "command_substitution":
                self._substitution(node, text)
            case "process_substitution":
                self.doubts.append("process substitution")
                self._push(node.named_children)
            case "arithmetic_expansion" if is_plain_arithmetic(text):
                self._account.cover(start, end)
            case "simple_expansion" | "expansion" if is_plain_expansion(source, start, end):
                self._account.cover(start, end)
            case _:
                self.fragments.extend(backticks(source, start, end))
                if not holes_in(node):
                    self.fragments.extend(substitutions(source, start + 1, end))
                self._doubt(node, f"{text.decode(errors='replace')} is not plainly an expansion")

    def _substitution(self, node: "Node", text: bytes) -> None:
        if text.startswith(b"$(("):
            self.doubts.append("$(( may begin arithmetic")
        if text.startswith(b"`") and b"\\" in text:
            self.fragments.append((node.start_byte, unescaped(text)))
            self.doubts.append("backslashes in backticks")
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
            self._doubt_if(self._account.group_end(node.end_byte))
        else:
            self._doubt(node, "a test may run commands")

    def _for(self, node: "Node") -> None:
        self.loops = True
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
        self.over.append(Loop(name.decode(), values, body.start_byte, body.end_byte))
        self._push([body])

    def _case(self, node: "Node") -> None:
        values = node.children_by_field_name("value")
        self._words(values)
        self._push([each for each in self._behind_tokens(node.children) if each not in values])
        if node.type == "case_statement":
            self._doubt_if(self._account.group_end(node.end_byte))

    def _words(self, nodes: "list[Node]") -> Words:
        words: list[Word] = []
        for node in nodes:
            reader = WordReader(self._source, self._ends, node.start_byte)
            try:
                word = reader.word()
                words += [word] if word else []
            except UncertainError as doubt:
                self.doubts.append(str(doubt))
            if reader.at != node.end_byte:
                self.doubts.append("where a word ends is not certain")
            self._cover(node.start_byte, node.end_byte, reader.holes_seen)
        return tuple(words)
