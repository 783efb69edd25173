"""The `help` tool: lets the model answer questions about Greenroom itself."""

from typing import Literal

from pydantic import Field

from actors.tools import tool_list
from actors.tools.tool import Arguments, Tool, ToolContext
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, ToolOutput

DESCRIPTION = """\
Read the documentation of Greenroom, the program you run in: command line, slash commands, keys, \
configuration, permissions. Use it only when the user asks about Greenroom."""

HelpTopic = Literal[
    "permissions", "configuration", "agents", "sessions", "recovery", "keys", "scripting"
]


class HelpArguments(Arguments):
    """Arguments of one call."""

    topic: HelpTopic | None = Field(
        default=None, description="Topic to read. Default: an overview and the list of topics."
    )


async def plan(arguments: HelpArguments, context: ToolContext) -> CallPlan:  # noqa: ARG001  (every plan has this signature)
    """Plan the call; it touches nothing."""
    request = PermissionRequest(permission="help", target="*")
    title = f"help {arguments.topic}" if arguments.topic else "help"
    return CallPlan(title=title, requests=(request,))


async def run(arguments: HelpArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001  (every run has this signature)
    """Return the text."""
    return ToolOutput(text=context.help_text(arguments.topic))


HELP = Tool(
    tool_list.HELP,
    description=DESCRIPTION,
    arguments=HelpArguments,
    plan=plan,
    run=run,
)
