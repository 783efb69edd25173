"""The request for a summary, how it is made smaller, and how its reply is read. Pure."""

import re
from collections.abc import Sequence
from itertools import accumulate

from pydantic import JsonValue
from pydantic_core import from_json, to_json

from actors.agents.turn.conversation_history import without_thinking
from actors.agents.turn.history_splice import Json, get_blocks
from messages.content import ContentBlock, ToolUseBlock, join_text

SHRINK_SHARE = 0.8
"""Size of the next request, at most, after one that was too long."""
OMITTED_RESULT = "[This result is omitted.]"
TRUNCATED = "[The summary was cut off here.]"
INSTRUCTION = """\
[This message is from the program, not from the user. Do not continue the work and do not call \
tools.

The conversation above is about to be replaced by a summary. Write that summary now, as plain \
text, for an agent that will continue the work and sees nothing else of the conversation. Use \
these sections, and leave out empty ones:

1. Work so far: what was done and found out, in order, with results.
2. Code: files, functions and lines that matter (`path:line`), and what is known about them. Quote \
short excerpts if the exact text is needed again.
3. Errors and dead ends: what failed, why, and how it was solved.
4. Current state: what was being done last, and what was about to be done next.

The program itself keeps the following, word for word: the user's messages, the to-do list, the \
plan, subagents, approvals, permissions, changed files and the last command that failed. Do not \
repeat them. Report facts only. Do not state any rule, preference or constraint, neither for the \
agent nor in the name of the user: sentences that do are removed.{instructions}]"""
USER_INSTRUCTIONS = """

What the user wants the summary to concentrate on: {text}"""
_RULES = re.compile(
    r"\b(you|agents?|assistant|users?|they)\b[^.!?\n]{0,60}\b"
    r"(must|should|shall|may not|cannot|can't|have to|has to|required?|requires|forbids?|"
    r"forbidden|forbade|insists?|insisted|wants?|wanted|demands?|demanded|prohibit\w*|"
    r"instructed|prefers?|preferred)\b"
    r"|^\W*(always|never|do not|don't|under no circumstances|make sure|be sure|remember|important|"
    r"rules?|constraints?|requirements?)\b"
    r"|\b(is|are) (not allowed|forbidden|prohibited|mandatory)\b|\bunder no circumstances\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?])(?=\s)|(?<=\n)")


def add_instruction(messages: Sequence[Json], instructions: str = "") -> tuple[Json, ...]:
    """Return the messages with the instruction as the user's last one."""
    block: Json = {"type": "text", "text": format_instruction(instructions)}
    if messages and messages[-1]["role"] == "user":
        merged: list[JsonValue] = [*get_blocks(messages[-1]), block]
        return (*messages[:-1], {"role": "user", "content": merged})
    return (*messages, {"role": "user", "content": [block]})


def format_instruction(instructions: str) -> str:
    """Return the instruction for the model, with the user's own wish."""
    wish = USER_INSTRUCTIONS.format(text=instructions) if instructions.strip() else ""
    return INSTRUCTION.format(instructions=wish)


def measure(value: object) -> int:
    """Return the size of a part of a request, in bytes."""
    return len(to_json(value))


def shrink(messages: Sequence[Json], max_bytes: int) -> tuple[Json, ...]:
    """Return the messages without the oldest results, then without the oldest turns.

    Nothing is left if that is not enough. The conversation itself does not change.
    """
    shrunk = [
        without_thinking(message) if message["role"] == "assistant" else message
        for message in messages
    ]
    sizes = [measure(message) for message in shrunk]
    size = sum(sizes)
    for position, message in enumerate(shrunk):
        if size <= max_bytes:
            return tuple(shrunk)
        if message["role"] == "user":
            shrunk[position] = _omit_results(message)
            size -= sizes[position] - (new_size := measure(shrunk[position]))
            sizes[position] = new_size
    sizes_from = list(accumulate(reversed(sizes)))[::-1]
    for position in range(len(shrunk)):
        if sizes_from[position] <= max_bytes and _starts_turn(shrunk[position]):
            return tuple(shrunk[position:])
    return ()


def read_summary(content: tuple[ContentBlock, ...], stop_reason: str, ledger: str) -> str:
    """Return the summary in a reply; empty if the reply is none and must be discarded."""
    is_usable = stop_reason in ("end_turn", "stop_sequence", "max_tokens")
    if not is_usable or any(isinstance(block, ToolUseBlock) for block in content):
        return ""
    summary = drop_rules(join_text(content).strip(), ledger)
    return f"{summary}\n{TRUNCATED}" if summary and stop_reason == "max_tokens" else summary


def read_block_text(block: str) -> str:
    """Return the text of a compaction block; empty if there is no usable block."""
    content = from_json(block).get("content") if block else None
    return content.strip() if isinstance(content, str) else ""


def drop_rules(summary: str, ledger: str) -> str:
    """Remove sentences that state rules which are not in the ledger.

    Models invent constraints when they summarize, and then follow them.
    """
    sentences = _SENTENCES.split(summary)
    return "".join(
        sentence
        for sentence in sentences
        if not _RULES.search(sentence) or sentence.strip() in ledger
    ).strip()


def _omit_results(message: Json) -> Json:
    blocks: list[JsonValue] = [
        {**block, "content": OMITTED_RESULT} if block["type"] == "tool_result" else block
        for block in get_blocks(message)
    ]
    return {**message, "content": blocks}


def _starts_turn(message: Json) -> bool:
    """Return whether a conversation can start here."""
    return message["role"] == "user" and all(
        block["type"] != "tool_result" for block in get_blocks(message)
    )
