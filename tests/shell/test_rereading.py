"""`/permissions reload`, from the files to what the engine is told."""

from functools import partial
from pathlib import Path

import pytest

from actors.session import SessionOptions
from actors.tools.workspace import Workspace
from messages.permissions import ReplaceRules
from messages.rules import Action, Rule, RuleSource
from shell.arguments import Options, parse
from shell.config.configuration import configured
from shell.config.files import Sources
from shell.rereading import Reread, reread

pytestmark = pytest.mark.quick

RULE = '[[rules]]\npermission = "{permission}"\npattern = "make"\naction = "{action}"\n'


class Desk:
    """A trusted folder with a user's file beside it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "work"
        (self.root / ".greenroom").mkdir(parents=True)
        self.user = folder / "config.toml"
        self.project = self.root / ".greenroom" / "config.toml"
        workspace = Workspace(root=self.root, cwd=self.root)
        sources = Sources(self.user, workspace, trusted=True, ours=())
        self.options = SessionOptions(
            folder=folder,
            workspace=workspace,
            model_name="m",
            mode="plan",
            is_scripted=True,
            protected=(),
            version="1",
            trusted=True,
        )
        options = parse([])
        assert isinstance(options, Options)
        self.read = partial(configured, options, {}, sources)

    def reread(self) -> Reread:
        return reread(self.read, self.options)

    def loaded(self) -> ReplaceRules:
        found = self.reread()
        assert found.rules is not None, found.told
        return found.rules


def made(action: Action) -> Rule:
    return Rule(permission="bash", pattern="make", action=action)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_the_rules_of_both_files_are_read_as_they_are_now(desk: Desk) -> None:
    assert desk.loaded() == ReplaceRules(sources=(), trusted=True)
    desk.user.write_text(RULE.format(permission="bash", action="deny"))
    desk.project.write_text(RULE.format(permission="bash", action="ask"))

    rules = desk.loaded()
    assert rules.trusted
    assert rules.sources == (
        RuleSource(name=f"user rules, {desk.user}", rules=(made("deny"),)),
        RuleSource(name=f"project rules, {desk.project}", rules=(made("ask"),)),
    )


@pytest.mark.parametrize("whose", ["user", "project"])
def test_a_broken_file_brings_no_rules_and_is_told_by_file_and_line(desk: Desk, whose: str) -> None:
    desk.user.write_text(RULE.format(permission="bash", action="deny"))
    broken = desk.user if whose == "user" else desk.project
    broken.write_text("\n" + RULE.format(permission="bsh", action="deny"))

    found = desk.reread()
    assert found.rules is None
    assert found.told[0].startswith(f"{broken}:3: rules[1].permission: there is no permission")


def test_what_a_rule_does_not_do_is_told(desk: Desk) -> None:
    desk.user.write_text(RULE.format(permission="edit", action="deny"))

    assert "it does not speak of write" in desk.reread().told[0]


def test_links_and_hooks_are_looked_for_again(desk: Desk, tmp_path: Path) -> None:
    assert desk.loaded().protected == ()
    (desk.root / ".vscode").symlink_to(tmp_path / "editor")
    (desk.root / ".git").mkdir()
    (desk.root / ".git" / "config").write_text("[core]\n\thooksPath = scripts/hooks\n")

    protected = desk.loaded().protected or ()
    assert set(protected) == {str(tmp_path / "editor"), "scripts/hooks"}
