"""Agents below the one that the person talks with: looked at, spoken to and stopped."""

from messages.address import PRIMARY, Address
from messages.content import TextBlock, Usage
from messages.turns import Delta, ReplyCompleted, TextDelta, UpwardEvent
from shell.console.screen_events import SubagentEvent
from shell.console.ui_commands import PromptSubagent, StopSubagent, ViewSubagent
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen
from tests.shell.screen_setup import start_subagents

ONE, TWO = Address("/primary/general-1"), Address("/primary/general-2")
ESC, LEFT, DOWN = "\x1b", "\x1b[D", "\x1b[B"


def put_subagent_events(here: ScreenHarness, child: Address, *events: UpwardEvent | Delta) -> None:
    for event in events:
        here.put_events(SubagentEvent(child, event))


def test_a_person_opens_a_subagent_and_reads_what_it_streams() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_subagents(here, sample_events.subagent_started(ONE))
        here.type("/tasks show general-1\r")
        await here.wait_for_text("no output yet")
        assert here.posted[-1] == ViewSubagent(agent=ONE)
        put_subagent_events(here, ONE, TextDelta(text="I am look"), TextDelta(text="ing at it"))
        await here.wait_for_text("I am looking at it")
        whole = (TextBlock(text="I am looking at it now."),)
        used = Usage(output_tokens=9)
        reply = ReplyCompleted(turn=1, content=whole, stop_reason="x", usage=used, model="m")
        put_subagent_events(here, ONE, reply)
        await here.wait_for_text("I am looking at it now.")
        assert here.text.count("I am looking") == 1
        here.type(LEFT)
        await here.wait_for_text("Agents ·")
        assert here.posted[-1] == ViewSubagent(agent=None)
        here.type(LEFT)
        await here.wait_for_no_text("Agents ·")

    run_on_screen(script)


def test_a_page_that_grows_is_followed_to_its_end_unless_one_reads_farther_up() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_subagents(here, sample_events.subagent_started(ONE))
        here.type("/tasks show general-1\r")
        await here.wait_for_text("no output yet")
        put_subagent_events(here, ONE, *(TextDelta(text=f"line {n}\n") for n in range(60)))
        await here.wait_for_text("line 59")
        here.type("\x1b[H")
        await here.wait_for_text("line 0\n")
        put_subagent_events(here, ONE, TextDelta(text="line 60\n"))
        await here.wait_for_text("of 61")
        assert "line 0\n" in here.text

    run_on_screen(script)


def test_one_that_stays_for_more_is_spoken_to_from_the_list() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_subagents(here, sample_events.subagent_started(ONE, one_shot=False))
        here.put_events(SubagentEvent(PRIMARY, sample_events.subagent_ended(ONE)))
        await here.wait_for_text("○ general-1")
        here.type("/tasks\r")
        await here.wait_for_text("Agents ·")
        here.type("\r")
        await here.wait_for_text("Enter: write")
        here.type("\r")
        await here.wait_for_text("> /tasks say general-1")
        here.type("look again\r")
        await here.wait_until(
            lambda: PromptSubagent(agent=ONE, text="look again") in here.posted, "it to be told"
        )

    run_on_screen(script)


def test_one_that_rests_is_gone_when_it_is_stopped() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_subagents(
            here,
            sample_events.subagent_started(ONE, one_shot=False),
            sample_events.subagent_started(TWO),
        )
        here.put_events(SubagentEvent(PRIMARY, sample_events.subagent_ended(ONE)))
        await here.wait_for_text("○ general-1")
        here.type("/tasks stop general-1\r")
        await here.wait_for_text("Stopping general-1")
        await here.wait_for_no_text("○ general-1")
        assert here.posted[-1] == StopSubagent(agent=ONE)

    run_on_screen(script)


def test_one_at_any_depth_is_found_by_its_name_or_path() -> None:
    async def script(here: ScreenHarness) -> None:
        deep = sample_events.subagent_started(ONE.child("explore-1"))
        await start_subagents(here, sample_events.subagent_started(ONE), deep)
        here.type("/tasks stop explore-1\r")
        await here.wait_until(
            lambda: StopSubagent(agent=deep.child) in here.posted, "it to be stopped"
        )
        here.type("/tasks stop primary/general-1\r")
        await here.wait_until(lambda: StopSubagent(agent=ONE) in here.posted, "the other to be")

    run_on_screen(script)
