"""How far a subagent's reply has come: told above now and then, and whole to whoever comes late."""

from typing import Any

import pytest

from actors.agents.effect_handlers.event_publisher import PROGRESS_INTERVAL_CHARS, ProgressThrottle
from messages.address import Address
from messages.base import Message
from messages.subagents import SubscribeToAgent
from messages.turns import (
    ReplyProgress,
    SessionConfigured,
    TextDelta,
    ThinkingDelta,
    ToolInputDelta,
    TurnCompleted,
)
from tests.actors.agents.scripted_agents import (
    SessionFixture,
    make_task_call,
    make_tool_use,
    never_reply,
)

pytestmark = pytest.mark.quick
CHILD = Address("/primary/general-1")


def test_those_above_are_told_when_the_text_begins_and_when_much_more_has_come() -> None:
    growing = ProgressThrottle()
    long = "x" * PROGRESS_INTERVAL_CHARS
    assert growing.add(ThinkingDelta(text="hm"), 3) is None
    assert growing.add(TextDelta(text="I "), 3) == ReplyProgress(
        turn=3, char_count=4, has_text=True
    )
    assert growing.add(TextDelta(text="see"), 3) is None
    grown = growing.add(TextDelta(text=long), 3)
    assert grown == ReplyProgress(turn=3, char_count=7 + len(long), has_text=True)
    assert growing.add(ToolInputDelta(char_count=PROGRESS_INTERVAL_CHARS - 1), 3) is None
    assert growing.add(ToolInputDelta(char_count=1), 3)
    assert growing.text == "I see" + long


def test_long_reasoning_is_told_of_before_any_text() -> None:
    delta = ThinkingDelta(text="x" * PROGRESS_INTERVAL_CHARS)
    assert ProgressThrottle().add(delta, 1) == ReplyProgress(
        turn=1, char_count=PROGRESS_INTERVAL_CHARS, has_text=False
    )


def test_whoever_begins_to_watch_hears_first_what_has_come_of_the_reply(
    sessions: SessionFixture,
) -> None:
    busy_with = [make_tool_use("c", "ls"), never_reply]
    stage = sessions.start_session(
        {"begin": [make_task_call("t1", "busy"), "never"], "busy": busy_with}
    )
    stage.prompt()
    assert stage.user.wait_for(ReplyProgress) == ReplyProgress(turn=1, char_count=15, has_text=True)
    stage.user.tell(CHILD, SubscribeToAgent())
    assert stage.user.wait_for(SessionConfigured).agent == "general"
    assert stage.user.next_from() == (CHILD, TextDelta(text="I was about to "))


def test_only_of_subagents_is_told_how_far_they_are_since_the_primary_is_heard(
    sessions: SessionFixture,
) -> None:
    async def go_on() -> str:
        return "went"

    stage = sessions.start_session({"begin": [go_on]})
    stage.prompt()
    heard: list[Message] = []
    while not any(isinstance(each, TurnCompleted) for each in heard):
        heard.append(stage.user.next())
    assert TextDelta(text="I was about to ") in heard
    assert not any(isinstance(each, ReplyProgress) for each in heard)


def test_of_a_reply_that_is_whole_nothing_is_said_again(sessions: SessionFixture) -> None:
    async def ready() -> object:
        return make_tool_use("c", "task", description="x", prompt="wait", subagent_type="general")

    parts: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "busy"), "never"],
        "busy": [ready, "ok"],
        "wait": [never_reply],
    }
    stage = sessions.start_session(parts)
    stage.prompt()
    stage.user.wait_for(ReplyProgress)
    stage.user.wait_for(ReplyProgress)  # of the one below it
    stage.user.tell(CHILD, SubscribeToAgent())
    stage.user.wait_for(SessionConfigured)
    stage.user.expect_nothing_more()
