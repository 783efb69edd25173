"""How tests of the screen begin."""

from messages.address import PRIMARY
from messages.subagents import SubagentStarted
from messages.turns import TurnStarted
from shell.console.screen_events import SubagentEvent
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness


async def start_session(screen: ScreenHarness) -> None:
    """The session is there, and nothing has been said."""
    screen.put_events(sample_events.session_configured())
    await screen.wait_for_text("primary · default · claude-opus-5-5")


async def submit_prompt(screen: ScreenHarness, text: str) -> None:
    """The person says something, and a turn begins."""
    screen.type(f"{text}\r")
    await screen.wait_for_text("Thinking")


async def start_subagents(screen: ScreenHarness, *children: SubagentStarted) -> None:
    """A turn runs for which these were started."""
    screen.put_events(sample_events.session_configured(), TurnStarted(turn=1, prompt="go"))
    for child in children:
        screen.put_events(SubagentEvent(PRIMARY, child))
    await screen.wait_for_text(children[-1].child.name)
