"""The engine while things change: rules are loaded, a judge hangs, the world moves under it."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from actors.paths.resolve import WorkspacePaths
from actors.permissions.decide_call import CallDecision, decide_call
from actors.permissions.default_rules import DEFAULT_RULES
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
    GRANT_STORE,
    WORKSPACE_PATHS,
    permission_request,
    rule,
    user_rules,
)
from tests.probe import PROBE_TIMEOUT_S, Probe, start_probe

pytestmark = pytest.mark.quick

OLD_POLICY = Policy(sources=(user_rules(rule("bash", "make", "allow")),), defaults=DEFAULT_RULES)
DENY_MAKE = ReplaceRules(sources=(user_rules(rule("bash", "make", "deny")),), trusted=False)
ProfileChain = tuple[PermissionProfile, ...]


class BlockingDecider:
    """Begins to judge `slow` and does not go on until it is let go."""

    def __init__(self) -> None:
        self.started, self.released = threading.Event(), threading.Event()
        self.waiting: list[str] = []
        """The names of threads that began and were not let go yet."""

    def __call__(
        self,
        requests: tuple[PermissionRequest, ...],
        ground: WorkspacePaths,
        policy: Policy,
        chain: ProfileChain,
    ) -> CallDecision:
        if requests[0].target == "slow":
            self.waiting.append(threading.current_thread().name)
            self.started.set()
            self.released.wait()
            self.waiting.pop()
        return decide_call(requests, ground, policy, chain)


@pytest.fixture
def judge() -> Iterator[BlockingDecider]:
    judge = BlockingDecider()
    yield judge
    judge.released.set()


class EngineFixture:
    """Engine and neighbours."""

    def __init__(
        self, system: ActorSystem, decider: BlockingDecider, policy: Policy, timeout_s: float
    ) -> None:
        self.journal, self.approvals = (
            start_probe(system, "journal"),
            start_probe(system, "approvals"),
        )
        self.requester: Probe = start_probe(system, "asker")
        make = partial(
            PermissionEngine,
            JOURNAL,
            policy,
            WORKSPACE_PATHS,
            GRANT_STORE,
            EvaluationSettings(decider, timeout_s),
        )
        system.start(make, "permissions")
        self.requester.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=BUILD_PROFILE))

    def send_request(self, target: str) -> None:
        query = EvaluatePermission(
            id=target, agent=PRIMARY, requests=(permission_request("bash", target),)
        )
        self.requester.tell(PERMISSIONS, query)

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
def start_engine(system: ActorSystem, judge: BlockingDecider) -> StartEngine:
    def opened(policy: Policy = OLD_POLICY, judging_s: float = PROBE_TIMEOUT_S) -> EngineFixture:
        return EngineFixture(system, judge, policy, judging_s)

    return opened


def test_a_judge_that_does_not_end_is_an_ask_and_later_verdicts_come(
    start_engine: StartEngine,
) -> None:
    desk = start_engine(Policy(mode="yolo", defaults=DEFAULT_RULES), judging_s=0.2)

    verdict = desk.request_decision("slow")
    assert (verdict.action, verdict.grants) == ("ask", ())
    assert verdict.reason == "evaluating it took longer than 0.2 s"
    assert desk.request_decision("make").action == "allow"


def test_what_touches_nothing_is_judged_while_every_judge_is_busy(
    start_engine: StartEngine, judge: BlockingDecider
) -> None:
    desk = start_engine()
    for _ in range(MAX_CONCURRENT_EVALUATIONS):
        desk.send_request("slow")
    assert judge.started.wait(PROBE_TIMEOUT_S)

    query = EvaluatePermission(
        id="q", agent=PRIMARY, requests=(permission_request("task", "general"),)
    )
    desk.requester.tell(PERMISSIONS, query)
    assert desk.requester.expect_kind(PermissionDecision).action == "allow"
    assert judge.waiting


def test_however_many_judges_hang_few_threads_do_and_each_call_is_an_ask(
    start_engine: StartEngine, judge: BlockingDecider
) -> None:
    desk = start_engine(Policy(mode="yolo", defaults=DEFAULT_RULES), judging_s=0.3)
    for _ in range(100):
        desk.send_request("slow")
    assert judge.started.wait(PROBE_TIMEOUT_S)
    assert desk.get_policy().mode == "yolo"

    verdicts = [desk.requester.expect_kind(PermissionDecision) for _ in range(100)]
    assert {verdict.action for verdict in verdicts} == {"ask"}
    assert len(judge.waiting) == MAX_CONCURRENT_EVALUATIONS
    assert desk.request_decision("make").action == "ask"
    judge.released.set()
    assert desk.request_decision("make").action == "allow"


def test_loaded_rules_hold_once_they_are_on_disk_and_the_broker_is_told(
    start_engine: StartEngine,
) -> None:
    desk = start_engine()
    desk.requester.tell(PERMISSIONS, DENY_MAKE)
    append = desk.journal.expect_kind(Append)

    assert desk.request_decision("make").action == "allow"
    desk.journal.tell(PERMISSIONS, Appended(id=append.id))
    desk.requester.expect(RulesReplaced(policy_version=2))
    desk.approvals.expect(PolicyChanged(policy_version=2))
    verdict = desk.request_decision("make")
    assert (verdict.action, verdict.policy_version) == ("deny", 2)
    assert (verdict.rule, verdict.source) == (rule("bash", "make", "deny"), "user rules")


def test_of_rules_with_a_broken_source_none_is_loaded(start_engine: StartEngine) -> None:
    desk = start_engine()
    broken = RuleSource(name="project rules, F", rules=(rule("bsh", "make", "deny"),))
    desk.requester.tell(
        PERMISSIONS, ReplaceRules(sources=(*DENY_MAKE.sources, broken), trusted=False)
    )

    detail = desk.requester.expect_kind(ReplaceRulesFailed).detail
    assert detail.startswith("project rules, F: unknown permission 'bsh'")
    assert desk.get_policy() == OLD_POLICY
    assert desk.request_decision("make").action == "allow"
    desk.journal.expect_nothing_more()
    desk.approvals.expect_nothing_more()


def test_rules_that_could_not_be_written_do_not_hold(start_engine: StartEngine) -> None:
    desk = start_engine()
    desk.requester.tell(PERMISSIONS, DENY_MAKE)
    append = desk.journal.expect_kind(Append)
    desk.journal.tell(PERMISSIONS, AppendFailed(id=append.id, detail="disk full"))

    desk.requester.expect(ReplaceRulesFailed(detail="disk full"))
    assert desk.get_policy() == OLD_POLICY


def test_what_verdicts_go_by_can_be_listed(start_engine: StartEngine) -> None:
    desk = start_engine()
    assert desk.get_policy() == OLD_POLICY
    desk.replace_rules(DENY_MAKE)

    now = desk.get_policy()
    assert (now.sources, now.policy_version) == (DENY_MAKE.sources, 2)


def test_what_was_judged_by_rules_that_changed_meanwhile_is_judged_again(
    start_engine: StartEngine, judge: BlockingDecider
) -> None:
    """The verdict of the old rules would be an allow."""
    desk = start_engine(Policy(sources=(user_rules(rule("bash", "slow")),), defaults=DEFAULT_RULES))
    desk.send_request("slow")
    assert judge.started.wait(PROBE_TIMEOUT_S)
    desk.replace_rules(
        ReplaceRules(sources=(user_rules(rule("bash", "slow", "deny")),), trusted=False)
    )
    judge.released.set()

    verdict = desk.requester.expect_kind(PermissionDecision)
    assert (verdict.action, verdict.policy_version) == ("deny", 2)
    desk.requester.expect_nothing_more()


@pytest.mark.parametrize("command", ["echo x > {}", "truncate {}"])
def test_a_verdict_says_where_each_path_of_a_command_led(
    start_engine: StartEngine, tmp_path: Path, command: str
) -> None:
    """So a yes to it can be told from a yes to what it comes to after the link was turned.

    Also where no rule speaks of the file.
    """
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "a")
    desk = start_engine()
    before = desk.request_decision(command.format(link)).resolved_requests
    link.unlink()
    link.symlink_to(tmp_path / "b")
    after = desk.request_decision(command.format(link)).resolved_requests

    assert permission_request("write", f"{tmp_path}/a") in before
    assert permission_request("write", f"{tmp_path}/b") in after
    assert permission_request("write", f"{tmp_path}/a") not in after
