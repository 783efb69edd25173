"""Agents below the one that the person talks with: looked at, spoken to and stopped."""

from messages.address import PRIMARY, Address
from messages.content import TextBlock, Usage
from messages.turns import Delta, ReplyCompleted, TextDelta, UpwardEvent
from shell.inbox import SubagentEvent
from shell.intents import PromptSubagent, StopSubagent, ViewSubagent
from tests.shell import reports
from tests.shell.on_screen import OnScreen, play
from tests.shell.openings import at_work

ONE, TWO = Address("/primary/general-1"), Address("/primary/general-2")
ESC, LEFT, DOWN = "\x1b", "\x1b[D", "\x1b[B"


def says(here: OnScreen, child: Address, *events: UpwardEvent | Delta) -> None:
    for event in events:
        here.report(SubagentEvent(child, event))


def test_a_person_opens_a_subagent_and_reads_what_it_streams() -> None:
    async def script(here: OnScreen) -> None:
        await at_work(here, reports.started(ONE))
        here.type("/tasks show general-1\r")
        await here.shows("it has said nothing yet")
        assert here.posted[-1] == ViewSubagent(agent=ONE)
        says(here, ONE, TextDelta(text="I am look"), TextDelta(text="ing at it"))
        await here.shows("I am looking at it")
        whole = (TextBlock(text="I am looking at it now."),)
        used = Usage(output_tokens=9)
        reply = ReplyCompleted(turn=1, content=whole, stop_reason="x", usage=used, model="m")
        says(here, ONE, reply)
        await here.shows("I am looking at it now.")
        assert here.text.count("I am looking") == 1
        here.type(LEFT)
        await here.shows("Agents at work")
        assert here.posted[-1] == ViewSubagent(agent=None)
        here.type(LEFT)
        await here.hides("Agents at work")

    play(script)


def test_a_page_that_grows_is_followed_to_its_end_unless_one_reads_farther_up() -> None:
    async def script(here: OnScreen) -> None:
        await at_work(here, reports.started(ONE))
        here.type("/tasks show general-1\r")
        await here.shows("it has said nothing yet")
        says(here, ONE, *(TextDelta(text=f"line {n}\n") for n in range(60)))
        await here.shows("line 59")
        here.type("\x1b[H")
        await here.shows("line 0\n")
        says(here, ONE, TextDelta(text="line 60\n"))
        await here.shows("of 61")
        assert "line 0\n" in here.text

    play(script)


def test_one_that_stays_for_more_is_spoken_to_from_the_list() -> None:
    async def script(here: OnScreen) -> None:
        await at_work(here, reports.started(ONE, one_shot=False))
        here.report(SubagentEvent(PRIMARY, reports.ended(ONE)))
        await here.shows("○ general-1")
        here.type("/tasks\r")
        await here.shows("Agents at work")
        here.type("\r")
        await here.shows("Enter: write")
        here.type("\r")
        await here.shows("> /tasks say general-1")
        here.type("look again\r")
        await here.until(
            lambda: PromptSubagent(agent=ONE, text="look again") in here.posted, "it to be told"
        )

    play(script)


def test_one_that_rests_is_gone_when_it_is_stopped() -> None:
    async def script(here: OnScreen) -> None:
        await at_work(here, reports.started(ONE, one_shot=False), reports.started(TWO))
        here.report(SubagentEvent(PRIMARY, reports.ended(ONE)))
        await here.shows("○ general-1")
        here.type("/tasks stop general-1\r")
        await here.shows("general-1 is being stopped")
        await here.hides("○ general-1")
        assert here.posted[-1] == StopSubagent(agent=ONE)

    play(script)


def test_one_at_any_depth_is_found_by_its_name_or_path() -> None:
    async def script(here: OnScreen) -> None:
        deep = reports.started(ONE.child("explore-1"))
        await at_work(here, reports.started(ONE), deep)
        here.type("/tasks stop explore-1\r")
        await here.until(lambda: StopSubagent(agent=deep.child) in here.posted, "it to be stopped")
        here.type("/tasks stop primary/general-1\r")
        await here.until(lambda: StopSubagent(agent=ONE) in here.posted, "the other to be")

    play(script)
