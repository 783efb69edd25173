"""How far a subagent's reply has come: told above now and then, and whole to whoever comes late."""

from typing import Any

import pytest

from actors.agents.growing import TOLD_EVERY_CHARS, ProgressThrottle
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
from tests.actors.agents.troupe import SessionFixture, forever, task, use

pytestmark = pytest.mark.quick
CHILD = Address("/primary/general-1")


def test_those_above_are_told_when_the_text_begins_and_when_much_more_has_come() -> None:
    growing = ProgressThrottle()
    long = "x" * TOLD_EVERY_CHARS
    assert growing.add(ThinkingDelta(text="hm"), 3) is None
    assert growing.add(TextDelta(text="I "), 3) == ReplyProgress(turn=3, chars=4, writes=True)
    assert growing.add(TextDelta(text="see"), 3) is None
    grown = growing.add(TextDelta(text=long), 3)
    assert grown == ReplyProgress(turn=3, chars=7 + len(long), writes=True)
    assert growing.add(ToolInputDelta(chars=TOLD_EVERY_CHARS - 1), 3) is None
    assert growing.add(ToolInputDelta(chars=1), 3)
    assert growing.text == "I see" + long


def test_long_reasoning_is_told_of_before_any_text() -> None:
    delta = ThinkingDelta(text="x" * TOLD_EVERY_CHARS)
    assert ProgressThrottle().add(delta, 1) == ReplyProgress(
        turn=1, chars=TOLD_EVERY_CHARS, writes=False
    )


def test_whoever_begins_to_watch_hears_first_what_has_come_of_the_reply(
    theatre: SessionFixture,
) -> None:
    busy_with = [use("c", "ls"), forever]
    stage = theatre.play({"begin": [task("t1", "busy"), "never"], "busy": busy_with})
    stage.prompt()
    assert stage.person.until(ReplyProgress) == ReplyProgress(turn=1, chars=15, writes=True)
    stage.person.tell(CHILD, SubscribeToAgent())
    assert stage.person.until(SessionConfigured).agent == "general"
    assert stage.person.next_from() == (CHILD, TextDelta(text="I was about to "))


def test_only_of_subagents_is_told_how_far_they_are_since_the_primary_is_heard(
    theatre: SessionFixture,
) -> None:
    async def go_on() -> str:
        return "went"

    stage = theatre.play({"begin": [go_on]})
    stage.prompt()
    heard: list[Message] = []
    while not any(isinstance(each, TurnCompleted) for each in heard):
        heard.append(stage.person.next())
    assert TextDelta(text="I was about to ") in heard
    assert not any(isinstance(each, ReplyProgress) for each in heard)


def test_of_a_reply_that_is_whole_nothing_is_said_again(theatre: SessionFixture) -> None:
    async def ready() -> object:
        return use("c", "task", description="x", prompt="wait", subagent_type="general")

    parts: dict[str, list[Any]] = {
        "begin": [task("t1", "busy"), "never"],
        "busy": [ready, "ok"],
        "wait": [forever],
    }
    stage = theatre.play(parts)
    stage.prompt()
    stage.person.until(ReplyProgress)
    stage.person.until(ReplyProgress)  # of the one below it
    stage.person.tell(CHILD, SubscribeToAgent())
    stage.person.until(SessionConfigured)
    stage.person.expect_nothing_more()
