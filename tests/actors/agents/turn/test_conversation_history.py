"""The conversation sent to the model, built only from records."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from actors.agents.turn.conversation_history import (
    EMPTY_PROMPT,
    INTERRUPTED_NOTE,
    NO_OUTPUT,
    NO_RESULT,
    ConversationHistory,
)
from messages.content import (
    ContentBlock,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from messages.journal import Record
from messages.turns import (
    AgentSwitched,
    ModelRetrying,
    ReplyCompleted,
    RequestInfo,
    ToolEnded,
    ToolStatus,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.conversation_assertions import (
    Json,
    assert_valid,
    flatten,
    get_blocks,
    omit_thinking,
)
from tests.actors.agents.turn.message_builders import make_tool_use
from tests.actors.agents.turn.random_environment import RandomEnvironment

pytestmark = pytest.mark.quick

THOUGHT = ThinkingBlock(thinking="hm", signature="s")
HIDDEN = RedactedThinkingBlock(data="x")


def make_turn_started(prompt: str = "do it", turn: int = 1) -> TurnStarted:
    return TurnStarted(turn=turn, prompt=prompt)


def make_reply_completed(*content: ContentBlock) -> ReplyCompleted:
    return ReplyCompleted(
        turn=1, content=content, stop_reason="end_turn", usage=Usage(), model="script"
    )


def make_tool_ended(call_id: str, text: str = "fine", status: ToolStatus = "ok") -> ToolEnded:
    return ToolEnded(turn=1, call_id=call_id, tool="t", title="t", status=status, text=text)


def build_messages(*records: Record) -> list[Json]:
    history = ConversationHistory()
    for record in records:
        history.add(record)
    return history.messages


def make_text(text: str) -> Json:
    return {"type": "text", "text": text}


def make_result(call_id: str, text: str = "fine", *, is_error: bool = False) -> Json:
    return {
        "type": "tool_result",
        "tool_use_id": call_id,
        "content": text,
        "is_error": is_error,
    }


def test_results_follow_the_order_of_their_calls() -> None:
    messages = build_messages(
        make_turn_started(),
        make_reply_completed(make_tool_use("a"), make_tool_use("b")),
        make_tool_ended("b"),
        make_tool_ended("a"),
    )

    assert messages[-1] == {"role": "user", "content": [make_result("a"), make_result("b")]}


def test_an_open_call_gets_a_result_before_the_next_prompt() -> None:
    messages = build_messages(
        make_turn_started(),
        make_reply_completed(make_tool_use("a"), make_tool_use("b")),
        make_tool_ended("b"),
        make_turn_started("and?", 2),
    )

    unknown = make_result("a", NO_RESULT, is_error=True)
    assert messages[-1] == {
        "role": "user",
        "content": [unknown, make_result("b"), make_text("and?")],
    }


def test_results_without_a_call_are_dropped() -> None:
    assert build_messages(
        make_turn_started(),
        make_tool_ended("a"),
        make_reply_completed(TextBlock(text="hi")),
        make_tool_ended("b"),
    ) == [
        {"role": "user", "content": [make_text("do it")]},
        {"role": "assistant", "content": [make_text("hi")]},
    ]


def test_an_interrupted_reply_keeps_its_text_and_a_note() -> None:
    messages = build_messages(
        make_turn_started(),
        TurnInterrupted(turn=1, partial_text="I wi"),
        make_turn_started("else", 2),
    )

    assert messages[1:] == [
        {"role": "assistant", "content": [make_text("I wi")]},
        {"role": "user", "content": [make_text(INTERRUPTED_NOTE), make_text("else")]},
    ]


@pytest.mark.parametrize("partial", ["", " \n"])
def test_a_reply_without_text_leaves_nothing(partial: str) -> None:
    failed = TurnFailed(turn=1, reason="stream_interrupted", detail="", partial_text=partial)

    assert build_messages(make_turn_started(), failed, make_turn_started("again", 2)) == [
        {"role": "user", "content": [make_text("do it"), make_text("again")]}
    ]


def test_content_that_the_api_rejects_is_dropped() -> None:
    """Otherwise the API would reject every later request of the session."""
    messages = build_messages(
        make_turn_started(" "),
        make_reply_completed(THOUGHT, TextBlock(text="\n"), TextBlock(text="hi"), THOUGHT, HIDDEN),
        make_turn_started("b", 2),
        make_reply_completed(HIDDEN),
        make_turn_started("c", 3),
    )

    assert messages == [
        {"role": "user", "content": [make_text(EMPTY_PROMPT)]},
        {"role": "assistant", "content": [THOUGHT.model_dump(), make_text("hi")]},
        {"role": "user", "content": [make_text("b"), make_text("c")]},
    ]


def test_reasoning_before_a_call_is_sent_back_verbatim() -> None:
    messages = build_messages(
        make_turn_started(), make_reply_completed(THOUGHT, HIDDEN, make_tool_use("a"))
    )

    assert messages[1]["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "tool_use", "id": "a", "name": "change", "input": {}},
    ]


SWITCHED = AgentSwitched(
    id="s", agent="plan", previous_agent="build", text="[plan]", max_mode="plan"
)
REJECTED = ModelRetrying(
    turn=2, attempt=1, max_attempts=1, wait_s=0, reason="thinking_rejected", detail=""
)


def make_thinking_reply(prefix: str, *content: ContentBlock) -> ReplyCompleted:
    reply = make_reply_completed(THOUGHT, *content)
    return reply.model_copy(update={"request": RequestInfo(prefix=prefix)})


def build_thinking(prefix: str, *records: Record) -> list[JsonValue]:
    """Return what each reply starts with in a request with this prefix."""
    history = ConversationHistory()
    for record in records:
        history.add(record)
    messages = history.build_messages(prefix)
    assert_valid(messages)
    return [get_blocks(message)[0]["type"] for message in messages[1::2]]


TWO_PREFIXES = (
    make_turn_started(),
    make_thinking_reply("a", TextBlock(text="one")),
    make_turn_started("b", 2),
    make_thinking_reply("b", HIDDEN, TextBlock(text="two")),
    make_turn_started("c", 3),
    make_thinking_reply("a", TextBlock(text="three")),
)


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("a", ["thinking", "text", "thinking"]),
        ("b", ["text", "thinking", "text"]),
        ("c", ["text", "text", "text"]),
    ],
)
def test_thinking_is_sent_only_after_its_own_prefix(prefix: str, expected: list[str]) -> None:
    assert build_thinking(prefix, *TWO_PREFIXES) == expected


def test_rejected_thinking_is_never_sent_again() -> None:
    later = make_thinking_reply("a", TextBlock(text="four"))
    records = (*TWO_PREFIXES, make_turn_started("d", 4), REJECTED, later)
    assert build_thinking("a", *records) == ["text", "text", "text", "thinking"]


def test_a_turn_repeats_the_prefix_of_its_replies() -> None:
    history = ConversationHistory()
    prefixes: list[str] = []
    for record in (
        make_turn_started(),
        make_thinking_reply("a", make_tool_use("c1")),
        make_tool_ended("c1"),
        make_reply_completed(TextBlock(text="done")),
        TurnCompleted(turn=1, text="done", stop_reason="end_turn", usage=Usage()),
        make_turn_started("else", 2),
    ):
        history.add(record)
        prefixes.append(history.loop_prefix)
    assert prefixes == ["", "a", "a", "", "", ""]


def test_a_note_never_precedes_a_reply_in_progress() -> None:
    messages = build_messages(
        make_turn_started(),
        SWITCHED,
        make_thinking_reply("a", make_tool_use("c1")),
        make_tool_ended("c1"),
        SWITCHED,
        make_thinking_reply("a", TextBlock(text="done")),
        TurnCompleted(turn=1, text="done", stop_reason="end_turn", usage=Usage()),
        make_turn_started("else", 2),
    )
    note = make_text("[plan]")
    assert [message["content"] for message in messages[::2]] == [
        [make_text("do it")],
        [make_result("c1"), note],
        [note, make_text("else")],
    ]


def test_an_empty_result_gets_a_placeholder() -> None:
    """The API rejects an error without content."""
    messages = build_messages(
        make_turn_started(),
        make_reply_completed(make_tool_use("a")),
        make_tool_ended("a", "", "error"),
    )

    assert messages[-1]["content"] == [make_result("a", NO_OUTPUT, is_error=True)]


def test_parser_errors_are_not_sent_to_the_api() -> None:
    malformed = ToolUseBlock(id="a", name="t", input_error="cut off")

    assert build_messages(make_turn_started(), make_reply_completed(malformed))[1]["content"] == [
        {"type": "tool_use", "id": "a", "name": "t", "input": {}}
    ]


def test_a_running_request_keeps_its_own_messages() -> None:
    history = ConversationHistory()
    history.add(make_turn_started())
    sent = tuple(history.messages)
    before = json.dumps(sent)
    history.add(TurnInterrupted(turn=1))
    history.add(make_turn_started("else", 2))

    assert json.dumps(sent) == before


def make_reply_with_calls(content: list[ContentBlock], call_ids: list[str]) -> ReplyCompleted:
    return make_reply_completed(*content, *(make_tool_use(call_id) for call_id in call_ids))


CONTENT: tuple[ContentBlock, ...] = (THOUGHT, HIDDEN, TextBlock(text=""), TextBlock(text="hi"))
RECORDS = st.one_of(
    st.builds(make_turn_started, st.sampled_from(["", "go"])),
    st.builds(
        make_reply_with_calls,
        st.lists(st.sampled_from(CONTENT), max_size=3),
        st.lists(st.sampled_from("abc"), max_size=3, unique=True),
    ),
    st.builds(make_tool_ended, st.sampled_from("abcd"), st.sampled_from(["", "fine"])),
    st.builds(TurnInterrupted, turn=st.just(1), partial_text=st.sampled_from(["", " ", "I wi"])),
    st.builds(
        TurnFailed,
        turn=st.just(1),
        reason=st.just("stream_interrupted"),
        detail=st.just(""),
        partial_text=st.sampled_from(["", " ", "I wi"]),
    ),
)


@given(st.lists(RECORDS, max_size=30))
def test_any_records_make_a_valid_conversation_that_only_grows(records: list[Record]) -> None:
    """This includes orders in which no turn writes them."""
    assert_grows([make_turn_started(), *records])


@pytest.mark.parametrize("seed", range(20))
def test_records_of_real_turns_make_a_valid_conversation(seed: int) -> None:
    environment = RandomEnvironment(seed, disk_may_fail=True)
    environment.run_random_steps(200)
    assert_grows(environment.disk_records)


def assert_grows(records: list[Record]) -> None:
    earlier: list[tuple[JsonValue, Json]] = []
    for record, messages in zip(records, iterate_prefixes(records), strict=True):
        assert_valid(messages)
        blocks = flatten(messages)
        if isinstance(record, ModelRetrying) and record.reason == "thinking_rejected":
            earlier = omit_thinking(earlier)
        before = json.dumps(blocks[: len(earlier)])
        assert before == json.dumps(earlier), "earlier content has changed"
        earlier = blocks


def iterate_prefixes(records: list[Record]) -> Iterator[tuple[Json, ...]]:
    history = ConversationHistory()
    for record in records:
        history.add(record)
        yield tuple(history.messages)
