"""Agents below the one that the person talks with: looked at, spoken to and stopped."""

import pytest

from messages.address import PRIMARY, Address
from messages.content import TextBlock, Usage
from messages.subagents import SubagentEnded, SubagentStarted
from messages.turns import AgentReport, Delta, MessageDelta, ReplyCompleted, TurnStarted
from shell.inbox import OfSubagent
from shell.intents import Interrupt, StopSubagent, TellSubagent, WatchSubagent
from tests.shell import reports
from tests.shell.on_screen import OnScreen, play

ONE, TWO = Address("/primary/general-1"), Address("/primary/general-2")
ESC, LEFT, DOWN = "\x1b", "\x1b[D", "\x1b[B"


def started(child: Address, *, one_shot: bool = True) -> SubagentStarted:
    return SubagentStarted(
        child=child,
        parent=child.parent,
        agent="general",
        depth=1,
        start=1,
        turn=1,
        call_id="t1",
        description="look about",
        one_shot=one_shot,
    )


def ended(child: Address) -> SubagentEnded:
    return SubagentEnded(child=child, start=1, turn=1, status="completed")


def says(here: OnScreen, child: Address, *events: AgentReport | Delta) -> None:
    for event in events:
        here.report(OfSubagent(child, event))


async def begun(here: OnScreen, *children: SubagentStarted) -> None:
    here.report(reports.session(), TurnStarted(turn=1, prompt="go"))
    for child in children:
        here.report(OfSubagent(PRIMARY, child))
    await here.shows(children[-1].child.name)


def test_a_person_opens_a_subagent_and_reads_what_it_streams() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here, started(ONE))
        here.type("/tasks show general-1\r")
        await here.shows("it has said nothing yet")
        assert here.posted[-1] == WatchSubagent(agent=ONE)
        says(here, ONE, MessageDelta(text="I am look"), MessageDelta(text="ing at it"))
        await here.shows("I am looking at it")
        whole = (TextBlock(text="I am looking at it now."),)
        used = Usage(output_tokens=9)
        reply = ReplyCompleted(turn=1, content=whole, stop_reason="x", usage=used, model="m")
        says(here, ONE, reply)
        await here.shows("I am looking at it now.")
        assert here.text.count("I am looking") == 1
        here.type(LEFT)
        await here.shows("Agents at work")
        assert here.posted[-1] == WatchSubagent(agent=None)
        here.type(LEFT)
        await here.hides("Agents at work")

    play(script)


def test_down_on_an_empty_line_lists_the_agents_and_nothing_where_text_stands() -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session())
        await here.shows("primary · default")
        here.type(DOWN)
        await here.shows("No other agent is at work.")
        await begun(here, started(ONE))
        here.type(f"a{DOWN}")
        await here.shows("> a")
        assert here.desk.choosing.picker is None
        here.type(f"\x7f{DOWN}")
        await here.shows("Agents at work")
        says(here, ONE, TurnStarted(turn=1, prompt="look"))
        await here.shows("general-1 · look about  thinking")
        here.report(OfSubagent(PRIMARY, ended(ONE)))
        await here.shows("0 of 0")
        await here.press(ESC)
        await here.hides("Agents at work")
        assert Interrupt() not in here.posted

    play(script)


@pytest.mark.parametrize("second", ["x", "y"])
def test_x_stops_an_agent_when_it_is_pressed_again_and_not_after_esc(second: str) -> None:
    async def script(here: OnScreen) -> None:
        await begun(here, started(ONE), started(TWO))
        here.type(DOWN)
        await here.shows("Agents at work")
        await here.press("x")
        await here.shows("x or y: stop primary/general-1 and all below it")
        await here.press(ESC)
        await here.hides("x or y")
        await here.press("x")
        await here.press(DOWN)
        await here.press("x")
        await here.shows("x or y: stop primary/general-2")
        stops = [each for each in here.posted if isinstance(each, StopSubagent)]
        assert stops == []
        await here.press(second)
        await here.until(lambda: StopSubagent(agent=TWO) in here.posted, "the second to be stopped")
        assert StopSubagent(agent=ONE) not in here.posted
        assert here.desk.choosing.picker is not None

    play(script)


def test_an_agents_page_stops_it_and_esc_leaves_it_only_when_nothing_is_asked() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here, started(ONE))
        here.type(f"{DOWN}\r")
        await here.shows("it has said nothing yet")
        await here.press("y")
        await here.press("x")
        await here.shows("x or y: stop primary/general-1")
        await here.press(ESC)
        await here.shows("it has said nothing yet")
        assert StopSubagent(agent=ONE) not in here.posted
        await here.press("x")
        await here.press("x")
        assert StopSubagent(agent=ONE) in here.posted
        await here.press(ESC)
        await here.shows("general-1 is being stopped, with all below it.")
        assert here.desk.choosing.picker is None
        assert Interrupt() not in here.posted

    play(script)


def test_the_list_comes_back_with_the_agent_whose_page_was_left() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here, started(ONE), started(TWO))
        here.type(f"{DOWN}{DOWN}\r")
        await here.shows("it has said nothing yet")
        await here.press(LEFT)
        await here.shows("› general-2")  # noqa: RUF001  (an arrow)
        says(here, TWO, TurnStarted(turn=1, prompt="look"))
        await here.shows("› general-2 · look about  thinking")  # noqa: RUF001  (an arrow)
        says(here, ONE, TurnStarted(turn=1, prompt="look"))
        await here.shows("  general-1 · look about  thinking")
        assert "› general-2" in here.text  # noqa: RUF001  (an arrow)

    play(script)


def test_letters_look_for_a_name_in_the_list_of_agents() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here, started(ONE), started(Address("/primary/explore-1")))
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


def test_a_page_that_grows_is_followed_to_its_end_unless_one_reads_farther_up() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here, started(ONE))
        here.type("/tasks show general-1\r")
        await here.shows("it has said nothing yet")
        says(here, ONE, *(MessageDelta(text=f"line {n}\n") for n in range(60)))
        await here.shows("line 59")
        here.type("\x1b[H")
        await here.shows("line 0\n")
        says(here, ONE, MessageDelta(text="line 60\n"))
        await here.shows("of 61")
        assert "line 0\n" in here.text

    play(script)


def test_one_that_stays_for_more_is_spoken_to_from_the_list() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here, started(ONE, one_shot=False))
        here.report(OfSubagent(PRIMARY, ended(ONE)))
        await here.shows("○ general-1")
        here.type("/tasks\r")
        await here.shows("Agents at work")
        here.type("\r")
        await here.shows("Enter: write")
        here.type("\r")
        await here.shows("> /tasks say primary/general-1")
        here.type("look again\r")
        await here.until(
            lambda: TellSubagent(agent=ONE, text="look again") in here.posted, "it to be told"
        )

    play(script)


def test_one_that_rests_is_gone_when_it_is_stopped() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here, started(ONE, one_shot=False), started(TWO))
        here.report(OfSubagent(PRIMARY, ended(ONE)))
        await here.shows("○ general-1")
        here.type("/tasks stop general-1\r")
        await here.shows("general-1 is being stopped")
        await here.hides("○ general-1")
        assert here.posted[-1] == StopSubagent(agent=ONE)

    play(script)


def test_a_name_that_several_have_is_asked_for_by_its_path() -> None:
    async def script(here: OnScreen) -> None:
        deep = started(ONE.child("general-1"))
        await begun(here, started(ONE), deep)
        here.type("/tasks stop general-1\r")
        await here.shows("general-1 is the name of 2 agents; say which: primary/general-1,")
        here.type("/tasks stop general-1/general-1\r")
        await here.until(lambda: StopSubagent(agent=deep.child) in here.posted, "it to be stopped")

    play(script)
