"""What `plan_enter` and `plan_exit` share: they ask the user whether to switch to another agent."""

import asyncio
import os
import stat
from pathlib import Path

from pydantic.json_schema import SkipJsonSchema

from actors.tools.safe_open import READ_FLAGS
from actors.tools.tool import Arguments, ToolContext, ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import AgentSwitchProposal, CallPlan, ToolOutput
from messages.user_questions import Choice, UserQuestion

PLAN_AGENT = "plan"
MAX_SHOWN_BYTES = 16_000
"""How much of a plan the user's question shows; the file has the rest."""
_ENTER_REPLY = "Yes, plan first"
_EXIT_REPLY = "Yes, start the work"

ENTER_DESCRIPTION = """\
Ask the user whether to plan first. If they agree, plan mode begins: you explore the code, write \
a plan and change nothing else. Use it for work that is large, unclear or hard to undo, not for \
small changes and not when the user wants the work done now."""
EXIT_DESCRIPTION = """\
Show the user the plan file and ask them to approve the plan. If they agree, planning ends and the \
work starts. Only for plan mode. Call it when the plan is complete, not to ask about details."""
WRONG_MODE_TEXTS = {
    "plan_enter": "Not run: plan mode is active already.",
    "plan_exit": "Not run: plan mode is not active.",
}
"""What the model reads when it calls the plan tool that does not fit the mode, by tool.

Requests offer both tools in both modes, so that switching keeps the cached prefix.
"""


class PlanEnterArguments(Arguments):
    """What the model sends: nothing."""


class PlanExitArguments(Arguments):
    """What the model sends: nothing, or the plan if it knows other coding agents."""

    plan: SkipJsonSchema[str] = ""
    """Shown to the user if there is no plan file."""


async def plan_enter(arguments: PlanEnterArguments, context: ToolContext) -> CallPlan:  # noqa: ARG001  (every plan has this signature)
    """Plan the question whether to plan first."""
    plan_exists = await asyncio.to_thread(has_plan, context.plan_file)
    text = (
        "The agent would like to plan first. Until you approve the plan, it only reads, and "
        f"writes {context.plan_file}."
    )
    proposal = AgentSwitchProposal(
        agent=PLAN_AGENT, confirming_reply=_ENTER_REPLY, plan_exists=plan_exists
    )
    return _make_call_plan("plan_enter", text, proposal, "No, continue without a plan")


async def plan_exit(arguments: PlanExitArguments, context: ToolContext) -> CallPlan:
    """Plan the question whether to start the work, with the plan or the fact that none exists."""
    excerpt = await asyncio.to_thread(_read_excerpt, context.plan_file)
    text = f"No plan was written: {context.plan_file} does not exist."
    if excerpt:
        text = f"The plan in {context.plan_file}:\n\n{excerpt}"
    elif arguments.plan.strip():
        plan = _truncate(arguments.plan.encode("utf-8", "replace"))
        text = f"{text} The agent's plan:\n\n{plan}"
    proposal = AgentSwitchProposal(
        agent="", confirming_reply=_EXIT_REPLY, plan_exists=bool(excerpt)
    )
    return _make_call_plan("plan_exit", text, proposal, "No, keep planning")


async def run(arguments: Arguments, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001  (every run has this signature)
    """Fail: the user's answer is the result, so a call gets here only if the user was not asked.

    Raises:
        ToolError: always.
    """
    message = "the user was not asked, so the agent was not switched; continue as the current agent"
    raise ToolError(message)


def has_plan(plan_file: Path) -> bool:
    """Return whether the file exists and has a plan in it."""
    return bool(_read_excerpt(plan_file))


def _read_excerpt(plan_file: Path) -> str:
    """Return as much of a plan as a question shows; empty if there is none."""
    try:
        descriptor = os.open(plan_file, READ_FLAGS)
    except OSError:
        return ""
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        data = os.read(descriptor, MAX_SHOWN_BYTES + 1) if is_file else b""
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    return _truncate(data)


def _truncate(plan: bytes) -> str:
    text = plan[:MAX_SHOWN_BYTES].decode("utf-8", "replace").strip()
    return f"{text}\n…" if len(plan) > MAX_SHOWN_BYTES else text


def _make_call_plan(
    tool_name: str, text: str, proposal: AgentSwitchProposal, declining_reply: str
) -> CallPlan:
    choices = (Choice(label=proposal.confirming_reply), Choice(label=declining_reply))
    return CallPlan(
        title=tool_name,
        full_text=text,
        requests=(PermissionRequest(permission=tool_name, target="*"),),
        questions=(UserQuestion(text=text, header="plan", choices=choices),),
        switch_proposal=proposal,
    )
