"""Walks the tree of a text: which simple commands it holds, and whether that is certain.

The tree says where statements and expansions begin and end; every word, token and here-document
is read again from the bytes. What the two do not agree on, and every byte that neither
accounts for, makes the whole text uncertain. Long because it is one walk over one tree.
"""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from actors.permissions.commands.command import Word
from actors.permissions.commands.expansions import (
    backticks,
    is_plain_arithmetic,
    is_plain_expansion,
    is_plain_test,
    unescaped,
)
from actors.permissions.commands.heredocs import Heredoc, read_heredoc
from actors.permissions.commands.plain import RESERVED
from actors.permissions.commands.simple import Simple, read_simple
from actors.permissions.commands.words import UncertainError, WordReader, refuse

if TYPE_CHECKING:
    from tree_sitter import Node

_HOLES = {
    "simple_expansion",
    "expansion",
    "command_substitution",
    "process_substitution",
    "arithmetic_expansion",
}
_SEQUENCES = {
    "program",
    "list",
    "pipeline",
    "negated_command",
    "subshell",
    "do_group",
    "if_statement",
    "elif_clause",
    "else_clause",
    "while_statement",
    "compound_statement",
}
_SIMPLE = {
    "command",
    "declaration_command",
    "unset_command",
    "variable_assignment",
    "variable_assignments",
}
_ENDING_WITH_A_COMMAND = {"list", "pipeline", "negated_command"}
_OPERATORS = {"\n", ";", ";;", ";&", ";;&", "&", "&&", "||", "|", "|&", "(", ")"}
_OF_CASE = {";;", ";&", ";;&"}
_OPERATOR = re.compile(rb"\n|&&|&>>|&>|;;&|;;|;&|\|\||\|&|\(\(|[;&|()]")
_MAY_FOLLOW_A_COMMAND = frozenset(b"\n;&|)`#")
_AFTER_A_GROUP = re.compile(
    rb"(?:[ \t]|\\\n)*(?:\Z|[\n;&|)`<>]|[ \t]#|\d+[<>]"
    rb"|(?<=[ \t)])(?:then|do|done|fi|elif|else|esac|\})"
    rb"(?=[ \t\n;&|)]|\Z))"
)
_OF_HEREDOC = {
    "<<", "<<-", "heredoc_start", "heredoc_body", "heredoc_end", "file_redirect", "file_descriptor",
    "herestring_redirect", "word", "string", "raw_string", "number", "concatenation",
}  # fmt: skip
_BETWEEN_WORDS = frozenset(b" \t\n;&|()<>`")
_GAP = re.compile(rb"[ \t\n]+(?:\\\n[ \t]+)*|(?:\\\n[ \t]+)+")
"""Blanks and newlines; a continuation counts only beside a blank, else it joins words."""
_MAY_EXPAND = re.compile(rb"[$`]|[<>]\(")
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
        self.loops = False
        self._source = source
        self._nodes = _holes(source, root)
        self._ends = {start: node.end_byte for start, node in self._nodes.items()}
        self._spans: list[tuple[int, int]] = []
        self._pending: list[tuple[Node, int]] = [(root, root.end_byte)]
        if root.has_error:
            self.doubts.append("it does not parse")
        while self._pending:
            node, end = self._pending.pop()
            self._visit(node, end)
        if not self.doubts:
            self._check_coverage()

    def _visit(self, node: "Node", end: int) -> None:
        kind = node.type
        if kind in _SIMPLE:
            self._simple(node, end)
        elif kind == "redirected_statement":
            self._redirected(node, end)
        elif kind in _SEQUENCES:
            self._sequence(node, end)
        elif kind in _HOLES:
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
            case _:
                self._doubt(node, f"{node.type.replace('_', ' ')} is not judged")

    def _doubt(self, node: "Node", why: str) -> None:
        """Make the whole uncertain, and look for commands in it all the same."""
        self.doubts.append(why)
        self._push(node.named_children)

    def _push(self, nodes: "Iterable[Node]", last_end: int | None = None) -> None:
        pending = [(node, node.end_byte) for node in nodes]
        if pending and last_end is not None:
            pending[-1] = (pending[-1][0], last_end)
        self._pending.extend(reversed(pending))

    def _push_holes(self, starts: Iterable[int]) -> None:
        self._push([self._nodes[start] for start in starts])

    def _sequence(self, node: "Node", end: int) -> None:
        """Take statements with operators and reserved words between them."""
        self.loops = self.loops or node.type == "while_statement"
        if node.type == "compound_statement" and node.children[0].type == "((":
            self._doubt(node, "arithmetic may run commands")
            return
        statements: list[Node] = []
        for child in node.children:
            if child.is_named and child.type != "comment":
                statements.append(child)
            elif child.type in _OF_CASE:
                self.doubts.append(f"{child.type!r} outside of a case")
            else:
                self._token(child)
        takes_rest = node.type in _ENDING_WITH_A_COMMAND
        self._push(statements, end if takes_rest else None)
        if not takes_rest and node.type not in {"program", "elif_clause", "else_clause"}:
            self._group_end(node.end_byte)

    def _group_end(self, end: int) -> None:
        if not _AFTER_A_GROUP.match(self._source, end):
            self.doubts.append("something follows a group")

    def _token(self, node: "Node") -> None:
        start, end, kind = node.start_byte, node.end_byte, node.type
        self._spans.append((start, end))
        if kind == "comment":
            self._comment(start, end)
        elif kind in _OPERATORS:
            operator = _OPERATOR.match(self._source, start)
            if not operator or operator.end() != end:
                self.doubts.append(f"{kind!r} may be another operator")
        elif kind not in RESERVED:
            self.doubts.append(f"{kind!r} is not judged")
        elif not self._is_whole_word(start, end):
            self.doubts.append(f"{kind!r} may not be a reserved word")

    def _is_whole_word(self, start: int, end: int) -> bool:
        source = self._source
        return (start == 0 or source[start - 1] in _BETWEEN_WORDS) and (
            end == len(source) or source[end] in _BETWEEN_WORDS
        )

    def _comment(self, start: int, end: int) -> None:
        source = self._source
        is_whole = source[start] == ord("#") and (end == len(source) or source[end] == ord("\n"))
        begins = start == 0 or source[start - 1] in _BETWEEN_WORDS
        if not is_whole or not begins or b"\n" in source[start:end]:
            self.doubts.append("a comment may not be one")

    def _simple(self, node: "Node", end: int, *, has_heredoc: bool = False) -> None:
        try:
            simple = read_simple(self._source, self._ends, node.start_byte)
        except UncertainError as doubt:
            self._unread(node, str(doubt))
            return
        self.commands.append(simple)
        self._cover(simple.start, simple.end, simple.holes)
        self._push_holes(simple.holes)
        self._check_end(simple, None if has_heredoc else end)
        if simple.first >= 0 and _is_reserved(simple):
            self.doubts.append(f"{simple.words[0].text!r} is a reserved word")

    def _unread(self, node: "Node", why: str) -> None:
        """Take the words from the tree, for the sake of deny rules."""
        self.doubts.append(why)
        self.commands.append(_from_tree(self._source, node))
        self._push(_holes_in(node))

    def _check_end(self, simple: Simple, end: int | None) -> None:
        source, at = self._source, simple.end
        if end is not None and source[min(at, end) : max(at, end)].strip(b" \t\\\n"):
            self.doubts.append("where a command ends is not certain")
        if at < len(source) and source[at] not in _MAY_FOLLOW_A_COMMAND:
            self.doubts.append("what follows a command is not certain")
        if simple.heredocs and end is not None:
            self.doubts.append("a here-document is not certain")

    def _cover(self, start: int, end: int, holes: Iterable[int]) -> None:
        """Account for these bytes, without the expansions in them."""
        for hole in holes:
            self._spans.append((start, hole))
            start = self._ends[hole]
        self._spans.append((start, end))

    def _redirected(self, node: "Node", end: int) -> None:
        body = node.child_by_field_name("body")
        heredocs = [child for child in node.children if child.type == "heredoc_redirect"]
        for heredoc in heredocs:
            self._heredoc(heredoc)
        if len(heredocs) > 1:
            self.doubts.append("more than one here-document")
        if body is None or body.type in _SIMPLE or _is_bracket_test(body):
            self._simple(body or node, end, has_heredoc=bool(heredocs))
        elif body.type in _ENDING_WITH_A_COMMAND | {"redirected_statement"} and not heredocs:
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
        self.commands.append(simple)
        self._cover(simple.start, simple.end, simple.holes)
        self._push_holes(simple.holes)
        self._check_end(simple, None if has_heredoc else end)
        if simple.words or (simple.floors and not simple.redirects):
            self.doubts.append("words follow the redirections of a group")

    def _heredoc(self, node: "Node") -> None:
        children = {child.type: child for child in node.children}
        start, close = children.get("heredoc_start"), children.get("heredoc_end")
        rest = [c for c in node.children if c.type not in _OF_HEREDOC]
        for child in rest:
            if child.is_named:
                self._push([child])
            else:
                self._token(child)
        try:
            if start is None or close is None:
                refuse("a here-document is not closed")
            heredoc = read_heredoc(self._source, start.start_byte, node.children[0].type == "<<-")
            if close.end_byte != heredoc.end:
                refuse("where a here-document ends is not certain")
            self._heredoc_body(heredoc)
        except UncertainError as doubt:
            self.doubts.append(str(doubt))
            self._push(_holes_in(node))

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
        self._push_holes(holes)

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
                self._spans.append((start, end))
            case "simple_expansion" | "expansion" if is_plain_expansion(source, start, end):
                self._spans.append((start, end))
            case _:
                self.fragments.extend(backticks(source, start, end))
                self._doubt(node, f"{text.decode(errors='replace')} is not plainly an expansion")

    def _substitution(self, node: "Node", text: bytes) -> None:
        if text.startswith(b"$(("):
            self.doubts.append("$(( may begin arithmetic")
        if text.startswith(b"`") and b"\\" in text:
            self.fragments.append((node.start_byte, unescaped(text)))
            self.doubts.append("backslashes in backticks")
        opening = 1 if text.startswith(b"`") else 2
        self._spans.append((node.start_byte, node.start_byte + opening))
        self._spans.append((node.end_byte - 1, node.end_byte))
        inside = node.children[1:-1]
        statements = [child for child in inside if child.is_named and child.type != "comment"]
        if statements and statements[0].type == "file_redirect":
            self._simple(statements[0], statements[-1].end_byte)
            return
        for child in inside:
            if not child.is_named or child.type == "comment":
                self._token(child)
        self._push(statements)

    def _test(self, node: "Node", end: int) -> None:
        if _is_bracket_test(node):
            self._simple(node, end)
        elif is_plain_test(self._source[node.start_byte : node.end_byte]):
            self._spans.append((node.start_byte, node.end_byte))
            self._group_end(node.end_byte)
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
        self._spans.append((variable.start_byte, variable.end_byte) if variable else (0, 0))
        for child in node.children:
            if not child.is_named or child.type == "comment":
                self._token(child)
        self._words(node.children_by_field_name("value"))
        self._push([body])

    def _case(self, node: "Node") -> None:
        values = node.children_by_field_name("value")
        statements: list[Node] = []
        for child in node.children:
            if not child.is_named or child.type == "comment":
                self._token(child)
            elif child not in values:
                statements.append(child)
        self._words(values)
        self._push(statements)
        if node.type == "case_statement":
            self._group_end(node.end_byte)

    def _words(self, nodes: "list[Node]") -> None:
        for node in nodes:
            reader = WordReader(self._source, self._ends, node.start_byte)
            try:
                reader.word()
            except UncertainError as doubt:
                self.doubts.append(str(doubt))
            if reader.at != node.end_byte:
                self.doubts.append("where a word ends is not certain")
            self._cover(node.start_byte, node.end_byte, reader.holes_seen)
            self._push_holes(reader.holes_seen)

    def _check_coverage(self) -> None:
        """Every byte is accounted for once; between are only blanks."""
        at = 0
        size = len(self._source)
        for start, end in [*sorted(self._spans), (size, size)]:
            if start < at:
                self.doubts.append("two readings overlap")
                return
            if start > at and not _GAP.fullmatch(self._source, at, start):
                self.doubts.append("a piece of it was not understood")
                return
            at = end


def _holes(source: bytes, root: "Node") -> "Mapping[int, Node]":
    """Every expansion, by where it begins."""
    if not _MAY_EXPAND.search(source):
        return {}
    found: dict[int, Node] = {}
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type in _HOLES:
            found.setdefault(node.start_byte, node)
        pending.extend(node.children)
    return found


def _holes_in(node: "Node") -> "list[Node]":
    """Find the outermost expansions below a node."""
    found: list[Node] = []
    pending = [node]
    while pending:
        below = pending.pop()
        if below.type in _HOLES and below is not node:
            found.append(below)
        else:
            pending.extend(reversed(below.children))
    return found


def _is_bracket_test(node: "Node") -> bool:
    return node.type == "test_command" and node.children[0].type == "["


def _is_reserved(simple: Simple) -> bool:
    word = simple.words[0]
    return word.plain and word.text in RESERVED and word.text != "time"


def _from_tree(source: bytes, node: "Node") -> Simple:
    """Read the words of a command as the tree has them, quotes removed as well as may be."""
    words = [
        source[child.start_byte : child.end_byte].translate(None, b"'\"\\")
        for child in node.children
        if child.is_named and child.type not in {"variable_assignment", "comment"}
    ]
    simple = Simple(node.start_byte, node.end_byte, by_bytes=False)
    simple.words = [Word(word.decode(errors="replace"), literal=False) for word in words]
    simple.floors.append("its words are not certain")
    return simple
