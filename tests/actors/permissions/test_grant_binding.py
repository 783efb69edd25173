"""A grant for a command that names a script applies until the script changes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from actors.paths.resolve import WorkspacePaths
from actors.permissions.grants import with_grants
from actors.permissions.project_grants import ProjectGrantStore
from actors.tools.tool_list import TOOL_LIST
from messages.permissions import StoreGrant
from messages.policy import Policy, Rule
from tests.actors.permissions.decision_helpers import DEFAULT_POLICY, decide_requests

pytestmark = pytest.mark.quick


@pytest.fixture
def paths(tmp_path: Path) -> WorkspacePaths:
    for name in ("run.sh", "other.sh"):
        (tmp_path / name).write_text("echo good\n")
    return WorkspacePaths(root=str(tmp_path), cwd=str(tmp_path))


def offer_grants(paths: WorkspacePaths, command: str, policy: Policy) -> tuple[Rule, ...]:
    return decide_requests(("bash", command), policy=policy, workspace_paths=paths).decision.grants


def decide(paths: WorkspacePaths, command: str, policy: Policy) -> str:
    return decide_requests(("bash", command), policy=policy, workspace_paths=paths).decision.action


@pytest.mark.parametrize(
    "command",
    [
        "bash run.sh",
        "./run.sh",
        "bash < run.sh",
        "cat run.sh | sh",
        "S=run.sh; bash $S",
        "make x && bash run.sh",
    ],
)
def test_a_grant_ends_when_the_script_changes(
    paths: WorkspacePaths, tmp_path: Path, command: str
) -> None:
    granted = with_grants(DEFAULT_POLICY, offer_grants(paths, command, DEFAULT_POLICY))
    assert decide(paths, command, granted) == "allow"
    (tmp_path / "run.sh").write_text("echo bad\n")
    assert decide(paths, command, granted) == "ask"
    again = with_grants(granted, offer_grants(paths, command, granted))
    assert decide(paths, command, again) == "allow"
    assert len(again.grants) == len(granted.grants)


def test_a_grant_is_bound_only_to_files_of_its_own_part(
    paths: WorkspacePaths, tmp_path: Path
) -> None:
    offered = offer_grants(paths, "make x; frobnicate y; bash run.sh", DEFAULT_POLICY)
    granted = with_grants(DEFAULT_POLICY, offered)
    (tmp_path / "run.sh").write_text("echo bad\n")
    assert decide(paths, "make x; frobnicate y", granted) == "allow"


def test_a_missing_script_that_appears_ends_the_grant(
    paths: WorkspacePaths, tmp_path: Path
) -> None:
    offered = offer_grants(paths, "bash new.sh", DEFAULT_POLICY)
    granted = with_grants(DEFAULT_POLICY, offered)
    assert decide(paths, "bash new.sh", granted) == "allow"
    (tmp_path / "new.sh").write_text("echo bad\n")
    assert decide(paths, "bash new.sh", granted) == "ask"


def test_a_project_grant_stays_bound_to_the_script(paths: WorkspacePaths, tmp_path: Path) -> None:
    store = ProjectGrantStore(tmp_path / "state" / "grants.json", tmp_path, TOOL_LIST)
    rules = offer_grants(paths, "bash run.sh", DEFAULT_POLICY)
    store.apply_update(StoreGrant(id="g", rules=rules, scope="project"))
    granted = replace(DEFAULT_POLICY, project_grants=store.read().rules)
    assert decide(paths, "bash run.sh", granted) == "allow"
    (entry,) = json.loads(store.path.read_text())["roots"][str(tmp_path)]
    assert entry.keys() == {"permission", "pattern", "executed_digest"}
    (tmp_path / "run.sh").write_text("echo bad\n")
    assert decide(paths, "bash run.sh", granted) == "ask"


def test_a_command_with_a_nul_character_asks(paths: WorkspacePaths) -> None:
    assert decide(paths, "which a\0b", DEFAULT_POLICY) == "ask"
