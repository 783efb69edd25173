"""The task view: running agents are listed, viewed and stopped, and their requests answered."""

import asyncio

import pytest

from messages.address import PRIMARY, Address
from messages.approvals import ApprovalDecision, SubmitDecision
from messages.turns import TurnStarted
from shell.console.screen_event_queue import SubagentEvent
from shell.console.ui_commands import InterruptTurn, StopSubagent
from shell.repl.notify import NOTIFY_AFTER_S
from shell.view.arming import QUIET_PERIOD_S
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen
from tests.shell.screen_setup import ESC, TAB, start_subagents, type_and_leave_text

ONE, TWO = Address("/primary/general-1"), Address("/primary/general-2")
LEFT, DOWN, CTRL_Y = "\x1b[D", "\x1b[B", "\x19"
REQUEST_ID = f"{ONE}#1@1"
OPEN_LIST, OPEN_PAGE = DOWN, f"{DOWN}\r"


def test_down_opens_the_task_view_on_empty_lines() -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(sample_events.session_configured())
        await screen.wait_for_text("primary · default")
        screen.type(DOWN)
        await screen.wait_for_text("No agents have been started.")
        await screen.press_key(DOWN)
        assert screen.parts.footer_hint.text, "the message is shown again"
        await screen.press_key("\x7f")
        assert not screen.parts.footer_hint.text, "the next key clears the message"
        await start_subagents(screen, sample_events.subagent_started(ONE))
        screen.type(f"a{DOWN}")
        await screen.wait_for_text("> a")
        assert screen.parts.list_input.picker is None
        screen.type(f"\x7f{DOWN}")
        await screen.wait_for_text("Agents ·")
        screen.put_events(SubagentEvent(ONE, TurnStarted(turn=1, prompt="look")))
        await screen.wait_for_text("general-1 · look about  waits for the model")
        screen.put_events(SubagentEvent(PRIMARY, sample_events.subagent_ended(ONE)))
        await screen.wait_for_text("general-1 · look about  done")
        await screen.press_key(ESC)
        await screen.wait_for_no_text("Agents ·")
        assert InterruptTurn() not in screen.posted

    run_on_screen(script)


THINKING = SubagentEvent(ONE, TurnStarted(turn=1, prompt="look"))
ENTER_FULL_SCREEN, LEAVE_FULL_SCREEN = "\x1b[?1049h", "\x1b[?1049l"


def test_output_during_the_task_view_is_printed_afterward() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_subagents(screen, sample_events.subagent_started(ONE))
        screen.type(DOWN)
        await screen.wait_for_text("Agents ·")
        assert screen.rows[0].startswith("Agents ·")
        assert screen.rows[-1].startswith("primary · default")
        screen.put_events(sample_events.reply_completed("So it is."), THINKING)
        await screen.wait_for_text("waits for the model")
        screen.type("\r")
        await screen.wait_for_text("> look")
        await screen.press_key(LEFT)
        await screen.wait_for_text("Agents ·")
        assert "So it is." not in screen.emulator.raw
        assert (
            screen.emulator.raw.count(ENTER_FULL_SCREEN),
            screen.emulator.raw.count(LEAVE_FULL_SCREEN),
        ) == (1, 0)
        await screen.press_key(ESC)
        await screen.wait_for_text("So it is.")
        assert screen.emulator.raw.count(LEAVE_FULL_SCREEN) == 1

    run_on_screen(script)


def test_exiting_from_the_task_view_prints_pending_output() -> None:
    screens: list[ScreenHarness] = []

    async def script(screen: ScreenHarness) -> None:
        screens.append(screen)
        await start_subagents(screen, sample_events.subagent_started(ONE))
        screen.type(DOWN)
        await screen.wait_for_text("Agents ·")
        screen.put_events(sample_events.reply_completed("So it is."), THINKING)
        await screen.wait_for_text("waits for the model")

    run_on_screen(script)
    raw = screens[0].emulator.raw
    assert raw.index(LEAVE_FULL_SCREEN) < raw.index("So it is.")


@pytest.mark.parametrize("second_key", ["x", "y"])
def test_pressing_x_twice_stops_the_selected_agent(second_key: str) -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_subagents(
            screen, sample_events.subagent_started(ONE), sample_events.subagent_started(TWO)
        )
        screen.type(DOWN)
        await screen.wait_for_text("Agents ·")
        await screen.press_key("x")
        await screen.wait_for_text("Stop general-1 and its subagents? x or y: stop")
        await screen.press_key(ESC)
        await screen.wait_for_no_text("x or y")
        await screen.press_key("x")
        await screen.press_key(DOWN)
        await screen.press_key("x")
        await screen.wait_for_text("Stop general-2")
        stops = [message for message in screen.posted if isinstance(message, StopSubagent)]
        assert stops == []
        await screen.press_key(second_key)
        await screen.wait_until(
            lambda: StopSubagent(agent=TWO) in screen.posted, "the second to be stopped"
        )
        assert StopSubagent(agent=ONE) not in screen.posted
        assert screen.parts.list_input.picker is not None

    run_on_screen(script)


def test_esc_cancels_the_stop_question_before_the_page() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_subagents(screen, sample_events.subagent_started(ONE))
        screen.type(f"{DOWN}\r")
        await screen.wait_for_text("no output yet")
        await screen.press_key("y")
        await screen.press_key("x")
        await screen.wait_for_text("Stop general-1")
        await screen.press_key(ESC)
        await screen.wait_for_text("no output yet")
        assert StopSubagent(agent=ONE) not in screen.posted
        await screen.press_key("x")
        await screen.press_key("x")
        assert StopSubagent(agent=ONE) in screen.posted
        screen.put_events(SubagentEvent(PRIMARY, sample_events.subagent_ended(ONE)))
        await screen.wait_for_no_text("x: stop")
        await screen.press_key("x")
        await screen.wait_for_text("general-1 has already ended.")
        await screen.press_key(ESC)
        await screen.wait_for_text("Stopping general-1 and its subagents.")
        assert screen.parts.list_input.picker is None
        assert InterruptTurn() not in screen.posted

    run_on_screen(script)


def test_leaving_a_page_selects_its_agent_again() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_subagents(
            screen, sample_events.subagent_started(ONE), sample_events.subagent_started(TWO)
        )
        screen.type(f"{DOWN}{DOWN}\r")
        await screen.wait_for_text("no output yet")
        await screen.press_key(LEFT)
        await screen.wait_for_text("› general-2")  # noqa: RUF001  (an arrow)
        screen.put_events(SubagentEvent(TWO, TurnStarted(turn=1, prompt="look")))
        await screen.wait_for_text("› general-2 · look about  waits for the model")  # noqa: RUF001  (an arrow)
        screen.put_events(SubagentEvent(ONE, TurnStarted(turn=1, prompt="look")))
        await screen.wait_for_text("  general-1 · look about  waits for the model")
        assert "› general-2" in screen.text  # noqa: RUF001  (an arrow)

    run_on_screen(script)


def test_letters_filter_the_list_of_agents() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_subagents(
            screen,
            sample_events.subagent_started(ONE),
            sample_events.subagent_started(Address("/primary/explore-1")),
        )
        screen.type(f"{DOWN}")
        await screen.wait_for_text("2 of 2")
        screen.type("ex")
        await screen.wait_for_text("1 of 2")
        screen.type("x")
        await screen.wait_for_text("0 of 2")
        assert not screen.parts.task_view.is_confirming_stop
        await screen.press_key(LEFT)
        assert screen.parts.list_input.picker is not None

    run_on_screen(script)


async def wait_quiet_period(screen: ScreenHarness) -> None:
    """Wait longer than the quiet period, once the request is acknowledged."""

    def is_acknowledged() -> bool:
        arming = screen.parts.approval_prompt.arming
        return arming is not None and arming.acknowledged_s is not None

    await screen.wait_until(is_acknowledged, "the acknowledgment")
    screen.loop.offset_s += 2 * QUIET_PERIOD_S
    timer_fired = asyncio.Event()
    screen.loop.call_later(0, timer_fired.set)
    await timer_fired.wait()


async def show_approval_over(screen: ScreenHarness, keys: str, command: str = "git push") -> None:
    await start_subagents(screen, sample_events.subagent_started(ONE))
    screen.type(keys)
    await screen.wait_until(lambda: screen.parts.task_view.is_open, "the task view")
    screen.put_events(sample_events.exec_approval_of(ONE, command))
    await screen.wait_for_text("y  Yes, once")


@pytest.mark.parametrize("view", [OPEN_LIST, OPEN_PAGE])
@pytest.mark.parametrize(("key", "decision"), [("y", "once"), ("n", "no")])
def test_an_armed_request_is_answered_within_the_task_view(
    view: str, key: str, decision: ApprovalDecision
) -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval_over(screen, view)
        assert "general-1" in screen.text
        await screen.wait_until_armed()
        await screen.wait_for_text("Press a key to answer")
        await screen.press_key(key)
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted[-1] == SubmitDecision(id=REQUEST_ID, decision=decision)
        assert screen.parts.task_view.selected_agent == ONE
        await screen.press_key("x")
        await screen.wait_for_text("Stop general-1")

    run_on_screen(script)


@pytest.mark.parametrize("view", [OPEN_LIST, OPEN_PAGE])
def test_typing_a_reason_returns_to_the_task_view(view: str) -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval_over(screen, view)
        await screen.wait_until_armed()
        await type_and_leave_text(screen, "no, because", "not xy")
        await screen.press_key(TAB)
        screen.type(", never\r")
        await screen.wait_for_no_text("n  No")
        assert screen.posted[-1] == SubmitDecision(
            id=REQUEST_ID, decision="no", feedback="not xy, never"
        )
        assert screen.parts.task_view.selected_agent == ONE

    run_on_screen(script)


@pytest.mark.parametrize("view", [OPEN_LIST, OPEN_PAGE])
def test_the_y_to_stop_agents_never_allows_requests(view: str) -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_subagents(screen, sample_events.subagent_started(ONE))
        screen.type(view)
        await screen.wait_until(lambda: screen.parts.task_view.is_open, "the task view")
        await screen.press_key("x")
        await screen.wait_for_text("Stop general-1")
        screen.put_events(sample_events.exec_approval_of(ONE))
        await screen.wait_for_text("y  Yes, once")
        await wait_quiet_period(screen)
        assert not screen.parts.approval_prompt.can_reject
        await screen.press_key("y")
        assert screen.posted[-1] == StopSubagent(agent=ONE)
        await screen.wait_until_armed()

    run_on_screen(script)


@pytest.mark.parametrize("view", [OPEN_LIST, OPEN_PAGE])
def test_a_deferred_request_returns_into_the_task_view(
    view: str,
) -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval_over(screen, view)
        await screen.wait_until_armed()
        await screen.press_key(ESC)
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.parts.task_view.is_open
        await screen.press_key(CTRL_Y)
        await screen.wait_for_text("Press a key to answer")
        assert screen.parts.task_view.is_open

    run_on_screen(script)


async def show_two_requests(screen: ScreenHarness, keys: str) -> None:
    """Open the task view while two agents wait for the user."""
    await start_subagents(
        screen, sample_events.subagent_started(ONE), sample_events.subagent_started(TWO)
    )
    screen.type(keys)
    await screen.wait_until(lambda: screen.parts.task_view.is_open, "the task view")
    for agent in (ONE, TWO):
        screen.put_events(sample_events.exec_approval_of(agent, f"make {agent.name}"))
    await screen.wait_for_text("2 need approval")


def test_a_page_shows_only_the_requests_of_its_agent() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_two_requests(screen, f"{DOWN}{DOWN}\r")
        await screen.wait_for_text("│ make general-2")
        assert "make general-1" not in screen.text
        assert "⚠ needs your approval: bash make general-2" in screen.text
        await screen.wait_until_armed()
        await screen.press_key("y")
        await screen.wait_for_text("⚠ 1 needs approval (Ctrl-Y)")
        assert screen.posted[-1] == SubmitDecision(id=f"{TWO}#1@1", decision="once")
        await screen.press_key("y")
        assert "make general-1" not in screen.text
        await screen.press_key(CTRL_Y)
        await screen.wait_for_text("│ make general-1")
        assert not screen.parts.task_view.is_open

    run_on_screen(script)


def test_a_request_that_a_page_does_not_show_rings_once() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_subagents(
            screen, sample_events.subagent_started(ONE), sample_events.subagent_started(TWO)
        )
        screen.type(OPEN_PAGE)
        await screen.wait_until(lambda: screen.parts.task_view.is_open, "the task view")
        screen.put_events(sample_events.exec_approval_of(TWO))
        await screen.wait_for_text("⚠ 1 needs approval (Ctrl-Y)")
        assert "\a" not in screen.emulator.raw
        screen.loop.offset_s += NOTIFY_AFTER_S
        await screen.wait_until(lambda: "\a" in screen.emulator.raw, "the bell")
        assert screen.emulator.raw.count("\a") == 1

    run_on_screen(script)


def test_left_leaves_a_page_and_keeps_its_request_waiting() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_two_requests(screen, f"{DOWN}{DOWN}\r")
        await screen.wait_until_armed()
        await screen.press_key(LEFT)
        await screen.wait_for_text("Agents ·")
        await screen.wait_for_text("│ make general-1")
        assert not screen.parts.approval_prompt.can_reject
        await screen.wait_until_armed()
        await screen.press_key(LEFT)
        await screen.wait_for_no_text("Agents ·")
        assert len(screen.parts.event_pump.state.approvals.parked) == 2
        assert not [message for message in screen.posted if isinstance(message, SubmitDecision)]

    run_on_screen(script)


def test_the_user_chooses_in_the_list_which_request_comes_first() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_two_requests(screen, OPEN_LIST)
        await screen.wait_for_text("│ make general-1")
        await screen.wait_until_armed()
        await screen.press_key(DOWN)
        await screen.wait_for_text("› general-2")  # noqa: RUF001  (an arrow)
        assert "│ make general-1" in screen.text, "what is on screen does not change"
        await screen.press_key("\r")
        await screen.press_key("y")
        await screen.wait_for_text("│ make general-2")
        assert not [message for message in screen.posted if isinstance(message, SubmitDecision)]
        await screen.wait_until_armed()
        await screen.press_key("y")
        await screen.wait_for_no_text("│ make general-2")
        assert screen.posted[-1] == SubmitDecision(id=f"{TWO}#1@1", decision="once")

    run_on_screen(script)


def test_opening_a_page_shows_its_deferred_request_again() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_two_requests(screen, OPEN_LIST)
        await screen.wait_until_armed()
        await screen.press_key(ESC)
        await screen.wait_for_no_text("│ make general-1")
        screen.type(f"{DOWN}\r")
        await screen.wait_for_text("│ make general-2")
        await screen.wait_until_armed()
        await screen.press_key(ESC)
        await screen.wait_for_no_text("│ make general-2")
        assert "⚠ needs your approval: bash make general-2" in screen.text
        assert screen.parts.task_view.is_open

    run_on_screen(script)


@pytest.mark.parametrize("view", [OPEN_LIST, OPEN_PAGE])
def test_x_stops_the_agent_while_its_request_is_armed(view: str) -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval_over(screen, view)
        await screen.wait_until_armed()
        await screen.press_key("x")
        await screen.wait_for_text("Stop general-1 and its subagents?")
        await wait_quiet_period(screen)
        await screen.press_key("y")
        assert screen.posted[-1] == StopSubagent(agent=ONE)
        assert not [message for message in screen.posted if isinstance(message, SubmitDecision)]

    run_on_screen(script)


def test_filter_text_delays_arming_like_a_draft() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_subagents(screen, sample_events.subagent_started(ONE))
        screen.type(f"{DOWN}gen")
        await screen.wait_for_text("filter: gen")
        screen.put_events(sample_events.exec_approval_of(ONE))
        await screen.wait_for_text("y  Yes, once")
        await screen.press_key("y")
        await screen.wait_for_text("filter: geny")
        await screen.wait_for_text("You have a draft; press Ctrl-Y to answer")
        await wait_quiet_period(screen)
        assert not screen.parts.approval_prompt.can_reject
        for _ in "geny":
            await screen.press_key("\x7f")
        await screen.wait_until_armed()

    run_on_screen(script)


def test_elapsed_times_advance_in_the_task_view() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_subagents(screen, sample_events.subagent_started(ONE))
        screen.type(OPEN_LIST)
        await screen.wait_for_text("look about  starting · 0s")
        screen.loop.offset_s += 60
        await screen.wait_for_text("look about  starting · 1m 0")
        screen.type("\r")
        await screen.wait_for_text("look about · starting · 1m 0")
        screen.loop.offset_s += 60
        await screen.wait_for_text("look about · starting · 2m 0")

    run_on_screen(script)


def test_enter_never_sends_a_hidden_draft() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval_over(screen, OPEN_PAGE)
        screen.parts.draft_input.prepend("not yet")
        await screen.press_key(CTRL_Y)
        await screen.wait_until_armed()
        await screen.press_key("\r")
        assert screen.parts.windows.draft_buffer.text == "not yet"
        assert screen.parts.event_pump.state.queued == ()

    run_on_screen(script)
