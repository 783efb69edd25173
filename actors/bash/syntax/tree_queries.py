"""Lookups that need only the syntax tree, and the node types they use."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from actors.bash.syntax.parsed_command import Word
from actors.bash.syntax.simple_command import SimpleCommand

if TYPE_CHECKING:
    from tree_sitter import Node

EXPANSION_TYPES = frozenset(
    [
        "simple_expansion",
        "expansion",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
    ]
)
SEQUENCE_TYPES = {
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
SIMPLE_COMMAND_TYPES = {
    "command",
    "declaration_command",
    "unset_command",
    "variable_assignment",
    "variable_assignments",
}
COMMAND_LAST_TYPES = {"list", "pipeline", "negated_command"}
HEREDOC_PART_TYPES = {
    "<<", "<<-", "heredoc_start", "heredoc_body", "heredoc_end", "file_redirect", "file_descriptor",
    "herestring_redirect", "word", "string", "raw_string", "number", "concatenation",
}  # fmt: skip
_QUOTES = b"'\"\\"
_MAY_EXPAND = re.compile(rb"[$`]|[<>]\(")


def map_expansions(source: bytes, root: "Node") -> "Mapping[int, Node]":
    """Map each offset where an expansion begins to its node."""
    if not _MAY_EXPAND.search(source):
        return {}
    expansions: dict[int, Node] = {}
    pending = [
        child
        for child in root.children
        if _MAY_EXPAND.search(source, child.start_byte, child.end_byte)
    ]
    while pending:
        node = pending.pop()
        if node.type in EXPANSION_TYPES:
            expansions.setdefault(node.start_byte, node)
        pending.extend(node.children)
    return expansions


def find_outer_expansions(node: "Node") -> "list[Node]":
    """Find the outermost expansions below a node."""
    expansions: list[Node] = []
    pending = [node]
    while pending:
        descendant = pending.pop()
        if descendant.type in EXPANSION_TYPES and descendant is not node:
            expansions.append(descendant)
        else:
            pending.extend(reversed(descendant.children))
    return expansions


def is_bracket_test(node: "Node") -> bool:
    """Whether it is `[ … ]`, which is an ordinary command."""
    return node.type == "test_command" and node.children[0].type == "["


def build_command_from_tree(source: bytes, node: "Node") -> SimpleCommand:
    """Read the words of a command from the tree alone, removing quotes as well as possible."""
    words = [
        source[child.start_byte : child.end_byte].replace(b'$"', b'"').translate(None, _QUOTES)
        for child in node.children
        if child.is_named and child.type not in {"variable_assignment", "comment"}
    ]
    simple = SimpleCommand(node.start_byte, node.end_byte)
    simple.words = [Word(word.decode(errors="replace"), is_literal=False) for word in words]
    simple.ask_reasons.append("its words could not be read reliably")
    return simple


def is_statement(node: "Node") -> bool:
    """Whether it is more than an operator, a reserved word or a comment."""
    return node.is_named and node.type != "comment"
