"""Progress of a subagent's reply: reported at intervals, in full to a new subscriber."""

from typing import Any

import pytest

from actors.agents.effect_handlers.event_publisher import PROGRESS_INTERVAL_CHARS, ProgressThrottle
from messages.address import Address
from messages.base import Message
from messages.subagents import SubscribeToAgent
from messages.turns import (
    ReplyActivity,
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


def test_progress_is_reported_at_each_start_and_at_intervals() -> None:
    throttle = ProgressThrottle()
    long_text = "x" * PROGRESS_INTERVAL_CHARS
    assert throttle.add(ReplyActivity(), 3) == ReplyProgress(turn=3, char_count=0, has_text=False)
    assert throttle.add(ReplyActivity(), 3) is None
    assert throttle.add(ThinkingDelta(text="hm"), 3) is None
    assert throttle.add(TextDelta(text="I "), 3) == ReplyProgress(
        turn=3, char_count=4, has_text=True
    )
    assert throttle.add(TextDelta(text="see"), 3) is None
    progress = throttle.add(TextDelta(text=long_text), 3)
    assert progress == ReplyProgress(turn=3, char_count=7 + len(long_text), has_text=True)
    assert throttle.add(ToolInputDelta(char_count=PROGRESS_INTERVAL_CHARS - 1), 3) is None
    assert throttle.add(ToolInputDelta(char_count=1), 3)
    assert throttle.text == "I see" + long_text


def test_long_reasoning_is_reported_before_any_text() -> None:
    delta = ThinkingDelta(text="x" * PROGRESS_INTERVAL_CHARS)
    assert ProgressThrottle().add(delta, 1) == ReplyProgress(
        turn=1, char_count=PROGRESS_INTERVAL_CHARS, has_text=False
    )


def test_a_new_subscriber_first_receives_the_reply_so_far(
    sessions: SessionFixture,
) -> None:
    busy_lines = [make_tool_use("c", "ls"), never_reply]
    running = sessions.start_session(
        {"begin": [make_task_call("t1", "busy"), "never"], "busy": busy_lines}
    )
    running.prompt()
    assert running.user.wait_for(ReplyProgress) == ReplyProgress(
        turn=1, char_count=15, has_text=True
    )
    running.user.tell(CHILD, SubscribeToAgent())
    assert running.user.wait_for(SessionConfigured).agent == "general"
    assert running.user.next_from() == (CHILD, TextDelta(text="I was about to "))


def test_the_primary_reports_no_progress_because_it_streams(
    sessions: SessionFixture,
) -> None:
    async def finish_reply() -> str:
        return "went"

    running = sessions.start_session({"begin": [finish_reply]})
    running.prompt()
    received: list[Message] = []
    while not any(isinstance(message, TurnCompleted) for message in received):
        received.append(running.user.next())
    assert TextDelta(text="I was about to ") in received
    assert not any(isinstance(message, ReplyProgress) for message in received)


def test_a_complete_reply_is_not_sent_to_a_new_subscriber(sessions: SessionFixture) -> None:
    async def start_task() -> object:
        return make_tool_use("c", "task", description="x", prompt="wait", subagent_type="general")

    lines: dict[str, list[Any]] = {
        "begin": [make_task_call("t1", "busy"), "never"],
        "busy": [start_task, "ok"],
        "wait": [never_reply],
    }
    running = sessions.start_session(lines)
    running.prompt()
    running.user.wait_for(ReplyProgress)
    running.user.wait_for(ReplyProgress)  # of its own subagent
    running.user.tell(CHILD, SubscribeToAgent())
    running.user.wait_for(SessionConfigured)
    running.user.expect_nothing_more()
