"""An engine that crashes goes by what it went by before: rules, mode, trust, protection, grants."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from actors.permissions.defaults import BUILT_IN
from actors.permissions.engine import EngineInbox, PermissionEngine
from actors.runtime.supervision import Restart
from actors.runtime.system import ActorSystem
from actors.sessions.journal import Journal, Settled
from actors.sessions.log import SessionLog
from messages.address import JOURNAL, PERMISSIONS, PRIMARY, ROOT
from messages.permissions import (
    Config,
    GrantStored,
    ListPolicy,
    LoadRules,
    PermissionQuery,
    PermissionVerdict,
    PolicyChanged,
    PolicyListed,
    RegisterAgent,
    RulesLoaded,
    StoreGrant,
)
from messages.rules import PermissionRequest, Policy
from messages.supervision import Undelivered
from messages.transcript import Record, RunStarted, Session
from tests.actors.permissions.judged import BUILD, GROUND, asking, rule, user
from tests.probe import Probe, new_probe

pytestmark = pytest.mark.quick

OFTEN = Restart(limit=100, window_s=3600.0, backoff_s=0.0)
CRASH = asking("read", "crash")
START = Policy(mode="auto-edit", sources=(user(rule("bash", "make *", "deny")),), defaults=BUILT_IN)
NO_PUSH = LoadRules(
    sources=(user(rule("bash", "git push *", "deny")),), trusted=True, protected=("linked",)
)


class Fragile(PermissionEngine):
    """Crashes over one query, once."""

    def on_receive(self, message: EngineInbox) -> None:
        if isinstance(message, PermissionQuery) and message.requests == (CRASH,):
            raise SystemExit
        super().on_receive(message)


@dataclass
class Desk:
    peer: Probe
    approvals: Probe

    def crash(self) -> None:
        self.peer.tell(PERMISSIONS, query(CRASH))
        self.peer.expect_kind(Undelivered)
        self.peer.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=BUILD))

    def verdict(self, permission: str, target: str) -> PermissionVerdict:
        self.peer.tell(PERMISSIONS, query(asking(permission, target)))
        return self.peer.expect_kind(PermissionVerdict)

    def policy(self) -> Policy:
        self.peer.tell(PERMISSIONS, ListPolicy())
        return self.peer.expect_kind(PolicyListed).policy

    def load(self, rules: LoadRules) -> int:
        self.peer.tell(PERMISSIONS, rules)
        generation = self.peer.expect_kind(RulesLoaded).generation
        self.approvals.expect(PolicyChanged(generation=generation))
        return generation


def query(request: PermissionRequest) -> PermissionQuery:
    return PermissionQuery(id="q", agent=PRIMARY, requests=(request,))


def opened(system: ActorSystem, path: Path, *before: Record) -> Desk:
    """A real journal and a real engine, in a file that holds `before`."""
    first = (Session(session_id="s", workspace="/"), *before)
    log = SessionLog.create(path / "s.jsonl", [(each, ROOT) for each in first], lambda: 0.0)
    system.start(partial(Journal, log, Settled()), "journal")
    approvals, peer = new_probe(system, "approvals"), new_probe(system, "peer")
    system.start(partial(Fragile, JOURNAL, START, GROUND), "permissions", OFTEN)
    peer.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=BUILD))
    return Desk(peer, approvals)


def test_rules_trust_and_protection_that_were_loaded_survive(
    system: ActorSystem, tmp_path: Path
) -> None:
    desk = opened(system, tmp_path)
    desk.load(NO_PUSH)
    desk.crash()

    assert desk.verdict("bash", "git push origin").action == "deny"
    assert desk.verdict("write", "linked/a").action == "ask"
    assert desk.verdict("bash", "git status").action == "allow"
    assert desk.verdict("bash", "make all").action == "ask", "the rules of the start are gone"


def test_the_mode_survives(system: ActorSystem, tmp_path: Path) -> None:
    desk = opened(system, tmp_path)
    desk.load(NO_PUSH)
    desk.crash()

    verdict = desk.verdict("write", "a.py")
    assert (verdict.action, verdict.source) == ("allow", "mode auto-edit")


def test_grants_survive_beside_rules_in_either_order(system: ActorSystem, tmp_path: Path) -> None:
    grants = (rule("bash", "rm x"), rule("bash", "rm y"))
    desk = opened(system, tmp_path)
    for grant in grants:
        desk.peer.tell(PERMISSIONS, StoreGrant(id=grant.pattern, rules=(grant,)))
        desk.peer.expect_kind(GrantStored)
        desk.load(NO_PUSH)
    before = desk.policy()
    desk.crash()

    after = desk.policy()
    assert replace(after, generation=0) == replace(before, generation=0)
    assert after.grants == grants


def test_a_second_crash_forgets_nothing_either(system: ActorSystem, tmp_path: Path) -> None:
    desk = opened(system, tmp_path)
    desk.load(NO_PUSH)
    desk.crash()
    desk.peer.tell(PERMISSIONS, StoreGrant(id="g", rules=(rule("bash", "rm x"),)))
    desk.peer.expect_kind(GrantStored)
    desk.crash()

    assert desk.verdict("bash", "git push").action == "deny"
    assert desk.verdict("bash", "rm x").action == "allow"


def test_the_generation_never_goes_back(system: ActorSystem, tmp_path: Path) -> None:
    desk = opened(system, tmp_path)
    told = [desk.policy().generation]
    for _ in range(3):
        told += [desk.load(NO_PUSH) for _ in range(4)]
        desk.crash()
        told.append(desk.policy().generation)

    assert told == sorted(set(told))


def test_rules_of_an_earlier_run_do_not_come_back(system: ActorSystem, tmp_path: Path) -> None:
    """That run's files may have changed since; its grants hold."""
    grant = rule("bash", "rm x")
    earlier = Config(grants=(grant,), loaded=NO_PUSH)
    desk = opened(system, tmp_path, earlier, RunStarted(run=2, pid=1, version="1"))
    desk.crash()

    assert desk.verdict("bash", "make all").action == "deny"
    assert desk.verdict("bash", "git push").action == "ask"
    assert desk.policy().grants == (grant,)
