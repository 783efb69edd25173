"""The conversation that the model is sent, from the records alone."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    ReplyCompleted,
    ToolEnded,
    ToolStatus,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.conversation_assertions import Json, assert_valid, flatten
from tests.actors.agents.turn.message_builders import make_tool_use
from tests.actors.agents.turn.random_environment import RandomEnvironment

pytestmark = pytest.mark.quick

THOUGHT = ThinkingBlock(thinking="hm", signature="s")
HIDDEN = RedactedThinkingBlock(data="x")


def started(prompt: str = "do it", turn: int = 1) -> TurnStarted:
    return TurnStarted(turn=turn, prompt=prompt)


def replied(*content: ContentBlock) -> ReplyCompleted:
    return ReplyCompleted(
        turn=1, content=content, stop_reason="end_turn", usage=Usage(), model="script"
    )


def ended(call_id: str, text: str = "fine", status: ToolStatus = "ok") -> ToolEnded:
    return ToolEnded(turn=1, call_id=call_id, tool="t", title="t", status=status, text=text)


def told(*records: Record) -> list[Json]:
    history = ConversationHistory()
    for record in records:
        history.add(record)
    return history.messages


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def result(call_id: str, words: str = "fine", *, is_error: bool = False) -> Json:
    return {
        "type": "tool_result",
        "tool_use_id": call_id,
        "content": words,
        "is_error": is_error,
    }


def test_results_stand_in_the_order_of_their_calls_whatever_order_they_came_in() -> None:
    messages = told(
        started(), replied(make_tool_use("a"), make_tool_use("b")), ended("b"), ended("a")
    )

    assert messages[-1] == {"role": "user", "content": [result("a"), result("b")]}


def test_an_open_call_is_answered_before_anybody_speaks() -> None:
    messages = told(
        started(), replied(make_tool_use("a"), make_tool_use("b")), ended("b"), started("and?", 2)
    )

    unknown = result("a", NO_RESULT, is_error=True)
    assert messages[-1] == {"role": "user", "content": [unknown, result("b"), text("and?")]}


def test_results_of_calls_that_nobody_made_are_left_out() -> None:
    assert told(started(), ended("a"), replied(TextBlock(text="hi")), ended("b")) == [
        {"role": "user", "content": [text("do it")]},
        {"role": "assistant", "content": [text("hi")]},
    ]


def test_an_interrupted_reply_keeps_its_words_and_says_that_it_was_interrupted() -> None:
    messages = told(started(), TurnInterrupted(turn=1, partial_text="I wi"), started("else", 2))

    assert messages[1:] == [
        {"role": "assistant", "content": [text("I wi")]},
        {"role": "user", "content": [text(INTERRUPTED_NOTE), text("else")]},
    ]


@pytest.mark.parametrize("partial", ["", " \n"])
def test_a_reply_cut_off_before_its_first_word_leaves_nothing(partial: str) -> None:
    failed = TurnFailed(turn=1, reason="cut_off", detail="", partial_text=partial)

    assert told(started(), failed, started("again", 2)) == [
        {"role": "user", "content": [text("do it"), text("again")]}
    ]


def test_what_the_api_would_not_take_back_is_left_out() -> None:
    """Else the session could never be continued: each later request would be refused."""
    messages = told(
        started(" "),
        replied(THOUGHT, TextBlock(text="\n"), TextBlock(text="hi"), THOUGHT, HIDDEN),
        started("b", 2),
        replied(HIDDEN),
        started("c", 3),
    )

    assert messages == [
        {"role": "user", "content": [text(EMPTY_PROMPT)]},
        {"role": "assistant", "content": [THOUGHT.model_dump(), text("hi")]},
        {"role": "user", "content": [text("b"), text("c")]},
    ]


def test_reasoning_before_a_call_goes_back_verbatim() -> None:
    messages = told(started(), replied(THOUGHT, HIDDEN, make_tool_use("a")))

    assert messages[1]["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "tool_use", "id": "a", "name": "change", "input": {}},
    ]


def test_a_result_that_says_nothing_says_so() -> None:
    """The API refuses an error without content."""
    messages = told(started(), replied(make_tool_use("a")), ended("a", "", "error"))

    assert messages[-1]["content"] == [result("a", NO_OUTPUT, is_error=True)]


def test_what_our_own_parser_found_stays_with_us() -> None:
    broken = ToolUseBlock(id="a", name="t", input_error="cut off")

    assert told(started(), replied(broken))[1]["content"] == [
        {"type": "tool_use", "id": "a", "name": "t", "input": {}}
    ]


def test_a_request_under_way_keeps_the_messages_of_its_time() -> None:
    history = ConversationHistory()
    history.add(started())
    sent = tuple(history.messages)
    before = json.dumps(sent)
    history.add(TurnInterrupted(turn=1))
    history.add(started("else", 2))

    assert json.dumps(sent) == before


def replying(words: list[ContentBlock], ids: list[str]) -> ReplyCompleted:
    return replied(*words, *(make_tool_use(each) for each in ids))


WORDS: tuple[ContentBlock, ...] = (THOUGHT, HIDDEN, TextBlock(text=""), TextBlock(text="hi"))
RECORDS = st.one_of(
    st.builds(started, st.sampled_from(["", "go"])),
    st.builds(
        replying,
        st.lists(st.sampled_from(WORDS), max_size=3),
        st.lists(st.sampled_from("abc"), max_size=3, unique=True),
    ),
    st.builds(ended, st.sampled_from("abcd"), st.sampled_from(["", "fine"])),
    st.builds(TurnInterrupted, turn=st.just(1), partial_text=st.sampled_from(["", " ", "I wi"])),
    st.builds(
        TurnFailed,
        turn=st.just(1),
        reason=st.just("cut_off"),
        detail=st.just(""),
        partial_text=st.sampled_from(["", " ", "I wi"]),
    ),
)


@given(st.lists(RECORDS, max_size=30))
def test_any_records_make_a_sound_conversation_that_only_grows(records: list[Record]) -> None:
    """Even records that no turn would write in this order."""
    assert_grows([started(), *records])


@pytest.mark.parametrize("seed", range(20))
def test_the_records_of_real_turns_make_a_sound_conversation_at_every_prefix(seed: int) -> None:
    world = RandomEnvironment(seed, disk_may_fail=True)
    world.run_random_steps(200)
    assert_grows(world.disk_records)


def assert_grows(records: list[Record]) -> None:
    before: list[str] = []
    for messages in _growing(records):
        assert_valid(messages)
        now = [json.dumps(each) for each in flatten(messages)]
        assert now[: len(before)] == before, "what was sent has changed"
        before = now


def _growing(records: list[Record]) -> Iterator[tuple[Json, ...]]:
    history = ConversationHistory()
    for record in records:
        history.add(record)
        yield tuple(history.messages)
