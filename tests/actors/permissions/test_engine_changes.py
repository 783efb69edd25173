"""The engine while things change: rules are loaded, a judge hangs, the world moves under it."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from actors.permissions.court import MOST_AT_ONCE
from actors.permissions.deciding import CallDecision, decide_call
from actors.permissions.defaults import BUILT_IN
from actors.permissions.engine import EvaluationSettings, PermissionEngine
from actors.permissions.places import WorkspacePaths
from actors.runtime.system import ActorSystem
from messages.address import JOURNAL, PERMISSIONS, PRIMARY
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
from messages.rules import PermissionProfile, PermissionRequest, Policy, RuleSource
from messages.transcript import Append, Appended, AppendFailed
from tests.actors.permissions.judged import BUILD, GROUND, STORE, asking, rule, user
from tests.probe import PATIENCE_S, Probe, new_probe

pytestmark = pytest.mark.quick

OLD = Policy(sources=(user(rule("bash", "make", "allow")),), defaults=BUILT_IN)
NO_MAKE = ReplaceRules(sources=(user(rule("bash", "make", "deny")),), trusted=False)
Chain = tuple[PermissionProfile, ...]


class Judge:
    """Begins to judge `slow` and does not go on until it is let go."""

    def __init__(self) -> None:
        self.began, self.may_go_on = threading.Event(), threading.Event()
        self.waiting: list[str] = []
        """The names of threads that began and were not let go yet."""

    def __call__(
        self,
        requests: tuple[PermissionRequest, ...],
        ground: WorkspacePaths,
        policy: Policy,
        chain: Chain,
    ) -> CallDecision:
        if requests[0].target == "slow":
            self.waiting.append(threading.current_thread().name)
            self.began.set()
            self.may_go_on.wait()
            self.waiting.pop()
        return decide_call(requests, ground, policy, chain)


@pytest.fixture
def judge() -> Iterator[Judge]:
    judge = Judge()
    yield judge
    judge.may_go_on.set()


class Desk:
    """Engine and neighbours."""

    def __init__(self, system: ActorSystem, judge: Judge, policy: Policy, judging_s: float) -> None:
        self.journal, self.approvals = new_probe(system, "journal"), new_probe(system, "approvals")
        self.asker: Probe = new_probe(system, "asker")
        make = partial(
            PermissionEngine, JOURNAL, policy, GROUND, STORE, EvaluationSettings(judge, judging_s)
        )
        system.start(make, "permissions")
        self.asker.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=BUILD))

    def ask(self, target: str) -> None:
        query = EvaluatePermission(id=target, agent=PRIMARY, requests=(asking("bash", target),))
        self.asker.tell(PERMISSIONS, query)

    def verdict(self, target: str) -> PermissionDecision:
        self.ask(target)
        return self.asker.expect_kind(PermissionDecision)

    def policy(self) -> Policy:
        self.asker.tell(PERMISSIONS, GetPolicy())
        return self.asker.expect_kind(PolicySnapshot).policy

    def load(self, rules: ReplaceRules) -> None:
        self.asker.tell(PERMISSIONS, rules)
        append = self.journal.expect_kind(Append)
        assert append.records == (SessionSettings(replaced_rules=rules),)
        self.journal.tell(PERMISSIONS, Appended(id=append.id))
        self.asker.expect(RulesReplaced(policy_version=2))


Open = Callable[..., Desk]


@pytest.fixture
def open_desk(system: ActorSystem, judge: Judge) -> Open:
    def opened(policy: Policy = OLD, judging_s: float = PATIENCE_S) -> Desk:
        return Desk(system, judge, policy, judging_s)

    return opened


def test_a_judge_that_does_not_end_is_an_ask_and_later_verdicts_come(open_desk: Open) -> None:
    desk = open_desk(Policy(mode="yolo", defaults=BUILT_IN), judging_s=0.2)

    verdict = desk.verdict("slow")
    assert (verdict.action, verdict.grants) == ("ask", ())
    assert verdict.reason == "judging it took longer than 0.2 s"
    assert desk.verdict("make").action == "allow"


def test_what_touches_nothing_is_judged_while_every_judge_is_busy(
    open_desk: Open, judge: Judge
) -> None:
    desk = open_desk()
    for _ in range(MOST_AT_ONCE):
        desk.ask("slow")
    assert judge.began.wait(PATIENCE_S)

    query = EvaluatePermission(id="q", agent=PRIMARY, requests=(asking("task", "general"),))
    desk.asker.tell(PERMISSIONS, query)
    assert desk.asker.expect_kind(PermissionDecision).action == "allow"
    assert judge.waiting


def test_however_many_judges_hang_few_threads_do_and_each_call_is_an_ask(
    open_desk: Open, judge: Judge
) -> None:
    desk = open_desk(Policy(mode="yolo", defaults=BUILT_IN), judging_s=0.3)
    for _ in range(100):
        desk.ask("slow")
    assert judge.began.wait(PATIENCE_S)
    assert desk.policy().mode == "yolo"

    verdicts = [desk.asker.expect_kind(PermissionDecision) for _ in range(100)]
    assert {verdict.action for verdict in verdicts} == {"ask"}
    assert len(judge.waiting) == MOST_AT_ONCE
    assert desk.verdict("make").action == "ask"
    judge.may_go_on.set()
    assert desk.verdict("make").action == "allow"


def test_loaded_rules_hold_once_they_are_on_disk_and_the_broker_is_told(open_desk: Open) -> None:
    desk = open_desk()
    desk.asker.tell(PERMISSIONS, NO_MAKE)
    append = desk.journal.expect_kind(Append)

    assert desk.verdict("make").action == "allow"
    desk.journal.tell(PERMISSIONS, Appended(id=append.id))
    desk.asker.expect(RulesReplaced(policy_version=2))
    desk.approvals.expect(PolicyChanged(policy_version=2))
    verdict = desk.verdict("make")
    assert (verdict.action, verdict.policy_version) == ("deny", 2)
    assert (verdict.rule, verdict.source) == (rule("bash", "make", "deny"), "user rules")


def test_of_rules_with_a_broken_source_none_is_loaded(open_desk: Open) -> None:
    desk = open_desk()
    broken = RuleSource(name="project rules, F", rules=(rule("bsh", "make", "deny"),))
    desk.asker.tell(PERMISSIONS, ReplaceRules(sources=(*NO_MAKE.sources, broken), trusted=False))

    detail = desk.asker.expect_kind(ReplaceRulesFailed).detail
    assert detail.startswith("project rules, F: there is no permission 'bsh'")
    assert desk.policy() == OLD
    assert desk.verdict("make").action == "allow"
    desk.journal.expect_nothing_more()
    desk.approvals.expect_nothing_more()


def test_rules_that_could_not_be_written_do_not_hold(open_desk: Open) -> None:
    desk = open_desk()
    desk.asker.tell(PERMISSIONS, NO_MAKE)
    append = desk.journal.expect_kind(Append)
    desk.journal.tell(PERMISSIONS, AppendFailed(id=append.id, detail="disk full"))

    desk.asker.expect(ReplaceRulesFailed(detail="disk full"))
    assert desk.policy() == OLD


def test_what_verdicts_go_by_can_be_listed(open_desk: Open) -> None:
    desk = open_desk()
    assert desk.policy() == OLD
    desk.load(NO_MAKE)

    now = desk.policy()
    assert (now.sources, now.policy_version) == (NO_MAKE.sources, 2)


def test_what_was_judged_by_rules_that_changed_meanwhile_is_judged_again(
    open_desk: Open, judge: Judge
) -> None:
    """The verdict of the old rules would be an allow."""
    desk = open_desk(Policy(sources=(user(rule("bash", "slow")),), defaults=BUILT_IN))
    desk.ask("slow")
    assert judge.began.wait(PATIENCE_S)
    desk.load(ReplaceRules(sources=(user(rule("bash", "slow", "deny")),), trusted=False))
    judge.may_go_on.set()

    verdict = desk.asker.expect_kind(PermissionDecision)
    assert (verdict.action, verdict.policy_version) == ("deny", 2)
    desk.asker.expect_nothing_more()


@pytest.mark.parametrize("command", ["echo x > {}", "truncate {}"])
def test_a_verdict_says_where_each_path_of_a_command_led(
    open_desk: Open, tmp_path: Path, command: str
) -> None:
    """So a yes to it can be told from a yes to what it comes to after the link was turned.

    Also where no rule speaks of the file.
    """
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "a")
    desk = open_desk()
    before = desk.verdict(command.format(link)).resolved_requests
    link.unlink()
    link.symlink_to(tmp_path / "b")
    after = desk.verdict(command.format(link)).resolved_requests

    assert asking("write", f"{tmp_path}/a") in before
    assert asking("write", f"{tmp_path}/b") in after
    assert asking("write", f"{tmp_path}/a") not in after
