"""Common starting points for tests of the screen."""

from messages.address import PRIMARY
from messages.subagents import SubagentStarted
from messages.turns import TurnStarted
from shell.console.screen_event_queue import SubagentEvent
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness

ESC, TAB = "\x1b", "\t"


async def start_session(screen: ScreenHarness) -> None:
    """Start a session without any prompt."""
    screen.put_events(sample_events.session_configured())
    await screen.wait_for_text("primary · default · claude-opus-5-5")


async def submit_prompt(screen: ScreenHarness, text: str) -> None:
    """Submit a prompt and wait for its turn."""
    screen.type(f"{text}\r")
    await screen.wait_for_text("Waiting for the model")


async def type_and_leave_text(
    screen: ScreenHarness, label: str, text: str, leave_key: str = ESC
) -> None:
    """Type a reason or reply after `label`, leave it, and wait until the prompt is armed again."""
    await screen.press_key(TAB)
    screen.type(text)
    await screen.wait_for_text(f"{label}: {text}")
    await screen.press_key(leave_key)
    await screen.wait_for_no_text(f"{label}:")
    await screen.wait_until_armed()


async def start_subagents(screen: ScreenHarness, *children: SubagentStarted) -> None:
    """Start a turn with these subagents."""
    screen.put_events(sample_events.session_configured(), TurnStarted(turn=1, prompt="go"))
    for child in children:
        screen.put_events(SubagentEvent(PRIMARY, child))
    await screen.wait_for_text(children[-1].child.name)
