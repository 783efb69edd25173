"""The `plan_enter` tool: asks the user whether to plan first."""

from actors.tools import tool_list
from actors.tools.plan_mode import ENTER_DESCRIPTION, PlanEnterArguments, plan_enter, run
from actors.tools.tool import Tool

PLAN_ENTER = Tool(
    tool_list.PLAN_ENTER,
    description=ENTER_DESCRIPTION,
    arguments=PlanEnterArguments,
    plan=plan_enter,
    run=run,
)
