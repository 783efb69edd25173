"""Walks the syntax tree to find the simple commands, and whether the result is certain.

The tree says where statements and expansions begin and end; every word, token and here-document
is read again from the bytes. Any disagreement between the two, and any byte that neither
explains, makes the whole text uncertain.
"""

import re
from typing import TYPE_CHECKING

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
from actors.bash.syntax.parsed_command import Word, Words
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

_HARMLESS_VARIABLE = re.compile(rb"[a-z][a-z0-9]*")
"""Names that a loop may set: no variable that bash or a program gives a meaning."""


class TreeWalker:
    """The commands, here-documents and loops of one text, and the reasons for uncertainty."""

    def __init__(self, source: bytes, root: "Node") -> None:
        """Walk the tree of `source`."""
        self.commands: list[SimpleCommand] = []
        self.unparsed_fragments: list[tuple[int, bytes]] = []
        """Texts that bash would run and the tree does not show, and where they begin."""
        self.uncertainties: list[str] = []
        self.heredoc_bodies: list[str] = []
        self.here_strings: list[str] = []
        self.may_repeat = False
        self.for_loops: list[ForLoop] = []
        """Outer loops before inner ones."""
        self.function_names: list[str] = []
        self.chain_spans: list[ChainSpan] = []
        self._source = source
        self._expansions = map_expansions(source, root)
        self._ends = {start: node.end_byte for start, node in self._expansions.items()}
        self._coverage = ByteCoverage(source)
        self._pending: list[tuple[Node, int]] = [(root, root.end_byte)]
        if root.has_error:
            self.uncertainties.append("it could not be parsed")
        while self._pending:
            node, end = self._pending.pop()
            self._visit(node, end)
        if not self.uncertainties:
            self._add_uncertainty(self._coverage.find_problem())

    def _visit(self, node: "Node", end: int) -> None:
        kind = node.type
        if kind in SIMPLE_COMMAND_TYPES:
            self._visit_simple_command(node, end)
        elif kind == "redirected_statement":
            self._visit_redirected(node, end)
        elif kind in SEQUENCE_TYPES:
            self._visit_sequence(node, end)
        elif kind in EXPANSION_TYPES:
            self._visit_expansion(node)
        else:
            self._visit_rare(node, end)

    def _visit_rare(self, node: "Node", end: int) -> None:
        match node.type:
            case "test_command":
                self._visit_test(node, end)
            case "for_statement":
                self._visit_for(node)
            case "case_statement" | "case_item":
                self._visit_case(node)
            case "function_definition":
                self._visit_function(node)
            case "file_redirect":
                self._visit_simple_command(node, node.end_byte)
            case _:
                self._reject(node, f"it uses unsupported syntax ({node.type.replace('_', ' ')})")

    def _visit_function(self, node: "Node") -> None:
        self.may_repeat = True
        name = node.child_by_field_name("name")
        if name is not None:
            text = self._source[name.start_byte : name.end_byte]
            self.function_names.append(text.decode(errors="replace"))
        self._reject(node, "it defines a function")

    def _reject(self, node: "Node", reason: str) -> None:
        """Make the whole text uncertain, but still look for commands in the node."""
        self.uncertainties.append(reason)
        self._push(node.named_children)

    def _push(self, nodes: "list[Node]", last_end: int | None = None) -> None:
        for node in reversed(nodes):
            self._pending.append((node, node.end_byte if last_end is None else last_end))
            last_end = None

    def _visit_sequence(self, node: "Node", end: int) -> None:
        """Visit statements with operators and reserved words between them."""
        kind, children = node.type, node.children
        self.may_repeat = self.may_repeat or kind == "while_statement"
        if kind == "compound_statement" and children[0].type == "((":
            self._reject(node, "arithmetic may run commands")
            return
        if kind == "list" and is_outermost_list(node):
            self.chain_spans += find_chain_spans(node)
        statements = self._cover_tokens(children, in_case=False)
        ends_with_command = kind in COMMAND_LAST_TYPES
        self._push(statements, end if ends_with_command else None)
        if not ends_with_command and kind not in {"program", "elif_clause", "else_clause"}:
            self._add_uncertainty(self._coverage.check_group_end(node.end_byte))

    def _cover_token(self, node: "Node", kind: str) -> None:
        self._add_uncertainty(self._coverage.check_token(kind, node.start_byte, node.end_byte))

    def _cover_tokens(self, nodes: "list[Node]", *, in_case: bool = True) -> "list[Node]":
        """Cover the operators, reserved words and comments; return the statements."""
        statements: list[Node] = []
        for node in nodes:
            kind = node.type
            if node.is_named and kind != "comment":
                statements.append(node)
            elif not in_case and kind in CASE_TERMINATORS:
                self.uncertainties.append(f"`{kind}` is used outside a case statement")
            else:
                self._cover_token(node, kind)
        return statements

    def _add_uncertainty(self, reason: str) -> None:
        if reason:
            self.uncertainties.append(reason)

    def _visit_simple_command(self, node: "Node", end: int, *, has_heredoc: bool = False) -> None:
        try:
            simple = read_simple_command(self._source, self._ends, node.start_byte)
        except AmbiguousSyntaxError as error:
            self._add_from_tree(node, str(error))
            return
        self._add_command(simple, None if has_heredoc else end)
        if simple.end < node.end_byte:
            expansions = find_outer_expansions(node)
            self._push(
                [expansion for expansion in expansions if expansion.start_byte >= simple.end]
            )
        if has_reserved_word(simple):
            self.uncertainties.append(f"`{simple.words[0].text}` is a reserved word")
            self.commands.append(without_reserved_words(simple))

    def _add_command(self, simple: SimpleCommand, end: int | None) -> None:
        self.commands.append(simple)
        if simple.here_string:
            self.here_strings.append(simple.here_string)
        self._cover(simple.start, simple.end, simple.expansion_offsets)
        problem = self._coverage.check_command_end(simple.end, end)
        if problem:
            self.uncertainties.append(problem)
            self.unparsed_fragments.append((simple.end, self._source[simple.end : end]))
        if simple.heredoc_offsets and end is not None:
            self.uncertainties.append("it is unclear where a here-document ends")

    def _add_from_tree(self, node: "Node", reason: str) -> None:
        """Add a command with the words from the tree, so that deny rules can match it."""
        self.uncertainties.append(reason)
        self.commands.append(build_command_from_tree(self._source, node))
        self._push(find_outer_expansions(node))

    def _cover(self, start: int, end: int, expansion_offsets: list[int]) -> None:
        """Cover these bytes except for the expansions in them, which are visited later."""
        for offset in expansion_offsets:
            self._coverage.cover(start, offset)
            start = self._ends[offset]
        self._coverage.cover(start, end)
        if expansion_offsets:
            self._push([self._expansions[offset] for offset in expansion_offsets])

    def _visit_redirected(self, node: "Node", end: int) -> None:
        body = node.child_by_field_name("body")
        heredocs = [child for child in node.children if child.type == "heredoc_redirect"]
        for heredoc in heredocs:
            self._visit_heredoc(heredoc)
        if len(heredocs) > 1:
            self.uncertainties.append("it has more than one here-document")
        if body is None or body.type in SIMPLE_COMMAND_TYPES or is_bracket_test(body):
            self._visit_simple_command(body or node, end, has_heredoc=bool(heredocs))
        elif body.type in COMMAND_LAST_TYPES | {"redirected_statement"} and not heredocs:
            self._push([body], end)
        else:
            self._push([body])
            self._read_group_redirects(body, end, has_heredoc=bool(heredocs))

    def _read_group_redirects(self, body: "Node", end: int, *, has_heredoc: bool) -> None:
        try:
            simple = read_simple_command(self._source, self._ends, body.end_byte)
        except AmbiguousSyntaxError as error:
            self.uncertainties.append(str(error))
            return
        self._add_command(simple, None if has_heredoc else end)
        if simple.words or (simple.ask_reasons and not simple.redirects):
            self.uncertainties.append("text follows the redirections of a command group")

    def _visit_heredoc(self, node: "Node") -> None:
        children = {child.type: child for child in node.children}
        start, close = children.get("heredoc_start"), children.get("heredoc_end")
        for child in node.children:
            if child.type in HEREDOC_PART_TYPES:
                continue
            if child.is_named:
                self._push([child])
            else:
                self._cover_token(child, child.type)
        try:
            if start is None or close is None:
                raise_ambiguous("a here-document is not closed")
            heredoc = read_heredoc(self._source, start.start_byte, node.children[0].type == "<<-")
            if close.end_byte != heredoc.end:
                raise_ambiguous("it is unclear where a here-document ends")
            self._cover_heredoc(heredoc)
        except AmbiguousSyntaxError as error:
            self.uncertainties.append(str(error))
            self._push_all_expansions(node)

    def _push_all_expansions(self, node: "Node") -> None:
        """Look into the expansions inside a node, even if the tree shows none."""
        expansions = find_outer_expansions(node)
        if not expansions:
            self.unparsed_fragments.extend(
                find_substitutions(self._source, node.start_byte, node.end_byte)
            )
        self._push(expansions)

    def _cover_heredoc(self, heredoc: Heredoc) -> None:
        expansion_offsets: list[int] = []
        body = self._source[heredoc.body_start : heredoc.body_end]
        self.heredoc_bodies.append(body.decode(errors="replace"))
        if heredoc.is_expanded:
            reader = WordReader(self._source, self._ends, heredoc.body_start)
            self.unparsed_fragments.extend(
                find_backticks(self._source, heredoc.body_start, heredoc.body_end)
            )
            reader.skip_heredoc_body(heredoc.body_end)
            expansion_offsets = reader.seen_expansions
        self._cover(heredoc.body_start, heredoc.end, expansion_offsets)

    def _visit_expansion(self, node: "Node") -> None:
        source, start, end = self._source, node.start_byte, node.end_byte
        text = source[start:end]
        match node.type:
            case "command_substitution":
                self._visit_substitution(node, text)
            case "process_substitution":
                self.uncertainties.append("it uses process substitution")
                self._push(node.named_children)
            case "arithmetic_expansion" if is_plain_arithmetic(text):
                self._coverage.cover(start, end)
            case "simple_expansion" | "expansion" if is_plain_expansion(source, start, end):
                self._coverage.cover(start, end)
            case _:
                self.unparsed_fragments.extend(find_backticks(source, start, end))
                if not find_outer_expansions(node):
                    self.unparsed_fragments.extend(find_substitutions(source, start + 1, end))
                expansion = text.decode(errors="replace")
                self._reject(node, f"the expansion {expansion} may run commands or set variables")

    def _visit_substitution(self, node: "Node", text: bytes) -> None:
        if text.startswith(b"$(("):
            self.uncertainties.append("`$((` may start arithmetic or a command substitution")
        if text.startswith(b"`") and b"\\" in text:
            self.unparsed_fragments.append((node.start_byte, unescape_backticks(text)))
            self.uncertainties.append("it uses backslashes inside backticks")
        opening = 1 if text.startswith(b"`") else 2
        self._coverage.cover(node.start_byte, node.start_byte + opening)
        self._coverage.cover(node.end_byte - 1, node.end_byte)
        inside = node.children[1:-1]
        statements = [child for child in inside if is_statement(child)]
        if statements and statements[0].type == "file_redirect":
            self._visit_simple_command(statements[0], statements[-1].end_byte)
            return
        self._push(self._cover_tokens(inside))

    def _visit_test(self, node: "Node", end: int) -> None:
        if is_bracket_test(node):
            self._visit_simple_command(node, end)
        elif is_plain_test(self._source[node.start_byte : node.end_byte]):
            self._coverage.cover(node.start_byte, node.end_byte)
            self._add_uncertainty(self._coverage.check_group_end(node.end_byte))
        else:
            # Arithmetic expands a quoted text again: `-v 'a[$(x)]'`.
            for find in (find_backticks, find_substitutions):
                self.unparsed_fragments += find(self._source, node.start_byte, node.end_byte)
            self._reject(node, "a test may run commands")

    def _visit_for(self, node: "Node") -> None:
        self.may_repeat = True
        variable = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        name = self._source[variable.start_byte : variable.end_byte] if variable else b""
        if not _HARMLESS_VARIABLE.fullmatch(name) or node.children[0].type != "for" or body is None:
            self._reject(node, "a loop sets a variable")
            return
        if variable:
            self._coverage.cover(variable.start_byte, variable.end_byte)
        self._cover_tokens(node.children)
        values = self._read_words(node.children_by_field_name("value"))
        self.for_loops.append(ForLoop(name.decode(), values, body.start_byte, body.end_byte))
        self._push([body])

    def _visit_case(self, node: "Node") -> None:
        values = node.children_by_field_name("value")
        self._read_words(values)
        statements = self._cover_tokens(node.children)
        self._push([statement for statement in statements if statement not in values])
        if node.type == "case_statement":
            self._add_uncertainty(self._coverage.check_group_end(node.end_byte))

    def _read_words(self, nodes: "list[Node]") -> Words:
        words: list[Word] = []
        for node in nodes:
            reader = WordReader(self._source, self._ends, node.start_byte)
            try:
                word = reader.read_word()
                words += [word] if word else []
            except AmbiguousSyntaxError as error:
                self.uncertainties.append(str(error))
            if reader.offset != node.end_byte:
                self.uncertainties.append("it is unclear where a word ends")
            self._cover(node.start_byte, node.end_byte, reader.seen_expansions)
        return tuple(words)
