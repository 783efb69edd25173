"""How tests of the screen begin."""

from messages.address import PRIMARY
from messages.subagents import SubagentStarted
from messages.turns import TurnStarted
from shell.inbox import SubagentEvent
from tests.shell import reports
from tests.shell.on_screen import OnScreen


async def begun(here: OnScreen) -> None:
    """The session is there, and nothing has been said."""
    here.report(reports.session())
    await here.shows("primary · default · claude-opus-5-5")


async def asked(here: OnScreen, text: str) -> None:
    """The person says something, and a turn begins."""
    here.type(f"{text}\r")
    await here.shows("Thinking")


async def at_work(here: OnScreen, *children: SubagentStarted) -> None:
    """A turn runs for which these were started."""
    here.report(reports.session(), TurnStarted(turn=1, prompt="go"))
    for child in children:
        here.report(SubagentEvent(PRIMARY, child))
    await here.shows(children[-1].child.name)
