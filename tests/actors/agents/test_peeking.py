"""A plan looks into files before anybody allowed it; what it saw must not come out."""

import pytest

from actors.agents.effects import CheckRead, EvaluateCall, RequestApproval
from messages.rules import Action
from messages.tools import CallPlan, ToolPlanned
from messages.turns import ToolEnded
from tests.actors.agents.driver import Driver
from tests.actors.agents.scripts import failed, plan_for, use, verdict, yes

pytestmark = pytest.mark.quick

SECRET = "old_string is ambiguous: it occurs 3 times"


@pytest.fixture
def driver() -> Driver:
    leading = Driver()
    leading.prompted(use("c1"))
    return leading


def peek(driver: Driver, plan: CallPlan, action: Action) -> None:
    driver.tell(ToolPlanned(call_id="c1", plan=plan))
    (peek,) = driver.of(CheckRead)
    assert peek.target == "secret.txt"
    driver.tell(verdict(peek.id, action))


def looked(refusal: str) -> CallPlan:
    return plan_for("c1").model_copy(update={"unread_file": "secret.txt", "refusal": refusal})


@pytest.mark.parametrize("refusal", [SECRET, ""])
@pytest.mark.parametrize("action", ["ask", "deny"])
def test_of_a_file_that_may_not_be_read_the_model_learns_nothing(
    driver: Driver, refusal: str, action: Action
) -> None:
    peek(driver, looked(refusal), action)

    (ended,) = [each for each in driver.records if isinstance(each, ToolEnded)]
    assert ended.status == "denied"
    assert ended.text == (
        "Denied: secret.txt was not read yet, and reading it asks (a rule). Read it first."
    )
    assert driver.of(EvaluateCall) == []


def test_of_a_file_that_may_be_read_the_model_learns_why_its_call_cannot_be(driver: Driver) -> None:
    peek(driver, looked(SECRET), "allow")

    (ended,) = [each for each in driver.records if isinstance(each, ToolEnded)]
    assert (ended.status, ended.text) == ("error", SECRET)
    assert driver.of(EvaluateCall) == []


def test_a_call_on_a_file_that_may_be_read_is_judged_for_itself(driver: Driver) -> None:
    plan = looked("")
    peek(driver, plan, "allow")

    assert [each.plan for each in driver.of(EvaluateCall)] == [plan]


def test_a_yes_to_a_plan_is_none_to_the_next_that_looks_into_a_file_first(driver: Driver) -> None:
    """Found by the simulation (seed 1401 of its first form): a yes survived a drift this way."""
    driver.tell(yes(driver.asked("c1")))
    driver.judged("c1", "ask")
    driver.tell(failed("c1", "target_changed"))
    peek(driver, looked(""), "allow")
    driver.judged("c1", "ask")

    assert driver.ran == ["c1"]
    assert [each.plan for each in driver.of(RequestApproval)] == [plan_for("c1"), looked("")]
