"""The engine among other actors: who is judged, and when a grant begins to hold."""

from dataclasses import replace
from functools import partial

import pytest

from actors.permissions.deciding import CallDecision, decide_call
from actors.permissions.defaults import BUILT_IN
from actors.permissions.engine import EvaluationSettings, PermissionEngine
from actors.permissions.places import WorkspacePaths
from actors.runtime.system import ActorSystem
from messages.address import JOURNAL, PERMISSIONS, PRIMARY, Address
from messages.permissions import (
    EvaluatePermission,
    GrantStored,
    PermissionDecision,
    RegisterAgent,
    SessionSettings,
    StoreGrant,
    StoreGrantFailed,
)
from messages.rules import PermissionProfile, PermissionRequest, Policy, Rule
from messages.transcript import Append, Appended, AppendFailed
from tests.actors.permissions.judged import BUILD, GROUND, STORE
from tests.probe import Probe, new_probe

pytestmark = pytest.mark.quick

DEFAULTS = Policy(defaults=BUILT_IN)
WRITE_A = Rule(permission="write", pattern="a.py", action="allow")
WRITE_B = Rule(permission="write", pattern="b.py", action="allow")


@pytest.fixture
def journal(system: ActorSystem) -> Probe:
    return new_probe(system, "journal")


@pytest.fixture
def asker(system: ActorSystem, journal: Probe) -> Probe:  # noqa: ARG001  (the engine writes to it)
    """Somebody who asks for `/primary`, with an engine that knows it."""
    return asker_of(system, partial(PermissionEngine, JOURNAL, DEFAULTS, GROUND, STORE))


def asker_of(system: ActorSystem, engine: "partial[PermissionEngine]") -> Probe:
    asker = new_probe(system, "asker")
    system.start(engine, "permissions")
    asker.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=BUILD))
    return asker


def query(
    query_id: str, permission: str, target: str, agent: Address = PRIMARY
) -> EvaluatePermission:
    request = PermissionRequest(permission=permission, target=target)
    return EvaluatePermission(id=query_id, agent=agent, requests=(request,))


def action(asker: Probe, permission: str, target: str) -> str:
    asker.tell(PERMISSIONS, query("q", permission, target))
    return asker.expect_kind(PermissionDecision).action


def config(*grants: Rule) -> SessionSettings:
    return SessionSettings(grants=grants)


def test_a_verdict_goes_to_whoever_asked_and_says_why(asker: Probe) -> None:
    asker.tell(PERMISSIONS, query("q1", "write", "a.py"))

    verdict = PermissionDecision(
        id="q1",
        action="ask",
        reason="write asks unless it is allowed (built-in default)",
        policy_version=1,
        grants=(WRITE_A,),
        resolved_requests=(
            PermissionRequest(permission="write", target="a.py"),
            PermissionRequest(permission="read", target="a.py"),
        ),
    )
    asker.expect(verdict)


def test_an_agent_that_nobody_registered_is_denied(asker: Probe) -> None:
    asker.tell(PERMISSIONS, query("q1", "read", "a.py", Address("/primary/stray")))

    verdict = asker.expect_kind(PermissionDecision)
    assert (verdict.action, verdict.grants) == ("deny", ())


def test_a_grant_holds_only_once_it_is_on_disk(asker: Probe, journal: Probe) -> None:
    asker.tell(PERMISSIONS, StoreGrant(id="r1", rules=(WRITE_A,)))
    journal.expect(Append(id=1, records=(config(WRITE_A),)))

    assert action(asker, "write", "a.py") == "ask"
    journal.tell(PERMISSIONS, Appended(id=1))
    asker.expect(GrantStored(id="r1", policy_version=2))
    assert action(asker, "write", "a.py") == "allow"


def test_a_grant_that_could_not_be_written_does_not_hold(asker: Probe, journal: Probe) -> None:
    asker.tell(PERMISSIONS, StoreGrant(id="r1", rules=(WRITE_A,)))
    journal.expect_kind(Append)
    journal.tell(PERMISSIONS, AppendFailed(id=1, detail="disk full"))

    asker.expect(StoreGrantFailed(id="r1", detail="disk full"))
    assert action(asker, "write", "a.py") == "ask"


def test_two_grants_at_once_are_written_one_after_the_other(asker: Probe, journal: Probe) -> None:
    """A record is whole and the last one counts: else the second would undo the first."""
    asker.tell(PERMISSIONS, StoreGrant(id="r1", rules=(WRITE_A,)))
    asker.tell(PERMISSIONS, StoreGrant(id="r2", rules=(WRITE_B,)))
    journal.expect(Append(id=1, records=(config(WRITE_A),)))
    journal.tell(PERMISSIONS, Appended(id=1))
    journal.expect(Append(id=2, after=1, records=(config(WRITE_A, WRITE_B),)))
    journal.tell(PERMISSIONS, Appended(id=2))

    asker.expect(GrantStored(id="r1", policy_version=2), GrantStored(id="r2", policy_version=3))


def test_a_grant_after_one_that_failed_does_not_bring_it_back(asker: Probe, journal: Probe) -> None:
    asker.tell(PERMISSIONS, StoreGrant(id="r1", rules=(WRITE_A,)))
    asker.tell(PERMISSIONS, StoreGrant(id="r2", rules=(WRITE_B,)))
    journal.expect_kind(Append)
    journal.tell(PERMISSIONS, AppendFailed(id=1, detail="disk full"))

    journal.expect(Append(id=2, records=(config(WRITE_B),)))


def test_an_answer_of_the_disk_that_comes_twice_changes_nothing(
    asker: Probe, journal: Probe
) -> None:
    asker.tell(PERMISSIONS, StoreGrant(id="r1", rules=(WRITE_A,)))
    journal.expect_kind(Append)
    for _ in range(2):
        journal.tell(PERMISSIONS, Appended(id=1))
    journal.tell(PERMISSIONS, AppendFailed(id=1, detail="?"))
    journal.tell(PERMISSIONS, AppendFailed(id=9, detail="?"))

    asker.expect(GrantStored(id="r1", policy_version=2))
    assert action(asker, "write", "a.py") == "allow"


def test_grants_of_an_earlier_run_hold(system: ActorSystem) -> None:
    policy = replace(DEFAULTS, grants=(WRITE_A,))
    asker = asker_of(system, partial(PermissionEngine, JOURNAL, policy, GROUND, STORE))

    assert action(asker, "write", "a.py") == "allow"


def fragile(
    requests: tuple[PermissionRequest, ...],
    ground: WorkspacePaths,
    policy: Policy,
    chain: tuple[PermissionProfile, ...],
) -> CallDecision:
    """Fail as a parser might, for one target only."""
    if requests[0].target == "broken":
        message = "no such bracket"
        raise LookupError(message)
    return decide_call(requests, ground, policy, chain)


def test_a_fault_in_judging_is_an_ask_and_the_next_call_is_judged(
    system: ActorSystem,
) -> None:
    policy = replace(DEFAULTS, mode="yolo")
    asker = asker_of(
        system,
        partial(PermissionEngine, JOURNAL, policy, GROUND, STORE, EvaluationSettings(fragile)),
    )
    asker.tell(PERMISSIONS, query("q1", "bash", "broken"))

    verdict = asker.expect_kind(PermissionDecision)
    assert verdict.action == "ask"
    assert verdict.reason == "it could not be judged: LookupError: no such bracket"
    assert verdict.grants == ()
    assert action(asker, "bash", "true") == "allow"
