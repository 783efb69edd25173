"""A project has no effect before its folder is trusted, and the decision is stored."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from actors.paths.workspace import Workspace
from shell.config.config_file import ConfigFileError
from shell.config.config_files import read_project_config
from shell.config.project_trust import TrustCheck, TrustStatus, check_trust
from shell.config.trust_store import (
    TrustDecisions,
    find_project_files,
    format_trust_question,
    read_trust_store,
    save_trust,
)

pytestmark = pytest.mark.quick


@dataclass
class TrustPromptStub:
    """Answers the question and records it."""

    answer: bool | None
    questions: list[str] = field(default_factory=list[str])

    def __call__(self, question: str) -> bool | None:
        self.questions.append(question)
        return self.answer


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "work"
    (root / ".greenroom").mkdir(parents=True)
    return Workspace(root=root, cwd=root)


@pytest.fixture
def trust_check(tmp_path: Path) -> TrustCheck:
    return TrustCheck(tmp_path / "state" / "trust.json", user_owned_files=())


def write_hostile_config(workspace: Workspace) -> Path:
    config = workspace.root / ".greenroom" / "config.toml"
    config.write_text("model = 'theirs'\n")
    return config


def test_a_folder_without_project_files_needs_no_decision(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    prompt = TrustPromptStub(answer=True)

    assert check_trust(workspace, replace(trust_check, ask_user=prompt)) == TrustStatus(
        trusted=False
    )
    assert prompt.questions == []
    assert not trust_check.store.exists()


@pytest.mark.parametrize("answer", [True, False])
def test_the_decision_is_stored_and_not_asked_again(
    workspace: Workspace, trust_check: TrustCheck, *, answer: bool
) -> None:
    write_hostile_config(workspace)
    prompt = TrustPromptStub(answer)

    assert check_trust(workspace, replace(trust_check, ask_user=prompt)).trusted is answer
    assert check_trust(workspace, replace(trust_check, ask_user=prompt)).trusted is answer
    assert check_trust(workspace, trust_check).trusted is answer

    assert len(prompt.questions) == 1
    assert trust_check.store.stat().st_mode & 0o077 == 0


def test_without_an_answer_the_user_is_asked_again(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    write_hostile_config(workspace)
    prompt = TrustPromptStub(answer=None)

    for _ in range(2):
        status = check_trust(workspace, replace(trust_check, ask_user=prompt))
        assert not status.trusted
        assert status.notices[0].startswith(
            f"{workspace.root} is not trusted, so .greenroom/config"
        )
    assert len(prompt.questions) == 2


def test_trust_applies_to_one_real_folder_only(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    write_hostile_config(workspace)
    assert check_trust(workspace, replace(trust_check, trust_given=True)).trusted
    child = workspace.root / "child"
    child.mkdir()
    sibling = workspace.root.parent / "work2"
    sibling.mkdir()
    for root in (child, sibling, workspace.root.parent):
        assert not check_trust(Workspace(root=root, cwd=root), trust_check).trusted
    assert check_trust(workspace, trust_check).trusted


def test_the_trust_option_overrides_an_earlier_no(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    save_trust(trust_check.store, workspace.root, trusted=False)
    assert check_trust(workspace, replace(trust_check, trust_given=True)) == TrustStatus(
        trusted=True
    )
    assert check_trust(workspace, trust_check).trusted


def test_decisions_about_other_folders_are_kept(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    save_trust(trust_check.store, Path("/other"), trusted=True)
    save_trust(trust_check.store, workspace.root, trusted=False)
    assert read_trust_store(trust_check.store).folders == {
        "/other": True,
        str(workspace.root): False,
    }


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_a_damaged_store_is_quarantined_and_reported(
    workspace: Workspace, trust_check: TrustCheck, content: bytes
) -> None:
    write_hostile_config(workspace)
    trust_check.store.parent.mkdir()
    trust_check.store.write_bytes(content)
    trust_check.store.chmod(0o600)

    status = check_trust(workspace, trust_check)

    assert not status.trusted
    assert status.notices[0].startswith(f"{trust_check.store}: ")
    assert save_trust(trust_check.store, workspace.root, trusted=True) == ""
    assert read_trust_store(trust_check.store) == TrustDecisions(
        folders={str(workspace.root): True}
    )
    quarantined = [path for path in trust_check.store.parent.iterdir() if "damaged" in path.name]
    assert [path.read_bytes() for path in quarantined] == [content]


@pytest.mark.parametrize("folders", ['{"/x":"yes","/y":true}', "[]", '"/x"', "null"])
def test_an_invalid_entry_trusts_nothing_and_is_reported(
    trust_check: TrustCheck, folders: str
) -> None:
    trust_check.store.parent.mkdir()
    trust_check.store.write_text(f'{{"format":1,"folders":{folders}}}')
    trust_check.store.chmod(0o600)

    decisions = read_trust_store(trust_check.store)

    assert "/x" not in decisions.folders
    assert "some entries are invalid" in decisions.problem


def test_a_store_with_a_newer_format_is_not_changed(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    trust_check.store.parent.mkdir()
    trust_check.store.write_text('{"format":2,"folders":{"/x":true}}')
    trust_check.store.chmod(0o600)

    assert read_trust_store(trust_check.store).folders == {}
    assert "format 2" in save_trust(trust_check.store, workspace.root, trusted=True)
    assert trust_check.store.read_text() == '{"format":2,"folders":{"/x":true}}'


def test_a_decision_that_cannot_be_saved_applies_to_this_run(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    trust_check.store.parent.write_text("not a folder")
    status = check_trust(workspace, replace(trust_check, trust_given=True))
    assert status.trusted
    assert "could not be saved" in status.notices[0]


def test_the_trust_question_names_every_file(workspace: Workspace) -> None:
    write_hostile_config(workspace)
    (workspace.root / ".claude" / "agents").mkdir(parents=True)
    folder = workspace.root / "a\x1b[2J\nb"
    folder.mkdir()
    (folder / "AGENTS.md").touch()
    (workspace.root / "AGENTS.md").symlink_to("/nowhere")

    files = find_project_files(Workspace(root=workspace.root, cwd=folder), ())
    question = format_trust_question(workspace.root, files)

    for name in (".greenroom/config.toml", ".claude/agents", "AGENTS.md", "a^[[2J^Jb/AGENTS.md"):
        assert f"\n  {name}\n" in question
    assert "\x1b" not in question
    assert question.endswith("Trust this folder? [y/N] ")


def test_the_users_own_configuration_is_never_a_projects(workspace: Workspace) -> None:
    config = write_hostile_config(workspace)
    assert find_project_files(workspace, (config,)) == ()
    assert read_project_config(workspace, (config,)) is None


def test_a_project_configuration_outside_the_workspace_is_an_error(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere.toml").write_text("model = 'x'")
    (workspace.root / ".greenroom" / "config.toml").symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(ConfigFileError, match="outside the workspace"):
        read_project_config(workspace, ())
