"""Subagents on screen: viewed, prompted and stopped."""

from messages.address import PRIMARY, Address
from messages.content import TextBlock, Usage
from messages.turns import Delta, ReplyCompleted, TextDelta, UpwardEvent
from shell.console.screen_event_queue import SubagentEvent
from shell.console.ui_commands import PromptSubagent, StopSubagent, ViewSubagent
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen
from tests.shell.screen_setup import start_subagents

ONE, TWO = Address("/primary/general-1"), Address("/primary/general-2")
ESC, LEFT, DOWN = "\x1b", "\x1b[D", "\x1b[B"


def put_subagent_events(
    screen: ScreenHarness, child: Address, *events: UpwardEvent | Delta
) -> None:
    for event in events:
        screen.put_events(SubagentEvent(child, event))


def test_a_subagents_page_shows_its_streamed_text() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_subagents(screen, sample_events.subagent_started(ONE))
        screen.type("/tasks show general-1\r")
        await screen.wait_for_text("no output yet")
        assert screen.posted[-1] == ViewSubagent(agent=ONE)
        put_subagent_events(screen, ONE, TextDelta(text="I am look"), TextDelta(text="ing at it"))
        await screen.wait_for_text("I am looking at it")
        content = (TextBlock(text="I am looking at it now."),)
        usage = Usage(output_tokens=9)
        reply = ReplyCompleted(turn=1, content=content, stop_reason="x", usage=usage, model="m")
        put_subagent_events(screen, ONE, reply)
        await screen.wait_for_text("I am looking at it now.")
        assert screen.text.count("I am looking") == 1
        screen.type(LEFT)
        await screen.wait_for_text("Agents ·")
        assert screen.posted[-1] == ViewSubagent(agent=None)
        screen.type(LEFT)
        await screen.wait_for_no_text("Agents ·")

    run_on_screen(script)


def test_a_growing_page_follows_unless_scrolled_up() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_subagents(screen, sample_events.subagent_started(ONE))
        screen.type("/tasks show general-1\r")
        await screen.wait_for_text("no output yet")
        put_subagent_events(screen, ONE, *(TextDelta(text=f"- line {n}\n") for n in range(60)))
        await screen.wait_for_text("line 59")
        screen.type("\x1b[H")
        await screen.wait_for_text("line 0\n")
        put_subagent_events(screen, ONE, TextDelta(text="- line 60\n"))
        await screen.wait_for_text("of 61")
        assert "line 0\n" in screen.text

    run_on_screen(script)


def test_an_idle_interactive_agent_accepts_another_prompt() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_subagents(screen, sample_events.subagent_started(ONE, one_shot=False))
        screen.put_events(SubagentEvent(PRIMARY, sample_events.subagent_ended(ONE)))
        await screen.wait_for_text("○ general-1")
        screen.type("/tasks\r")
        await screen.wait_for_text("Agents ·")
        screen.type("\r")
        await screen.wait_for_text("Enter: write")
        screen.type("\r")
        await screen.wait_for_text("> /tasks say general-1")
        screen.type("look again\r")
        await screen.wait_until(
            lambda: PromptSubagent(agent=ONE, text="look again") in screen.posted,
            "the prompt to be sent",
        )

    run_on_screen(script)


def test_stopping_an_idle_agent_removes_its_row() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_subagents(
            screen,
            sample_events.subagent_started(ONE, one_shot=False),
            sample_events.subagent_started(TWO),
        )
        screen.put_events(SubagentEvent(PRIMARY, sample_events.subagent_ended(ONE)))
        await screen.wait_for_text("○ general-1")
        screen.type("/tasks stop general-1\r")
        await screen.wait_for_text("Stopping general-1")
        await screen.wait_for_no_text("○ general-1")
        assert screen.posted[-1] == StopSubagent(agent=ONE)

    run_on_screen(script)


def test_an_agent_is_found_by_name_or_path() -> None:
    async def script(screen: ScreenHarness) -> None:
        deep = sample_events.subagent_started(ONE.child("explore-1"))
        await start_subagents(screen, sample_events.subagent_started(ONE), deep)
        screen.type("/tasks stop explore-1\r")
        await screen.wait_until(
            lambda: StopSubagent(agent=deep.child) in screen.posted, "the agent to be stopped"
        )
        screen.type("/tasks stop primary/general-1\r")
        await screen.wait_until(
            lambda: StopSubagent(agent=ONE) in screen.posted, "the other to be stopped"
        )

    run_on_screen(script)
