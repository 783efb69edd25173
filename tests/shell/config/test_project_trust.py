"""Nothing of a project counts before its folder is trusted, and the answer is kept."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from actors.paths.workspace import Workspace
from shell.config.config_file import ConfigFileError
from shell.config.project_trust import TrustCheck, TrustStatus, check_trust, read_project_config
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
    """Answers the question, and remembers it."""

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


def test_without_project_files_nobody_is_asked_and_nothing_is_trusted(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    person = TrustPromptStub(answer=True)

    assert check_trust(workspace, replace(trust_check, ask_user=person)) == TrustStatus(
        trusted=False
    )
    assert person.questions == []
    assert not trust_check.store.exists()


@pytest.mark.parametrize("answer", [True, False])
def test_the_answer_is_kept_and_not_asked_for_again(
    workspace: Workspace, trust_check: TrustCheck, *, answer: bool
) -> None:
    write_hostile_config(workspace)
    person = TrustPromptStub(answer)

    assert check_trust(workspace, replace(trust_check, ask_user=person)).trusted is answer
    assert check_trust(workspace, replace(trust_check, ask_user=person)).trusted is answer
    assert check_trust(workspace, trust_check).trusted is answer

    assert len(person.questions) == 1
    assert trust_check.store.stat().st_mode & 0o077 == 0


def test_no_answer_is_a_no_for_this_time_only(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    write_hostile_config(workspace)
    person = TrustPromptStub(answer=None)

    for _ in range(2):
        stands = check_trust(workspace, replace(trust_check, ask_user=person))
        assert not stands.trusted
        assert stands.notices[0].startswith(
            f"{workspace.root} is not trusted, so .greenroom/config"
        )
    assert len(person.questions) == 2


def test_trust_is_for_one_real_folder_and_none_below_or_beside(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    write_hostile_config(workspace)
    assert check_trust(workspace, replace(trust_check, trust_given=True)).trusted
    below = workspace.root / "below"
    below.mkdir()
    beside = workspace.root.parent / "work2"
    beside.mkdir()
    for root in (below, beside, workspace.root.parent):
        assert not check_trust(Workspace(root=root, cwd=root), trust_check).trusted
    assert check_trust(workspace, trust_check).trusted


def test_trust_given_on_the_command_line_lifts_an_earlier_no(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    save_trust(trust_check.store, workspace.root, trusted=False)
    assert check_trust(workspace, replace(trust_check, trust_given=True)) == TrustStatus(
        trusted=True
    )
    assert check_trust(workspace, trust_check).trusted


def test_another_folders_answer_stays(workspace: Workspace, trust_check: TrustCheck) -> None:
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
def test_a_damaged_store_is_empty_kept_aside_and_told(
    workspace: Workspace, trust_check: TrustCheck, content: bytes
) -> None:
    write_hostile_config(workspace)
    trust_check.store.parent.mkdir()
    trust_check.store.write_bytes(content)
    trust_check.store.chmod(0o600)

    stands = check_trust(workspace, trust_check)

    assert not stands.trusted
    assert stands.notices[0].startswith(f"{trust_check.store}: ")
    assert save_trust(trust_check.store, workspace.root, trusted=True) == ""
    assert read_trust_store(trust_check.store) == TrustDecisions(
        folders={str(workspace.root): True}
    )
    asides = [path for path in trust_check.store.parent.iterdir() if "damaged" in path.name]
    assert [path.read_bytes() for path in asides] == [content]


@pytest.mark.parametrize("folders", ['{"/x":"yes","/y":true}', "[]", '"/x"', "null"])
def test_what_is_no_answer_trusts_nothing_and_is_told(
    trust_check: TrustCheck, folders: str
) -> None:
    trust_check.store.parent.mkdir()
    trust_check.store.write_text(f'{{"format":1,"folders":{folders}}}')
    trust_check.store.chmod(0o600)

    trusts = read_trust_store(trust_check.store)

    assert "/x" not in trusts.folders
    assert "not all of it are answers" in trusts.problem


def test_a_store_of_a_newer_version_trusts_nothing_and_stays_as_it_is(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    trust_check.store.parent.mkdir()
    trust_check.store.write_text('{"format":2,"folders":{"/x":true}}')
    trust_check.store.chmod(0o600)

    assert read_trust_store(trust_check.store).folders == {}
    assert "format 2" in save_trust(trust_check.store, workspace.root, trusted=True)
    assert trust_check.store.read_text() == '{"format":2,"folders":{"/x":true}}'


def test_an_answer_that_cannot_be_kept_holds_for_this_run(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    trust_check.store.parent.write_text("no folder")
    stands = check_trust(workspace, replace(trust_check, trust_given=True))
    assert stands.trusted
    assert "could not be kept" in stands.notices[0]


def test_the_question_names_every_file_and_draws_nothing(workspace: Workspace) -> None:
    write_hostile_config(workspace)
    (workspace.root / ".claude" / "agents").mkdir(parents=True)
    odd = workspace.root / "a\x1b[2J\nb"
    odd.mkdir()
    (odd / "AGENTS.md").touch()
    (workspace.root / "AGENTS.md").symlink_to("/nowhere")

    files = find_project_files(Workspace(root=workspace.root, cwd=odd), ())
    asked = format_trust_question(workspace.root, files)

    for name in (".greenroom/config.toml", ".claude/agents", "AGENTS.md", "a^[[2J^Jb/AGENTS.md"):
        assert f"\n  {name}\n" in asked
    assert "\x1b" not in asked
    assert asked.endswith("[y/N] ")


def test_the_users_own_configuration_is_no_projects_wherever_it_lies(workspace: Workspace) -> None:
    config = write_hostile_config(workspace)
    assert find_project_files(workspace, (config,)) == ()
    assert read_project_config(workspace, (config,)) is None


def test_a_projects_configuration_is_not_read_through_a_link_that_leads_out(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere.toml").write_text("model = 'x'")
    (workspace.root / ".greenroom" / "config.toml").symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(ConfigFileError, match="leads out of the workspace"):
        read_project_config(workspace, ())
