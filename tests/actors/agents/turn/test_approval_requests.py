"""What the user sees of a call, and what an approval is bound to."""

from pathlib import Path

import pytest

from actors.agents.turn.approval_requests import (
    RequestContext,
    build_approval_request,
    format_command,
)
from actors.agents.turn.effects import RequestApproval
from messages.address import PRIMARY
from messages.approvals import AnyApprovalRequest, ExecApprovalRequest, PatchApprovalRequest
from messages.content import ToolUseBlock
from messages.permissions import PermissionDecision
from messages.policy import PermissionRequest, Rule
from messages.tool_calls import CallPlan, FileDigest
from tests.actors.agents.turn.message_builders import make_decision, make_plan, make_write_requests

pytestmark = pytest.mark.quick

CONTEXT = RequestContext(PRIMARY, 3, Path("/repo"))
TOOL_USE = ToolUseBlock(id="c1", name="bash", input={"command": "make", "description": "Build it"})
BASH_REQUEST = PermissionRequest(permission="bash", target="make")
GRANT = Rule(permission="write", pattern="c1.txt", action="allow")


def build_request(plan: CallPlan, decision: PermissionDecision) -> AnyApprovalRequest:
    return build_approval_request(
        RequestApproval("/primary#1@1", "c1", plan, decision), TOOL_USE, CONTEXT
    )


def test_a_command_request_contains_everything_it_is_bound_to() -> None:
    file = FileDigest(path="/repo/Makefile", digest="d")
    plan = CallPlan(
        title="bash make", full_text="make", requests=(BASH_REQUEST,), executed_files=(file,)
    )

    assert build_request(plan, make_decision("q", "ask", "a.txt")) == ExecApprovalRequest(
        id="/primary#1@1",
        agent=PRIMARY,
        turn=3,
        call_id="c1",
        tool="bash",
        cwd="/repo",
        description="Build it",
        reason="a rule",
        requests=(BASH_REQUEST,),
        resolved_requests=make_write_requests("a.txt"),
        policy_version=1,
        available_decisions=("once", "no"),
        command="make",
        executed_files=(file,),
    )


def test_a_file_change_request_contains_its_diff() -> None:
    request = build_request(make_plan("c1", has_patch=True), make_decision("q", "ask"))

    assert isinstance(request, PatchApprovalRequest)
    assert (request.path, request.diff) == ("/repo/c1.txt", "+version 1")


def test_a_grant_is_offered_with_the_rules_it_stores() -> None:
    grantable = make_decision("q", "ask").model_copy(update={"grants": (GRANT,)})
    request = build_request(make_plan("c1"), grantable)

    assert request.available_decisions == ("once", "session", "project", "no")
    assert request.grants == (GRANT,)


def test_a_long_command_is_shown_in_full() -> None:
    """Otherwise the user would approve something they never saw."""
    command = "true " + "#" * 10_000 + "\nrm -rf ~"

    assert (
        format_command(CallPlan(title="bash true …", full_text=command, requests=(BASH_REQUEST,)))
        == command
    )


def test_the_full_text_is_shown_instead_of_the_title() -> None:
    assert (
        format_command(CallPlan(title="t", full_text="all of it", requests=(BASH_REQUEST,)))
        == "all of it"
    )
    assert format_command(CallPlan(title="read /etc/hosts", requests=())) == "read /etc/hosts"
