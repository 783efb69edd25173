"""A plan looks into files before anybody allowed it; what it saw must not come out."""

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
    leading = TurnDriver()
    leading.start_turn(make_tool_use("c1"))
    return leading


def peek(driver: TurnDriver, plan: CallPlan, action: Action) -> None:
    driver.send(ToolPlanned(call_id="c1", plan=plan))
    (peek,) = driver.get_effects(CheckRead)
    assert peek.target == "secret.txt"
    driver.send(make_decision(peek.id, action))


def looked(refusal: str) -> CallPlan:
    return make_plan("c1").model_copy(update={"unread_file": "secret.txt", "rejection": refusal})


@pytest.mark.parametrize("refusal", [SECRET, ""])
@pytest.mark.parametrize("action", ["ask", "deny"])
def test_of_a_file_that_may_not_be_read_the_model_learns_nothing(
    driver: TurnDriver, refusal: str, action: Action
) -> None:
    peek(driver, looked(refusal), action)

    (ended,) = [each for each in driver.records if isinstance(each, ToolEnded)]
    assert ended.status == "denied"
    assert ended.text == UNREAD_FILE.format(target="secret.txt", reason="a rule")
    assert driver.get_effects(EvaluateCall) == []


def test_of_a_file_that_may_be_read_the_model_learns_why_its_call_cannot_be(
    driver: TurnDriver,
) -> None:
    peek(driver, looked(SECRET), "allow")

    (ended,) = [each for each in driver.records if isinstance(each, ToolEnded)]
    assert (ended.status, ended.text) == ("error", SECRET)
    assert driver.get_effects(EvaluateCall) == []


def test_a_call_on_a_file_that_may_be_read_is_judged_for_itself(driver: TurnDriver) -> None:
    plan = looked("")
    peek(driver, plan, "allow")

    assert [each.plan for each in driver.get_effects(EvaluateCall)] == [plan]


def test_a_yes_to_a_plan_is_none_to_the_next_that_looks_into_a_file_first(
    driver: TurnDriver,
) -> None:
    """Found by the simulation (seed 1401 of its first form): a yes survived a drift this way."""
    driver.send(approve(driver.request_approval("c1")))
    driver.decide("c1", "ask")
    driver.send(make_tool_failed("c1", "target_changed"))
    peek(driver, looked(""), "allow")
    driver.decide("c1", "ask")

    assert driver.run_calls == ["c1"]
    assert [each.plan for each in driver.get_effects(RequestApproval)] == [
        make_plan("c1"),
        looked(""),
    ]
