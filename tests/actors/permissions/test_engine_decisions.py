"""What a person decided, in the engine: modes, revocations, the project's grants, in any order."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from actors.permissions.defaults import BUILT_IN
from actors.permissions.engine import PermissionEngine
from actors.permissions.project_grants import ProjectGrants
from actors.runtime.system import ActorSystem
from messages.address import JOURNAL, PERMISSIONS, PRIMARY
from messages.base import Message
from messages.permissions import (
    ChangeMode,
    ChangeModeFailed,
    EvaluatePermission,
    GetPolicy,
    GrantRevoked,
    GrantStored,
    ModeChanged,
    PermissionDecision,
    PolicyChanged,
    PolicySnapshot,
    RegisterAgent,
    ReplaceRules,
    RevokeGrant,
    RevokeGrantFailed,
    RulesReplaced,
    SessionSettings,
    StoreGrant,
)
from messages.rules import GrantScope, Policy, SessionMode
from messages.transcript import Append, Appended, AppendFailed
from tests.actors.permissions.judged import BUILD, GROUND, asking, rule
from tests.probe import Probe, new_probe

pytestmark = pytest.mark.quick

DEFAULTS = Policy(defaults=BUILT_IN)
A = rule("write", "a.py")
B = rule("write", "b.py")


class Desk:
    """An engine whose journal answers when the test says so; the project's store is a real one."""

    def __init__(self, system: ActorSystem, store: ProjectGrants, policy: Policy) -> None:
        self.journal, self.approvals = new_probe(system, "journal"), new_probe(system, "approvals")
        self.person: Probe = new_probe(system, "person")
        system.start(partial(PermissionEngine, JOURNAL, policy, GROUND, store), "permissions")
        self.person.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=BUILD))

    def tell(self, *messages: Message) -> None:
        for message in messages:
            self.person.tell(PERMISSIONS, message)

    def written(self) -> SessionSettings:
        """Let the disk take the next record."""
        append = self.journal.expect_kind(Append)
        self.journal.tell(PERMISSIONS, Appended(id=append.id))
        (config,) = append.records
        assert isinstance(config, SessionSettings)
        return config

    def refused(self) -> None:
        append = self.journal.expect_kind(Append)
        self.journal.tell(PERMISSIONS, AppendFailed(id=append.id, detail="disk full"))

    def policy(self) -> Policy:
        self.tell(GetPolicy())
        return self.person.expect_kind(PolicySnapshot).policy

    def verdict(self, permission: str, target: str) -> str:
        asked = asking(permission, target)
        self.tell(EvaluatePermission(id="q", agent=PRIMARY, requests=(asked,)))
        return self.person.expect_kind(PermissionDecision).action


Open = Callable[..., Desk]


@pytest.fixture
def open_desk(system: ActorSystem, tmp_path: Path) -> Open:
    def opened(policy: Policy = DEFAULTS, root: Path = tmp_path) -> Desk:
        return Desk(system, ProjectGrants(tmp_path / "state" / "grants.json", root), policy)

    return opened


# Modes.


def test_a_looser_mode_holds_once_it_is_on_disk(open_desk: Open) -> None:
    desk = open_desk()
    desk.tell(ChangeMode(mode="auto-edit"))
    assert desk.policy().mode == "default"
    assert desk.verdict("write", "a.py") == "ask"
    assert desk.written() == SessionSettings(mode="auto-edit")
    desk.person.expect(ModeChanged(mode="auto-edit", policy_version=2))
    assert desk.verdict("write", "a.py") == "allow"


def test_a_stricter_mode_holds_at_once_and_also_where_the_disk_refuses_it(open_desk: Open) -> None:
    desk = open_desk(Policy(mode="yolo", defaults=BUILT_IN))
    desk.tell(ChangeMode(mode="default"))
    assert desk.verdict("bash", "make") == "ask"
    desk.refused()
    desk.person.expect(ChangeModeFailed(mode="default", detail="disk full", holds=True))
    assert desk.verdict("bash", "make") == "ask"


def test_a_looser_mode_that_could_not_be_kept_does_not_hold(open_desk: Open) -> None:
    desk = open_desk()
    desk.tell(ChangeMode(mode="yolo"))
    desk.refused()
    desk.person.expect(ChangeModeFailed(mode="yolo", detail="disk full"))
    assert desk.policy().mode == "default"


def test_a_looser_mode_that_reaches_the_disk_late_does_not_undo_a_stricter_one(
    open_desk: Open,
) -> None:
    desk = open_desk()
    desk.tell(ChangeMode(mode="yolo"), ChangeMode(mode="default"))
    assert desk.written().mode == "yolo"
    desk.person.expect_kind(ModeChanged)
    assert desk.policy().mode == "default"
    assert desk.verdict("bash", "make") == "ask"
    assert desk.written().mode == "default"
    desk.person.expect_kind(ModeChanged)
    assert desk.policy().mode == "default"


def test_no_mode_on_its_way_to_the_disk_is_looser_than_the_last_that_was_asked_for(
    open_desk: Open,
) -> None:
    desk = open_desk()
    wanted: tuple[SessionMode, ...] = ("yolo", "default", "auto-edit")
    desk.tell(*(ChangeMode(mode=mode) for mode in wanted))
    for mode, holds in zip(wanted, ("auto-edit", "default", "auto-edit"), strict=True):
        assert desk.written().mode == mode
        desk.person.expect_kind(ModeChanged)
        assert desk.policy().mode == holds


def test_each_change_has_what_waits_judged_anew(open_desk: Open) -> None:
    desk = open_desk(Policy(mode="auto-edit", defaults=BUILT_IN, grants=(A,)))
    desk.tell(ChangeMode(mode="default"))
    desk.approvals.expect_kind(PolicyChanged)
    desk.written()
    desk.approvals.expect_kind(PolicyChanged)
    desk.tell(RevokeGrant(rule=A, scope="session"))
    desk.approvals.expect_kind(PolicyChanged)


# Grants and what takes them back.


def test_a_revocation_holds_at_once_and_is_told_once_it_is_on_disk(open_desk: Open) -> None:
    desk = open_desk(Policy(defaults=BUILT_IN, grants=(A, B)))
    desk.tell(RevokeGrant(rule=A, scope="session"))
    assert desk.verdict("write", "a.py") == "ask"
    assert desk.verdict("write", "b.py") == "allow"
    assert desk.written() == SessionSettings(grants=(B,))
    revoked = desk.person.expect_kind(GrantRevoked)
    assert (revoked.rule, revoked.scope) == (A, "session")


def test_a_revocation_that_cannot_be_saved_is_an_error_and_holds_in_this_run(
    open_desk: Open,
) -> None:
    desk = open_desk(Policy(defaults=BUILT_IN, grants=(A,)))
    desk.tell(RevokeGrant(rule=A, scope="session"))
    desk.refused()
    desk.person.expect(RevokeGrantFailed(rule=A, scope="session", detail="disk full"))
    assert desk.verdict("write", "a.py") == "ask"
    desk.tell(StoreGrant(id="r", rules=(B,)))
    assert desk.written() == SessionSettings(grants=(B,))  # whatever is written next says so, too


def test_a_grant_that_was_taken_back_before_it_was_on_disk_never_holds(open_desk: Open) -> None:
    desk = open_desk()
    desk.tell(StoreGrant(id="r", rules=(A,)), RevokeGrant(rule=A, scope="session"))
    assert desk.written() == SessionSettings(grants=(A,))
    desk.person.expect_kind(GrantStored)
    assert desk.verdict("write", "a.py") == "ask"
    assert desk.written() == SessionSettings()


def test_the_second_revocation_of_a_grant_holds_while_the_first_is_answered(
    open_desk: Open,
) -> None:
    desk = open_desk(Policy(defaults=BUILT_IN, grants=(A,)))
    taken = RevokeGrant(rule=A, scope="session")
    desk.tell(taken, StoreGrant(id="r", rules=(A,)), taken)
    desk.written()
    desk.person.expect_kind(GrantRevoked)
    desk.written()
    desk.person.expect_kind(GrantStored)
    assert desk.verdict("write", "a.py") == "ask"
    assert desk.written() == SessionSettings()


@pytest.mark.parametrize("scope", ["session", "project"])
def test_what_no_prompt_offers_is_stored_by_nobody(open_desk: Open, scope: GrantScope) -> None:
    desk = open_desk()
    for wrong in (
        rule("bash", "*"),
        rule("bash", "git *"),
        rule("bash", "rm *"),
        rule("bash", "bash *"),
        rule("write", "*"),
        rule("write", "a.py", "deny"),
        rule("write", "a.py", agent="build"),
        rule("plan_exit", "*"),
        rule("nothing", "a"),
    ):
        desk.tell(StoreGrant(id="r", rules=(B, wrong), scope=scope))
        assert type(desk.person.next()).__name__ == "StoreGrantFailed", wrong
    assert desk.policy().grants == desk.policy().project_grants == ()
    desk.journal.expect_nothing_more()


# The project's store.


def test_a_projects_grant_is_in_its_store_before_it_holds_and_goes_when_it_is_taken_back(
    open_desk: Open, tmp_path: Path
) -> None:
    desk = open_desk()
    desk.tell(StoreGrant(id="r", rules=(A,), scope="project"))
    desk.person.expect(GrantStored(id="r", policy_version=2))
    assert desk.verdict("write", "a.py") == "allow"
    store = ProjectGrants(tmp_path / "state" / "grants.json", tmp_path)
    assert store.read().rules == (A,)
    desk.tell(RevokeGrant(rule=A, scope="project"))
    desk.person.expect_kind(GrantRevoked)
    assert desk.verdict("write", "a.py") == "ask"
    assert store.read().rules == ()
    desk.journal.expect_nothing_more()


def test_what_another_program_took_back_goes_with_the_next_look_at_the_store(
    open_desk: Open, tmp_path: Path
) -> None:
    store = ProjectGrants(tmp_path / "state" / "grants.json", tmp_path)
    store.make(StoreGrant(id="r", rules=(A,), scope="project"))
    desk = open_desk(Policy(defaults=BUILT_IN, project_grants=store.read().rules))
    assert desk.verdict("write", "a.py") == "allow"
    store.make(RevokeGrant(rule=A, scope="project"))
    desk.tell(ReplaceRules(sources=(), trusted=False))
    desk.written()
    desk.person.expect_kind(RulesReplaced)
    desk.approvals.expect_kind(PolicyChanged)  # the rules
    desk.approvals.expect_kind(PolicyChanged)  # the grants
    assert desk.verdict("write", "a.py") == "ask"
