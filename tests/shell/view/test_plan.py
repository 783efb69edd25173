"""How the height of the window is divided, and what stands on its rows."""

import pytest
from prompt_toolkit.data_structures import Size

from messages.address import PRIMARY, Address
from messages.approvals import ShowApproval
from messages.questions import Choice, UserQuestion
from messages.subagents import SubagentStarted
from messages.turns import TextDelta, TurnStarted
from shell.inbox import Event, SubagentEvent
from shell.view.arming import Arming
from shell.view.events import received
from shell.view.figures import clock, counted
from shell.view.footer import footer_row
from shell.view.ink import Row
from shell.view.pager import Pager, plain_page
from shell.view.pastes import Pastes, folded
from shell.view.plan import FrameInput, FrameLayout, planned
from shell.view.state import State
from tests.shell import reports

pytestmark = pytest.mark.quick


def text(row: Row) -> str:
    return "".join(part for _, part in row)


def state_of(*events: Event) -> State:
    state = State()
    for event in events:
        state, _ = received(state, event, 0.0)
    return state


def plan_of(state: State, rows: int, columns: int = 80, scrolled: int = 0) -> FrameLayout:
    shown = state.requests.prompt_id
    arming = Arming(shown, 0.0) if shown else None
    scene = FrameInput(
        state, arming, "", reasoning=False, hint="", now_s=1.0, menu=None, scrolled=scrolled
    )
    return planned(scene, Size(rows=rows, columns=columns))


def started(number: int) -> SubagentEvent:
    child = Address(f"/primary/general-{number}")
    event = SubagentStarted(
        child=child,
        parent=PRIMARY,
        agent="general",
        depth=1,
        task_number=1,
        turn=1,
        call_id=f"t{number}",
        description="look about",
    )
    return SubagentEvent(PRIMARY, event)


BEGUN = (reports.session(), TurnStarted(turn=1, prompt="x"))
AT_WORK = (*BEGUN, started(1), started(2), reports.asked())


def test_agents_at_work_are_seen_beside_a_request_where_there_is_room() -> None:
    high = plan_of(state_of(*AT_WORK), 24)
    assert [text(row).split()[1] for row in high.live] == ["general-1", "general-2", "Waiting"]
    low = plan_of(state_of(*AT_WORK), 11)
    assert low.panel is not None
    assert [text(row).split()[1] for row in low.live] == ["Waiting"]
    assert low.rows <= 11


@pytest.mark.parametrize("reasoning", [False, True])
@pytest.mark.parametrize("rows", range(4, 30))
def test_an_agents_page_and_what_is_asked_meanwhile_fill_the_window(
    rows: int, *, reasoning: bool
) -> None:
    state = state_of(*AT_WORK)
    page = plain_page("general-1", "\n".join(map(str, range(60))))
    scene = FrameInput(
        state,
        Arming(state.requests.prompt_id, 0.0),
        "",
        reasoning=reasoning,
        hint="",
        now_s=1.0,
        pager=Pager(page, first=60 - max(rows - 3, 1)),
    )
    plan = planned(scene, Size(rows=rows, columns=80))
    if plan.panel is None:
        assert plan.rows <= rows
        assert "enlarge" in text(plan.notice[0])
    else:
        assert plan.rows == rows
        assert plan.input_rows == int(reasoning)
        assert len(plan.page) < 3 or text(plan.page[-2]) == "59"


@pytest.mark.parametrize(
    ("scrolled", "told"), [(0, "1-15 of 203"), (100, "101-115 of 203"), (999, "189-203 of 203")]
)
def test_of_what_is_longer_than_the_window_the_shown_rows_are_named(
    scrolled: int, told: str
) -> None:
    plan = plan_of(state_of(*BEGUN, long_command()), 24, scrolled=scrolled)
    assert text(plan.notice[0]).endswith(f" · {told}")


def long_command() -> ShowApproval:
    return reports.asked("echo\n" * 202 + "rm x")


def test_a_short_request_names_no_rows() -> None:
    assert text(plan_of(state_of(*AT_WORK), 24).notice[0]) == "…"


def test_what_may_be_answered_takes_as_few_rows_as_it_can() -> None:
    def last(columns: int) -> list[str]:
        panel = plan_of(state_of(*BEGUN, reports.asked()), 40, columns).panel
        return [text(row) for row in panel.answers][-3:] if panel else []

    assert last(80)[-1] == "n  no     Tab  no, with a reason     Esc  later"
    assert last(40)[-2:] == ["n  no     Tab  no, with a reason", "Esc  later"]
    assert last(24) == ["n  no", "Tab  no, with a reason", "Esc  later"]


def test_what_a_choice_means_stands_beside_it_or_above_where_it_does_not_fit() -> None:
    question = UserQuestion(
        question="Which?",
        choices=(Choice(label="red", description="a colour"), Choice(label="magenta")),
    )
    state = state_of(*BEGUN, reports.asked_questions(question))
    wide, narrow = plan_of(state, 24).panel, plan_of(state, 24, 20).panel
    assert wide is not None
    assert narrow is not None
    assert [text(row) for row in wide.answers[:2]] == ["› 1  red      a colour", "  2  magenta"]  # noqa: RUF001  (an arrow)
    assert [text(row) for row in wide.body] == ["│ Which?"]
    assert text(narrow.answers[0]) == "› 1  red"  # noqa: RUF001  (an arrow)
    assert [text(row) for row in narrow.body] == ["│ Which?", "│ 1: a colour"]


def test_words_are_not_torn_apart_and_what_must_be_exact_is_wrapped_as_it_is() -> None:
    told = "It reads the workspace, and writes nothing at all."
    asked = reports.asked("echo one two three", description=told, pattern="echo one two three")
    panel = plan_of(state_of(*BEGUN, asked), 40, 30).panel
    assert panel is not None
    assert [text(row) for row in panel.head][-3:] == [
        "it says: It reads the",
        "↪ workspace, and writes",
        "↪ nothing at all.",
    ]
    assert [text(row) for row in panel.answers][1:4] == [
        "a  don't ask again in this ses",
        "↪ sion for `bash echo one two ",
        "↪ three`",
    ]
    question = UserQuestion(question="Shall the work begin " + "x" * 30 + "?")
    asks = plan_of(state_of(*BEGUN, reports.asked_questions(question)), 40, 24).panel
    assert asks is not None
    assert [text(row) for row in asks.body] == [
        "│ Shall the work begin x",
        "┆ " + "x" * 22,
        "┆ " + "x" * 7 + "?",
    ]


def test_what_streams_breaks_between_words_and_code_does_not() -> None:
    def live(text_so_far: str) -> list[str]:
        state = state_of(*BEGUN, TextDelta(text=text_so_far))
        return [text(row) for row in plan_of(state, 24, 20).live][:-1]

    assert live("It goes from word to word") == ["It goes from word to", "word"]
    assert live("```\nIt goes from word to word") == ["```", "It goes from word to", " word"]


def test_a_narrow_footer_leaves_the_model_out_before_the_agents() -> None:
    row = text(footer_row(state_of(*AT_WORK), "", 60))
    assert row.startswith("⚠ 1 needs approval · primary · default · 2 agents · claude")


def test_one_of_something_is_not_many() -> None:
    assert [counted(1, "line"), counted(0, "line"), counted(2_000, "line")] == [
        "1 line",
        "0 lines",
        "2,000 lines",
    ]
    assert [clock(-1.0), clock(59.9), clock(65.0)] == ["0s", "59s", "1m 05s"]
    assert folded(Pastes(), "x\n" * 40)[1] == "[pasted 40 lines]"
