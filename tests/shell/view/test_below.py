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
from shell.commands.tree import tree_lines
from shell.inbox import SubagentEvent
from shell.view.below import MOST_KEPT_CHARS
from shell.view.events import received
from shell.view.footer import footer_row
from shell.view.ink import Row
from shell.view.state import RunningTurn, State
from shell.view.subagent_rows import MOST_ROWS, subagent_rows

pytestmark = pytest.mark.quick

ONE = Address("/primary/general-1")
DEEP = Address("/primary/general-1/explore-1")
USED = Usage(input_tokens=3, output_tokens=40, requests=1)


def started(child: Address, start: int = 1) -> SubagentEvent:
    event = SubagentStarted(
        child=child,
        parent=child.parent,
        agent=child.name.rpartition("-")[0],
        depth=len(child.names) - 1,
        task_number=start,
        turn=1,
        call_id="t1",
        description="look about",
    )
    return SubagentEvent(child.parent, event)


def replied(child: Address, *content: TextBlock | ToolUseBlock) -> SubagentEvent:
    event = ReplyCompleted(turn=1, content=content, stop_reason="x", usage=USED, model="m")
    return SubagentEvent(child, event)


def of(child: Address, event: UpwardEvent) -> SubagentEvent:
    return SubagentEvent(child, event)


def state_of(*said: SubagentEvent) -> State:
    state = State()
    for each in said:
        state, _ = received(state, each, 10.0)
    return state


def text(row: Row) -> str:
    return "".join(part for _, part in row)


LS = ToolStarted(turn=1, call_id="c1", tool="bash", title="bash ls")
LISTED = ToolEnded(turn=1, call_id="c1", tool="bash", title="bash ls", status="ok", text="a")


def test_a_row_says_what_a_subagent_does_now_how_long_and_how_much_it_wrote() -> None:
    state = state_of(
        started(ONE),
        of(ONE, TurnStarted(turn=1, prompt="look")),
        replied(ONE, ToolUseBlock(id="c1", name="bash")),
        of(ONE, LS),
    )
    (row,) = subagent_rows(state, 75.0, 80)
    assert text(row) == "● general-1 look about · bash ls · 1m 05s · 40 tokens"
    assert all(len(text(each)) <= 20 for each in subagent_rows(state, 75.0, 20))
    after = state_of(started(ONE), of(ONE, LS), of(ONE, LISTED))
    assert "thinking" in text(subagent_rows(after, 11.0, 80)[0])


def test_where_there_is_little_room_a_row_says_rather_what_it_does_than_what_it_is_for() -> None:
    state = state_of(started(ONE), of(ONE, LS))
    assert text(subagent_rows(state, 11.0, 35)[0]) == "● general-1 look ab… · bash ls · 1s"
    assert text(subagent_rows(state, 11.0, 30)[0]) == "● general-1 bash ls · 1s"
    assert text(subagent_rows(state, 11.0, 20)[0]) == "● general-1 bash ls"


def test_while_the_text_of_a_reply_comes_a_row_says_so_and_counts_no_wrong_tokens() -> None:
    begun = (started(ONE), of(ONE, TurnStarted(turn=1, prompt="look")))
    grown = of(ONE, ReplyProgress(turn=1, chars=4, writes=True))
    state = state_of(*begun, grown)
    (row,) = subagent_rows(state, 12.0, 80)
    assert text(row) == "● general-1 look about · writing · 2s"
    assert tree_lines(state, 12.0)[1] == "  general-1 (general) · writing · 2s"
    state = state_of(*begun, grown, of(ONE, ReplyProgress(turn=1, chars=8_000, writes=True)))
    assert text(subagent_rows(state, 12.0, 80)[0]).endswith(" · writing · 2s · ~2.0k tokens")
    state = state_of(*begun, grown, replied(ONE, TextBlock(text="x")))
    assert text(subagent_rows(state, 12.0, 80)[0]).endswith(" · thinking · 2s · 40 tokens")
    thinks = of(ONE, ReplyProgress(turn=1, chars=400, writes=False))
    told = text(subagent_rows(state_of(*begun, thinks), 12.0, 80)[0])
    assert told.endswith(" · thinking · 2s · ~100 tokens")


def test_the_tree_says_of_the_primary_too_that_it_writes() -> None:
    state = State(turn=RunningTurn(began_s=0.0, streamed=True))
    assert tree_lines(state, 1.0) == ["primary (greenroom) · writing"]


def test_all_that_is_kept_of_many_agents_is_bounded_and_who_works_keeps_the_latest() -> None:
    prompt, count = "x" * 12_000, MOST_KEPT_CHARS // 12_000 + 50
    gone = Address("/primary/general-0")
    end = SubagentEnded(child=gone, task_number=1, turn=1, status="completed")
    state = state_of(started(gone), of(gone, TurnStarted(turn=1, prompt="old")), of(PRIMARY, end))
    for number in range(1, count):
        child = Address(f"/primary/general-{number}")
        for said in (started(child), of(child, TurnStarted(turn=1, prompt=prompt)), of(child, LS)):
            state, _ = received(state, said, 10.0)
        state, _ = received(state, of(child, LISTED), 10.0)
    rows = state.below.rows.values()
    assert state.below.chars == sum(row.recent.chars for row in rows) <= MOST_KEPT_CHARS
    assert not state.below.rows[gone].recent.events
    assert all(row.recent.events[-1].type == "tool_ended" for row in state.below.running)
    assert any(row.recent.dropped for row in state.below.running)


def test_who_waits_for_a_place_or_a_person_says_so() -> None:
    queued = state_of(started(ONE), of(ONE, SubagentQueued(agent=ONE, slot_limit=2)))
    assert "queued for one of 2 places" in text(subagent_rows(queued, 11.0, 80)[0])
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
    state, _ = received(state_of(started(ONE)), ShowApproval(request=asked, waiting=1), 11.0)
    assert "waits for your approval" in text(subagent_rows(state, 11.0, 80)[0])


def test_one_that_has_ended_leaves_the_rows_and_is_still_known() -> None:
    end = SubagentEnded(child=ONE, task_number=1, turn=1, status="completed")
    state = state_of(started(ONE), replied(ONE, TextBlock(text="I saw\nit")), of(PRIMARY, end))
    assert subagent_rows(state, 11.0, 80) == []
    found = state.below.called("general-1")
    assert found
    assert found.recent.last_lines == ("I saw", "it")


def test_of_many_the_last_row_counts_the_others_and_the_footer_all() -> None:
    many = [started(Address(f"/primary/general-{n}")) for n in range(1, 13)]
    state = state_of(*many)
    rows = subagent_rows(state, 11.0, 80)
    assert len(rows) == MOST_ROWS
    assert text(rows[-1]) == "  … and 7 more; /tree shows all"
    assert text(rows[1]).startswith("● general-2 "), "2 comes before 10"
    assert "12 agents" not in text(footer_row(state, "", 80)), "nobody is talked to yet"


def test_the_tree_stands_indented_below_the_primary() -> None:
    state = state_of(started(ONE, start=2), started(DEEP), of(DEEP, LS))
    assert tree_lines(state, 11.0) == [
        "primary (greenroom) · idle",
        "  general-1 (general) · starting · 1s · begun 2 times",
        "    explore-1 (explore) · bash ls · 1s",
    ]


def test_one_is_found_by_its_name_or_by_the_end_of_its_path() -> None:
    below = state_of(started(ONE), started(DEEP)).below
    found = [below.called(name) for name in ("explore-1", "/primary/general-1/explore-1")]
    assert [row.address for row in found if row] == [DEEP, DEEP]
    assert below.called("general-2/explore-1") is None


def test_a_subagents_turn_is_not_the_primarys() -> None:
    state = state_of(started(ONE), of(ONE, TurnStarted(turn=1, prompt="look")))
    assert state.turn is None
    ended = TurnCompleted(turn=1, text="x", stop_reason="end_turn", usage=USED)
    state, effects = received(state, of(ONE, ended), 12.0)
    assert (state.turn, effects) == (None, ())
