"""How the height of the window is divided, and what its rows contain."""

import pytest
from prompt_toolkit.data_structures import Size

from messages.address import PRIMARY, Address
from messages.approvals import ShowApproval
from messages.policy import Rule
from messages.subagents import SubagentStarted
from messages.turns import TextDelta, TurnStarted
from messages.user_questions import Choice, UserQuestion
from shell.console.screen_event_queue import ScreenEvent, SubagentEvent
from shell.view.arming import Arming
from shell.view.event_reducer import apply_event
from shell.view.folded_pastes import FoldedPastes, fold
from shell.view.footer import render_footer
from shell.view.frame_layout import FrameInput, FrameLayout, compute_frame_layout
from shell.view.number_format import format_count, format_duration
from shell.view.pager import Pager, create_plain_page
from shell.view.screen_state import ScreenState
from tests.shell import sample_events
from tests.shell.view.row_text import get_text, get_texts

pytestmark = pytest.mark.quick


def apply_events(*events: ScreenEvent) -> ScreenState:
    state = ScreenState()
    for event in events:
        state, _ = apply_event(state, event, 0.0)
    return state


def lay_out(
    state: ScreenState, rows: int, columns: int = 80, scroll_offset: int = 0
) -> FrameLayout:
    prompt_id = state.approvals.prompt_id
    arming = Arming(prompt_id, 0.0) if prompt_id else None
    frame_input = FrameInput(
        state,
        arming,
        "",
        is_entering_text=False,
        hint="",
        now_s=1.0,
        menu=None,
        scroll_offset=scroll_offset,
    )
    return compute_frame_layout(frame_input, Size(rows=rows, columns=columns))


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


RUNNING_TURN = (sample_events.session_configured(), TurnStarted(turn=1, prompt="x"))
RUNNING_AGENTS = (
    *RUNNING_TURN,
    create_started_event(1),
    create_started_event(2),
    sample_events.exec_approval(),
)


def test_running_agents_are_shown_with_a_prompt_if_possible() -> None:
    tall = lay_out(apply_events(*RUNNING_AGENTS), 24)
    assert [get_text(row).split()[1] for row in tall.progress] == [
        "general-1",
        "general-2",
        "Waiting",
    ]
    short = lay_out(apply_events(*RUNNING_AGENTS), 11)
    assert short.panel is not None
    assert [get_text(row).split()[1] for row in short.progress] == ["Waiting"]
    assert short.row_count <= 11


@pytest.mark.parametrize("is_entering_text", [False, True])
@pytest.mark.parametrize("rows", range(4, 30))
def test_a_page_and_a_prompt_together_fill_the_window(rows: int, *, is_entering_text: bool) -> None:
    state = apply_events(*RUNNING_AGENTS)
    page = create_plain_page("general-1", "\n".join(map(str, range(60))))
    frame_input = FrameInput(
        state,
        Arming(state.approvals.prompt_id, 0.0),
        "",
        is_entering_text=is_entering_text,
        hint="",
        now_s=1.0,
        pager=Pager(page, first_row=60 - max(rows - 3, 1)),
    )
    layout = compute_frame_layout(frame_input, Size(rows=rows, columns=80))
    if layout.panel is None:
        assert layout.row_count <= rows
        assert "Enlarge" in get_text(layout.notice[0])
    else:
        assert layout.row_count == rows
        assert layout.input_rows == int(is_entering_text)
        assert len(layout.page) < 3 or get_text(layout.page[-2]) == "59"


@pytest.mark.parametrize(
    ("scroll_offset", "position"),
    [(0, "1-15 of 203"), (100, "101-115 of 203"), (999, "189-203 of 203")],
)
def test_a_long_request_shows_which_rows_are_visible(scroll_offset: int, position: str) -> None:
    layout = lay_out(
        apply_events(*RUNNING_TURN, create_long_request()), 24, scroll_offset=scroll_offset
    )
    assert get_text(layout.notice[0]).endswith(f" · {position}")


def create_long_request() -> ShowApproval:
    return sample_events.exec_approval("echo\n" * 202 + "rm x")


def test_a_short_request_shows_no_row_numbers() -> None:
    assert get_text(lay_out(apply_events(*RUNNING_AGENTS), 24).notice[0]) == "One moment"


@pytest.mark.parametrize("text", ["\u0301" * 200, "\x01" * 200, "漢" * 200, "x" * 200])
@pytest.mark.parametrize("size", [(24, 80), (30, 90), (24, 60)])
def test_a_request_with_any_text_can_be_answered(text: str, size: tuple[int, int]) -> None:
    command = f"printf 'e{text}'; touch a"
    message = sample_events.exec_approval(command, pattern=command)
    rule = Rule(permission="bash", pattern=f"{command} *", action="allow")
    request = message.request.model_copy(update={"broader_grants": (rule,)})
    state = apply_events(message.model_copy(update={"request": request}))
    layout = lay_out(state, *size)
    assert layout.panel is not None
    texts = get_texts(layout.panel.options)
    assert "❯ y  Yes, once" in texts  # noqa: RUF001  (an arrow)
    assert any(text.startswith("  a  ") for text in texts) == ("a" not in layout.panel.hidden_keys)
    assert any(text.startswith("  A, P") for text in texts) == ("A" not in layout.panel.hidden_keys)
    assert layout.row_count <= size[0]


def test_answers_are_left_out_only_without_room() -> None:
    message = sample_events.exec_approval(pattern="\u0301" * 60)
    rule = Rule(permission="bash", pattern="\u0301" * 100, action="allow")
    request = message.request.model_copy(update={"broader_grants": (rule,)})
    state = apply_events(message.model_copy(update={"request": request}))
    panels = [lay_out(state, rows).panel for rows in (40, 24, 12)]
    assert [panel.hidden_keys for panel in panels if panel] == ["", "AP", "aApP"]
    assert "more answers in a larger window" in get_text(lay_out(state, 24).notice[0])


def test_the_answers_take_as_few_rows_as_possible() -> None:
    def get_last_options(columns: int) -> list[str]:
        panel = lay_out(
            apply_events(*RUNNING_TURN, sample_events.exec_approval()), 40, columns
        ).panel
        return get_texts(panel.options)[-3:] if panel else []

    assert get_last_options(80)[-1] == "  n  No     Tab  No, and say why     Esc  Decide later"
    assert get_last_options(40)[-2:] == ["  n  No     Tab  No, and say why", "  Esc  Decide later"]
    assert get_last_options(24) == ["  n  No", "  Tab  No, and say why", "  Esc  Decide later"]


def test_a_long_choice_description_moves_above_the_choices() -> None:
    question = UserQuestion(
        text="Which?",
        choices=(Choice(label="red", description="a color"), Choice(label="magenta")),
    )
    state = apply_events(*RUNNING_TURN, sample_events.question_approval(question))
    wide, narrow = lay_out(state, 24).panel, lay_out(state, 24, 20).panel
    assert wide is not None
    assert narrow is not None
    assert [get_text(row) for row in wide.options[:2]] == ["› 1  red      a color", "  2  magenta"]  # noqa: RUF001  (an arrow)
    assert get_texts(wide.body) == ["│ Which?"]
    assert get_text(narrow.options[0]) == "› 1  red"  # noqa: RUF001  (an arrow)
    assert get_texts(narrow.body) == ["│ Which?", "│ 1: a color"]


def test_prose_wraps_between_words_and_exact_text_anywhere() -> None:
    description = "It reads the workspace, and writes nothing at all."
    approval = sample_events.exec_approval(
        "echo one two three", description=description, pattern="echo one two three"
    )
    panel = lay_out(apply_events(*RUNNING_TURN, approval), 40, 30).panel
    assert panel is not None
    assert get_texts(panel.header)[-3:] == [
        "the agent says: It reads the",
        "↪ workspace, and writes",
        "↪ nothing at all.",
    ]
    assert get_texts(panel.options)[1:4] == [
        "  a  Yes, and don't ask again ",
        "↪ this session for `bash echo ",
        "↪ one two three`",
    ]
    question = UserQuestion(text="Shall the work begin " + "x" * 30 + "?")
    question_panel = lay_out(
        apply_events(*RUNNING_TURN, sample_events.question_approval(question)), 40, 24
    ).panel
    assert question_panel is not None
    assert get_texts(question_panel.body) == [
        "│ Shall the work begin x",
        "┆ " + "x" * 22,
        "┆ " + "x" * 7 + "?",
    ]


def test_streamed_prose_wraps_between_words_and_code_anywhere() -> None:
    def render_streamed(text_so_far: str) -> list[str]:
        state = apply_events(*RUNNING_TURN, TextDelta(text=text_so_far))
        return get_texts(lay_out(state, 24, 20).progress)[:-1]

    assert render_streamed("It goes from word to word") == ["It goes from word to", "word"]
    code = render_streamed("```\nIt goes from word to word")
    assert code == [" It goes from word t", "o word"]


def test_a_narrow_footer_drops_the_model_before_the_agents() -> None:
    row = get_text(render_footer(apply_events(*RUNNING_AGENTS), "", 60))
    assert row.startswith("⚠ 1 needs approval · primary · default · 2 agents · claude")


def test_counts_and_durations_are_formatted_for_users() -> None:
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


@pytest.mark.parametrize(
    ("mode", "tone"),
    [("plan", "plan"), ("auto-edit", "user"), ("yolo", "danger"), ("default", "dim")],
)
def test_the_footer_shows_each_mode_in_its_color(mode: str, tone: str) -> None:
    state = apply_events(sample_events.session_configured(agent="build", mode=mode))
    assert (tone, mode) in render_footer(state, "", 80)
    assert get_text(render_footer(state, "", 10)) == f"build · {mode[0]}…"
