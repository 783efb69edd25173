"""Where a conversation can be cut, and how its first part is replaced. Pure.

The messages are those of `ConversationHistory`, in the shape of the Messages API.
"""

from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from messages.compaction import Compacted

Json = dict[str, JsonValue]

SUMMARY_HEADER = """\
The earlier part of this conversation was compacted to save context. This is a summary of it:
"""
LEDGER_HEADER = """\
This record of the earlier part was kept by the program, word for word. Where the summary \
disagrees with it, the record is right. Messages after the record are newer.
"""
SUMMARY_MISSING = """\
The earlier part of this conversation was removed to save context, and no summary of it exists. \
Read again what you need.
"""


def find_cut(messages: Sequence[Json]) -> int:
    """Return how many messages can be replaced at most: up to the newest point without open calls.

    At least the last message remains, because it may still grow. 0: nothing can be replaced.
    """
    cuts = (count for count in range(len(messages) - 1, 0, -1) if is_cut(messages, count))
    return next(cuts, 0)


def is_cut(messages: Sequence[Json], count: int) -> bool:
    """Return whether the first `count` messages contain the result of each of their calls."""
    if not 0 < count < len(messages):
        return False
    return all(block["type"] != "tool_use" for block in get_blocks(messages[count - 1]))


def splice(messages: Sequence[Json], compacted: Compacted) -> list[Json]:
    """Replace the first messages; the others follow unchanged.

    The first one that remains is merged with the replacement if it is the user's as well.
    """
    tail = list(messages[compacted.message_count :])
    blocks: list[JsonValue] = [*build_replacement(compacted)]
    if tail and tail[0]["role"] == "user":
        blocks += get_blocks(tail.pop(0))
    return [{"role": "user", "content": blocks}, *tail]


def put_block_first(messages: Sequence[Json], block: Json) -> list[Json]:
    """Return a spliced conversation with the provider's block instead of the summary."""
    _summary, *others = get_blocks(messages[0])
    return [{**messages[0], "content": [block, *others]}, *messages[1:]]


def get_blocks(message: Json) -> list[Json]:
    """Return the content blocks of a message."""
    return cast("list[Json]", message["content"])


def build_replacement(compacted: Compacted) -> list[Json]:
    """Return the blocks that the model reads instead of the replaced messages."""
    summary = f"{SUMMARY_HEADER}\n{compacted.summary}" if compacted.summary else SUMMARY_MISSING
    texts = (summary, f"{LEDGER_HEADER}\n{compacted.ledger}")
    return [{"type": "text", "text": text} for text in texts]
