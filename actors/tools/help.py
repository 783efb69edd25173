"""The tool `help`: what Greenroom itself can do, for a model that is asked about it."""

from actors.tools.tool import Arguments, Tool, ToolContext
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, ToolOutput

DESCRIPTION = """\
Read Greenroom's own manual: command line, slash commands, keys, files. Use it when the user asks \
about Greenroom, the program that you run in, and only then."""


class HelpArguments(Arguments):
    """What the model sends: nothing."""


async def plan(arguments: HelpArguments, context: ToolContext) -> CallPlan:  # noqa: ARG001  (as all plans)
    """Touch nothing."""
    request = PermissionRequest(permission="help", target="*")
    return CallPlan(title="help", requests=(request,))


async def run(arguments: HelpArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001  (as all runs)
    """Hand the manual over."""
    return ToolOutput(text=context.help_text())


HELP = Tool(
    name="help",
    description=DESCRIPTION,
    arguments=HelpArguments,
    reads_only=True,
    plan=plan,
    run=run,
)
