"""The tools `plan_enter` and `plan_exit`: ask whether another agent is to have the session."""

import asyncio
import os
import stat
from pathlib import Path

from actors.tools.tool import Arguments, Tool, ToolContext, ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import AgentSwitchProposal, CallPlan, ToolOutput
from messages.user_questions import Choice, UserQuestion

PLAN_AGENT = "plan"
MAX_SHOWN_BYTES = 16_000
"""Of a plan in the question about it; the file has the rest."""
_TO_PLAN = "Yes, plan first"
_TO_WORK = "Yes, begin the work"

ENTER_DESCRIPTION = """\
Ask the user whether to plan first: another agent takes over that only reads and writes a plan. \
For work that is large, unclear, or hard to undo; not for small things, and not when they want it \
done now. Nothing is switched unless they agree."""
EXIT_DESCRIPTION = """\
Ask the user whether the work may begin by the plan in the plan file; they see it. Call it when \
the plan stands, not to ask about details. Nothing is switched unless they agree."""


class PlanArguments(Arguments):
    """What the model sends: nothing."""


async def plan_enter(arguments: PlanArguments, context: ToolContext) -> CallPlan:  # noqa: ARG001  (as all plans)
    """Put the question."""
    written = await asyncio.to_thread(has_plan, context.plan_file)
    text = (
        "The agent would like to plan first: until you let the work begin it only reads, and "
        f"writes {context.plan_file}."
    )
    switch = AgentSwitchProposal(agent=PLAN_AGENT, confirming_reply=_TO_PLAN, plan_exists=written)
    return _asking("plan_enter", text, switch, "No, go on without a plan")


async def plan_exit(arguments: PlanArguments, context: ToolContext) -> CallPlan:  # noqa: ARG001  (as all plans)
    """Put the question, with the plan or with the news that there is none."""
    text = await asyncio.to_thread(_beginning, context.plan_file)
    where = f"The plan is in {context.plan_file}:\n\n{text}"
    told = where if text else f"No plan was written: {context.plan_file} does not exist."
    switch = AgentSwitchProposal(agent="", confirming_reply=_TO_WORK, plan_exists=bool(text))
    return _asking("plan_exit", told, switch, "No, go on planning")


async def run(arguments: PlanArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001  (as all runs)
    """Never reached by an answer, which is the call's result already.

    Raises:
        ToolError: it was allowed without anybody having been asked.
    """
    message = "nobody was asked; nothing is switched"
    raise ToolError(message)


def has_plan(plan_file: Path) -> bool:
    """Whether there is a file with a plan."""
    return bool(_beginning(plan_file))


def _beginning(plan_file: Path) -> str:
    """Read as much of a plan as a question shows; empty: there is none."""
    try:
        descriptor = os.open(plan_file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        data = os.read(descriptor, MAX_SHOWN_BYTES + 1) if is_file else b""
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    text = data[:MAX_SHOWN_BYTES].decode("utf-8", "replace").strip()
    return f"{text}\n…" if len(data) > MAX_SHOWN_BYTES else text


def _asking(name: str, text: str, switch: AgentSwitchProposal, no: str) -> CallPlan:
    request = PermissionRequest(permission=name, target="*")
    choices = (Choice(label=switch.confirming_reply), Choice(label=no))
    question = UserQuestion(text=text, header="plan", choices=choices)
    return CallPlan(
        title=name,
        full_text=text,
        requests=(request,),
        questions=(question,),
        switch_proposal=switch,
    )


PLAN_ENTER = Tool(
    name="plan_enter",
    description=ENTER_DESCRIPTION,
    arguments=PlanArguments,
    reads_only=False,
    plan=plan_enter,
    run=run,
)
PLAN_EXIT = Tool(
    name="plan_exit",
    description=EXIT_DESCRIPTION,
    arguments=PlanArguments,
    reads_only=False,
    plan=plan_exit,
    run=run,
)
