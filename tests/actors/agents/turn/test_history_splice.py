"""Replacing the first part of a conversation leaves a conversation that the API accepts."""

import json
from collections.abc import Iterable
from random import Random

import pytest

from actors.agents.turn.conversation_history import ConversationHistory
from actors.agents.turn.history_splice import LEDGER_HEADER, find_cut, is_cut
from messages.compaction import Compacted, CompactionMethod
from messages.content import THINKING_TYPES, TextBlock, ThinkingBlock
from messages.journal import Record
from messages.turns import AgentSwitched, ModelRetrying, RequestInfo
from tests.actors.agents.conversation_assertions import Json, assert_valid, get_blocks
from tests.actors.agents.turn.message_builders import make_tool_use
from tests.actors.agents.turn.random_environment import RandomEnvironment
from tests.actors.agents.turn.test_conversation_history import (
    make_reply_completed,
    make_text,
    make_tool_ended,
    make_turn_started,
)

pytestmark = pytest.mark.quick

BLOCK: Json = {"type": "compaction", "content": "…", "signature": "signed"}
METHODS: tuple[CompactionMethod, ...] = ("local", "remote", "ledger")
PREFIX = "p"
COMPACTIONS_PER_RECORD = 0.25


def make_compacted(
    message_count: int, method: CompactionMethod = "local", number: int = 1
) -> Compacted:
    return Compacted(
        number=number,
        trigger="user",
        method=method,
        message_count=message_count,
        summary="" if method == "ledger" else f"summary {number}",
        block=json.dumps({**BLOCK, "number": number}) if method == "remote" else "",
        block_prefix=PREFIX if method == "remote" else "",
        ledger=f"ledger {number}",
        tokens_before=100,
        tokens_after=10,
    )


def build_history(*records: Record) -> ConversationHistory:
    history = ConversationHistory()
    for record in records:
        history.add(record)
    return history


def assert_valid_after(messages: Iterable[Json], method: CompactionMethod) -> None:
    """Assert that the API accepts a conversation; only a compaction block may come first."""
    first, *others = messages
    types = [block["type"] for block in get_blocks(first)]
    assert types.count("compaction") == (types[0] == "compaction") == (method == "remote")
    blocks = [block for block in get_blocks(first) if block["type"] != "compaction"]
    assert_valid(({**first, "content": [*blocks]}, *others))


def list_types(messages: Iterable[Json]) -> list[str]:
    return [str(block["type"]) for message in messages for block in get_blocks(message)]


def test_an_answered_reply_stays_with_its_results() -> None:
    history = build_history(
        make_turn_started(),
        make_reply_completed(make_tool_use("a")),
        make_tool_ended("a"),
    )
    assert find_cut(history.messages) == 1
    assert not is_cut(history.messages, 2)
    history.add(make_compacted(1))
    assert_valid(tuple(history.messages))
    assert len(history.messages) == 3


def test_a_single_message_cannot_be_replaced() -> None:
    assert find_cut(build_history(make_turn_started()).messages) == 0


def test_an_open_call_stays_and_gets_its_result_later() -> None:
    history = build_history(
        make_turn_started(),
        make_reply_completed(TextBlock(text="hi")),
        make_turn_started("more", 2),
        make_reply_completed(make_tool_use("a"), make_tool_use("b")),
        make_tool_ended("b"),
    )
    assert find_cut(history.messages) == 3
    history.add(make_compacted(3))
    history.add(make_tool_ended("a"))
    assert_valid(tuple(history.messages))
    assert list_types(history.messages)[-2:] == ["tool_result", "tool_result"]


def test_the_replacement_is_merged_with_the_users_next_message() -> None:
    history = build_history(
        make_turn_started(),
        make_reply_completed(TextBlock(text="hi")),
        make_turn_started("more", 2),
    )
    history.add(make_compacted(2))
    (message,) = history.messages
    assert get_blocks(message)[-1] == make_text("more")
    assert len(get_blocks(message)) == 3


def test_a_second_summary_replaces_the_first() -> None:
    history = build_history(make_turn_started(), make_reply_completed(TextBlock(text="hi")))
    history.add(make_compacted(1, number=1))
    history.add(make_turn_started("more", 2))
    history.add(make_reply_completed(TextBlock(text="yes")))
    history.add(make_compacted(find_cut(history.messages), number=2))
    text = str(history.messages)
    assert "summary 2" in text
    assert "summary 1" not in text
    assert text.count(LEDGER_HEADER[:40]) == 1


@pytest.mark.parametrize("count", [2, 3, 9])
def test_a_count_that_does_not_fit_changes_nothing(count: int) -> None:
    records = (
        make_turn_started(),
        make_reply_completed(make_tool_use("a")),
        make_tool_ended("a"),
    )
    history = build_history(*records, make_compacted(count))
    assert history.messages == build_history(*records).messages


def test_thinking_after_the_cut_is_not_sent_again() -> None:
    thought = ThinkingBlock(thinking="hm", signature="s")
    reply = make_reply_completed(thought, TextBlock(text="yes"))
    history = build_history(
        make_turn_started(),
        make_reply_completed(TextBlock(text="hi")),
        make_turn_started("more", 2),
        reply.model_copy(update={"request": RequestInfo(prefix="p")}),
        make_compacted(2),
        make_turn_started("again", 3),
        reply.model_copy(update={"request": RequestInfo(prefix="p")}),
    )
    assert list_types(history.build_messages("p")).count("thinking") == 1
    assert list_types(history.build_messages("p")[-1:]) == ["thinking", "text"]


def test_a_note_during_open_calls_survives_a_compaction() -> None:
    history = build_history(
        make_turn_started(),
        make_reply_completed(TextBlock(text="hi")),
        make_turn_started("more", 2),
        make_reply_completed(make_tool_use("a")),
        AgentSwitched(id="s", agent="p", previous_agent="b", text="[note]", max_mode="plan"),
        make_compacted(3),
        make_tool_ended("a"),
    )
    assert_valid(tuple(history.messages))
    assert get_blocks(history.messages[-1])[-1] == make_text("[note]")


@pytest.mark.parametrize("first_seed", range(0, 120, 30))
def test_random_conversations_stay_valid_through_compactions(first_seed: int) -> None:
    compactions = sum(check_random_compactions(seed) for seed in range(first_seed, first_seed + 30))
    assert compactions >= 60


def check_random_compactions(seed: int) -> int:
    """Compact one random conversation at random moments; return how often."""
    environment = RandomEnvironment(seed)
    environment.run_random_steps(150)
    environment.run_to_idle()
    random = Random(seed)  # noqa: S311  (must be repeatable)
    history, records, number = ConversationHistory(), list[Record](), 0
    for record in environment.disk_records:
        records.append(record)
        history.add(record)
        cut = find_cut(history.messages)
        if cut and random.random() < COMPACTIONS_PER_RECORD:
            number += 1
            # More may happen until the summary is there, so the cut can be an earlier one.
            cut = random.choice([i for i in range(1, cut + 1) if is_cut(history.messages, i)])
            method = random.choice(METHODS)
            compacted = make_compacted(cut, method, number)
            check_compaction(history, compacted)
            records.append(compacted)
        elif number:
            method = find_method(records)
            assert_valid_after(history.build_messages(PREFIX), method)
            assert_valid(history.build_messages("another"))
    assert build_history(*records).messages == history.messages
    return number


def find_method(records: list[Record]) -> CompactionMethod:
    return next(record.method for record in reversed(records) if isinstance(record, Compacted))


def check_compaction(history: ConversationHistory, compacted: Compacted) -> None:
    """Apply a compaction and check that everything after its cut follows unchanged."""
    tail = [
        block
        for message in history.messages[compacted.message_count :]
        for block in get_blocks(message)
        if block["type"] not in THINKING_TYPES
    ]
    history.add(compacted)
    assert_valid_after(history.build_messages(PREFIX), compacted.method)
    assert_valid(tuple(history.messages))
    blocks = [block for message in history.messages for block in get_blocks(message)]
    assert blocks[len(blocks) - len(tail) :] == tail
    replacement = blocks[: len(blocks) - len(tail)]
    assert len(replacement) == 2
    text = str(replacement)
    assert compacted.ledger in text
    assert f"summary {compacted.number - 1}" not in text
    assert f"ledger {compacted.number - 1}" not in text


def build_after_remote_compaction() -> ConversationHistory:
    return build_history(
        make_turn_started("one"),
        make_reply_completed(TextBlock(text="hi")),
        make_compacted(1, "remote"),
        make_turn_started("two", 2),
        make_reply_completed(ThinkingBlock(thinking="hm"), TextBlock(text="ok")),
        make_turn_started("three", 3),
    )


def test_a_compaction_block_is_sent_only_with_its_own_prefix() -> None:
    history = build_after_remote_compaction()
    own, other = history.build_messages(PREFIX), history.build_messages("another")
    block, ledger = get_blocks(own[0])
    assert block == {**BLOCK, "number": 1}
    assert "ledger 1" in str(ledger)
    assert [message["role"] for message in own] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    summary, *others = get_blocks(other[0])
    assert "summary 1" in str(summary)
    assert others == [ledger]
    assert own[1:3] == other[1:3]


def test_a_rejected_compaction_block_and_later_thinking_are_dropped() -> None:
    history = build_after_remote_compaction()
    retrying = ModelRetrying(
        turn=3, attempt=1, max_attempts=1, wait_s=0, reason="compaction_rejected", detail=""
    )
    history.add(retrying)
    messages = history.build_messages(PREFIX)
    assert "summary 1" in str(get_blocks(messages[0])[0])
    assert set(list_types(messages)) == {"text"}
