"""The page of a subagent: its recent activity in order, as for the primary agent."""

import pytest

from messages.address import PRIMARY, Address
from messages.content import TextBlock, ThinkingBlock, ToolUseBlock, Usage
from messages.turns import (
    ReplyCompleted,
    SessionConfigured,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
    UpwardEvent,
)
from shell.console.screen_event_queue import SubagentEvent
from shell.view.event_reducer import apply_event
from shell.view.screen_state import ScreenState
from shell.view.subagent_activity import MAX_ACTIVITY_CHARS
from shell.view.subagent_page import build_subagent_page
from shell.view.subagent_states import MAX_STREAMED_CHARS
from tests.shell import sample_events
from tests.shell.view.row_text import get_texts

pytestmark = pytest.mark.quick
ONE = Address("/primary/general-1")
CALL = ToolUseBlock(id="c1", name="bash")
LS = ToolStarted(turn=1, call_id="c1", tool="bash", title="bash ls")
TURN_STARTED = TurnStarted(turn=1, prompt="look\nabout")


def create_tool_ended(text: str = "a\nb") -> ToolEnded:
    return sample_events.tool_ended(text, title="bash ls")


def create_reply(*content: TextBlock | ThinkingBlock | ToolUseBlock) -> ReplyCompleted:
    usage = Usage(output_tokens=40)
    return ReplyCompleted(turn=1, content=content, stop_reason="x", usage=usage, model="m")


def create_text_reply(text: str) -> ReplyCompleted:
    return create_reply(TextBlock(text=text))


def apply_events(*events: UpwardEvent | TextDelta | SessionConfigured) -> ScreenState:
    state, _ = apply_event(
        ScreenState(), SubagentEvent(PRIMARY, sample_events.subagent_started(ONE)), 10.0
    )
    for event in events:
        state, _ = apply_event(state, SubagentEvent(ONE, event), 10.0)
    return state


def render_page_text(state: ScreenState, width: int = 40) -> list[str]:
    rows = build_subagent_page(state, ONE, 12.0).render_rows(width)
    return [text.rstrip() for text in get_texts(rows)]


def test_prompts_replies_and_calls_are_shown_in_order() -> None:
    state = apply_events(
        TURN_STARTED,
        create_reply(
            ThinkingBlock(thinking="hm", signature="s"), TextBlock(text="I **look**."), CALL
        ),
        LS,
        create_tool_ended(),
        create_text_reply("Now I\n\n- know\n- more"),
        TurnCompleted(turn=1, text="Now I know", stop_reason="end_turn", usage=Usage()),
        TurnStarted(turn=2, prompt="and now?"),
    )
    assert render_page_text(state) == [
        "> look",
        "  about",
        "",
        "I look.",
        "",
        "● Ran ls",
        "  │ a",
        "  │ b",
        "",
        "Now I",
        "",
        " • know",
        " • more",
        "",
        "> and now?",
        "",
    ]


def test_the_current_reply_and_calls_come_last() -> None:
    state = apply_events(
        TURN_STARTED, create_text_reply("First."), TextDelta(text="Then I am ab"), LS
    )
    assert render_page_text(state)[3:] == ["First.", "", "Then I am ab", "● Running ls"]
    assert (
        build_subagent_page(state, ONE, 12.0).title
        == "general-1 · look about · running ls · 2s · 40 tokens"
    )


def test_a_restarted_stream_replaces_the_earlier_text() -> None:
    events = (
        TextDelta(text="I was ab"),
        sample_events.session_configured(),
        TextDelta(text="I was about to"),
    )
    assert render_page_text(apply_events(TURN_STARTED, *events))[3:] == ["I was about to"]


@pytest.mark.parametrize(
    ("end", "lines"),
    [
        (TurnInterrupted(turn=1, partial_text="I was ab"), ["I was ab", "", "Interrupted.", ""]),
        (
            TurnFailed(turn=1, reason="overloaded", detail="too many", partial_text="I was ab"),
            [
                "I was ab",
                "",
                "The turn failed (overloaded): too many.",
                "The reply above is incomplete.",
                "",
            ],
        ),
    ],
)
def test_an_interrupted_turn_is_explained_after_its_text(
    end: TurnInterrupted | TurnFailed, lines: list[str]
) -> None:
    assert (
        render_page_text(apply_events(TURN_STARTED, TextDelta(text="I was ab"), end))[3:] == lines
    )


def test_outputs_are_truncated_and_further_lines_counted() -> None:
    long = create_tool_ended("".join(f"{n}\n" for n in range(1_000)))
    diff = "--- a\n+++ b\n@@ -1 +1,40 @@\n" + "".join(f"+{n}\n" for n in range(40))
    state = apply_events(TURN_STARTED, long, long.model_copy(update={"diff": diff}))
    rows = render_page_text(state)[3:]
    assert rows[:5] == ["● Ran ls", "  │ … +997 lines", "  │ 997", "  │ 998", "  │ 999"]
    assert rows[6:9] == ["● Ran ls", "  @@ -1 +1,40 @@", "  +0"]
    assert rows[-2] == "  … +35 lines"
    wide = render_page_text(apply_events(TURN_STARTED, create_tool_ended("x" * 1_000)), 2_000)
    assert len(wide[4]) < 400


def test_a_task_result_is_shown_without_its_tags() -> None:
    text = "task_id: explore-1\n<task_result>\nfound it\n</task_result>"
    ended = ToolEnded(turn=1, call_id="t", tool="task", title="task", status="ok", text=text)
    assert render_page_text(apply_events(TURN_STARTED, ended))[3:] == [
        "● Agent",
        "  │ found it",
        "",
    ]


def test_activity_is_limited_and_the_page_names_the_transcript() -> None:
    events = [
        event
        for _ in range(200)
        for event in (create_text_reply("y" * 2_000), create_tool_ended("z" * 90_000))
    ]
    state = apply_events(TURN_STARTED, *events, TextDelta(text="w" * 100_000))
    state, _ = apply_event(
        state, sample_events.session_configured(session_file="/home/x/p/s1.jsonl"), 10.0
    )
    subagent = state.subagents.subagents[ONE]
    assert subagent.activity.chars <= MAX_ACTIVITY_CHARS
    assert len(subagent.streamed_text) == MAX_STREAMED_CHARS
    assert subagent.activity.dropped_count + len(subagent.activity.events) == 401
    first = " ".join(render_page_text(state)[:3])
    assert first.startswith(f"… {subagent.activity.dropped_count} earlier events are in")
    assert "subagents/s1/agent-general-1.jsonl" in first.replace(" ", "")


def test_control_characters_from_agents_are_made_visible() -> None:
    state = apply_events(
        TurnStarted(turn=1, prompt=sample_events.HOSTILE_TEXT),
        create_text_reply(sample_events.HOSTILE_TEXT),
        create_tool_ended(sample_events.HOSTILE_TEXT),
        TextDelta(text=sample_events.HOSTILE_TEXT),
        LS.model_copy(update={"title": sample_events.HOSTILE_TEXT}),
    )
    page = build_subagent_page(state, ONE, 12.0)
    text = "".join(get_texts(page.render_rows(60)))
    assert not [char for char in page.title + text if ord(char) < 32 or 127 <= ord(char) < 160]
    assert "\u202e" not in text
