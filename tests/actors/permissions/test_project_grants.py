"""The store of what is granted for a project: what of a file counts, and who may change it."""

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
    return ProjectGrantStore(tmp_path / "state" / "grants.json", tmp_path / "work")


def write_store(store: ProjectGrantStore, content: object) -> None:
    store.path.parent.mkdir(mode=0o700, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    store.path.write_text(text)
    store.path.chmod(0o600)


def grant_entry(permission: str, pattern: str, **more: object) -> dict[str, object]:
    return {"permission": permission, "pattern": pattern, **more}


def test_what_is_granted_is_there_for_the_next_program_and_gone_when_it_is_taken_back(
    store: ProjectGrantStore,
) -> None:
    assert store.read() == StoredGrants()
    assert store.apply_update(store_grant(GRANT_A, GRANT_B)) == ProjectGrantsLoaded(
        rules=(GRANT_A, GRANT_B)
    )
    assert ProjectGrantStore(store.path, store.root).read() == StoredGrants((GRANT_A, GRANT_B))
    taken = RevokeGrant(rule=GRANT_A, scope="project")
    assert store.apply_update(taken) == ProjectGrantsLoaded(rules=(GRANT_B,))
    assert store.read() == StoredGrants((GRANT_B,))
    assert store.path.stat().st_mode & 0o777 == 0o600


def test_what_was_granted_for_another_root_counts_for_that_one_alone(
    store: ProjectGrantStore,
) -> None:
    other = ProjectGrantStore(store.path, store.root.parent / "moved")
    store.apply_update(store_grant(GRANT_A))
    assert other.read() == StoredGrants()
    other.apply_update(store_grant(GRANT_B))
    assert (store.read().rules, other.read().rules) == ((GRANT_A,), (GRANT_B,))


@pytest.mark.parametrize(
    "wrong",
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
def test_what_no_prompt_could_have_offered_does_not_count_and_is_told(
    store: ProjectGrantStore, wrong: object
) -> None:
    write_store(
        store, {"format": 1, "roots": {str(store.root): [wrong, grant_entry("bash", "npm test")]}}
    )
    granted = store.read()
    assert granted.rules == (GRANT_A,)
    assert granted.problem == f"{store.path}: entries that cannot be granted are ignored"


@pytest.mark.parametrize("content", [{"format": 1, "roots": []}, {"format": 1, "roots": {"R": {}}}])
def test_a_store_of_another_shape_grants_nothing_and_is_told(
    store: ProjectGrantStore, content: object
) -> None:
    write_store(store, json.dumps(content).replace('"R"', json.dumps(str(store.root))))
    granted = store.read()
    assert granted.rules == ()
    assert "entries that cannot be granted" in granted.problem


@pytest.mark.parametrize("content", ["", "\0" * 40, "[]", '{"roots": {}}', "{" * 100_000])
def test_a_damaged_store_counts_as_empty_and_is_kept_aside(
    store: ProjectGrantStore, content: str
) -> None:
    write_store(store, content)
    assert store.read().rules == ()
    assert "damaged" in store.read().problem
    store.apply_update(store_grant(GRANT_A))
    assert store.read() == StoredGrants((GRANT_A,))
    (aside,) = store.path.parent.glob("grants.json.damaged-*")
    assert aside.read_text() == content


def test_a_newer_store_grants_nothing_and_is_not_changed(store: ProjectGrantStore) -> None:
    newer = {"format": 2, "roots": {str(store.root): [grant_entry("bash", "npm test")]}}
    write_store(store, newer)
    assert store.read().rules == ()
    failed = store.apply_update(store_grant(GRANT_B))
    assert isinstance(failed, ProjectGrantsUpdateFailed)
    assert "written in format 2" in failed.detail
    assert json.loads(store.path.read_text()) == newer


def test_what_others_may_write_to_or_have_put_there_grants_nothing(
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


def test_of_grants_that_come_from_many_at_once_none_is_lost(store: ProjectGrantStore) -> None:
    rules = [rule("bash", f"tool {number}") for number in range(24)]

    def grant(own: list[Rule]) -> None:
        for each in own:
            ProjectGrantStore(store.path, store.root).apply_update(store_grant(each))

    threads = [Thread(target=grant, args=(rules[at::4],)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(each.pattern for each in store.read().rules) == sorted(
        each.pattern for each in rules
    )
