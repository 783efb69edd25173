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
from shell.inbox import SubagentEvent
from shell.view.below import MOST_STREAMED_CHARS
from shell.view.events import received
from shell.view.recent import MOST_CHARS
from shell.view.state import State
from shell.view.subagent_page import subagent_page
from tests.shell import reports

pytestmark = pytest.mark.quick
ONE = Address("/primary/general-1")
CALL = ToolUseBlock(id="c1", name="bash")
LS = ToolStarted(turn=1, call_id="c1", tool="bash", title="bash ls")
ASKED = TurnStarted(turn=1, prompt="look\nabout")


def listed(text: str = "a\nb") -> ToolEnded:
    return reports.tool_ended(text, title="bash ls")


def replied(*content: TextBlock | ThinkingBlock | ToolUseBlock) -> ReplyCompleted:
    used = Usage(output_tokens=40)
    return ReplyCompleted(turn=1, content=content, stop_reason="x", usage=used, model="m")


def says(text: str) -> ReplyCompleted:
    return replied(TextBlock(text=text))


def state_of(*events: UpwardEvent | TextDelta | SessionConfigured) -> State:
    state, _ = received(State(), SubagentEvent(PRIMARY, reports.started(ONE)), 10.0)
    for event in events:
        state, _ = received(state, SubagentEvent(ONE, event), 10.0)
    return state


def shown(state: State, width: int = 40) -> list[str]:
    rows = subagent_page(state, ONE, 12.0).rows(width)
    return ["".join(text for _, text in row).rstrip() for row in rows]


def test_what_it_was_asked_said_and_did_stands_in_order_and_apart() -> None:
    state = state_of(
        ASKED,
        replied(ThinkingBlock(thinking="hm", signature="s"), TextBlock(text="I **look**."), CALL),
        LS,
        listed(),
        says("Now I\n\n- know\n- more"),
        TurnCompleted(turn=1, text="Now I know", stop_reason="end_turn", usage=Usage()),
        TurnStarted(turn=2, prompt="and now?"),
    )
    assert shown(state) == [
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
    state = state_of(ASKED, says("First."), TextDelta(text="Then I am ab"), LS)
    assert shown(state)[3:] == ["First.", "", "Then I am ab", "● bash ls"]
    assert (
        subagent_page(state, ONE, 12.0).title == "general-1 · look about · bash ls · 2s · 40 tokens"
    )


def test_a_stream_that_begins_anew_is_not_joined_to_what_was_heard_before() -> None:
    again = (TextDelta(text="I was ab"), reports.session(), TextDelta(text="I was about to"))
    assert shown(state_of(ASKED, *again))[3:] == ["I was about to"]


@pytest.mark.parametrize(
    ("end", "told"),
    [
        (TurnInterrupted(turn=1, partial="I was ab"), ["I was ab", "", "Interrupted.", ""]),
        (
            TurnFailed(turn=1, reason="overloaded", detail="too many", partial="I was ab"),
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
    assert shown(state_of(ASKED, TextDelta(text="I was ab"), end))[3:] == told


def test_an_output_is_brief_and_says_how_much_more_there_is() -> None:
    long = listed("".join(f"{n}\n" for n in range(1_000)))
    diff = "--- a\n+++ b\n@@ -1 +1,40 @@\n" + "".join(f"+{n}\n" for n in range(40))
    state = state_of(ASKED, long.model_copy(update={"diff": diff}))
    rows = shown(state)[3:]
    assert rows[:5] == ["● bash ls", "  0", "  1", "  2", "  … +997 lines"]
    assert rows[5:7] == ["  @@ -1 +1,40 @@", "  +0"]
    assert rows[-2] == "  … +35 lines"
    wide = shown(state_of(ASKED, listed("x" * 1_000)), 2_000)
    assert len(wide[4]) < 400


def test_what_a_task_said_is_shown_without_the_frame_that_the_model_reads() -> None:
    text = "task_id: explore-1\n<task_result>\nfound it\n</task_result>"
    ended = ToolEnded(turn=1, call_id="t", tool="task", title="task", status="ok", text=text)
    assert shown(state_of(ASKED, ended))[3:] == ["● task", "  found it", ""]


def test_what_is_kept_of_one_is_bounded_and_the_page_says_where_the_rest_is() -> None:
    events = [event for _ in range(200) for event in (says("y" * 2_000), listed("z" * 90_000))]
    state = state_of(ASKED, *events, TextDelta(text="w" * 100_000))
    state, _ = received(state, reports.session(file="/home/x/p/s1.jsonl"), 10.0)
    row = state.below.rows[ONE]
    assert row.recent.chars <= MOST_CHARS
    assert len(row.streamed) == MOST_STREAMED_CHARS
    assert row.recent.dropped + len(row.recent.events) == 401
    first = " ".join(shown(state)[:3])
    assert first.startswith(f"… {row.recent.dropped} earlier events are in")
    assert "subagents/s1/agent-general-1.jsonl" in first.replace(" ", "")


def test_text_and_output_that_come_from_outside_draw_nothing_but_themselves() -> None:
    state = state_of(
        TurnStarted(turn=1, prompt=reports.HOSTILE),
        says(reports.HOSTILE),
        listed(reports.HOSTILE),
        TextDelta(text=reports.HOSTILE),
        LS.model_copy(update={"title": reports.HOSTILE}),
    )
    page = subagent_page(state, ONE, 12.0)
    text = "".join(part for row in page.rows(60) for _, part in row)
    assert not [char for char in page.title + text if ord(char) < 32 or 127 <= ord(char) < 160]
    assert "\u202e" not in text
