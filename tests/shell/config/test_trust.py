"""Nothing of a project counts before its folder is trusted, and the answer is kept."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from actors.tools.workspace import Workspace
from shell.config.file import ConfigFileError
from shell.config.project import TrustCheck, TrustStatus, project_config, standing
from shell.config.trust import Trusts, keep, project_files, question, read_trusts

pytestmark = pytest.mark.quick


@dataclass
class Person:
    """Answers the question, and remembers it."""

    answer: bool | None
    asked: list[str] = field(default_factory=list[str])

    def __call__(self, question: str) -> bool | None:
        self.asked.append(question)
        return self.answer


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "work"
    (root / ".greenroom").mkdir(parents=True)
    return Workspace(root=root, cwd=root)


@pytest.fixture
def trusting(tmp_path: Path) -> TrustCheck:
    return TrustCheck(tmp_path / "state" / "trust.json", ours=())


def hostile(workspace: Workspace) -> Path:
    config = workspace.root / ".greenroom" / "config.toml"
    config.write_text("model = 'theirs'\n")
    return config


def test_without_project_files_nobody_is_asked_and_nothing_is_trusted(
    workspace: Workspace, trusting: TrustCheck
) -> None:
    person = Person(answer=True)

    assert standing(workspace, replace(trusting, ask=person)) == TrustStatus(trusted=False)
    assert person.asked == []
    assert not trusting.store.exists()


@pytest.mark.parametrize("answer", [True, False])
def test_the_answer_is_kept_and_not_asked_for_again(
    workspace: Workspace, trusting: TrustCheck, *, answer: bool
) -> None:
    hostile(workspace)
    person = Person(answer)

    assert standing(workspace, replace(trusting, ask=person)).trusted is answer
    assert standing(workspace, replace(trusting, ask=person)).trusted is answer
    assert standing(workspace, trusting).trusted is answer

    assert len(person.asked) == 1
    assert trusting.store.stat().st_mode & 0o077 == 0


def test_no_answer_is_a_no_for_this_time_only(workspace: Workspace, trusting: TrustCheck) -> None:
    hostile(workspace)
    person = Person(answer=None)

    for _ in range(2):
        stands = standing(workspace, replace(trusting, ask=person))
        assert not stands.trusted
        assert stands.notices[0].startswith(
            f"{workspace.root} is not trusted, so .greenroom/config"
        )
    assert len(person.asked) == 2


def test_trust_is_for_one_real_folder_and_none_below_or_beside(
    workspace: Workspace, trusting: TrustCheck
) -> None:
    hostile(workspace)
    assert standing(workspace, replace(trusting, given=True)).trusted
    below = workspace.root / "below"
    below.mkdir()
    beside = workspace.root.parent / "work2"
    beside.mkdir()
    for root in (below, beside, workspace.root.parent):
        assert not standing(Workspace(root=root, cwd=root), trusting).trusted
    assert standing(workspace, trusting).trusted


def test_trust_given_on_the_command_line_lifts_an_earlier_no(
    workspace: Workspace, trusting: TrustCheck
) -> None:
    keep(trusting.store, workspace.root, trusted=False)
    assert standing(workspace, replace(trusting, given=True)) == TrustStatus(trusted=True)
    assert standing(workspace, trusting).trusted


def test_another_folders_answer_stays(workspace: Workspace, trusting: TrustCheck) -> None:
    keep(trusting.store, Path("/other"), trusted=True)
    keep(trusting.store, workspace.root, trusted=False)
    assert read_trusts(trusting.store).folders == {"/other": True, str(workspace.root): False}


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
    workspace: Workspace, trusting: TrustCheck, content: bytes
) -> None:
    hostile(workspace)
    trusting.store.parent.mkdir()
    trusting.store.write_bytes(content)
    trusting.store.chmod(0o600)

    stands = standing(workspace, trusting)

    assert not stands.trusted
    assert stands.notices[0].startswith(f"{trusting.store}: ")
    assert keep(trusting.store, workspace.root, trusted=True) == ""
    assert read_trusts(trusting.store) == Trusts(folders={str(workspace.root): True})
    asides = [path for path in trusting.store.parent.iterdir() if "damaged" in path.name]
    assert [path.read_bytes() for path in asides] == [content]


@pytest.mark.parametrize("folders", ['{"/x":"yes","/y":true}', "[]", '"/x"', "null"])
def test_what_is_no_answer_trusts_nothing_and_is_told(trusting: TrustCheck, folders: str) -> None:
    trusting.store.parent.mkdir()
    trusting.store.write_text(f'{{"format":1,"folders":{folders}}}')
    trusting.store.chmod(0o600)

    trusts = read_trusts(trusting.store)

    assert "/x" not in trusts.folders
    assert "not all of it are answers" in trusts.problem


def test_a_store_of_a_newer_version_trusts_nothing_and_stays_as_it_is(
    workspace: Workspace, trusting: TrustCheck
) -> None:
    trusting.store.parent.mkdir()
    trusting.store.write_text('{"format":2,"folders":{"/x":true}}')
    trusting.store.chmod(0o600)

    assert read_trusts(trusting.store).folders == {}
    assert "format 2" in keep(trusting.store, workspace.root, trusted=True)
    assert trusting.store.read_text() == '{"format":2,"folders":{"/x":true}}'


def test_an_answer_that_cannot_be_kept_holds_for_this_run(
    workspace: Workspace, trusting: TrustCheck
) -> None:
    trusting.store.parent.write_text("no folder")
    stands = standing(workspace, replace(trusting, given=True))
    assert stands.trusted
    assert "could not be kept" in stands.notices[0]


def test_the_question_names_every_file_and_draws_nothing(workspace: Workspace) -> None:
    hostile(workspace)
    (workspace.root / ".claude" / "agents").mkdir(parents=True)
    odd = workspace.root / "a\x1b[2J\nb"
    odd.mkdir()
    (odd / "AGENTS.md").touch()
    (workspace.root / "AGENTS.md").symlink_to("/nowhere")

    files = project_files(Workspace(root=workspace.root, cwd=odd), ())
    asked = question(workspace.root, files)

    for name in (".greenroom/config.toml", ".claude/agents", "AGENTS.md", "a^[[2J^Jb/AGENTS.md"):
        assert f"\n  {name}\n" in asked
    assert "\x1b" not in asked
    assert asked.endswith("[y/N] ")


def test_the_users_own_configuration_is_no_projects_wherever_it_lies(workspace: Workspace) -> None:
    config = hostile(workspace)
    assert project_files(workspace, (config,)) == ()
    assert project_config(workspace, (config,)) is None


def test_a_projects_configuration_is_not_read_through_a_link_that_leads_out(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere.toml").write_text("model = 'x'")
    (workspace.root / ".greenroom" / "config.toml").symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(ConfigFileError, match="leads out of the workspace"):
        project_config(workspace, ())
