"""How the height of the window is divided, and what stands on its rows."""

import pytest
from prompt_toolkit.data_structures import Size

from messages.address import PRIMARY, Address
from messages.approvals import ShowApproval
from messages.subagents import SubagentStarted
from messages.turns import TextDelta, TurnStarted
from messages.user_questions import Choice, UserQuestion
from shell.console.screen_events import ScreenEvent, SubagentEvent
from shell.view.arming import Arming
from shell.view.event_reducer import apply_event
from shell.view.folded_pastes import FoldedPastes, fold
from shell.view.footer import render_footer
from shell.view.frame_layout import FrameInput, FrameLayout, compute_frame_layout
from shell.view.number_format import format_count, format_duration
from shell.view.pager import Pager, create_plain_page
from shell.view.screen_state import ScreenState
from shell.view.styled_text import Row
from tests.shell import sample_events

pytestmark = pytest.mark.quick


def get_text(row: Row) -> str:
    return "".join(part for _, part in row)


def apply_events(*events: ScreenEvent) -> ScreenState:
    state = ScreenState()
    for event in events:
        state, _ = apply_event(state, event, 0.0)
    return state


def lay_out(
    state: ScreenState, rows: int, columns: int = 80, scroll_offset: int = 0
) -> FrameLayout:
    shown = state.approvals.prompt_id
    arming = Arming(shown, 0.0) if shown else None
    scene = FrameInput(
        state,
        arming,
        "",
        is_entering_text=False,
        hint="",
        now_s=1.0,
        menu=None,
        scroll_offset=scroll_offset,
    )
    return compute_frame_layout(scene, Size(rows=rows, columns=columns))


def create_started_event(number: int) -> SubagentEvent:
    child = Address(f"/primary/general-{number}")
    event = SubagentStarted(
        child=child,
        parent=PRIMARY,
        agent_type="general",
        depth=1,
        task_number=1,
        turn=1,
        call_id=f"t{number}",
        description="look about",
    )
    return SubagentEvent(PRIMARY, event)


BEGUN = (sample_events.session_configured(), TurnStarted(turn=1, prompt="x"))
AT_WORK = (*BEGUN, create_started_event(1), create_started_event(2), sample_events.exec_approval())


def test_agents_at_work_are_seen_beside_a_request_where_there_is_room() -> None:
    high = lay_out(apply_events(*AT_WORK), 24)
    assert [get_text(row).split()[1] for row in high.progress] == [
        "general-1",
        "general-2",
        "Waiting",
    ]
    low = lay_out(apply_events(*AT_WORK), 11)
    assert low.panel is not None
    assert [get_text(row).split()[1] for row in low.progress] == ["Waiting"]
    assert low.row_count <= 11


@pytest.mark.parametrize("reasoning", [False, True])
@pytest.mark.parametrize("rows", range(4, 30))
def test_an_agents_page_and_what_is_asked_meanwhile_fill_the_window(
    rows: int, *, reasoning: bool
) -> None:
    state = apply_events(*AT_WORK)
    page = create_plain_page("general-1", "\n".join(map(str, range(60))))
    scene = FrameInput(
        state,
        Arming(state.approvals.prompt_id, 0.0),
        "",
        is_entering_text=reasoning,
        hint="",
        now_s=1.0,
        pager=Pager(page, first_row=60 - max(rows - 3, 1)),
    )
    plan = compute_frame_layout(scene, Size(rows=rows, columns=80))
    if plan.panel is None:
        assert plan.row_count <= rows
        assert "enlarge" in get_text(plan.notice[0])
    else:
        assert plan.row_count == rows
        assert plan.input_rows == int(reasoning)
        assert len(plan.page) < 3 or get_text(plan.page[-2]) == "59"


@pytest.mark.parametrize(
    ("scrolled", "told"), [(0, "1-15 of 203"), (100, "101-115 of 203"), (999, "189-203 of 203")]
)
def test_of_what_is_longer_than_the_window_the_shown_rows_are_named(
    scrolled: int, told: str
) -> None:
    plan = lay_out(apply_events(*BEGUN, create_long_request()), 24, scroll_offset=scrolled)
    assert get_text(plan.notice[0]).endswith(f" · {told}")


def create_long_request() -> ShowApproval:
    return sample_events.exec_approval("echo\n" * 202 + "rm x")


def test_a_short_request_names_no_rows() -> None:
    assert get_text(lay_out(apply_events(*AT_WORK), 24).notice[0]) == "…"


def test_what_may_be_answered_takes_as_few_rows_as_it_can() -> None:
    def last(columns: int) -> list[str]:
        panel = lay_out(apply_events(*BEGUN, sample_events.exec_approval()), 40, columns).panel
        return [get_text(row) for row in panel.options][-3:] if panel else []

    assert last(80)[-1] == "n  No     Tab  No, and say why     Esc  Decide later"
    assert last(40)[-2:] == ["n  No     Tab  No, and say why", "Esc  later"]
    assert last(24) == ["n  no", "Tab  no, with a reason", "Esc  later"]


def test_what_a_choice_means_stands_beside_it_or_above_where_it_does_not_fit() -> None:
    question = UserQuestion(
        text="Which?",
        choices=(Choice(label="red", description="a colour"), Choice(label="magenta")),
    )
    state = apply_events(*BEGUN, sample_events.question_approval(question))
    wide, narrow = lay_out(state, 24).panel, lay_out(state, 24, 20).panel
    assert wide is not None
    assert narrow is not None
    assert [get_text(row) for row in wide.options[:2]] == ["› 1  red      a colour", "  2  magenta"]  # noqa: RUF001  (an arrow)
    assert [get_text(row) for row in wide.body] == ["│ Which?"]
    assert get_text(narrow.options[0]) == "› 1  red"  # noqa: RUF001  (an arrow)
    assert [get_text(row) for row in narrow.body] == ["│ Which?", "│ 1: a colour"]


def test_words_are_not_torn_apart_and_what_must_be_exact_is_wrapped_as_it_is() -> None:
    told = "It reads the workspace, and writes nothing at all."
    asked = sample_events.exec_approval(
        "echo one two three", description=told, pattern="echo one two three"
    )
    panel = lay_out(apply_events(*BEGUN, asked), 40, 30).panel
    assert panel is not None
    assert [get_text(row) for row in panel.header][-3:] == [
        "the agent says: It reads the",
        "↪ workspace, and writes",
        "↪ nothing at all.",
    ]
    assert [get_text(row) for row in panel.options][1:4] == [
        "a  don't ask again in this ses",
        "↪ sion for `bash echo one two ",
        "↪ three`",
    ]
    question = UserQuestion(text="Shall the work begin " + "x" * 30 + "?")
    asks = lay_out(apply_events(*BEGUN, sample_events.question_approval(question)), 40, 24).panel
    assert asks is not None
    assert [get_text(row) for row in asks.body] == [
        "│ Shall the work begin x",
        "┆ " + "x" * 22,
        "┆ " + "x" * 7 + "?",
    ]


def test_what_streams_breaks_between_words_and_code_does_not() -> None:
    def live(text_so_far: str) -> list[str]:
        state = apply_events(*BEGUN, TextDelta(text=text_so_far))
        return [get_text(row) for row in lay_out(state, 24, 20).progress][:-1]

    assert live("It goes from word to word") == ["It goes from word to", "word"]
    assert live("```\nIt goes from word to word") == ["```", "It goes from word to", " word"]


def test_a_narrow_footer_leaves_the_model_out_before_the_agents() -> None:
    row = get_text(render_footer(apply_events(*AT_WORK), "", 60))
    assert row.startswith("⚠ 1 needs approval · primary · default · 2 agents · claude")


def test_one_of_something_is_not_many() -> None:
    assert [format_count(1, "line"), format_count(0, "line"), format_count(2_000, "line")] == [
        "1 line",
        "0 lines",
        "2,000 lines",
    ]
    assert [format_duration(-1.0), format_duration(59.9), format_duration(65.0)] == [
        "0s",
        "59s",
        "1m 05s",
    ]
    assert fold(FoldedPastes(), "x\n" * 40)[1] == "[pasted 40 lines]"
