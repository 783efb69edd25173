"""A project has no effect before its folder is trusted, and the decision is stored."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from actors.paths.workspace import Workspace
from shell.config.config_file import ConfigFileError
from shell.config.config_files import read_project_config
from shell.config.project_trust import (
    TrustCheck,
    TrustStatus,
    check_trust,
    format_trust_question,
)
from shell.config.trust_store import (
    TrustDecisions,
    find_project_files,
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

    assert check_trust(workspace, replace(trust_check, ask_user=prompt)) == TrustStatus(None)
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
    save_trust(trust_check.store, workspace.root, None)
    assert check_trust(workspace, replace(trust_check, trust_given=True)) == TrustStatus({})
    assert check_trust(workspace, trust_check).trusted


def test_decisions_about_other_folders_are_kept(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    approved = {".greenroom/config.toml": ("+a", "-b")}
    save_trust(trust_check.store, Path("/other"), approved)
    save_trust(trust_check.store, workspace.root, None)
    assert read_trust_store(trust_check.store).folders == {
        "/other": approved,
        str(workspace.root): None,
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
    assert save_trust(trust_check.store, workspace.root, {}) == ""
    assert read_trust_store(trust_check.store) == TrustDecisions(folders={str(workspace.root): {}})
    quarantined = [path for path in trust_check.store.parent.iterdir() if "damaged" in path.name]
    assert [path.read_bytes() for path in quarantined] == [content]


@pytest.mark.parametrize(
    "folders",
    [
        *('{"/x":"yes","/y":{}}', '{"/x":true}', '{"/x":{"a":"+b"}}', '{"/x":{"a":[1]}}'),
        *("[]", '"/x"', "null"),
    ],
)
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
    assert "format 2" in save_trust(trust_check.store, workspace.root, {})
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
    question = format_trust_question(workspace.root, files, ())

    for name in (".greenroom/config.toml", ".claude/agents", "AGENTS.md", "a^[[2J^Jb/AGENTS.md"):
        assert f"\n  {name}\n" in question
    assert "\x1b" not in question
    assert question.endswith("Trust this folder? [y/N] ")


RULE = "[[rules]]\npermission = 'bash'\npattern = \"{}\"\naction = '{}'\n"


def write_rules(workspace: Workspace, *rules: tuple[str, str]) -> None:
    config = workspace.root / ".greenroom" / "config.toml"
    config.write_text("".join(RULE.format(*rule) for rule in rules))


def test_the_trust_question_shows_what_the_project_allows(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    write_rules(workspace, ("make *", "allow"), ("*", "allow"), ("rm *", "deny"))
    prompt = TrustPromptStub(answer=True)

    check_trust(workspace, replace(trust_check, ask_user=prompt))
    assert (
        "\nThey allow these calls without asking you (2 rules):\n\n"
        "  bash * (.greenroom/config.toml)\n"
        "  bash make * (.greenroom/config.toml)\n\n"
    ) in prompt.questions[0]


def test_the_trust_question_shows_the_broadest_rules_first(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    rules = [(f"make target{number}", "allow") for number in range(1_200)]
    write_rules(workspace, *rules, ("*", "allow"))
    prompt = TrustPromptStub(answer=False)

    check_trust(workspace, replace(trust_check, ask_user=prompt))
    _, _, listed = prompt.questions[0].partition(
        "They allow these calls without asking you (1,201 rules)"
    )
    first, *_, more = listed.split("\n\n")[1].splitlines()
    assert first == "  bash * (.greenroom/config.toml)"
    assert more == "  and 1,186 more"


def test_a_long_pattern_does_not_hide_the_trust_question(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    write_rules(workspace, ("*" + "x" * 10_000, "allow"), ("\\u001b[2J", "allow"))
    prompt = TrustPromptStub(answer=False)

    check_trust(workspace, replace(trust_check, ask_user=prompt))
    assert f"\n  bash *{'x' * 99}… (.greenroom/config.toml)\n" in prompt.questions[0]
    assert "\x1b" not in prompt.questions[0]


def test_a_project_that_allows_nothing_says_so_in_the_question(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    write_rules(workspace, ("rm *", "deny"))
    prompt = TrustPromptStub(answer=False)

    check_trust(workspace, replace(trust_check, ask_user=prompt))
    assert "\nThey allow nothing without asking you.\n" in prompt.questions[0]


@pytest.mark.parametrize("answer", [True, False, None])
def test_the_user_is_asked_again_when_the_project_allows_more(
    workspace: Workspace, trust_check: TrustCheck, *, answer: bool | None
) -> None:
    write_rules(workspace, ("make *", "allow"))
    check_trust(workspace, replace(trust_check, trust_given=True))
    write_rules(workspace, ("make *", "allow"), ("*", "allow"))
    prompt = TrustPromptStub(answer)

    status = check_trust(workspace, replace(trust_check, ask_user=prompt))
    assert status.trusted is bool(answer)
    assert (
        "They allow more than when you trusted this folder (1 rule):\n\n"
        "  bash * (.greenroom/config.toml)\n\n"
    ) in prompt.questions[0]
    again = check_trust(workspace, replace(trust_check, ask_user=prompt))
    assert again.trusted is bool(answer)
    assert len(prompt.questions) == (2 if answer is None else 1)


def test_without_a_user_a_project_that_allows_more_is_untrusted(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    check_trust(workspace, replace(trust_check, trust_given=True))
    write_rules(workspace, ("*", "allow"))

    notice = (
        f"{workspace.root} is not trusted, since it allows more than when you trusted it "
        "(bash * (.greenroom/config.toml)), so .greenroom/config.toml can only restrict. "
        "Use greenroom --trust to trust it."
    )
    assert check_trust(workspace, trust_check) == TrustStatus(None, (notice,))
    assert check_trust(workspace, replace(trust_check, trust_given=True)).trusted
    assert check_trust(workspace, trust_check).notices == ()


MAKE, TEST, ALL, LIMIT = (
    *(("make *", "allow"), ("test *", "allow"), ("*", "allow")),
    ("rm *", "deny"),
)


@pytest.mark.parametrize(
    ("before", "after", "is_asked"),
    [
        ((MAKE, TEST), (TEST, MAKE), False),
        ((MAKE, TEST), (MAKE,), False),
        ((MAKE,), (), False),
        ((ALL,), (ALL, LIMIT), False),
        ((LIMIT, ALL), (ALL, LIMIT), False),
        ((ALL, LIMIT), (ALL, ("x", "ask"), LIMIT), False),
        ((LIMIT,), (), False),
        ((MAKE, MAKE), (MAKE,), False),
        ((), (MAKE,), True),
        ((MAKE,), (MAKE, TEST), True),
        ((MAKE,), (("make*", "allow"),), True),
        ((ALL, LIMIT), (ALL,), True),
        ((ALL, LIMIT), (LIMIT, ALL), True),
        ((ALL, LIMIT), (ALL, LIMIT, ALL), True),
    ],
)
def test_only_a_project_that_allows_more_is_asked_about_again(
    workspace: Workspace,
    trust_check: TrustCheck,
    before: tuple[tuple[str, str], ...],
    after: tuple[tuple[str, str], ...],
    *,
    is_asked: bool,
) -> None:
    write_rules(workspace, *before)
    check_trust(workspace, replace(trust_check, trust_given=True))
    write_rules(workspace, *after)

    assert check_trust(workspace, trust_check).trusted is not is_asked


def test_trust_covers_the_rules_of_the_projects_agents(
    workspace: Workspace, trust_check: TrustCheck
) -> None:
    agents = workspace.root / ".greenroom" / "agents"
    agents.mkdir()
    (agents / "a.md").write_text("---\npermission: {bash: ask}\n---\nx")
    check_trust(workspace, replace(trust_check, trust_given=True))
    (agents / "b.md").write_text("---\npermission: {bash: deny}\n---\nx")
    assert check_trust(workspace, trust_check).trusted

    (agents / "a.md").write_text("---\npermission: {bash: allow}\n---\nx")
    status = check_trust(workspace, trust_check)
    assert not status.trusted
    assert "(bash * (.greenroom/agents/a.md))" in status.notices[0]


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
