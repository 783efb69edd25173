"""The tools that ask the user whether to switch to another agent."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from actors.tools.plan_mode import (
    MAX_SHOWN_BYTES,
    PlanEnterArguments,
    PlanExitArguments,
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

ENTER = PlanEnterArguments()
EXIT = PlanExitArguments()


@pytest.fixture
def context(caller: ToolCaller, tmp_path: Path) -> ToolContext:
    return replace(caller.context, plan_file=tmp_path / "plans" / "s.md")


def write_plan_file(context: ToolContext, text: str) -> None:
    context.plan_file.parent.mkdir()
    context.plan_file.write_text(text)


def make_exit_plan(context: ToolContext) -> CallPlan:
    return asyncio.run(plan_exit(EXIT, context))


def test_entering_plan_mode_names_the_plan_file(context: ToolContext) -> None:
    plan = asyncio.run(plan_enter(ENTER, context))
    assert plan.requests == (PermissionRequest(permission="plan_enter", target="*"),)
    assert plan.switch_proposal == AgentSwitchProposal(
        agent="plan", confirming_reply="Yes, plan first", plan_exists=False
    )
    (question,) = plan.questions
    assert str(context.plan_file) in question.text
    assert question.choices[0].label == "Yes, plan first"


def test_exiting_without_a_plan_says_none_exists(context: ToolContext) -> None:
    plan = make_exit_plan(context)
    assert plan.full_text == f"No plan was written: {context.plan_file} does not exist."
    assert plan.switch_proposal == AgentSwitchProposal(
        agent="", confirming_reply="Yes, start the work", plan_exists=False
    )
    write_plan_file(context, " \n")
    assert make_exit_plan(context).full_text == plan.full_text


def test_exiting_shows_the_plan_and_names_no_agent(
    context: ToolContext,
) -> None:
    write_plan_file(context, "# Do it\n")
    plan = make_exit_plan(context)
    assert plan.full_text == f"The plan in {context.plan_file}:\n\n# Do it"
    assert plan.questions[0].text == plan.full_text
    assert plan.switch_proposal == AgentSwitchProposal(
        agent="", confirming_reply="Yes, start the work", plan_exists=True
    )


def test_a_plan_in_the_arguments_is_shown_without_a_file(context: ToolContext) -> None:
    arguments = PlanExitArguments.model_validate({"plan": "# Do it\n"})
    plan = asyncio.run(plan_exit(arguments, context))
    assert plan.full_text.endswith("does not exist. The agent's plan:\n\n# Do it")
    assert plan.switch_proposal is not None
    assert not plan.switch_proposal.plan_exists

    write_plan_file(context, "# The file\n")
    plan = asyncio.run(plan_exit(arguments, context))
    assert plan.full_text == f"The plan in {context.plan_file}:\n\n# The file"


def test_a_long_plan_is_truncated_in_the_question(context: ToolContext) -> None:
    write_plan_file(context, "x" * MAX_SHOWN_BYTES + "y")
    assert make_exit_plan(context).full_text.endswith("x\n…")


def test_only_a_regular_file_is_a_plan(context: ToolContext, tmp_path: Path) -> None:
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


def test_running_without_asking_the_user_is_an_error(context: ToolContext) -> None:
    plan = make_exit_plan(context)
    with pytest.raises(ToolError, match="the user was not asked"):
        asyncio.run(run(EXIT, plan, context))
