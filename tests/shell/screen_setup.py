"""Common starting points for tests of the screen."""

from messages.address import PRIMARY
from messages.subagents import SubagentStarted
from messages.turns import TurnStarted
from shell.console.screen_event_queue import SubagentEvent
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness


async def start_session(screen: ScreenHarness) -> None:
    """Start a session without any prompt."""
    screen.put_events(sample_events.session_configured())
    await screen.wait_for_text("primary · default · claude-opus-5-5")


async def submit_prompt(screen: ScreenHarness, text: str) -> None:
    """Submit a prompt and wait for its turn."""
    screen.type(f"{text}\r")
    await screen.wait_for_text("Thinking")


async def start_subagents(screen: ScreenHarness, *children: SubagentStarted) -> None:
    """Start a turn with these subagents."""
    screen.put_events(sample_events.session_configured(), TurnStarted(turn=1, prompt="go"))
    for child in children:
        screen.put_events(SubagentEvent(PRIMARY, child))
    await screen.wait_for_text(children[-1].child.name)
