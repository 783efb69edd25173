"""Policy changes in the engine: modes, grants and revocations, in any order."""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from actors.permissions.engine import PermissionEngine
from actors.permissions.project_grants import ProjectGrantStore
from actors.runtime.system import ActorSystem
from actors.sessions.file_system import FileSystem, LocalFileSystem
from actors.tools.tool_list import TOOL_LIST
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
    DEFAULT_POLICY,
    WORKSPACE_PATHS,
    permission_request,
    rule,
)
from tests.probe import Probe, start_probe

pytestmark = pytest.mark.quick

GRANT_A = rule("write", "a.py")
GRANT_B = rule("write", "b.py")


class PolicyUpdateFixture:
    """An engine with a journal that replies when the test does, and a real project grant store."""

    def __init__(self, system: ActorSystem, store: ProjectGrantStore, policy: Policy) -> None:
        self.journal, self.approvals = (
            start_probe(system, "journal"),
            start_probe(system, "approvals"),
        )
        self.user: Probe = start_probe(system, "user")
        system.start(
            partial(PermissionEngine, JOURNAL, policy, WORKSPACE_PATHS, store), "permissions"
        )
        self.user.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=BUILD_PROFILE))

    def tell(self, *messages: Message) -> None:
        for message in messages:
            self.user.tell(PERMISSIONS, message)

    def accept_write(self) -> SessionSettings:
        """Confirm the next record and return it."""
        append = self.journal.expect_kind(Append)
        self.journal.tell(PERMISSIONS, Appended(id=append.id))
        (settings,) = append.records
        assert isinstance(settings, SessionSettings)
        return settings

    def fail_write(self) -> None:
        append = self.journal.expect_kind(Append)
        self.journal.tell(PERMISSIONS, AppendFailed(id=append.id, detail="disk full"))

    def get_policy(self) -> Policy:
        self.tell(GetPolicy())
        return self.user.expect_kind(PolicySnapshot).policy

    def request_action(self, permission: str, target: str) -> str:
        request = permission_request(permission, target)
        self.tell(EvaluatePermission(id="q", agent=PRIMARY, requests=(request,)))
        return self.user.expect_kind(PermissionDecision).action


StartEngine = Callable[..., PolicyUpdateFixture]


@pytest.fixture
def start_engine(system: ActorSystem, tmp_path: Path) -> StartEngine:
    def start(
        policy: Policy = DEFAULT_POLICY, root: Path = tmp_path, files: FileSystem | None = None
    ) -> PolicyUpdateFixture:
        return PolicyUpdateFixture(
            system,
            ProjectGrantStore(tmp_path / "state" / "grants.json", root, TOOL_LIST, files),
            policy,
        )

    return start


# Modes.


def test_a_looser_mode_takes_effect_when_it_is_on_disk(start_engine: StartEngine) -> None:
    engine = start_engine()
    engine.tell(ChangeMode(mode="auto-edit"))
    assert engine.get_policy().mode == "default"
    assert engine.request_action("write", "a.py") == "ask"
    assert engine.accept_write() == SessionSettings(mode="auto-edit")
    engine.user.expect(ModeChanged(mode="auto-edit", policy_version=2))
    assert engine.request_action("write", "a.py") == "allow"


def test_a_stricter_mode_applies_even_if_writing_it_fails(
    start_engine: StartEngine,
) -> None:
    engine = start_engine(replace(DEFAULT_POLICY, mode="yolo"))
    engine.tell(ChangeMode(mode="default"))
    assert engine.request_action("bash", "make") == "ask"
    engine.fail_write()
    engine.user.expect(ChangeModeFailed(mode="default", detail="disk full", in_effect=True))
    assert engine.request_action("bash", "make") == "ask"


def test_a_looser_mode_that_cannot_be_written_has_no_effect(start_engine: StartEngine) -> None:
    engine = start_engine()
    engine.tell(ChangeMode(mode="yolo"))
    engine.fail_write()
    engine.user.expect(ChangeModeFailed(mode="yolo", detail="disk full"))
    assert engine.get_policy().mode == "default"


def test_a_late_looser_mode_does_not_undo_a_stricter_one(
    start_engine: StartEngine,
) -> None:
    engine = start_engine()
    engine.tell(ChangeMode(mode="yolo"), ChangeMode(mode="default"))
    assert engine.accept_write().mode == "yolo"
    engine.user.expect_kind(ModeChanged)
    assert engine.get_policy().mode == "default"
    assert engine.request_action("bash", "make") == "ask"
    assert engine.accept_write().mode == "default"
    engine.user.expect_kind(ModeChanged)
    assert engine.get_policy().mode == "default"


def test_pending_modes_are_never_looser_than_the_last_request(
    start_engine: StartEngine,
) -> None:
    engine = start_engine()
    modes: tuple[SessionMode, ...] = ("yolo", "default", "auto-edit")
    engine.tell(*(ChangeMode(mode=mode) for mode in modes))
    for mode, effective in zip(modes, ("auto-edit", "default", "auto-edit"), strict=True):
        assert engine.accept_write().mode == mode
        engine.user.expect_kind(ModeChanged)
        assert engine.get_policy().mode == effective


def test_each_change_makes_the_broker_reevaluate_parked_calls(start_engine: StartEngine) -> None:
    engine = start_engine(replace(DEFAULT_POLICY, mode="auto-edit", grants=(GRANT_A,)))
    engine.tell(ChangeMode(mode="default"))
    engine.approvals.expect_kind(PolicyChanged)
    engine.accept_write()
    engine.approvals.expect_kind(PolicyChanged)
    engine.tell(RevokeGrant(rule=GRANT_A, scope="session"))
    engine.approvals.expect_kind(PolicyChanged)


# Grants and revocations.


def test_a_revocation_applies_at_once_and_is_confirmed_later(
    start_engine: StartEngine,
) -> None:
    engine = start_engine(replace(DEFAULT_POLICY, grants=(GRANT_A, GRANT_B)))
    engine.tell(RevokeGrant(rule=GRANT_A, scope="session"))
    assert engine.request_action("write", "a.py") == "ask"
    assert engine.request_action("write", "b.py") == "allow"
    assert engine.accept_write() == SessionSettings(grants=(GRANT_B,))
    revoked = engine.user.expect_kind(GrantRevoked)
    assert (revoked.rule, revoked.scope) == (GRANT_A, "session")


def test_a_revocation_that_cannot_be_written_applies_in_this_run(
    start_engine: StartEngine,
) -> None:
    engine = start_engine(replace(DEFAULT_POLICY, grants=(GRANT_A,)))
    engine.tell(RevokeGrant(rule=GRANT_A, scope="session"))
    engine.fail_write()
    engine.user.expect(RevokeGrantFailed(rule=GRANT_A, scope="session", detail="disk full"))
    assert engine.request_action("write", "a.py") == "ask"
    engine.tell(StoreGrant(id="r", rules=(GRANT_B,)))
    assert engine.accept_write() == SessionSettings(
        grants=(GRANT_B,)
    )  # the next record contains the revocation too


def test_a_grant_revoked_before_it_is_on_disk_never_applies(
    start_engine: StartEngine,
) -> None:
    engine = start_engine()
    engine.tell(StoreGrant(id="r", rules=(GRANT_A,)), RevokeGrant(rule=GRANT_A, scope="session"))
    assert engine.accept_write() == SessionSettings(grants=(GRANT_A,))
    engine.user.expect_kind(GrantStored)
    assert engine.request_action("write", "a.py") == "ask"
    assert engine.accept_write() == SessionSettings()


def test_a_second_revocation_applies_before_it_is_written(
    start_engine: StartEngine,
) -> None:
    engine = start_engine(replace(DEFAULT_POLICY, grants=(GRANT_A,)))
    revocation = RevokeGrant(rule=GRANT_A, scope="session")
    engine.tell(revocation, StoreGrant(id="r", rules=(GRANT_A,)), revocation)
    engine.accept_write()
    engine.user.expect_kind(GrantRevoked)
    engine.accept_write()
    engine.user.expect_kind(GrantStored)
    assert engine.request_action("write", "a.py") == "ask"
    assert engine.accept_write() == SessionSettings()


@pytest.mark.parametrize("scope", ["session", "project"])
def test_rules_that_cannot_be_offered_are_not_stored(
    start_engine: StartEngine, scope: GrantScope
) -> None:
    engine = start_engine()
    for invalid in (
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
        engine.tell(StoreGrant(id="r", rules=(GRANT_B, invalid), scope=scope))
        assert type(engine.user.next()).__name__ == "StoreGrantFailed", invalid
    assert engine.get_policy().grants == engine.get_policy().project_grants == ()
    engine.journal.expect_nothing_more()


# Project grants.


class BlockedFileSystem(LocalFileSystem):
    """Replaces no file until `is_released` is set."""

    def __init__(self) -> None:
        self.is_released = threading.Event()

    def rename(self, path: Path, to: Path) -> None:
        assert self.is_released.wait(timeout=10)
        super().rename(path, to)


def test_a_repeated_answer_does_not_store_the_next_update(start_engine: StartEngine) -> None:
    files = BlockedFileSystem()
    engine = start_engine(files=files)
    engine.tell(ChangeMode(mode="auto-edit"), StoreGrant(id="r", rules=(GRANT_A,), scope="project"))
    append = engine.journal.expect_kind(Append)
    for _ in range(2):  # a journal that restarted in between answers twice
        engine.journal.tell(PERMISSIONS, Appended(id=append.id))
    engine.user.expect_kind(ModeChanged)
    assert engine.get_policy().project_grants == ()
    files.is_released.set()
    assert engine.user.expect_kind(GrantStored).id == "r"
    assert engine.get_policy().project_grants == (GRANT_A,)


def test_a_project_grant_is_stored_before_it_takes_effect(
    start_engine: StartEngine, tmp_path: Path
) -> None:
    engine = start_engine()
    engine.tell(StoreGrant(id="r", rules=(GRANT_A,), scope="project"))
    engine.user.expect(GrantStored(id="r", policy_version=2))
    assert engine.request_action("write", "a.py") == "allow"
    store = ProjectGrantStore(tmp_path / "state" / "grants.json", tmp_path, TOOL_LIST)
    assert store.read().rules == (GRANT_A,)
    engine.tell(RevokeGrant(rule=GRANT_A, scope="project"))
    engine.user.expect_kind(GrantRevoked)
    assert engine.request_action("write", "a.py") == "ask"
    assert store.read().rules == ()
    engine.journal.expect_nothing_more()


def test_replacing_rules_reads_project_grants_from_disk_again(
    start_engine: StartEngine, tmp_path: Path
) -> None:
    store = ProjectGrantStore(tmp_path / "state" / "grants.json", tmp_path, TOOL_LIST)
    store.apply_update(StoreGrant(id="r", rules=(GRANT_A,), scope="project"))
    engine = start_engine(replace(DEFAULT_POLICY, project_grants=store.read().rules))
    assert engine.request_action("write", "a.py") == "allow"
    store.apply_update(RevokeGrant(rule=GRANT_A, scope="project"))
    engine.tell(ReplaceRules(sources=(), trusted=False))
    engine.accept_write()
    engine.user.expect_kind(RulesReplaced)
    engine.approvals.expect_kind(PolicyChanged)  # the rules
    engine.approvals.expect_kind(PolicyChanged)  # the grants
    assert engine.request_action("write", "a.py") == "ask"
