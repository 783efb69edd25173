"""The task view: the agents at work are listed, read and stopped, and what they ask is answered."""

import asyncio

import pytest

from messages.address import PRIMARY, Address
from messages.approvals import ApprovalDecision, SubmitDecision
from messages.turns import TurnStarted
from shell.inbox import SubagentEvent
from shell.intents import InterruptTurn, StopSubagent
from shell.view.arming import QUIET_S
from tests.shell import reports
from tests.shell.on_screen import OnScreen, play
from tests.shell.openings import at_work

ONE, TWO = Address("/primary/general-1"), Address("/primary/general-2")
ESC, TAB, LEFT, DOWN, CTRL_Y = "\x1b", "\t", "\x1b[D", "\x1b[B", "\x19"
ASKED = "/primary/explore-2#1@1"
LIST, PAGE = DOWN, f"{DOWN}\r"


def test_down_on_an_empty_line_lists_the_agents_and_nothing_where_text_stands() -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session())
        await here.shows("primary · default")
        here.type(DOWN)
        await here.shows("No other agent is at work.")
        await here.press(DOWN)
        assert here.desk.hint, "it is said again"
        await here.press("\x7f")
        assert not here.desk.hint, "the next key takes it away"
        await at_work(here, reports.started(ONE))
        here.type(f"a{DOWN}")
        await here.shows("> a")
        assert here.desk.choosing.picker is None
        here.type(f"\x7f{DOWN}")
        await here.shows("Agents at work")
        here.report(SubagentEvent(ONE, TurnStarted(turn=1, prompt="look")))
        await here.shows("general-1 · look about  thinking")
        here.report(SubagentEvent(PRIMARY, reports.ended(ONE)))
        await here.shows("0 of 0")
        await here.press(ESC)
        await here.hides("Agents at work")
        assert InterruptTurn() not in here.posted

    play(script)


THINKS = SubagentEvent(ONE, TurnStarted(turn=1, prompt="look"))
COVERS, UNCOVERS = "\x1b[?1049h", "\x1b[?1049l"


def test_the_task_view_takes_the_whole_screen_and_what_is_finished_is_printed_on_return() -> None:
    async def script(here: OnScreen) -> None:
        await at_work(here, reports.started(ONE))
        here.type(DOWN)
        await here.shows("Agents at work")
        assert here.rows[0].startswith("Agents at work")
        assert here.rows[-1].startswith("primary · default")
        here.report(reports.reply("So it is."), THINKS)
        await here.shows("thinking")
        here.type("\r")
        await here.shows("> look")
        await here.press(LEFT)
        await here.shows("Agents at work")
        assert "So it is." not in here.emulator.raw
        assert (here.emulator.raw.count(COVERS), here.emulator.raw.count(UNCOVERS)) == (1, 0)
        await here.press(ESC)
        await here.shows("So it is.")
        assert here.emulator.raw.count(UNCOVERS) == 1

    play(script)


def test_whoever_leaves_from_the_task_view_finds_what_was_finished_printed() -> None:
    seen: list[OnScreen] = []

    async def script(here: OnScreen) -> None:
        seen.append(here)
        await at_work(here, reports.started(ONE))
        here.type(DOWN)
        await here.shows("Agents at work")
        here.report(reports.reply("So it is."), THINKS)
        await here.shows("thinking")

    play(script)
    raw = seen[0].emulator.raw
    assert raw.index(UNCOVERS) < raw.index("So it is.")


@pytest.mark.parametrize("second", ["x", "y"])
def test_x_stops_an_agent_when_it_is_pressed_again_and_not_after_esc(second: str) -> None:
    async def script(here: OnScreen) -> None:
        await at_work(here, reports.started(ONE), reports.started(TWO))
        here.type(DOWN)
        await here.shows("Agents at work")
        await here.press("x")
        await here.shows("x or y: stop general-1 and all below it")
        await here.press(ESC)
        await here.hides("x or y")
        await here.press("x")
        await here.press(DOWN)
        await here.press("x")
        await here.shows("x or y: stop general-2")
        stops = [each for each in here.posted if isinstance(each, StopSubagent)]
        assert stops == []
        await here.press(second)
        await here.until(lambda: StopSubagent(agent=TWO) in here.posted, "the second to be stopped")
        assert StopSubagent(agent=ONE) not in here.posted
        assert here.desk.choosing.picker is not None

    play(script)


def test_an_agents_page_stops_it_and_esc_leaves_it_only_when_nothing_is_asked() -> None:
    async def script(here: OnScreen) -> None:
        await at_work(here, reports.started(ONE))
        here.type(f"{DOWN}\r")
        await here.shows("it has said nothing yet")
        await here.press("y")
        await here.press("x")
        await here.shows("x or y: stop general-1")
        await here.press(ESC)
        await here.shows("it has said nothing yet")
        assert StopSubagent(agent=ONE) not in here.posted
        await here.press("x")
        await here.press("x")
        assert StopSubagent(agent=ONE) in here.posted
        here.report(SubagentEvent(PRIMARY, reports.ended(ONE)))
        await here.hides("x: stop")
        await here.press("x")
        await here.shows("general-1 has ended.")
        await here.press(ESC)
        await here.shows("general-1 is being stopped, with all below it.")
        assert here.desk.choosing.picker is None
        assert InterruptTurn() not in here.posted

    play(script)


def test_the_list_comes_back_with_the_agent_whose_page_was_left() -> None:
    async def script(here: OnScreen) -> None:
        await at_work(here, reports.started(ONE), reports.started(TWO))
        here.type(f"{DOWN}{DOWN}\r")
        await here.shows("it has said nothing yet")
        await here.press(LEFT)
        await here.shows("› general-2")  # noqa: RUF001  (an arrow)
        here.report(SubagentEvent(TWO, TurnStarted(turn=1, prompt="look")))
        await here.shows("› general-2 · look about  thinking")  # noqa: RUF001  (an arrow)
        here.report(SubagentEvent(ONE, TurnStarted(turn=1, prompt="look")))
        await here.shows("  general-1 · look about  thinking")
        assert "› general-2" in here.text  # noqa: RUF001  (an arrow)

    play(script)


def test_letters_look_for_a_name_in_the_list_of_agents() -> None:
    async def script(here: OnScreen) -> None:
        await at_work(here, reports.started(ONE), reports.started(Address("/primary/explore-1")))
        here.type(f"{DOWN}")
        await here.shows("2 of 2")
        here.type("ex")
        await here.shows("1 of 2")
        here.type("x")
        await here.shows("0 of 2")
        assert not here.desk.overseeing.asks
        await here.press(LEFT)
        assert here.desk.choosing.picker is not None

    play(script)


async def quiet(here: OnScreen) -> None:
    """Let more than the time pass in which a request arms, once it has been seen."""

    def seen() -> bool:
        arming = here.desk.dialog.arming
        return arming is not None and arming.acknowledged_s is not None

    await here.until(seen, "the request to be seen")
    here.clock.ahead_s += 2 * QUIET_S
    timed = asyncio.Event()
    here.clock.call_later(0, timed.set)
    await timed.wait()


async def asked_over(here: OnScreen, view: str, command: str = "git push") -> None:
    await at_work(here, reports.started(ONE))
    here.type(view)
    await here.until(lambda: here.desk.overseeing.is_open, "the task view")
    here.report(reports.asked(command))
    await here.shows("y  once")


@pytest.mark.parametrize("view", [LIST, PAGE])
@pytest.mark.parametrize(("key", "answer"), [("y", "once"), ("n", "no")])
def test_a_request_is_answered_in_the_task_view_by_one_key_once_it_is_armed(
    view: str, key: str, answer: ApprovalDecision
) -> None:
    async def script(here: OnScreen) -> None:
        await asked_over(here, view)
        assert "general-1" in here.text
        await here.armed()
        await here.shows("press a key to answer")
        await here.press(key)
        await here.hides("y  once")
        assert here.posted[-1] == SubmitDecision(id=ASKED, decision=answer)
        assert here.desk.overseeing.agent == ONE
        await here.press("x")
        await here.shows("x or y: stop general-1")

    play(script)


@pytest.mark.parametrize("view", [LIST, PAGE])
def test_a_reason_is_written_in_the_task_view_and_leads_back_to_it(view: str) -> None:
    async def script(here: OnScreen) -> None:
        await asked_over(here, view)
        await here.armed()
        await here.press(TAB)
        here.type("not xy")
        await here.shows("no, because: not xy")
        await here.press(ESC)
        await here.hides("no, because")
        await here.armed()
        await here.press(TAB)
        here.type(", never\r")
        await here.hides("n  no")
        assert here.posted[-1] == SubmitDecision(id=ASKED, decision="no", feedback="not xy, never")
        assert here.desk.overseeing.agent == ONE

    play(script)


@pytest.mark.parametrize("view", [LIST, PAGE])
def test_the_y_that_stops_an_agent_allows_nothing_that_comes_meanwhile(view: str) -> None:
    async def script(here: OnScreen) -> None:
        await at_work(here, reports.started(ONE))
        here.type(view)
        await here.until(lambda: here.desk.overseeing.is_open, "the task view")
        await here.press("x")
        await here.shows("x or y: stop general-1")
        here.report(reports.asked())
        await here.shows("y  once")
        await quiet(here)
        assert not here.desk.dialog.may_refuse
        await here.press("y")
        assert here.posted[-1] == StopSubagent(agent=ONE)
        await here.armed()

    play(script)


@pytest.mark.parametrize("view", [LIST, PAGE])
def test_later_leaves_the_task_view_open_and_ctrl_y_brings_the_request_back_into_it(
    view: str,
) -> None:
    async def script(here: OnScreen) -> None:
        await asked_over(here, view)
        await here.armed()
        await here.press(ESC)
        await here.hides("y  once")
        assert here.desk.overseeing.is_open
        await here.press(CTRL_Y)
        await here.shows("press a key to answer")
        assert here.desk.overseeing.is_open

    play(script)


def test_letters_that_are_looked_for_hold_a_request_up_as_a_draft_does() -> None:
    async def script(here: OnScreen) -> None:
        await at_work(here, reports.started(ONE))
        here.type(f"{DOWN}gen")
        await here.shows("look for: gen")
        here.report(reports.asked())
        await here.shows("y  once")
        await here.press("y")
        await here.shows("look for: geny")
        await here.shows("Ctrl-Y to answer: a draft is being typed")
        await quiet(here)
        assert not here.desk.dialog.may_refuse
        for _ in "geny":
            await here.press("\x7f")
        await here.armed()

    play(script)


def test_time_passes_in_the_task_view_also_while_nothing_happens() -> None:
    async def script(here: OnScreen) -> None:
        await at_work(here, reports.started(ONE))
        here.type(LIST)
        await here.shows("look about  starting · 0s")
        here.clock.ahead_s += 60
        await here.shows("look about  starting · 1m 0")
        here.type("\r")
        await here.shows("look about · starting · 1m 0")
        here.clock.ahead_s += 60
        await here.shows("look about · starting · 2m 0")

    play(script)


def test_enter_sends_no_draft_that_a_page_hides() -> None:
    async def script(here: OnScreen) -> None:
        await asked_over(here, PAGE)
        here.desk.drafting.put_back("not yet")
        await here.press(CTRL_Y)
        await here.armed()
        await here.press("\r")
        assert here.desk.view.draft.text == "not yet"
        assert here.desk.state.queue == ()

    play(script)
