"""The store of project grants: which entries are valid, and who may change the file."""

import json
import os
from pathlib import Path
from threading import Thread

import pytest

from actors.permissions.project_grants import (
    ProjectGrantsLoaded,
    ProjectGrantStore,
    ProjectGrantsUpdateFailed,
    StoredGrants,
)
from actors.tools.tool_list import TOOL_LIST
from messages.permissions import RevokeGrant, StoreGrant
from messages.policy import Rule
from tests.actors.permissions.decision_helpers import rule

pytestmark = pytest.mark.quick

GRANT_A = rule("bash", "npm test")
GRANT_B = rule("bash", "pytest *")


def store_grant(*rules: Rule) -> StoreGrant:
    return StoreGrant(id="r", rules=rules, scope="project")


@pytest.fixture
def store(tmp_path: Path) -> ProjectGrantStore:
    return ProjectGrantStore(tmp_path / "state" / "grants.json", tmp_path / "work", TOOL_LIST)


def write_store(store: ProjectGrantStore, content: object) -> None:
    store.path.parent.mkdir(mode=0o700, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    store.path.write_text(text)
    store.path.chmod(0o600)


def grant_entry(permission: str, pattern: str, **extra: object) -> dict[str, object]:
    return {"permission": permission, "pattern": pattern, **extra}


def test_stored_grants_persist_until_they_are_revoked(
    store: ProjectGrantStore,
) -> None:
    assert store.read() == StoredGrants()
    assert store.apply_update(store_grant(GRANT_A, GRANT_B)) == ProjectGrantsLoaded(
        rules=(GRANT_A, GRANT_B)
    )
    assert ProjectGrantStore(store.path, store.root, TOOL_LIST).read() == StoredGrants(
        (GRANT_A, GRANT_B)
    )
    revocation = RevokeGrant(rule=GRANT_A, scope="project")
    assert store.apply_update(revocation) == ProjectGrantsLoaded(rules=(GRANT_B,))
    assert store.read() == StoredGrants((GRANT_B,))
    assert store.path.stat().st_mode & 0o777 == 0o600


def test_grants_apply_only_to_their_own_root(
    store: ProjectGrantStore,
) -> None:
    other = ProjectGrantStore(store.path, store.root.parent / "moved", TOOL_LIST)
    store.apply_update(store_grant(GRANT_A))
    assert other.read() == StoredGrants()
    other.apply_update(store_grant(GRANT_B))
    assert (store.read().rules, other.read().rules) == ((GRANT_A,), (GRANT_B,))


@pytest.mark.parametrize(
    "entry",
    [
        grant_entry("bash", "*"),
        grant_entry("bash", "git *"),
        grant_entry("bash", "bash *"),
        grant_entry("bash", "npm*"),
        grant_entry("write", "src/*"),
        grant_entry("write", ""),
        grant_entry("plan_exit", "*"),
        grant_entry("nothing", "x"),
        grant_entry("bash", "rm x", action="allow"),
        grant_entry("bash", "rm x", agent=None),
        {"permission": "bash"},
        {"permission": "bash", "pattern": ["npm test"]},
        ["bash", "rm x"],
        "bash rm x",
        7,
        None,
    ],
)
def test_an_entry_that_cannot_be_granted_is_ignored(
    store: ProjectGrantStore, entry: object
) -> None:
    write_store(
        store, {"format": 1, "roots": {str(store.root): [entry, grant_entry("bash", "npm test")]}}
    )
    stored = store.read()
    assert stored.rules == (GRANT_A,)
    assert stored.problem == f"{store.path}: entries that cannot be granted are ignored"


@pytest.mark.parametrize("content", [{"format": 1, "roots": []}, {"format": 1, "roots": {"R": {}}}])
def test_a_store_with_another_structure_grants_nothing(
    store: ProjectGrantStore, content: object
) -> None:
    write_store(store, json.dumps(content).replace('"R"', json.dumps(str(store.root))))
    stored = store.read()
    assert stored.rules == ()
    assert "entries that cannot be granted" in stored.problem


@pytest.mark.parametrize("content", ["", "\0" * 40, "[]", '{"roots": {}}', "{" * 100_000])
def test_a_damaged_store_is_empty_and_quarantined(store: ProjectGrantStore, content: str) -> None:
    write_store(store, content)
    assert store.read().rules == ()
    assert "damaged" in store.read().problem
    store.apply_update(store_grant(GRANT_A))
    assert store.read() == StoredGrants((GRANT_A,))
    (damaged_file,) = store.path.parent.glob("grants.json.damaged-*")
    assert damaged_file.read_text() == content


def test_a_store_in_a_newer_format_is_not_changed(store: ProjectGrantStore) -> None:
    newer = {"format": 2, "roots": {str(store.root): [grant_entry("bash", "npm test")]}}
    write_store(store, newer)
    assert store.read().rules == ()
    failed = store.apply_update(store_grant(GRANT_B))
    assert isinstance(failed, ProjectGrantsUpdateFailed)
    assert "written in format 2" in failed.detail
    assert json.loads(store.path.read_text()) == newer


def test_a_store_that_others_could_write_grants_nothing(
    store: ProjectGrantStore,
) -> None:
    content = {"format": 1, "roots": {str(store.root): [grant_entry("bash", "npm test")]}}
    write_store(store, content)
    store.path.chmod(0o666)
    assert store.read().rules == ()
    assert isinstance(store.apply_update(store_grant(GRANT_B)), ProjectGrantsUpdateFailed)
    store.path.chmod(0o600)
    assert store.read().rules == (GRANT_A,)
    elsewhere = store.path.with_name("elsewhere.json")
    store.path.rename(elsewhere)
    store.path.symlink_to(elsewhere)
    assert store.read().rules == ()
    store.path.unlink()
    os.mkfifo(store.path)
    assert store.read().rules == ()


def test_concurrent_grants_from_several_processes_are_all_stored(store: ProjectGrantStore) -> None:
    rules = [rule("bash", f"tool {number}") for number in range(24)]

    def store_all(own_rules: list[Rule]) -> None:
        for own_rule in own_rules:
            ProjectGrantStore(store.path, store.root, TOOL_LIST).apply_update(store_grant(own_rule))

    threads = [Thread(target=store_all, args=(rules[at::4],)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {*store.read().rules} == {*rules}
