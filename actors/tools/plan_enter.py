"""The `plan_enter` tool: asks the user whether to plan first."""

from actors.tools.plan_mode import ENTER_DESCRIPTION, PlanArguments, plan_enter, run
from actors.tools.tool import Tool

PLAN_ENTER = Tool(
    name="plan_enter",
    description=ENTER_DESCRIPTION,
    arguments=PlanArguments,
    category="ask",
    default_action="ask",
    reads_only=False,
    plan=plan_enter,
    run=run,
)
