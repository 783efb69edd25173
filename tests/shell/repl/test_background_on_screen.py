"""Background agents on the screen: their requests, Ctrl-B, and leaving a session that has some."""

from dataclasses import replace

import pytest

from messages.address import PRIMARY, Address
from messages.approvals import DismissApproval, ShowApproval, SubmitDecision
from messages.subagents import (
    ContinueSubagent,
    MoveToBackground,
    SubagentBackgrounded,
    SubagentsPaused,
    SubagentStarted,
)
from messages.turns import ToolStarted, TurnStarted
from shell.console.screen_event_queue import SubagentEvent
from shell.console.ui_commands import InterruptTurn, StopSubagent
from shell.view.screen_state import ScreenState
from shell.view.subagent_rows import STUCK_AFTER_S, describe_work, format_progress_age
from shell.view.subagent_states import SubagentList, apply_subagent_event
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen
from tests.shell.screen_setup import ESC, start_subagents

ONE, TWO = Address("/primary/general-1"), Address("/primary/general-2")
LEFT, DOWN, CTRL_B, CTRL_C, CTRL_Y = "\x1b[D", "\x1b[B", "\x02", "\x03", "\x19"
STOP = StopSubagent(agent=ONE, wakes_parent=False)


def background_started(child: Address) -> SubagentStarted:
    return sample_events.subagent_started(child).model_copy(update={"is_background": True})


def background_request(agent: Address) -> ShowApproval:
    message = sample_events.exec_approval_of(agent)
    changes = {"is_background": True, "available_decisions": ("once", "no"), "grants": ()}
    return message.model_copy(update={"request": message.request.model_copy(update=changes)})


async def start_background_agent(screen: ScreenHarness) -> None:
    """Start a background agent and end the turn that started it."""
    await start_subagents(screen, background_started(ONE))
    screen.put_events(sample_events.turn_completed())
    await screen.wait_until(lambda: screen.repl.state.turn is None, "the end of the turn")


def test_a_background_request_waits_in_the_footer_and_on_its_page() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_background_agent(screen)
        screen.put_events(background_request(ONE))
        await screen.wait_for_text("⚠ 1 needs approval (Ctrl-Y)")
        assert "Yes, once" not in screen.text
        screen.type(DOWN)
        await screen.wait_for_text("needs your approval: bash git push")
        screen.type("\r")
        await screen.wait_for_text("Yes, once")
        assert "don't ask again" not in screen.text
        await screen.wait_until_armed()
        await screen.press_key(LEFT)
        await screen.wait_for_text("Agents ·")
        await screen.press_key(ESC)
        await screen.wait_for_text("⚠ 1 needs approval (Ctrl-Y)")
        assert "Yes, once" not in screen.text
        screen.type(f"{DOWN}\r")
        await screen.wait_until_armed()
        await screen.press_key("y")
        request_id = f"{ONE}#1@1"
        assert screen.posted[-1] == SubmitDecision(id=request_id, decision="once")
        screen.put_events(DismissApproval(id=request_id, outcome="decided"))
        await screen.press_key(ESC)
        await screen.wait_for_no_text("needs approval")
        assert InterruptTurn() not in screen.posted

    run_on_screen(script)


def test_ctrl_b_moves_what_the_turn_waits_for() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_subagents(screen, sample_events.subagent_started(ONE))
        screen.type(CTRL_B)
        await screen.wait_until(lambda: MoveToBackground() in screen.posted, "the command")
        screen.put_events(SubagentBackgrounded(child=ONE, task_number=1))
        await screen.wait_for_text("general-1 continues in the background.")
        screen.type(CTRL_B)
        await screen.wait_for_text("The turn does not wait for a subagent.")

    run_on_screen(script)


@pytest.mark.parametrize(("keys", "stops"), [("\r", False), (f"{DOWN}\r", True)])
def test_leaving_asks_what_to_do_with_background_agents(keys: str, *, stops: bool) -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_background_agent(screen)
        screen.type("/quit\r")
        await screen.wait_for_text("1 background agent is running (general-1)")
        await screen.press_key(ESC)
        await screen.wait_for_no_text("is running")
        screen.type("/clear\r")
        await screen.wait_for_text("1 background agent is running (general-1)")
        screen.type(keys)
        if stops:
            await screen.wait_until(lambda: STOP in screen.posted, "the stop")
            assert screen.repl.next_session is None
            screen.put_events(sample_events.subagent_ended(ONE))
        await screen.wait_until(lambda: not screen.parts.app.is_running, "the end")
        assert screen.repl.next_session is not None
        assert (STOP in screen.posted) == stops

    run_on_screen(script)


def test_a_third_ctrl_c_exits_in_spite_of_background_agents() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_background_agent(screen)
        screen.type(CTRL_C)
        await screen.wait_for_text("again to exit")
        screen.type(CTRL_C)
        await screen.wait_for_text("1 background agent is running (general-1)")
        screen.type(CTRL_C)
        await screen.wait_until(lambda: not screen.parts.app.is_running, "the end")
        assert STOP not in screen.posted

    assert run_on_screen(script) == 130


def test_a_paused_agent_is_continued_from_its_page() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_background_agent(screen)
        screen.put_events(SubagentsPaused(agents=(ONE,)))
        await screen.wait_for_text("Paused in the background: general-1.")
        screen.type("/quit\r")
        await screen.wait_until(lambda: not screen.parts.app.is_running, "the end")

    run_on_screen(script)

    async def continue_it(screen: ScreenHarness) -> None:
        await start_background_agent(screen)
        screen.put_events(SubagentsPaused(agents=(ONE,)))
        screen.type(f"{DOWN}\r")
        await screen.wait_for_text("Enter: continue")
        await screen.press_key("\r")
        assert ContinueSubagent(child=ONE) in screen.posted

    run_on_screen(continue_it)


@pytest.mark.quick
def test_the_view_says_what_an_agent_waits_for_and_since_when() -> None:
    subagents = SubagentList()
    events = [
        SubagentEvent(PRIMARY, background_started(ONE)),
        SubagentEvent(ONE, TurnStarted(turn=1, prompt="look")),
        SubagentEvent(ONE, sample_events.subagent_started(ONE.child("explore-1"))),
        SubagentEvent(
            ONE.child("explore-1"), ToolStarted(turn=1, call_id="c", tool="ls", title="ls src")
        ),
        SubagentEvent(PRIMARY, background_started(TWO)),
        SubagentEvent(PRIMARY, sample_events.subagent_ended(TWO)),
    ]
    for event in events:
        subagents = apply_subagent_event(subagents, event, 10.0)
    state = ScreenState(subagents=subagents)
    listed = {agent.address.name: agent for agent in subagents.listed}
    assert {name: describe_work(state, agent, 10.0) for name, agent in listed.items()} == {
        "general-1": "waits for explore-1",
        "explore-1": "listing src",
        "general-2": "done",
    }
    explorer = listed["explore-1"]
    assert format_progress_age(explorer, 11.0) == ""
    assert format_progress_age(explorer, 30.0) == " · last progress 20s ago"
    assert "may be stuck" in format_progress_age(explorer, 10.0 + STUCK_AFTER_S)
    assert format_progress_age(replace(explorer, phase="queued"), 1_000.0) == ""


def test_the_footer_counts_the_requests_of_fifty_agents() -> None:
    agents = [PRIMARY.child(f"bubbler-{number}") for number in range(1, 51)]

    async def script(screen: ScreenHarness) -> None:
        await start_background_agent(screen)
        screen.put_events(*(background_request(agent) for agent in agents))
        await screen.wait_for_text("⚠ 50 need approval (Ctrl-Y)")
        await screen.press_key(CTRL_Y)
        await screen.wait_for_text("bubbler-1 wants to run a command · 1 of 50")
        await screen.wait_until_armed()
        await screen.press_key("n")
        await screen.wait_for_text("bubbler-2 wants to run a command · 1 of 49")
        assert "⚠ 49 need approval" in screen.text

    run_on_screen(script)
