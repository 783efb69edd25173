"""What the screen shows of subagents: rows while they work, the tree, and what each one told."""

import pytest

from messages.address import PRIMARY, Address
from messages.approvals import ExecApprovalRequest, ShowApproval
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.subagents import SubagentEnded, SubagentQueued, SubagentStarted
from messages.turns import (
    ReplyCompleted,
    ReplyProgress,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnStarted,
    UpwardEvent,
)
from shell.commands.tree import format_tree
from shell.console.screen_events import SubagentEvent
from shell.view.event_reducer import apply_event
from shell.view.footer import render_footer
from shell.view.screen_state import RunningTurn, ScreenState
from shell.view.styled_text import Row
from shell.view.subagent_list import MAX_TREE_ACTIVITY_CHARS
from shell.view.subagent_rows import MAX_SUBAGENT_ROWS, render_subagent_rows

pytestmark = pytest.mark.quick

ONE = Address("/primary/general-1")
DEEP = Address("/primary/general-1/explore-1")
USED = Usage(input_tokens=3, output_tokens=40, requests=1)


def create_started_event(child: Address, start: int = 1) -> SubagentEvent:
    event = SubagentStarted(
        child=child,
        parent=child.parent,
        agent_type=child.name.rpartition("-")[0],
        depth=len(child.segments) - 1,
        task_number=start,
        turn=1,
        call_id="t1",
        description="look about",
    )
    return SubagentEvent(child.parent, event)


def create_reply_event(child: Address, *content: TextBlock | ToolUseBlock) -> SubagentEvent:
    event = ReplyCompleted(turn=1, content=content, stop_reason="x", usage=USED, model="m")
    return SubagentEvent(child, event)


def create_subagent_event(child: Address, event: UpwardEvent) -> SubagentEvent:
    return SubagentEvent(child, event)


def apply_events(*said: SubagentEvent) -> ScreenState:
    state = ScreenState()
    for each in said:
        state, _ = apply_event(state, each, 10.0)
    return state


def get_text(row: Row) -> str:
    return "".join(part for _, part in row)


LS = ToolStarted(turn=1, call_id="c1", tool="bash", title="bash ls")
LISTED = ToolEnded(turn=1, call_id="c1", tool="bash", title="bash ls", status="ok", text="a")


def test_a_row_says_what_a_subagent_does_now_how_long_and_how_much_it_wrote() -> None:
    state = apply_events(
        create_started_event(ONE),
        create_subagent_event(ONE, TurnStarted(turn=1, prompt="look")),
        create_reply_event(ONE, ToolUseBlock(id="c1", name="bash")),
        create_subagent_event(ONE, LS),
    )
    (row,) = render_subagent_rows(state, 75.0, 80)
    assert get_text(row) == "● general-1 look about · bash ls · 1m 05s · 40 tokens"
    assert all(len(get_text(each)) <= 20 for each in render_subagent_rows(state, 75.0, 20))
    after = apply_events(
        create_started_event(ONE),
        create_subagent_event(ONE, LS),
        create_subagent_event(ONE, LISTED),
    )
    assert "thinking" in get_text(render_subagent_rows(after, 11.0, 80)[0])


def test_where_there_is_little_room_a_row_says_rather_what_it_does_than_what_it_is_for() -> None:
    state = apply_events(create_started_event(ONE), create_subagent_event(ONE, LS))
    assert (
        get_text(render_subagent_rows(state, 11.0, 35)[0]) == "● general-1 look ab… · bash ls · 1s"
    )
    assert get_text(render_subagent_rows(state, 11.0, 30)[0]) == "● general-1 bash ls · 1s"
    assert get_text(render_subagent_rows(state, 11.0, 20)[0]) == "● general-1 bash ls"


def test_while_the_text_of_a_reply_comes_a_row_says_so_and_counts_no_wrong_tokens() -> None:
    begun = (
        create_started_event(ONE),
        create_subagent_event(ONE, TurnStarted(turn=1, prompt="look")),
    )
    grown = create_subagent_event(ONE, ReplyProgress(turn=1, char_count=4, has_text=True))
    state = apply_events(*begun, grown)
    (row,) = render_subagent_rows(state, 12.0, 80)
    assert get_text(row) == "● general-1 look about · writing · 2s"
    assert format_tree(state, 12.0)[1] == "  general-1 (general) · writing · 2s"
    state = apply_events(
        *begun,
        grown,
        create_subagent_event(ONE, ReplyProgress(turn=1, char_count=8_000, has_text=True)),
    )
    assert get_text(render_subagent_rows(state, 12.0, 80)[0]).endswith(
        " · writing · 2s · ~2.0k tokens"
    )
    state = apply_events(*begun, grown, create_reply_event(ONE, TextBlock(text="x")))
    assert get_text(render_subagent_rows(state, 12.0, 80)[0]).endswith(
        " · thinking · 2s · 40 tokens"
    )
    thinks = create_subagent_event(ONE, ReplyProgress(turn=1, char_count=400, has_text=False))
    told = get_text(render_subagent_rows(apply_events(*begun, thinks), 12.0, 80)[0])
    assert told.endswith(" · thinking · 2s · ~100 tokens")


def test_the_tree_says_of_the_primary_too_that_it_writes() -> None:
    state = ScreenState(turn=RunningTurn(started_s=0.0, has_streamed_text=True))
    assert format_tree(state, 1.0) == ["primary (greenroom) · writing"]


def test_all_that_is_kept_of_many_agents_is_bounded_and_who_works_keeps_the_latest() -> None:
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
        for said in (
            create_started_event(child),
            create_subagent_event(child, TurnStarted(turn=1, prompt=prompt)),
            create_subagent_event(child, LS),
        ):
            state, _ = apply_event(state, said, 10.0)
        state, _ = apply_event(state, create_subagent_event(child, LISTED), 10.0)
    rows = state.subagents.subagents.values()
    assert (
        state.subagents.activity_chars
        == sum(row.activity.chars for row in rows)
        <= MAX_TREE_ACTIVITY_CHARS
    )
    assert not state.subagents.subagents[gone].activity.events
    assert all(row.activity.events[-1].type == "tool_ended" for row in state.subagents.running)
    assert any(row.activity.dropped_count for row in state.subagents.running)


def test_who_waits_for_a_place_or_a_person_says_so() -> None:
    queued = apply_events(
        create_started_event(ONE),
        create_subagent_event(ONE, SubagentQueued(agent=ONE, slot_limit=2)),
    )
    assert "queued for one of 2 places" in get_text(render_subagent_rows(queued, 11.0, 80)[0])
    asked = ExecApprovalRequest(
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
        apply_events(create_started_event(ONE)), ShowApproval(request=asked, parked_count=1), 11.0
    )
    assert "needs your approval" in get_text(render_subagent_rows(state, 11.0, 80)[0])


def test_one_that_has_ended_leaves_the_rows_and_is_still_known() -> None:
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


def test_of_many_the_last_row_counts_the_others_and_the_footer_all() -> None:
    many = [create_started_event(Address(f"/primary/general-{n}")) for n in range(1, 13)]
    state = apply_events(*many)
    rows = render_subagent_rows(state, 11.0, 80)
    assert len(rows) == MAX_SUBAGENT_ROWS
    assert get_text(rows[-1]) == "  … and 7 more; /tree shows all"
    assert get_text(rows[1]).startswith("● general-2 "), "2 comes before 10"
    assert "12 agents" not in get_text(render_footer(state, "", 80)), "nobody is talked to yet"


def test_the_tree_stands_indented_below_the_primary() -> None:
    state = apply_events(
        create_started_event(ONE, start=2),
        create_started_event(DEEP),
        create_subagent_event(DEEP, LS),
    )
    assert format_tree(state, 11.0) == [
        "primary (greenroom) · idle",
        "  general-1 (general) · starting · 1s · begun 2 times",
        "    explore-1 (explore) · bash ls · 1s",
    ]


def test_one_is_found_by_its_name_or_by_the_end_of_its_path() -> None:
    below = apply_events(create_started_event(ONE), create_started_event(DEEP)).subagents
    found = [below.find_by_name(name) for name in ("explore-1", "/primary/general-1/explore-1")]
    assert [row.address for row in found if row] == [DEEP, DEEP]
    assert below.find_by_name("general-2/explore-1") is None


def test_a_subagents_turn_is_not_the_primarys() -> None:
    state = apply_events(
        create_started_event(ONE), create_subagent_event(ONE, TurnStarted(turn=1, prompt="look"))
    )
    assert state.turn is None
    ended = TurnCompleted(turn=1, text="x", stop_reason="end_turn", usage=USED)
    state, effects = apply_event(state, create_subagent_event(ONE, ended), 12.0)
    assert (state.turn, effects) == (None, ())
