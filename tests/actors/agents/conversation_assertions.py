"""What the Messages API requires of a conversation, as assertions on one request."""

from collections.abc import Sequence
from typing import TypeVar, cast

from pydantic import JsonValue

Json = dict[str, JsonValue]
Role = TypeVar("Role")


def get_blocks(message: Json) -> list[Json]:
    return cast("list[Json]", message["content"])


def flatten(messages: tuple[Json, ...]) -> list[tuple[JsonValue, Json]]:
    """Return every block with its role; a prompt cache holds a prefix of these."""
    return [(message["role"], block) for message in messages for block in get_blocks(message)]


def omit_thinking(blocks: Sequence[tuple[Role, Json]]) -> list[tuple[Role, Json]]:
    """Return the blocks of a request that are left when the server has rejected its thinking."""
    thinking_types = ("thinking", "redacted_thinking")
    return [(role, block) for role, block in blocks if block["type"] not in thinking_types]


def get_ids(message: Json, kind: str, key: str) -> list[JsonValue]:
    return [block[key] for block in get_blocks(message) if block["type"] == kind]


def assert_valid(messages: tuple[Json, ...]) -> None:
    """Assert what always holds; the last reply's calls may still be open."""
    for position, message in enumerate(messages):
        expected = "user" if position % 2 == 0 else "assistant"
        assert message["role"] == expected, f"message {position} is by {message['role']}"
        assert get_blocks(message), f"message {position} is empty"
        last = get_blocks(message)[-1]["type"]
        assert last not in ("thinking", "redacted_thinking"), "a message ends in reasoning"
    for before, after in zip((None, *messages), messages, strict=False):
        _assert_answered(before, after)
    texts = [block["text"] for _, block in flatten(messages) if block["type"] == "text"]
    assert all(str(text).strip() for text in texts), "blank text"


def assert_sendable(messages: tuple[Json, ...]) -> None:
    assert_valid(messages)
    assert messages, "nothing to send"
    assert messages[-1]["role"] == "user", "the last message is the model's"


def _assert_answered(before: Json | None, message: Json) -> None:
    """Assert that results come first, exactly one per call, in the order of the calls."""
    results = get_ids(message, "tool_result", "tool_use_id")
    calls = get_ids(before, "tool_use", "id") if before else []
    assert results == calls, f"{calls} are answered by {results}"
    kinds = [block["type"] for block in get_blocks(message)]
    assert kinds[: len(results)] == ["tool_result"] * len(results), "results do not come first"
