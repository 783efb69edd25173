"""The page of a subagent: its recent past in order, as the session's own is shown."""

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
from shell.console.screen_events import SubagentEvent
from shell.view.event_reducer import apply_event
from shell.view.screen_state import ScreenState
from shell.view.subagent_activity import MAX_ACTIVITY_CHARS
from shell.view.subagent_list import MAX_STREAMED_CHARS
from shell.view.subagent_page import build_subagent_page
from tests.shell import sample_events

pytestmark = pytest.mark.quick
ONE = Address("/primary/general-1")
CALL = ToolUseBlock(id="c1", name="bash")
LS = ToolStarted(turn=1, call_id="c1", tool="bash", title="bash ls")
ASKED = TurnStarted(turn=1, prompt="look\nabout")


def create_tool_ended(text: str = "a\nb") -> ToolEnded:
    return sample_events.tool_ended(text, title="bash ls")


def create_reply(*content: TextBlock | ThinkingBlock | ToolUseBlock) -> ReplyCompleted:
    used = Usage(output_tokens=40)
    return ReplyCompleted(turn=1, content=content, stop_reason="x", usage=used, model="m")


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
    return ["".join(text for _, text in row).rstrip() for row in rows]


def test_what_it_was_asked_said_and_did_stands_in_order_and_apart() -> None:
    state = apply_events(
        ASKED,
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
        "● bash ls",
        "  a",
        "  b",
        "",
        "Now I",
        "",
        " • know",
        " • more",
        "",
        "> and now?",
        "",
    ]


def test_the_reply_and_the_calls_that_it_is_at_stand_at_the_end() -> None:
    state = apply_events(ASKED, create_text_reply("First."), TextDelta(text="Then I am ab"), LS)
    assert render_page_text(state)[3:] == ["First.", "", "Then I am ab", "● bash ls"]
    assert (
        build_subagent_page(state, ONE, 12.0).title
        == "general-1 · look about · bash ls · 2s · 40 tokens"
    )


def test_a_stream_that_begins_anew_is_not_joined_to_what_was_heard_before() -> None:
    again = (
        TextDelta(text="I was ab"),
        sample_events.session_configured(),
        TextDelta(text="I was about to"),
    )
    assert render_page_text(apply_events(ASKED, *again))[3:] == ["I was about to"]


@pytest.mark.parametrize(
    ("end", "told"),
    [
        (TurnInterrupted(turn=1, partial_text="I was ab"), ["I was ab", "", "Interrupted.", ""]),
        (
            TurnFailed(turn=1, reason="overloaded", detail="too many", partial_text="I was ab"),
            [
                "I was ab",
                "",
                "The turn failed (overloaded): too many.",
                "What stands above of the reply is not",
                "all of it.",
                "",
            ],
        ),
    ],
)
def test_how_its_turn_was_cut_short_is_told_behind_what_came(
    end: TurnInterrupted | TurnFailed, told: list[str]
) -> None:
    assert render_page_text(apply_events(ASKED, TextDelta(text="I was ab"), end))[3:] == told


def test_an_output_is_brief_and_says_how_much_more_there_is() -> None:
    long = create_tool_ended("".join(f"{n}\n" for n in range(1_000)))
    diff = "--- a\n+++ b\n@@ -1 +1,40 @@\n" + "".join(f"+{n}\n" for n in range(40))
    state = apply_events(ASKED, long.model_copy(update={"diff": diff}))
    rows = render_page_text(state)[3:]
    assert rows[:5] == ["● bash ls", "  0", "  1", "  2", "  … +997 lines"]
    assert rows[5:7] == ["  @@ -1 +1,40 @@", "  +0"]
    assert rows[-2] == "  … +35 lines"
    wide = render_page_text(apply_events(ASKED, create_tool_ended("x" * 1_000)), 2_000)
    assert len(wide[4]) < 400


def test_what_a_task_said_is_shown_without_the_frame_that_the_model_reads() -> None:
    text = "task_id: explore-1\n<task_result>\nfound it\n</task_result>"
    ended = ToolEnded(turn=1, call_id="t", tool="task", title="task", status="ok", text=text)
    assert render_page_text(apply_events(ASKED, ended))[3:] == ["● task", "  found it", ""]


def test_what_is_kept_of_one_is_bounded_and_the_page_says_where_the_rest_is() -> None:
    events = [
        event
        for _ in range(200)
        for event in (create_text_reply("y" * 2_000), create_tool_ended("z" * 90_000))
    ]
    state = apply_events(ASKED, *events, TextDelta(text="w" * 100_000))
    state, _ = apply_event(
        state, sample_events.session_configured(session_file="/home/x/p/s1.jsonl"), 10.0
    )
    row = state.subagents.subagents[ONE]
    assert row.activity.chars <= MAX_ACTIVITY_CHARS
    assert len(row.streamed_text) == MAX_STREAMED_CHARS
    assert row.activity.dropped_count + len(row.activity.events) == 401
    first = " ".join(render_page_text(state)[:3])
    assert first.startswith(f"… {row.activity.dropped_count} earlier events are in")
    assert "subagents/s1/agent-general-1.jsonl" in first.replace(" ", "")


def test_text_and_output_that_come_from_outside_draw_nothing_but_themselves() -> None:
    state = apply_events(
        TurnStarted(turn=1, prompt=sample_events.HOSTILE_TEXT),
        create_text_reply(sample_events.HOSTILE_TEXT),
        create_tool_ended(sample_events.HOSTILE_TEXT),
        TextDelta(text=sample_events.HOSTILE_TEXT),
        LS.model_copy(update={"title": sample_events.HOSTILE_TEXT}),
    )
    page = build_subagent_page(state, ONE, 12.0)
    text = "".join(part for row in page.render_rows(60) for _, part in row)
    assert not [char for char in page.title + text if ord(char) < 32 or 127 <= ord(char) < 160]
    assert "\u202e" not in text
