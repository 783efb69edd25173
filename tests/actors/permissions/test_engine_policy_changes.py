"""What a person decided, in the engine: modes, revocations, the project's grants, in any order."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from actors.permissions.default_rules import DEFAULT_RULES
from actors.permissions.engine import PermissionEngine
from actors.permissions.project_grants import ProjectGrantStore
from actors.runtime.system import ActorSystem
from messages.address import JOURNAL, PERMISSIONS, PRIMARY
from messages.base import Message
from messages.journal import Append, Appended, AppendFailed
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
from messages.policy import GrantScope, Policy, SessionMode
from tests.actors.permissions.decision_helpers import (
    BUILD_PROFILE,
    WORKSPACE_PATHS,
    permission_request,
    rule,
)
from tests.probe import Probe, start_probe

pytestmark = pytest.mark.quick

DEFAULTS = Policy(defaults=DEFAULT_RULES)
GRANT_A = rule("write", "a.py")
GRANT_B = rule("write", "b.py")


class PolicyUpdateFixture:
    """An engine whose journal answers when the test says so; the project's store is a real one."""

    def __init__(self, system: ActorSystem, store: ProjectGrantStore, policy: Policy) -> None:
        self.journal, self.approvals = (
            start_probe(system, "journal"),
            start_probe(system, "approvals"),
        )
        self.user: Probe = start_probe(system, "person")
        system.start(
            partial(PermissionEngine, JOURNAL, policy, WORKSPACE_PATHS, store), "permissions"
        )
        self.user.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=BUILD_PROFILE))

    def tell(self, *messages: Message) -> None:
        for message in messages:
            self.user.tell(PERMISSIONS, message)

    def accept_write(self) -> SessionSettings:
        """Let the disk take the next record."""
        append = self.journal.expect_kind(Append)
        self.journal.tell(PERMISSIONS, Appended(id=append.id))
        (config,) = append.records
        assert isinstance(config, SessionSettings)
        return config

    def fail_write(self) -> None:
        append = self.journal.expect_kind(Append)
        self.journal.tell(PERMISSIONS, AppendFailed(id=append.id, detail="disk full"))

    def get_policy(self) -> Policy:
        self.tell(GetPolicy())
        return self.user.expect_kind(PolicySnapshot).policy

    def request_action(self, permission: str, target: str) -> str:
        asked = permission_request(permission, target)
        self.tell(EvaluatePermission(id="q", agent=PRIMARY, requests=(asked,)))
        return self.user.expect_kind(PermissionDecision).action


StartEngine = Callable[..., PolicyUpdateFixture]


@pytest.fixture
def start_engine(system: ActorSystem, tmp_path: Path) -> StartEngine:
    def opened(policy: Policy = DEFAULTS, root: Path = tmp_path) -> PolicyUpdateFixture:
        return PolicyUpdateFixture(
            system, ProjectGrantStore(tmp_path / "state" / "grants.json", root), policy
        )

    return opened


# Modes.


def test_a_looser_mode_holds_once_it_is_on_disk(start_engine: StartEngine) -> None:
    desk = start_engine()
    desk.tell(ChangeMode(mode="auto-edit"))
    assert desk.get_policy().mode == "default"
    assert desk.request_action("write", "a.py") == "ask"
    assert desk.accept_write() == SessionSettings(mode="auto-edit")
    desk.user.expect(ModeChanged(mode="auto-edit", policy_version=2))
    assert desk.request_action("write", "a.py") == "allow"


def test_a_stricter_mode_holds_at_once_and_also_where_the_disk_refuses_it(
    start_engine: StartEngine,
) -> None:
    desk = start_engine(Policy(mode="yolo", defaults=DEFAULT_RULES))
    desk.tell(ChangeMode(mode="default"))
    assert desk.request_action("bash", "make") == "ask"
    desk.fail_write()
    desk.user.expect(ChangeModeFailed(mode="default", detail="disk full", in_effect=True))
    assert desk.request_action("bash", "make") == "ask"


def test_a_looser_mode_that_could_not_be_kept_does_not_hold(start_engine: StartEngine) -> None:
    desk = start_engine()
    desk.tell(ChangeMode(mode="yolo"))
    desk.fail_write()
    desk.user.expect(ChangeModeFailed(mode="yolo", detail="disk full"))
    assert desk.get_policy().mode == "default"


def test_a_looser_mode_that_reaches_the_disk_late_does_not_undo_a_stricter_one(
    start_engine: StartEngine,
) -> None:
    desk = start_engine()
    desk.tell(ChangeMode(mode="yolo"), ChangeMode(mode="default"))
    assert desk.accept_write().mode == "yolo"
    desk.user.expect_kind(ModeChanged)
    assert desk.get_policy().mode == "default"
    assert desk.request_action("bash", "make") == "ask"
    assert desk.accept_write().mode == "default"
    desk.user.expect_kind(ModeChanged)
    assert desk.get_policy().mode == "default"


def test_no_mode_on_its_way_to_the_disk_is_looser_than_the_last_that_was_asked_for(
    start_engine: StartEngine,
) -> None:
    desk = start_engine()
    wanted: tuple[SessionMode, ...] = ("yolo", "default", "auto-edit")
    desk.tell(*(ChangeMode(mode=mode) for mode in wanted))
    for mode, holds in zip(wanted, ("auto-edit", "default", "auto-edit"), strict=True):
        assert desk.accept_write().mode == mode
        desk.user.expect_kind(ModeChanged)
        assert desk.get_policy().mode == holds


def test_each_change_has_what_waits_judged_anew(start_engine: StartEngine) -> None:
    desk = start_engine(Policy(mode="auto-edit", defaults=DEFAULT_RULES, grants=(GRANT_A,)))
    desk.tell(ChangeMode(mode="default"))
    desk.approvals.expect_kind(PolicyChanged)
    desk.accept_write()
    desk.approvals.expect_kind(PolicyChanged)
    desk.tell(RevokeGrant(rule=GRANT_A, scope="session"))
    desk.approvals.expect_kind(PolicyChanged)


# Grants and what takes them back.


def test_a_revocation_holds_at_once_and_is_told_once_it_is_on_disk(
    start_engine: StartEngine,
) -> None:
    desk = start_engine(Policy(defaults=DEFAULT_RULES, grants=(GRANT_A, GRANT_B)))
    desk.tell(RevokeGrant(rule=GRANT_A, scope="session"))
    assert desk.request_action("write", "a.py") == "ask"
    assert desk.request_action("write", "b.py") == "allow"
    assert desk.accept_write() == SessionSettings(grants=(GRANT_B,))
    revoked = desk.user.expect_kind(GrantRevoked)
    assert (revoked.rule, revoked.scope) == (GRANT_A, "session")


def test_a_revocation_that_cannot_be_saved_is_an_error_and_holds_in_this_run(
    start_engine: StartEngine,
) -> None:
    desk = start_engine(Policy(defaults=DEFAULT_RULES, grants=(GRANT_A,)))
    desk.tell(RevokeGrant(rule=GRANT_A, scope="session"))
    desk.fail_write()
    desk.user.expect(RevokeGrantFailed(rule=GRANT_A, scope="session", detail="disk full"))
    assert desk.request_action("write", "a.py") == "ask"
    desk.tell(StoreGrant(id="r", rules=(GRANT_B,)))
    assert desk.accept_write() == SessionSettings(
        grants=(GRANT_B,)
    )  # whatever is written next says so, too


def test_a_grant_that_was_taken_back_before_it_was_on_disk_never_holds(
    start_engine: StartEngine,
) -> None:
    desk = start_engine()
    desk.tell(StoreGrant(id="r", rules=(GRANT_A,)), RevokeGrant(rule=GRANT_A, scope="session"))
    assert desk.accept_write() == SessionSettings(grants=(GRANT_A,))
    desk.user.expect_kind(GrantStored)
    assert desk.request_action("write", "a.py") == "ask"
    assert desk.accept_write() == SessionSettings()


def test_the_second_revocation_of_a_grant_holds_while_the_first_is_answered(
    start_engine: StartEngine,
) -> None:
    desk = start_engine(Policy(defaults=DEFAULT_RULES, grants=(GRANT_A,)))
    taken = RevokeGrant(rule=GRANT_A, scope="session")
    desk.tell(taken, StoreGrant(id="r", rules=(GRANT_A,)), taken)
    desk.accept_write()
    desk.user.expect_kind(GrantRevoked)
    desk.accept_write()
    desk.user.expect_kind(GrantStored)
    assert desk.request_action("write", "a.py") == "ask"
    assert desk.accept_write() == SessionSettings()


@pytest.mark.parametrize("scope", ["session", "project"])
def test_what_no_prompt_offers_is_stored_by_nobody(
    start_engine: StartEngine, scope: GrantScope
) -> None:
    desk = start_engine()
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
        desk.tell(StoreGrant(id="r", rules=(GRANT_B, wrong), scope=scope))
        assert type(desk.user.next()).__name__ == "StoreGrantFailed", wrong
    assert desk.get_policy().grants == desk.get_policy().project_grants == ()
    desk.journal.expect_nothing_more()


# The project's store.


def test_a_projects_grant_is_in_its_store_before_it_holds_and_goes_when_it_is_taken_back(
    start_engine: StartEngine, tmp_path: Path
) -> None:
    desk = start_engine()
    desk.tell(StoreGrant(id="r", rules=(GRANT_A,), scope="project"))
    desk.user.expect(GrantStored(id="r", policy_version=2))
    assert desk.request_action("write", "a.py") == "allow"
    store = ProjectGrantStore(tmp_path / "state" / "grants.json", tmp_path)
    assert store.read().rules == (GRANT_A,)
    desk.tell(RevokeGrant(rule=GRANT_A, scope="project"))
    desk.user.expect_kind(GrantRevoked)
    assert desk.request_action("write", "a.py") == "ask"
    assert store.read().rules == ()
    desk.journal.expect_nothing_more()


def test_what_another_program_took_back_goes_with_the_next_look_at_the_store(
    start_engine: StartEngine, tmp_path: Path
) -> None:
    store = ProjectGrantStore(tmp_path / "state" / "grants.json", tmp_path)
    store.apply_update(StoreGrant(id="r", rules=(GRANT_A,), scope="project"))
    desk = start_engine(Policy(defaults=DEFAULT_RULES, project_grants=store.read().rules))
    assert desk.request_action("write", "a.py") == "allow"
    store.apply_update(RevokeGrant(rule=GRANT_A, scope="project"))
    desk.tell(ReplaceRules(sources=(), trusted=False))
    desk.accept_write()
    desk.user.expect_kind(RulesReplaced)
    desk.approvals.expect_kind(PolicyChanged)  # the rules
    desk.approvals.expect_kind(PolicyChanged)  # the grants
    assert desk.request_action("write", "a.py") == "ask"
