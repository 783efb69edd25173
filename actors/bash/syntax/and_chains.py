"""Finds commands that run only if an earlier one succeeds: `cd src && cat ../README.md`."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from actors.bash.syntax.fast_path import SEPARATOR
from actors.bash.syntax.parsed_command import AndChain
from actors.bash.syntax.simple_command import SimpleCommand

if TYPE_CHECKING:
    from tree_sitter import Node

_PIPELINE_TYPES = {"pipeline", "negated_command"}
_CHAIN_OPERATORS = {"&&", "|"}


ChainSpan = tuple[int, int]
"""Byte offsets: where the first command of a chain begins, and where the chain ends."""


def find_plain_chains(text: str, commands: Sequence[tuple[str, ...]]) -> tuple[AndChain, ...]:
    """Find the chains that begin with `cd` in a command of only words and separators."""
    separators = SEPARATOR.findall(text)
    chains: list[AndChain] = []
    for index, words in enumerate(commands[:-1]):
        # After `||` it may be skipped, and in a pipe it changes only its own directory.
        is_alone = index == 0 or separators[index - 1] not in {"|", "||"}
        if words[0] == "cd" and is_alone and separators[index] == "&&":
            last = index + 1
            while last + 1 < len(commands) and separators[last] in _CHAIN_OPERATORS:
                last += 1
            chains.append(AndChain(index, last))
    return tuple(chains)


def find_chain_spans(top: "Node") -> list[ChainSpan]:
    """Find the chains in an outermost list, regardless of their first command."""
    steps: list[tuple[str, Node]] = []
    node = top
    while node.type == "list":
        left, operator, *_, right = node.children
        if _skip_redirections(right).type == "list":
            return []
        steps.append((operator.type, right))
        node = _skip_redirections(left)
    steps.append(("", node))
    steps.reverse()
    spans: list[ChainSpan] = []
    end = -1
    for (operator_before, step), (operator_after, next_step) in reversed([*pairwise(steps)]):
        end = max(end, next_step.end_byte) if operator_after == "&&" else -1
        command = _skip_redirections(step)
        if end >= 0 and operator_before != "||" and command.type == "command":
            spans.append((command.start_byte, end))
    return spans


def is_outermost_list(node: "Node") -> bool:
    """Whether a list is not part of another list or of a pipeline."""
    parent = node.parent
    while parent is not None and parent.type == "redirected_statement":
        parent = parent.parent
    return parent is not None and parent.type != "list" and parent.type not in _PIPELINE_TYPES


def index_chains(
    commands: Sequence[SimpleCommand], spans: Sequence[ChainSpan]
) -> tuple[AndChain, ...]:
    """Convert byte spans to indexes of commands, which are in the order of the text."""
    index_by_start = {command.start: index for index, command in enumerate(commands)}
    chains: list[AndChain] = []
    for start, end in sorted(spans):
        first = index_by_start.get(start)
        if first is not None:
            following = sum(1 for command in commands[first + 1 :] if command.start < end)
            chains.append(AndChain(first, first + following))
    return tuple(chains)


def _skip_redirections(node: "Node") -> "Node":
    while node.type == "redirected_statement":
        body = node.child_by_field_name("body")
        if body is None:
            return node
        node = body
    return node
