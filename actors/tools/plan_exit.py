"""The `plan_exit` tool: asks the user to approve the plan and start the work."""

from actors.tools import tool_list
from actors.tools.plan_mode import EXIT_DESCRIPTION, PlanExitArguments, plan_exit, run
from actors.tools.tool import Tool

PLAN_EXIT = Tool(
    tool_list.PLAN_EXIT,
    description=EXIT_DESCRIPTION,
    arguments=PlanExitArguments,
    plan=plan_exit,
    run=run,
)
