"""The tools that ask whether another agent is to have the session."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from actors.tools.plan_mode import (
    MAX_SHOWN_BYTES,
    PlanArguments,
    has_plan,
    plan_enter,
    plan_exit,
    run,
)
from actors.tools.tool import ToolContext, ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import AgentSwitchProposal, CallPlan
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick

ARGUMENTS = PlanArguments()


@pytest.fixture
def context(caller: ToolCaller, tmp_path: Path) -> ToolContext:
    return replace(caller.context, plan_file=tmp_path / "plans" / "s.md")


def write_plan_file(context: ToolContext, text: str) -> None:
    context.plan_file.parent.mkdir()
    context.plan_file.write_text(text)


def plan_exit_call(context: ToolContext) -> CallPlan:
    return asyncio.run(plan_exit(ARGUMENTS, context))


def test_to_plan_names_the_file_and_asks_each_time(context: ToolContext) -> None:
    plan = asyncio.run(plan_enter(ARGUMENTS, context))
    assert plan.requests == (PermissionRequest(permission="plan_enter", target="*"),)
    assert plan.switch_proposal == AgentSwitchProposal(
        agent="plan", confirming_reply="Yes, plan first", plan_exists=False
    )
    (question,) = plan.questions
    assert str(context.plan_file) in question.text
    assert question.choices[0].label == "Yes, plan first"


def test_leaving_without_a_plan_says_so(context: ToolContext) -> None:
    plan = plan_exit_call(context)
    assert plan.full_text == f"No plan was written: {context.plan_file} does not exist."
    assert plan.switch_proposal == AgentSwitchProposal(
        agent="", confirming_reply="Yes, begin the work", plan_exists=False
    )
    write_plan_file(context, " \n")
    assert plan_exit_call(context).full_text == plan.full_text


def test_leaving_shows_the_plan_and_goes_back_to_nobody_in_particular(
    context: ToolContext,
) -> None:
    write_plan_file(context, "# Do it\n")
    plan = plan_exit_call(context)
    assert plan.full_text == f"The plan is in {context.plan_file}:\n\n# Do it"
    assert plan.questions[0].text == plan.full_text
    assert plan.switch_proposal == AgentSwitchProposal(
        agent="", confirming_reply="Yes, begin the work", plan_exists=True
    )


def test_a_long_plan_is_shown_from_its_beginning_and_marked(context: ToolContext) -> None:
    write_plan_file(context, "x" * MAX_SHOWN_BYTES + "y")
    assert plan_exit_call(context).full_text.endswith("x\n…")


def test_what_is_no_file_is_no_plan(context: ToolContext, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret")
    context.plan_file.parent.mkdir()
    context.plan_file.symlink_to(secret)
    assert not has_plan(context.plan_file)
    context.plan_file.unlink()
    os.mkfifo(context.plan_file)
    assert not has_plan(context.plan_file)
    context.plan_file.unlink()
    context.plan_file.mkdir()
    assert not has_plan(context.plan_file)


def test_a_call_that_nobody_was_asked_about_has_no_result(context: ToolContext) -> None:
    plan = plan_exit_call(context)
    with pytest.raises(ToolError, match="nobody was asked; nothing is switched"):
        asyncio.run(run(ARGUMENTS, plan, context))
