"""The task view: the agents at work are listed, read and stopped, and what they ask is answered."""

import asyncio

import pytest

from messages.address import PRIMARY, Address
from messages.approvals import ApprovalDecision, SubmitDecision
from messages.turns import TurnStarted
from shell.console.screen_events import SubagentEvent
from shell.console.ui_commands import InterruptTurn, StopSubagent
from shell.view.arming import QUIET_PERIOD_S
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen
from tests.shell.screen_setup import start_subagents

ONE, TWO = Address("/primary/general-1"), Address("/primary/general-2")
ESC, TAB, LEFT, DOWN, CTRL_Y = "\x1b", "\t", "\x1b[D", "\x1b[B", "\x19"
ASKED = "/primary/explore-2#1@1"
LIST, PAGE = DOWN, f"{DOWN}\r"


def test_down_on_an_empty_line_lists_the_agents_and_nothing_where_text_stands() -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(sample_events.session_configured())
        await here.wait_for_text("primary · default")
        here.type(DOWN)
        await here.wait_for_text("No agents are running.")
        await here.press_key(DOWN)
        assert here.controller.hint, "it is said again"
        await here.press_key("\x7f")
        assert not here.controller.hint, "the next key takes it away"
        await start_subagents(here, sample_events.subagent_started(ONE))
        here.type(f"a{DOWN}")
        await here.wait_for_text("> a")
        assert here.controller.list_input.picker is None
        here.type(f"\x7f{DOWN}")
        await here.wait_for_text("Agents ·")
        here.put_events(SubagentEvent(ONE, TurnStarted(turn=1, prompt="look")))
        await here.wait_for_text("general-1 · look about  thinking")
        here.put_events(SubagentEvent(PRIMARY, sample_events.subagent_ended(ONE)))
        await here.wait_for_text("0 of 0")
        await here.press_key(ESC)
        await here.wait_for_no_text("Agents ·")
        assert InterruptTurn() not in here.posted

    run_on_screen(script)


THINKS = SubagentEvent(ONE, TurnStarted(turn=1, prompt="look"))
COVERS, UNCOVERS = "\x1b[?1049h", "\x1b[?1049l"


def test_the_task_view_takes_the_whole_screen_and_what_is_finished_is_printed_on_return() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_subagents(here, sample_events.subagent_started(ONE))
        here.type(DOWN)
        await here.wait_for_text("Agents ·")
        assert here.rows[0].startswith("Agents ·")
        assert here.rows[-1].startswith("primary · default")
        here.put_events(sample_events.reply_completed("So it is."), THINKS)
        await here.wait_for_text("thinking")
        here.type("\r")
        await here.wait_for_text("> look")
        await here.press_key(LEFT)
        await here.wait_for_text("Agents ·")
        assert "So it is." not in here.emulator.raw
        assert (here.emulator.raw.count(COVERS), here.emulator.raw.count(UNCOVERS)) == (1, 0)
        await here.press_key(ESC)
        await here.wait_for_text("So it is.")
        assert here.emulator.raw.count(UNCOVERS) == 1

    run_on_screen(script)


def test_whoever_leaves_from_the_task_view_finds_what_was_finished_printed() -> None:
    seen: list[ScreenHarness] = []

    async def script(here: ScreenHarness) -> None:
        seen.append(here)
        await start_subagents(here, sample_events.subagent_started(ONE))
        here.type(DOWN)
        await here.wait_for_text("Agents ·")
        here.put_events(sample_events.reply_completed("So it is."), THINKS)
        await here.wait_for_text("thinking")

    run_on_screen(script)
    raw = seen[0].emulator.raw
    assert raw.index(UNCOVERS) < raw.index("So it is.")


@pytest.mark.parametrize("second", ["x", "y"])
def test_x_stops_an_agent_when_it_is_pressed_again_and_not_after_esc(second: str) -> None:
    async def script(here: ScreenHarness) -> None:
        await start_subagents(
            here, sample_events.subagent_started(ONE), sample_events.subagent_started(TWO)
        )
        here.type(DOWN)
        await here.wait_for_text("Agents ·")
        await here.press_key("x")
        await here.wait_for_text("x or y: stop general-1 and all below it")
        await here.press_key(ESC)
        await here.wait_for_no_text("x or y")
        await here.press_key("x")
        await here.press_key(DOWN)
        await here.press_key("x")
        await here.wait_for_text("x or y: stop general-2")
        stops = [each for each in here.posted if isinstance(each, StopSubagent)]
        assert stops == []
        await here.press_key(second)
        await here.wait_until(
            lambda: StopSubagent(agent=TWO) in here.posted, "the second to be stopped"
        )
        assert StopSubagent(agent=ONE) not in here.posted
        assert here.controller.list_input.picker is not None

    run_on_screen(script)


def test_an_agents_page_stops_it_and_esc_leaves_it_only_when_nothing_is_asked() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_subagents(here, sample_events.subagent_started(ONE))
        here.type(f"{DOWN}\r")
        await here.wait_for_text("no output yet")
        await here.press_key("y")
        await here.press_key("x")
        await here.wait_for_text("x or y: stop general-1")
        await here.press_key(ESC)
        await here.wait_for_text("no output yet")
        assert StopSubagent(agent=ONE) not in here.posted
        await here.press_key("x")
        await here.press_key("x")
        assert StopSubagent(agent=ONE) in here.posted
        here.put_events(SubagentEvent(PRIMARY, sample_events.subagent_ended(ONE)))
        await here.wait_for_no_text("x: stop")
        await here.press_key("x")
        await here.wait_for_text("general-1 has ended.")
        await here.press_key(ESC)
        await here.wait_for_text("Stopping general-1 and its subagents.")
        assert here.controller.list_input.picker is None
        assert InterruptTurn() not in here.posted

    run_on_screen(script)


def test_the_list_comes_back_with_the_agent_whose_page_was_left() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_subagents(
            here, sample_events.subagent_started(ONE), sample_events.subagent_started(TWO)
        )
        here.type(f"{DOWN}{DOWN}\r")
        await here.wait_for_text("no output yet")
        await here.press_key(LEFT)
        await here.wait_for_text("› general-2")  # noqa: RUF001  (an arrow)
        here.put_events(SubagentEvent(TWO, TurnStarted(turn=1, prompt="look")))
        await here.wait_for_text("› general-2 · look about  thinking")  # noqa: RUF001  (an arrow)
        here.put_events(SubagentEvent(ONE, TurnStarted(turn=1, prompt="look")))
        await here.wait_for_text("  general-1 · look about  thinking")
        assert "› general-2" in here.text  # noqa: RUF001  (an arrow)

    run_on_screen(script)


def test_letters_look_for_a_name_in_the_list_of_agents() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_subagents(
            here,
            sample_events.subagent_started(ONE),
            sample_events.subagent_started(Address("/primary/explore-1")),
        )
        here.type(f"{DOWN}")
        await here.wait_for_text("2 of 2")
        here.type("ex")
        await here.wait_for_text("1 of 2")
        here.type("x")
        await here.wait_for_text("0 of 2")
        assert not here.controller.task_view.is_confirming_stop
        await here.press_key(LEFT)
        assert here.controller.list_input.picker is not None

    run_on_screen(script)


async def wait_quiet_period(here: ScreenHarness) -> None:
    """Let more than the time pass in which a request arms, once it has been seen."""

    def seen() -> bool:
        arming = here.controller.approval_prompt.arming
        return arming is not None and arming.acknowledged_s is not None

    await here.wait_until(seen, "the request to be seen")
    here.loop.offset_s += 2 * QUIET_PERIOD_S
    timed = asyncio.Event()
    here.loop.call_later(0, timed.set)
    await timed.wait()


async def show_approval_over(here: ScreenHarness, keys: str, command: str = "git push") -> None:
    await start_subagents(here, sample_events.subagent_started(ONE))
    here.type(keys)
    await here.wait_until(lambda: here.controller.task_view.is_open, "the task view")
    here.put_events(sample_events.exec_approval(command))
    await here.wait_for_text("y  Yes, once")


@pytest.mark.parametrize("view", [LIST, PAGE])
@pytest.mark.parametrize(("key", "answer"), [("y", "once"), ("n", "no")])
def test_a_request_is_answered_in_the_task_view_by_one_key_once_it_is_armed(
    view: str, key: str, answer: ApprovalDecision
) -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval_over(here, view)
        assert "general-1" in here.text
        await here.wait_until_armed()
        await here.wait_for_text("Press a key to answer")
        await here.press_key(key)
        await here.wait_for_no_text("y  Yes, once")
        assert here.posted[-1] == SubmitDecision(id=ASKED, decision=answer)
        assert here.controller.task_view.selected_agent == ONE
        await here.press_key("x")
        await here.wait_for_text("x or y: stop general-1")

    run_on_screen(script)


@pytest.mark.parametrize("view", [LIST, PAGE])
def test_a_reason_is_written_in_the_task_view_and_leads_back_to_it(view: str) -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval_over(here, view)
        await here.wait_until_armed()
        await here.press_key(TAB)
        here.type("not xy")
        await here.wait_for_text("no, because: not xy")
        await here.press_key(ESC)
        await here.wait_for_no_text("no, because")
        await here.wait_until_armed()
        await here.press_key(TAB)
        here.type(", never\r")
        await here.wait_for_no_text("n  no")
        assert here.posted[-1] == SubmitDecision(id=ASKED, decision="no", feedback="not xy, never")
        assert here.controller.task_view.selected_agent == ONE

    run_on_screen(script)


@pytest.mark.parametrize("view", [LIST, PAGE])
def test_the_y_that_stops_an_agent_allows_nothing_that_comes_meanwhile(view: str) -> None:
    async def script(here: ScreenHarness) -> None:
        await start_subagents(here, sample_events.subagent_started(ONE))
        here.type(view)
        await here.wait_until(lambda: here.controller.task_view.is_open, "the task view")
        await here.press_key("x")
        await here.wait_for_text("x or y: stop general-1")
        here.put_events(sample_events.exec_approval())
        await here.wait_for_text("y  Yes, once")
        await wait_quiet_period(here)
        assert not here.controller.approval_prompt.can_reject
        await here.press_key("y")
        assert here.posted[-1] == StopSubagent(agent=ONE)
        await here.wait_until_armed()

    run_on_screen(script)


@pytest.mark.parametrize("view", [LIST, PAGE])
def test_later_leaves_the_task_view_open_and_ctrl_y_brings_the_request_back_into_it(
    view: str,
) -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval_over(here, view)
        await here.wait_until_armed()
        await here.press_key(ESC)
        await here.wait_for_no_text("y  Yes, once")
        assert here.controller.task_view.is_open
        await here.press_key(CTRL_Y)
        await here.wait_for_text("Press a key to answer")
        assert here.controller.task_view.is_open

    run_on_screen(script)


def test_letters_that_are_looked_for_hold_a_request_up_as_a_draft_does() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_subagents(here, sample_events.subagent_started(ONE))
        here.type(f"{DOWN}gen")
        await here.wait_for_text("filter: gen")
        here.put_events(sample_events.exec_approval())
        await here.wait_for_text("y  Yes, once")
        await here.press_key("y")
        await here.wait_for_text("filter: geny")
        await here.wait_for_text("You have a draft; press Ctrl-Y to answer")
        await wait_quiet_period(here)
        assert not here.controller.approval_prompt.can_reject
        for _ in "geny":
            await here.press_key("\x7f")
        await here.wait_until_armed()

    run_on_screen(script)


def test_time_passes_in_the_task_view_also_while_nothing_happens() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_subagents(here, sample_events.subagent_started(ONE))
        here.type(LIST)
        await here.wait_for_text("look about  starting · 0s")
        here.loop.offset_s += 60
        await here.wait_for_text("look about  starting · 1m 0")
        here.type("\r")
        await here.wait_for_text("look about · starting · 1m 0")
        here.loop.offset_s += 60
        await here.wait_for_text("look about · starting · 2m 0")

    run_on_screen(script)


def test_enter_sends_no_draft_that_a_page_hides() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval_over(here, PAGE)
        here.controller.draft_input.prepend("not yet")
        await here.press_key(CTRL_Y)
        await here.wait_until_armed()
        await here.press_key("\r")
        assert here.controller.windows.draft_buffer.text == "not yet"
        assert here.controller.state.queued_prompts == ()

    run_on_screen(script)
