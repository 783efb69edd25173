"""The engine while rules are replaced, evaluations hang and links change."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from actors.paths.resolve import WorkspacePaths
from actors.permissions.decide_call import CallDecision, decide_call
from actors.permissions.engine import EvaluationSettings, PermissionEngine
from actors.permissions.evaluation_pool import MAX_CONCURRENT_EVALUATIONS
from actors.runtime.system import ActorSystem
from messages.address import JOURNAL, PERMISSIONS, PRIMARY
from messages.journal import Append, Appended, AppendFailed
from messages.permissions import (
    EvaluatePermission,
    GetPolicy,
    PermissionDecision,
    PolicyChanged,
    PolicySnapshot,
    RegisterAgent,
    ReplaceRules,
    ReplaceRulesFailed,
    RulesReplaced,
    SessionSettings,
)
from messages.policy import PermissionProfile, PermissionRequest, Policy, RuleSource
from tests.actors.permissions.decision_helpers import (
    BUILD_PROFILE,
    DEFAULT_POLICY,
    GRANT_STORE,
    WORKSPACE_PATHS,
    permission_request,
    rule,
    user_rules,
)
from tests.probe import PROBE_TIMEOUT_S, Probe, start_probe

pytestmark = pytest.mark.quick

OLD_POLICY = replace(DEFAULT_POLICY, sources=(user_rules(rule("bash", "make", "allow")),))
DENY_MAKE = ReplaceRules(sources=(user_rules(rule("bash", "make", "deny")),), trusted=False)
ProfileChain = tuple[PermissionProfile, ...]


class BlockingDecider:
    """Decides calls, but blocks on the target `slow` until it is released."""

    def __init__(self) -> None:
        self.started, self.released = threading.Event(), threading.Event()
        self.waiting: list[str] = []
        """The names of the blocked threads."""

    def __call__(
        self,
        requests: tuple[PermissionRequest, ...],
        workspace_paths: WorkspacePaths,
        policy: Policy,
        chain: ProfileChain,
    ) -> CallDecision:
        if requests[0].target == "slow":
            self.waiting.append(threading.current_thread().name)
            self.started.set()
            self.released.wait()
            self.waiting.pop()
        return decide_call(requests, workspace_paths, policy, chain)


@pytest.fixture
def decider() -> Iterator[BlockingDecider]:
    decider = BlockingDecider()
    yield decider
    decider.released.set()


class EngineFixture:
    """An engine with probes in place of its peers."""

    def __init__(
        self, system: ActorSystem, decider: BlockingDecider, policy: Policy, timeout_s: float
    ) -> None:
        self.journal, self.approvals = (
            start_probe(system, "journal"),
            start_probe(system, "approvals"),
        )
        self.requester: Probe = start_probe(system, "requester")
        make_engine = partial(
            PermissionEngine,
            JOURNAL,
            policy,
            WORKSPACE_PATHS,
            GRANT_STORE,
            EvaluationSettings(decider, timeout_s),
        )
        system.start(make_engine, "permissions")
        self.requester.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=BUILD_PROFILE))

    def send_request(self, target: str) -> None:
        request = EvaluatePermission(
            id=target, agent=PRIMARY, requests=(permission_request("bash", target),)
        )
        self.requester.tell(PERMISSIONS, request)

    def request_decision(self, target: str) -> PermissionDecision:
        self.send_request(target)
        return self.requester.expect_kind(PermissionDecision)

    def get_policy(self) -> Policy:
        self.requester.tell(PERMISSIONS, GetPolicy())
        return self.requester.expect_kind(PolicySnapshot).policy

    def replace_rules(self, rules: ReplaceRules) -> None:
        self.requester.tell(PERMISSIONS, rules)
        append = self.journal.expect_kind(Append)
        assert append.records == (SessionSettings(replaced_rules=rules),)
        self.journal.tell(PERMISSIONS, Appended(id=append.id))
        self.requester.expect(RulesReplaced(policy_version=2))


StartEngine = Callable[..., EngineFixture]


@pytest.fixture
def start_engine(system: ActorSystem, decider: BlockingDecider) -> StartEngine:
    def start(policy: Policy = OLD_POLICY, timeout_s: float = PROBE_TIMEOUT_S) -> EngineFixture:
        return EngineFixture(system, decider, policy, timeout_s)

    return start


def test_a_hanging_evaluation_asks_and_later_ones_are_decided(
    start_engine: StartEngine,
) -> None:
    engine = start_engine(replace(DEFAULT_POLICY, mode="yolo"), timeout_s=0.2)

    decision = engine.request_decision("slow")
    assert (decision.action, decision.grants) == ("ask", ())
    assert decision.reason == "evaluating it took longer than 0.2 s"
    assert engine.request_decision("make").action == "allow"


def test_an_internal_call_is_decided_while_every_thread_is_busy(
    start_engine: StartEngine, decider: BlockingDecider
) -> None:
    engine = start_engine()
    for _ in range(MAX_CONCURRENT_EVALUATIONS):
        engine.send_request("slow")
    assert decider.started.wait(PROBE_TIMEOUT_S)

    request = EvaluatePermission(
        id="q", agent=PRIMARY, requests=(permission_request("task", "general"),)
    )
    engine.requester.tell(PERMISSIONS, request)
    assert engine.requester.expect_kind(PermissionDecision).action == "allow"
    assert decider.waiting


def test_many_hanging_evaluations_use_few_threads_and_ask(
    start_engine: StartEngine, decider: BlockingDecider
) -> None:
    engine = start_engine(replace(DEFAULT_POLICY, mode="yolo"), timeout_s=0.3)
    for _ in range(100):
        engine.send_request("slow")
    assert decider.started.wait(PROBE_TIMEOUT_S)
    assert engine.get_policy().mode == "yolo"

    decisions = [engine.requester.expect_kind(PermissionDecision) for _ in range(100)]
    assert {decision.action for decision in decisions} == {"ask"}
    assert len(decider.waiting) == MAX_CONCURRENT_EVALUATIONS
    assert engine.request_decision("make").action == "ask"
    decider.released.set()
    assert engine.request_decision("make").action == "allow"


def test_replaced_rules_take_effect_when_they_are_on_disk(
    start_engine: StartEngine,
) -> None:
    engine = start_engine()
    engine.requester.tell(PERMISSIONS, DENY_MAKE)
    append = engine.journal.expect_kind(Append)

    assert engine.request_decision("make").action == "allow"
    engine.journal.tell(PERMISSIONS, Appended(id=append.id))
    engine.requester.expect(RulesReplaced(policy_version=2))
    engine.approvals.expect(PolicyChanged(policy_version=2))
    decision = engine.request_decision("make")
    assert (decision.action, decision.policy_version) == ("deny", 2)
    assert (decision.rule, decision.source) == (rule("bash", "make", "deny"), "user rules")


def test_no_rules_are_replaced_if_one_source_is_invalid(start_engine: StartEngine) -> None:
    engine = start_engine()
    broken = RuleSource(name="project rules, F", rules=(rule("bsh", "make", "deny"),))
    engine.requester.tell(
        PERMISSIONS, ReplaceRules(sources=(*DENY_MAKE.sources, broken), trusted=False)
    )

    detail = engine.requester.expect_kind(ReplaceRulesFailed).detail
    assert detail.startswith("project rules, F: unknown permission 'bsh'")
    assert engine.get_policy() == OLD_POLICY
    assert engine.request_decision("make").action == "allow"
    engine.journal.expect_nothing_more()
    engine.approvals.expect_nothing_more()


def test_rules_that_cannot_be_written_have_no_effect(start_engine: StartEngine) -> None:
    engine = start_engine()
    engine.requester.tell(PERMISSIONS, DENY_MAKE)
    append = engine.journal.expect_kind(Append)
    engine.journal.tell(PERMISSIONS, AppendFailed(id=append.id, detail="disk full"))

    engine.requester.expect(ReplaceRulesFailed(detail="disk full"))
    assert engine.get_policy() == OLD_POLICY


def test_the_current_policy_can_be_requested(start_engine: StartEngine) -> None:
    engine = start_engine()
    assert engine.get_policy() == OLD_POLICY
    engine.replace_rules(DENY_MAKE)

    policy = engine.get_policy()
    assert (policy.sources, policy.policy_version) == (DENY_MAKE.sources, 2)


def test_a_call_is_evaluated_again_if_the_rules_changed(
    start_engine: StartEngine, decider: BlockingDecider
) -> None:
    """The old rules would allow the call."""
    engine = start_engine(replace(DEFAULT_POLICY, sources=(user_rules(rule("bash", "slow")),)))
    engine.send_request("slow")
    assert decider.started.wait(PROBE_TIMEOUT_S)
    engine.replace_rules(
        ReplaceRules(sources=(user_rules(rule("bash", "slow", "deny")),), trusted=False)
    )
    decider.released.set()

    decision = engine.requester.expect_kind(PermissionDecision)
    assert (decision.action, decision.policy_version) == ("deny", 2)
    engine.requester.expect_nothing_more()


@pytest.mark.parametrize("command", ["echo x > {}", "truncate {}"])
def test_a_decision_lists_the_resolved_paths_of_a_command(
    start_engine: StartEngine, tmp_path: Path, command: str
) -> None:
    """An approval is bound to these paths, so that changing a link invalidates it.

    This includes files that no rule can match.
    """
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "a")
    engine = start_engine()
    before = engine.request_decision(command.format(link)).resolved_requests
    link.unlink()
    link.symlink_to(tmp_path / "b")
    after = engine.request_decision(command.format(link)).resolved_requests

    assert permission_request("write", f"{tmp_path}/a") in before
    assert permission_request("write", f"{tmp_path}/b") in after
    assert permission_request("write", f"{tmp_path}/a") not in after
