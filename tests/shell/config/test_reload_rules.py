"""`/permissions reload`: from the files to the message for the engine."""

from functools import partial
from pathlib import Path

import pytest

from actors.paths.workspace import Workspace
from actors.wiring.session_setup import SessionOptions
from messages.permissions import ReplaceRules
from messages.policy import Action, Rule, RuleSource
from shell.cli.arguments import parse_command_line
from shell.config.config_files import MAX_WARNINGS, ConfigLocations
from shell.config.effective_config import load_effective_config
from shell.config.reload_rules import ReloadedRules, reload_rules
from shell.startup.options import LaunchOptions

pytestmark = pytest.mark.quick

RULE_TEMPLATE = '[[rules]]\npermission = "{permission}"\npattern = "make"\naction = "{action}"\n'


class ReloadFixture:
    """A trusted folder and the user's configuration file."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "work"
        (self.root / ".greenroom").mkdir(parents=True)
        self.user = folder / "config.toml"
        self.project = self.root / ".greenroom" / "config.toml"
        workspace = Workspace(root=self.root, cwd=self.root)
        locations = ConfigLocations(
            self.user,
            workspace,
            approved={},
            user_owned_files=(),
            list_agent_names=lambda: ["build"],
        )
        self.options = SessionOptions(
            project_state_folder=folder,
            workspace=workspace,
            model_name="m",
            mode="plan",
            is_scripted=True,
            protected_paths=(),
            version="1",
            trusted=True,
        )
        options = parse_command_line([])
        assert isinstance(options, LaunchOptions)
        self.load_config = partial(load_effective_config, options, {}, locations)

    def reload(self) -> ReloadedRules:
        return reload_rules(self.load_config, self.options)

    def reload_message(self) -> ReplaceRules:
        reloaded = self.reload()
        assert reloaded.replace_rules is not None, reloaded.notices
        return reloaded.replace_rules


def make_rule(action: Action) -> Rule:
    return Rule(permission="bash", pattern="make", action=action)


@pytest.fixture
def reload_fixture(tmp_path: Path) -> ReloadFixture:
    return ReloadFixture(tmp_path)


def test_reload_reads_the_current_rules_of_both_files(reload_fixture: ReloadFixture) -> None:
    assert reload_fixture.reload_message() == ReplaceRules(sources=(), trusted=True)
    reload_fixture.user.write_text(RULE_TEMPLATE.format(permission="bash", action="deny"))
    reload_fixture.project.write_text(RULE_TEMPLATE.format(permission="bash", action="ask"))

    rules = reload_fixture.reload_message()
    assert rules.trusted
    assert rules.sources == (
        RuleSource(name=f"user rules, {reload_fixture.user}", rules=(make_rule("deny"),)),
        RuleSource(name=f"project rules, {reload_fixture.project}", rules=(make_rule("ask"),)),
    )


@pytest.mark.parametrize("owner", ["user", "project"])
def test_an_invalid_file_gives_no_rules_and_its_line(
    reload_fixture: ReloadFixture, owner: str
) -> None:
    reload_fixture.user.write_text(RULE_TEMPLATE.format(permission="bash", action="deny"))
    broken = reload_fixture.user if owner == "user" else reload_fixture.project
    broken.write_text("\n" + RULE_TEMPLATE.format(permission="bsh", action="deny"))

    reloaded = reload_fixture.reload()
    assert reloaded.replace_rules is None
    assert reloaded.notices[0].startswith(f"{broken}:3: rules[1].permission: unknown permission")


def test_a_rule_with_a_surprising_effect_gives_a_warning(reload_fixture: ReloadFixture) -> None:
    reload_fixture.user.write_text(RULE_TEMPLATE.format(permission="edit", action="deny"))

    assert "the rule does not cover write" in reload_fixture.reload().notices[0]


def test_only_the_first_warnings_about_a_file_are_shown(reload_fixture: ReloadFixture) -> None:
    rule = RULE_TEMPLATE.format(permission="read", action="deny").replace("make", "a?")
    reload_fixture.user.write_text(rule * (MAX_WARNINGS + 5))
    reload_fixture.project.write_text(rule)

    *warnings, more, project_warning = reload_fixture.reload().notices
    assert len(warnings) == MAX_WARNINGS
    assert more == f"{reload_fixture.user}: 5 more rules with warnings"
    assert project_warning.startswith(f"{reload_fixture.project}:1: rules[1]: deny read a?: ")


def test_a_project_that_allows_more_than_before_only_restricts(
    reload_fixture: ReloadFixture,
) -> None:
    rules = [RULE_TEMPLATE.format(permission="bash", action=action) for action in ("deny", "allow")]
    reload_fixture.project.write_text("".join(rules))

    reloaded = reload_fixture.reload()
    assert reloaded.replace_rules is not None
    (source,) = reloaded.replace_rules.sources
    assert not source.trusted
    (notice,) = reloaded.notices
    assert notice.startswith(f"{reload_fixture.project} allows more than when you trusted this")
    assert "(bash make (.greenroom/config.toml)), so it can only restrict." in notice


def test_an_unknown_agent_is_an_error_in_the_projects_file_only(
    reload_fixture: ReloadFixture,
) -> None:
    rule = RULE_TEMPLATE.format(permission="read", action="deny") + "agent = '{}'\n"
    reload_fixture.user.write_text(rule.format("build") + rule.format("missing"))
    reload_fixture.project.write_text(rule.format("build"))

    warning = ": there is no agent missing; greenroom agents lists all"
    reloaded = reload_fixture.reload()
    assert reloaded.replace_rules is not None
    assert reloaded.notices == (f"{reload_fixture.user}:10: rules[2].agent{warning}",)

    reload_fixture.project.write_text(rule.format("missing"))
    reloaded = reload_fixture.reload()
    assert reloaded.replace_rules is None
    assert reloaded.notices == (f"{reload_fixture.project}:5: rules[1].agent{warning}",)


def test_reload_finds_new_links_and_git_hooks(
    reload_fixture: ReloadFixture, tmp_path: Path
) -> None:
    assert reload_fixture.reload_message().protected_paths == ()
    (reload_fixture.root / ".vscode").symlink_to(tmp_path / "editor")
    (reload_fixture.root / ".git").mkdir()
    (reload_fixture.root / ".git" / "config").write_text("[core]\n\thooksPath = scripts/hooks\n")

    protected = reload_fixture.reload_message().protected_paths or ()
    assert set(protected) == {str(tmp_path / "editor"), "scripts/hooks"}
