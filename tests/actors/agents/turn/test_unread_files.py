"""Plans read files before any permission decision; their content must not leak."""

import pytest

from actors.agents.turn.call_lifecycle import UNREAD_FILE
from actors.agents.turn.effects import CheckRead, EvaluateCall, RequestApproval
from actors.agents.turn.self_messages import ToolPlanned
from messages.policy import Action
from messages.tool_calls import CallPlan
from messages.turns import ToolEnded
from tests.actors.agents.turn.message_builders import (
    approve,
    make_decision,
    make_plan,
    make_tool_failed,
    make_tool_use,
)
from tests.actors.agents.turn.turn_driver import TurnDriver

pytestmark = pytest.mark.quick

SECRET = "old_string is ambiguous: it occurs 3 times"


@pytest.fixture
def driver() -> TurnDriver:
    driver = TurnDriver()
    driver.start_turn(make_tool_use("c1"))
    return driver


def plan_with_read_check(driver: TurnDriver, plan: CallPlan, action: Action) -> None:
    driver.send(ToolPlanned(call_id="c1", plan=plan))
    (check,) = driver.get_effects(CheckRead)
    assert check.target == "secret.txt"
    driver.send(make_decision(check.id, action))


def make_unread_plan(rejection: str) -> CallPlan:
    return make_plan("c1").model_copy(update={"unread_file": "secret.txt", "rejection": rejection})


@pytest.mark.parametrize("rejection", [SECRET, ""])
@pytest.mark.parametrize("action", ["ask", "deny"])
def test_the_model_learns_nothing_about_an_unreadable_file(
    driver: TurnDriver, rejection: str, action: Action
) -> None:
    plan_with_read_check(driver, make_unread_plan(rejection), action)

    (ended,) = [record for record in driver.records if isinstance(record, ToolEnded)]
    assert ended.status == "denied"
    assert ended.text == UNREAD_FILE.format(target="secret.txt", reason="a rule")
    assert driver.get_effects(EvaluateCall) == []


def test_the_model_reads_why_a_call_on_a_readable_file_fails(
    driver: TurnDriver,
) -> None:
    plan_with_read_check(driver, make_unread_plan(SECRET), "allow")

    (ended,) = [record for record in driver.records if isinstance(record, ToolEnded)]
    assert (ended.status, ended.text) == ("error", SECRET)
    assert driver.get_effects(EvaluateCall) == []


def test_a_call_on_a_readable_file_is_evaluated_itself(driver: TurnDriver) -> None:
    plan = make_unread_plan("")
    plan_with_read_check(driver, plan, "allow")

    assert [effect.plan for effect in driver.get_effects(EvaluateCall)] == [plan]


def test_an_approval_does_not_cover_a_plan_with_a_read_check(
    driver: TurnDriver,
) -> None:
    """Found by the simulation: an approval survived a changed target this way."""
    driver.send(approve(driver.request_approval("c1")))
    driver.decide("c1", "ask")
    driver.send(make_tool_failed("c1", "target_changed"))
    plan_with_read_check(driver, make_unread_plan(""), "allow")
    driver.decide("c1", "ask")

    assert driver.run_calls == ["c1"]
    assert [effect.plan for effect in driver.get_effects(RequestApproval)] == [
        make_plan("c1"),
        make_unread_plan(""),
    ]
