"""How the screen shows subagents: their rows, the tree and their recent activity."""

import pytest

from messages.address import PRIMARY, Address
from messages.approvals import ExecApprovalRequest, ShowApproval
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.subagents import SubagentEnded, SubagentQueued, SubagentStarted
from messages.turns import (
    ReplyActivity,
    ReplyCompleted,
    ReplyProgress,
    RequestPaused,
    RequestResumed,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnStarted,
    UpwardEvent,
)
from shell.commands.tree import format_tree
from shell.console.screen_event_queue import SubagentEvent
from shell.view.event_reducer import apply_event
from shell.view.footer import render_footer
from shell.view.screen_state import RunningTurn, ScreenState
from shell.view.subagent_rows import MAX_SUBAGENT_ROWS, render_subagent_rows
from shell.view.subagent_states import MAX_TREE_ACTIVITY_CHARS
from tests.shell.view.row_text import get_text

pytestmark = pytest.mark.quick

ONE = Address("/primary/general-1")
DEEP = Address("/primary/general-1/explore-1")
USAGE = Usage(input_tokens=3, output_tokens=40, requests=1)


def create_started_event(child: Address, task_number: int = 1) -> SubagentEvent:
    event = SubagentStarted(
        child=child,
        parent=child.parent,
        agent_type=child.name.rpartition("-")[0],
        depth=len(child.segments) - 1,
        task_number=task_number,
        turn=1,
        call_id="t1",
        description="look about",
    )
    return SubagentEvent(child.parent, event)


def create_reply_event(child: Address, *content: TextBlock | ToolUseBlock) -> SubagentEvent:
    event = ReplyCompleted(turn=1, content=content, stop_reason="x", usage=USAGE, model="m")
    return SubagentEvent(child, event)


def create_subagent_event(child: Address, event: UpwardEvent) -> SubagentEvent:
    return SubagentEvent(child, event)


def apply_events(*events: SubagentEvent) -> ScreenState:
    state = ScreenState()
    for event in events:
        state, _ = apply_event(state, event, 10.0)
    return state


LS = ToolStarted(turn=1, call_id="c1", tool="bash", title="bash ls")
LISTED = ToolEnded(turn=1, call_id="c1", tool="bash", title="bash ls", status="ok", text="a")


def test_a_row_shows_activity_elapsed_time_and_tokens() -> None:
    state = apply_events(
        create_started_event(ONE),
        create_subagent_event(ONE, TurnStarted(turn=1, prompt="look")),
        create_reply_event(ONE, ToolUseBlock(id="c1", name="bash")),
        create_subagent_event(ONE, LS),
    )
    (row,) = render_subagent_rows(state, 75.0, 80)
    assert get_text(row) == "● general-1 look about · running ls · 1m 05s · 40 tokens"
    assert all(
        len(get_text(narrow_row)) <= 20 for narrow_row in render_subagent_rows(state, 75.0, 20)
    )
    after = apply_events(
        create_started_event(ONE),
        create_subagent_event(ONE, LS),
        create_subagent_event(ONE, LISTED),
    )
    assert "waits for the model" in get_text(render_subagent_rows(after, 11.0, 80)[0])


def test_a_subagent_thinks_only_after_its_reply_has_begun() -> None:
    waiting = apply_events(
        create_started_event(ONE),
        create_subagent_event(ONE, TurnStarted(turn=1, prompt="look")),
    )
    assert format_tree(waiting, 12.0)[1] == "  general-1 (general) · waits for the model · 2s"
    begun = create_subagent_event(ONE, ReplyProgress(turn=1, char_count=0, has_text=False))
    thinking, _ = apply_event(waiting, begun, 12.0)
    assert format_tree(thinking, 12.0)[1] == "  general-1 (general) · thinking · 2s"


def test_a_narrow_row_prefers_activity_over_the_description() -> None:
    state = apply_events(create_started_event(ONE), create_subagent_event(ONE, LS))
    assert get_text(render_subagent_rows(state, 11.0, 35)[0]) == "● general-1 running ls · 1s"
    assert get_text(render_subagent_rows(state, 11.0, 30)[0]) == "● general-1 running ls · 1s"
    assert get_text(render_subagent_rows(state, 11.0, 23)[0]) == "● general-1 running ls"


def test_a_row_shows_writing_and_estimates_its_tokens() -> None:
    started = (
        create_started_event(ONE),
        create_subagent_event(ONE, TurnStarted(turn=1, prompt="look")),
    )
    progress = create_subagent_event(ONE, ReplyProgress(turn=1, char_count=4, has_text=True))
    state = apply_events(*started, progress)
    (row,) = render_subagent_rows(state, 12.0, 80)
    assert get_text(row) == "● general-1 look about · writing · 2s"
    assert format_tree(state, 12.0)[1] == "  general-1 (general) · writing · 2s"
    state = apply_events(
        *started,
        progress,
        create_subagent_event(ONE, ReplyProgress(turn=1, char_count=8_000, has_text=True)),
    )
    assert get_text(render_subagent_rows(state, 12.0, 80)[0]).endswith(
        " · writing · 2s · ~2.0k tokens"
    )
    state = apply_events(*started, progress, create_reply_event(ONE, TextBlock(text="x")))
    assert get_text(render_subagent_rows(state, 12.0, 80)[0]).endswith(
        " · thinking · 2s · 40 tokens"
    )
    thinking = create_subagent_event(ONE, ReplyProgress(turn=1, char_count=400, has_text=False))
    text = get_text(render_subagent_rows(apply_events(*started, thinking), 12.0, 80)[0])
    assert text.endswith(" · thinking · 2s · ~100 tokens")


def test_a_held_subagent_shows_why_and_until_when_it_waits() -> None:
    paused = RequestPaused(reason="overloaded", detail="busy", wait_s=30)
    state = apply_events(create_started_event(ONE), create_subagent_event(ONE, paused))
    (row,) = render_subagent_rows(state, 15.0, 80)
    assert "the service is overloaded, waiting 25 s" in get_text(row)
    assert "the service is overloaded, waiting 25 s" in format_tree(state, 15.0)[1]
    state, _ = apply_event(state, create_subagent_event(ONE, RequestResumed()), 40.0)
    assert "waits for the model" in format_tree(state, 40.0)[1]


def test_the_tree_shows_what_the_primary_agent_does() -> None:
    state = ScreenState(turn=RunningTurn(started_s=0.0))
    assert format_tree(state, 1.0) == ["primary (greenroom) · waits for the model"]
    state, _ = apply_event(state, ReplyActivity(), 1.0)
    assert format_tree(state, 1.0) == ["primary (greenroom) · thinking"]
    state, _ = apply_event(state, TextDelta(text="So"), 1.0)
    assert format_tree(state, 1.0) == ["primary (greenroom) · writing"]


def test_the_activity_of_all_agents_together_is_limited() -> None:
    prompt, count = "x" * 12_000, MAX_TREE_ACTIVITY_CHARS // 12_000 + 50
    gone = Address("/primary/general-0")
    end = SubagentEnded(child=gone, task_number=1, turn=1, status="completed")
    state = apply_events(
        create_started_event(gone),
        create_subagent_event(gone, TurnStarted(turn=1, prompt="old")),
        create_subagent_event(PRIMARY, end),
    )
    for number in range(1, count):
        child = Address(f"/primary/general-{number}")
        for event in (
            create_started_event(child),
            create_subagent_event(child, TurnStarted(turn=1, prompt=prompt)),
            create_subagent_event(child, LS),
        ):
            state, _ = apply_event(state, event, 10.0)
        state, _ = apply_event(state, create_subagent_event(child, LISTED), 10.0)
    subagents = state.subagents.subagents.values()
    assert (
        state.subagents.activity_chars
        == sum(subagent.activity.chars for subagent in subagents)
        <= MAX_TREE_ACTIVITY_CHARS
    )
    assert not state.subagents.subagents[gone].activity.events
    assert all(
        subagent.activity.events[-1].type == "tool_ended" for subagent in state.subagents.running
    )
    assert any(subagent.activity.dropped_count for subagent in state.subagents.running)


def test_a_row_shows_waiting_for_slot_or_approval() -> None:
    queued = apply_events(
        create_started_event(ONE),
        create_subagent_event(ONE, SubagentQueued(agent=ONE, slot_limit=2)),
    )
    assert "waits for one of 2 slots" in get_text(render_subagent_rows(queued, 11.0, 80)[0])
    request = ExecApprovalRequest(
        id="1",
        agent=ONE,
        turn=1,
        call_id="c1",
        tool="bash",
        cwd="/",
        reason="r",
        requests=(),
        available_decisions=("once", "no"),
        command="rm x",
    )
    state, _ = apply_event(
        apply_events(create_started_event(ONE)), ShowApproval(request=request, parked_count=1), 11.0
    )
    assert "needs your approval" in get_text(render_subagent_rows(state, 11.0, 80)[0])


def test_an_ended_agent_has_no_row_but_stays_known() -> None:
    end = SubagentEnded(child=ONE, task_number=1, turn=1, status="completed")
    state = apply_events(
        create_started_event(ONE),
        create_reply_event(ONE, TextBlock(text="I saw\nit")),
        create_subagent_event(PRIMARY, end),
    )
    assert render_subagent_rows(state, 11.0, 80) == []
    found = state.subagents.find_by_name("general-1")
    assert found
    assert found.activity.latest_lines == ("I saw", "it")


def test_the_last_of_many_rows_counts_the_rest() -> None:
    many = [create_started_event(Address(f"/primary/general-{n}")) for n in range(1, 13)]
    state = apply_events(*many)
    rows = render_subagent_rows(state, 11.0, 80)
    assert len(rows) == MAX_SUBAGENT_ROWS
    assert get_text(rows[-1]) == "  … and 7 more; /tree shows all"
    assert get_text(rows[1]).startswith("● general-2 "), "2 comes before 10"
    assert "12 agents" not in get_text(render_footer(state, "", 80)), "the session has not started"


def test_the_tree_is_indented_below_the_primary_agent() -> None:
    state = apply_events(
        create_started_event(ONE, task_number=2),
        create_started_event(DEEP),
        create_subagent_event(DEEP, LS),
    )
    assert format_tree(state, 11.0) == [
        "primary (greenroom) · idle",
        "  general-1 (general) · starting · 1s · task 2",
        "    explore-1 (explore) · running ls · 1s",
    ]


def test_an_agent_is_found_by_name_or_address_suffix() -> None:
    subagents = apply_events(create_started_event(ONE), create_started_event(DEEP)).subagents
    found = [subagents.find_by_name(name) for name in ("explore-1", "/primary/general-1/explore-1")]
    assert [subagent.address for subagent in found if subagent] == [DEEP, DEEP]
    assert subagents.find_by_name("general-2/explore-1") is None


def test_a_subagents_turn_is_not_the_primary_turn() -> None:
    state = apply_events(
        create_started_event(ONE), create_subagent_event(ONE, TurnStarted(turn=1, prompt="look"))
    )
    assert state.turn is None
    ended = TurnCompleted(turn=1, text="x", stop_reason="end_turn", usage=USAGE)
    state, effects = apply_event(state, create_subagent_event(ONE, ended), 12.0)
    assert (state.turn, effects) == (None, ())
