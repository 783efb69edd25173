"""The engine with other actors: decisions, and when a grant takes effect."""

from dataclasses import replace
from functools import partial

import pytest

from actors.paths.resolve import WorkspacePaths
from actors.permissions.decide_call import CallDecision, decide_call
from actors.permissions.engine import EvaluationSettings, PermissionEngine
from actors.runtime.system import ActorSystem
from messages.address import JOURNAL, PERMISSIONS, PRIMARY, Address
from messages.journal import Append, Appended, AppendFailed
from messages.permissions import (
    ChangeMode,
    EvaluatePermission,
    GetPolicy,
    GrantStored,
    PermissionDecision,
    PolicySnapshot,
    RegisterAgent,
    SessionSettings,
    StoreGrant,
    StoreGrantFailed,
)
from messages.policy import PermissionProfile, PermissionRequest, Policy, Rule
from tests.actors.permissions.decision_helpers import (
    BUILD_PROFILE,
    DEFAULT_POLICY,
    GRANT_STORE,
    WORKSPACE_PATHS,
)
from tests.probe import Probe, start_probe

pytestmark = pytest.mark.quick

WRITE_A = Rule(permission="write", pattern="a.py", action="allow")
WRITE_B = Rule(permission="write", pattern="b.py", action="allow")


@pytest.fixture
def journal(system: ActorSystem) -> Probe:
    return start_probe(system, "journal")


@pytest.fixture
def requester(system: ActorSystem, journal: Probe) -> Probe:  # noqa: ARG001  (the engine writes to it)
    """Start an engine that knows `/primary`, and a requester."""
    return start_requester(
        system, partial(PermissionEngine, JOURNAL, DEFAULT_POLICY, WORKSPACE_PATHS, GRANT_STORE)
    )


def start_requester(system: ActorSystem, engine: "partial[PermissionEngine]") -> Probe:
    requester = start_probe(system, "requester")
    system.start(engine, "permissions")
    requester.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=BUILD_PROFILE))
    return requester


def evaluate_permission(
    request_id: str, permission: str, target: str, agent: Address = PRIMARY
) -> EvaluatePermission:
    request = PermissionRequest(permission=permission, target=target)
    return EvaluatePermission(id=request_id, agent=agent, requests=(request,))


def request_action(requester: Probe, permission: str, target: str) -> str:
    requester.tell(PERMISSIONS, evaluate_permission("q", permission, target))
    return requester.expect_kind(PermissionDecision).action


def session_settings(*grants: Rule) -> SessionSettings:
    return SessionSettings(grants=grants)


def test_a_decision_goes_to_the_requester_with_its_reason(requester: Probe) -> None:
    requester.tell(PERMISSIONS, evaluate_permission("q1", "write", "a.py"))

    decision = PermissionDecision(
        id="q1",
        action="ask",
        reason="it writes to a.py",
        policy_version=1,
        grants=(WRITE_A,),
        resolved_requests=(
            PermissionRequest(permission="write", target="a.py"),
            PermissionRequest(permission="read", target="a.py"),
        ),
    )
    requester.expect(decision)


def test_an_agent_that_is_not_registered_is_denied(requester: Probe) -> None:
    requester.tell(
        PERMISSIONS, evaluate_permission("q1", "read", "a.py", Address("/primary/unknown"))
    )

    decision = requester.expect_kind(PermissionDecision)
    assert (decision.action, decision.grants) == ("deny", ())


def test_a_grant_takes_effect_when_it_is_on_disk(requester: Probe, journal: Probe) -> None:
    requester.tell(PERMISSIONS, StoreGrant(id="r1", rules=(WRITE_A,)))
    journal.expect(Append(id=1, records=(session_settings(WRITE_A),)))

    assert request_action(requester, "write", "a.py") == "ask"
    journal.tell(PERMISSIONS, Appended(id=1))
    requester.expect(GrantStored(id="r1", policy_version=2))
    assert request_action(requester, "write", "a.py") == "allow"


def test_a_grant_that_cannot_be_written_has_no_effect(requester: Probe, journal: Probe) -> None:
    requester.tell(PERMISSIONS, StoreGrant(id="r1", rules=(WRITE_A,)))
    journal.expect_kind(Append)
    journal.tell(PERMISSIONS, AppendFailed(id=1, detail="disk full"))

    requester.expect(StoreGrantFailed(id="r1", detail="disk full"))
    assert request_action(requester, "write", "a.py") == "ask"


def test_concurrent_grants_are_written_one_after_the_other(
    requester: Probe, journal: Probe
) -> None:
    """Each record is complete and the last one wins, so the second must include the first."""
    requester.tell(PERMISSIONS, StoreGrant(id="r1", rules=(WRITE_A,)))
    requester.tell(PERMISSIONS, StoreGrant(id="r2", rules=(WRITE_B,)))
    journal.expect(Append(id=1, records=(session_settings(WRITE_A),)))
    journal.tell(PERMISSIONS, Appended(id=1))
    journal.expect(Append(id=2, after_id=1, records=(session_settings(WRITE_A, WRITE_B),)))
    journal.tell(PERMISSIONS, Appended(id=2))

    requester.expect(GrantStored(id="r1", policy_version=2), GrantStored(id="r2", policy_version=3))


def test_a_failed_grant_is_not_part_of_the_next_one(requester: Probe, journal: Probe) -> None:
    requester.tell(PERMISSIONS, StoreGrant(id="r1", rules=(WRITE_A,)))
    requester.tell(PERMISSIONS, StoreGrant(id="r2", rules=(WRITE_B,)))
    journal.expect_kind(Append)
    journal.tell(PERMISSIONS, AppendFailed(id=1, detail="disk full"))

    journal.expect(Append(id=2, records=(session_settings(WRITE_B),)))


def test_a_duplicate_reply_from_the_journal_changes_nothing(
    requester: Probe, journal: Probe
) -> None:
    requester.tell(PERMISSIONS, StoreGrant(id="r1", rules=(WRITE_A,)))
    journal.expect_kind(Append)
    for _ in range(2):
        journal.tell(PERMISSIONS, Appended(id=1))
    journal.tell(PERMISSIONS, AppendFailed(id=1, detail="?"))
    journal.tell(PERMISSIONS, AppendFailed(id=9, detail="?"))

    requester.expect(GrantStored(id="r1", policy_version=2))
    assert request_action(requester, "write", "a.py") == "allow"


def test_grants_of_an_earlier_run_stay_in_effect(system: ActorSystem) -> None:
    policy = replace(DEFAULT_POLICY, grants=(WRITE_A,))
    requester = start_requester(
        system, partial(PermissionEngine, JOURNAL, policy, WORKSPACE_PATHS, GRANT_STORE)
    )

    assert request_action(requester, "write", "a.py") == "allow"


def decide_or_fail(
    requests: tuple[PermissionRequest, ...],
    workspace_paths: WorkspacePaths,
    policy: Policy,
    chain: tuple[PermissionProfile, ...],
) -> CallDecision:
    """Fail for one target, as a parser might."""
    if requests[0].target == "broken":
        message = "no such bracket"
        raise LookupError(message)
    return decide_call(requests, workspace_paths, policy, chain)


def test_an_error_in_an_evaluation_becomes_an_ask(
    system: ActorSystem,
) -> None:
    policy = replace(DEFAULT_POLICY, mode="yolo")
    requester = start_requester(
        system,
        partial(
            PermissionEngine,
            JOURNAL,
            policy,
            WORKSPACE_PATHS,
            GRANT_STORE,
            EvaluationSettings(decide_or_fail),
        ),
    )
    requester.tell(PERMISSIONS, evaluate_permission("q1", "bash", "broken"))

    decision = requester.expect_kind(PermissionDecision)
    assert decision.action == "ask"
    assert decision.reason == "it could not be evaluated: LookupError: no such bracket"
    assert decision.grants == ()
    assert request_action(requester, "bash", "true") == "allow"


def test_an_agent_cannot_change_the_policy_itself(
    system: ActorSystem, requester: Probe, journal: Probe
) -> None:
    agent = start_probe(system, "primary")
    requester.tell(PERMISSIONS, GetPolicy())
    policy = requester.expect_kind(PolicySnapshot).policy

    agent.tell(PERMISSIONS, ChangeMode(mode="yolo"))
    agent.tell(PERMISSIONS, StoreGrant(id="r1", rules=(WRITE_A,)))
    agent.tell(PERMISSIONS, Appended(id=1))
    agent.tell(PERMISSIONS, GetPolicy())

    agent.expect(PolicySnapshot(policy=policy))
    journal.expect_nothing_more()


@pytest.mark.parametrize("victim", ["/primary/general-1", "/primary/general-2", "/primary"])
def test_a_subagent_cannot_register_itself_or_others(
    system: ActorSystem, requester: Probe, victim: str
) -> None:
    engine, primary = PERMISSIONS, start_probe(system, "primary")
    for agent in ("/primary/general-1", "/primary/general-2"):
        explore = replace(BUILD_PROFILE, agent=agent[-9:], tools=("read",))
        requester.tell(engine, RegisterAgent(agent=Address(agent), profile=explore))
    primary_only = replace(BUILD_PROFILE, tools=("read", "bash"))
    requester.tell(engine, RegisterAgent(agent=PRIMARY, profile=primary_only))

    forged = RegisterAgent(agent=Address(victim), profile=BUILD_PROFILE)
    primary.relay(engine, forged, Address("/primary/general-1"))
    primary.tell(engine, GetPolicy())
    primary.expect_kind(PolicySnapshot)

    requester.tell(engine, evaluate_permission("q", "write", "a.py", Address(victim)))
    assert requester.expect_kind(PermissionDecision).action == "deny"
