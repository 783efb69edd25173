"""The `plan_exit` tool: asks the user to approve the plan and start the work."""

from actors.tools.plan_mode import EXIT_DESCRIPTION, PlanArguments, plan_exit, run
from actors.tools.tool import Tool

PLAN_EXIT = Tool(
    name="plan_exit",
    description=EXIT_DESCRIPTION,
    arguments=PlanArguments,
    category="ask",
    default_action="ask",
    reads_only=False,
    plan=plan_exit,
    run=run,
)
