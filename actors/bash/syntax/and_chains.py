"""Which commands run only where one before them has succeeded: `cd src && cat ../README.md`."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from actors.bash.syntax.fast_path import SEPARATOR
from actors.bash.syntax.parsed_command import AndChain
from actors.bash.syntax.simple_command import SimpleCommand

if TYPE_CHECKING:
    from tree_sitter import Node

_PIPED = {"pipeline", "negated_command"}
_GOES_ON = {"&&", "|"}


ChainSpan = tuple[int, int]
"""Where the first command of a chain begins, and where the chain ends, in bytes."""


def find_plain_chains(text: str, commands: Sequence[tuple[str, ...]]) -> tuple[AndChain, ...]:
    """Find the chains that begin with a `cd`, of a text that holds only words and separators."""
    between = SEPARATOR.findall(text)
    found: list[AndChain] = []
    for at, names in enumerate(commands[:-1]):
        # After `||` it may be passed over, and in a pipe it moves nobody but itself.
        is_alone = at == 0 or between[at - 1] not in {"|", "||"}
        if names[0] == "cd" and is_alone and between[at] == "&&":
            last = at + 1
            while last + 1 < len(commands) and between[last] in _GOES_ON:
                last += 1
            found.append(AndChain(at, last))
    return tuple(found)


def find_chain_spans(top: "Node") -> list[ChainSpan]:
    """Find the chains in an outermost list, whatever their first command is."""
    steps: list[tuple[str, Node]] = []
    node = top
    while node.type == "list":
        left, operator, *_, right = node.children
        if _body(right).type == "list":
            return []
        steps.append((operator.type, right))
        node = _body(left)
    steps.append(("", node))
    steps.reverse()
    found: list[ChainSpan] = []
    end = -1
    for (joined_by, step), (joins, following) in reversed([*pairwise(steps)]):
        end = max(end, following.end_byte) if joins == "&&" else -1
        command = _body(step)
        if end >= 0 and joined_by != "||" and command.type == "command":
            found.append((command.start_byte, end))
    return found


def is_outermost_list(node: "Node") -> bool:
    """Whether a list is no part of another one, nor of a pipeline."""
    above = node.parent
    while above is not None and above.type == "redirected_statement":
        above = above.parent
    return above is not None and above.type != "list" and above.type not in _PIPED


def index_chains(
    commands: Sequence[SimpleCommand], spans: Sequence[ChainSpan]
) -> tuple[AndChain, ...]:
    """Say which commands, in the order of the text, the chains hold."""
    places = {command.start: at for at, command in enumerate(commands)}
    found: list[AndChain] = []
    for start, end in sorted(spans):
        first = places.get(start)
        if first is not None:
            within = sum(1 for command in commands[first + 1 :] if command.start < end)
            found.append(AndChain(first, first + within))
    return tuple(found)


def _body(node: "Node") -> "Node":
    """Pass over redirections."""
    while node.type == "redirected_statement":
        body = node.child_by_field_name("body")
        if body is None:
            return node
        node = body
    return node
