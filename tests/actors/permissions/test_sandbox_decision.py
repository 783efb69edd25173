"""Where there is a sandbox, it replaces questions that only our own defaults ask."""

from dataclasses import replace
from pathlib import Path

import pytest

from actors.paths.resolve import WorkspacePaths
from actors.permissions.decide_call import CallDecision
from actors.permissions.default_rules import build_default_rules
from actors.permissions.rule_matching import OUTSIDE_PERMISSION
from actors.permissions.sandbox_decision import DecisionInputs, decide_with_sandbox
from actors.tools.tool_list import TOOL_LIST
from messages.policy import (
    CommandSandbox,
    PermissionMode,
    PermissionProfile,
    PermissionRequest,
    Policy,
    Rule,
    RuleSource,
    WorkspaceAccess,
)

pytestmark = pytest.mark.quick

READ_ONLY, WRITABLE = CommandSandbox(access="read-only"), CommandSandbox(access="writable")
BUILD = PermissionProfile(agent="build")
PLAN = PermissionProfile(agent="plan", max_mode="plan")


class Decider:
    """Decides commands in a workspace with a sandbox."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.has_sandbox = True
        self.policy = Policy(
            tools=TOOL_LIST, defaults=build_default_rules(TOOL_LIST), workspace_root=str(root)
        )

    def add_rule(self, permission: str, pattern: str, action: str) -> None:
        rule = Rule(permission=permission, pattern=pattern, action=action)  # type: ignore[arg-type]
        source = RuleSource(name="user", rules=(rule,))
        self.policy = replace(self.policy, sources=(*self.policy.sources, source))

    def decide(
        self,
        command: str,
        wanted: WorkspaceAccess = "read-only",
        *,
        mode: PermissionMode = "default",
        outside: bool = False,
        profile: PermissionProfile = BUILD,
    ) -> CallDecision:
        names = ("bash", OUTSIDE_PERMISSION) if outside else ("bash",)
        requests = tuple(PermissionRequest(permission=name, target=command) for name in names)
        policy, chain = replace(self.policy, mode=mode), (profile,)
        paths = WorkspacePaths(root=str(self.root), cwd=str(self.root))
        inputs = DecisionInputs(requests, wanted, paths, policy, chain)
        return decide_with_sandbox(inputs, lambda: self.has_sandbox)

    def get_outcome(
        self,
        command: str,
        wanted: WorkspaceAccess = "read-only",
        *,
        mode: PermissionMode = "default",
        profile: PermissionProfile = BUILD,
    ) -> tuple[str, CommandSandbox | None]:
        decided = self.decide(command, wanted, mode=mode, profile=profile)
        return decided.decision.action, decided.sandbox


@pytest.fixture
def decider(tmp_path: Path) -> Decider:
    (tmp_path / "app.py").write_text("print()\n")
    return Decider(tmp_path.resolve())


@pytest.mark.parametrize(
    "command", ["make", "python -c 'print(1)'", "$(echo ls)", "echo x > file", "cat /etc/passwd"]
)
def test_an_unknown_command_runs_unasked_and_read_only(decider: Decider, command: str) -> None:
    assert decider.get_outcome(command) == ("allow", READ_ONLY)


def test_the_reason_names_the_sandbox_and_its_limits(decider: Decider) -> None:
    decision = decider.decide("make").decision
    assert decision.source == "sandbox"
    assert decision.reason == (
        "it runs in the sandbox, with the workspace read-only and without a network"
    )


def test_a_command_that_must_write_asks_first(decider: Decider) -> None:
    assert decider.get_outcome("make", "writable") == ("ask", WRITABLE)


def test_auto_edit_mode_lets_a_command_write_unasked(decider: Decider) -> None:
    assert decider.get_outcome("make", mode="auto-edit") == ("allow", WRITABLE)
    assert decider.get_outcome("make", "writable", mode="auto-edit") == ("allow", WRITABLE)


def test_yolo_mode_still_uses_the_sandbox(decider: Decider) -> None:
    assert decider.get_outcome("make", mode="yolo") == ("allow", WRITABLE)


def test_plan_mode_runs_commands_in_a_read_only_workspace(decider: Decider) -> None:
    assert decider.get_outcome("make", profile=PLAN) == ("allow", READ_ONLY)
    assert decider.get_outcome("make", "writable", profile=PLAN)[0] == "ask"


def test_a_command_that_a_rule_allows_may_write(decider: Decider) -> None:
    decider.add_rule("bash", "make", "allow")
    assert decider.get_outcome("make") == ("allow", WRITABLE)


def test_a_command_known_to_read_gets_no_write_access(decider: Decider) -> None:
    assert decider.get_outcome("ls") == ("allow", READ_ONLY)


@pytest.mark.parametrize("mode", ["default", "auto-edit"])
@pytest.mark.parametrize("action", ["ask", "deny"])
def test_a_rule_of_the_user_is_never_lifted(
    decider: Decider, mode: PermissionMode, action: str
) -> None:
    decider.add_rule("bash", "make *", action)
    assert decider.get_outcome("make all", mode=mode)[0] == action
    assert decider.get_outcome("make all", mode=mode, profile=PLAN)[0] == action


def test_a_minimum_ask_under_a_users_ask_is_not_lifted(decider: Decider) -> None:
    decider.add_rule("bash", "*", "ask")
    assert decider.get_outcome("make $(x)")[0] == "ask"


@pytest.mark.parametrize(
    "command", ["cat .env", "echo x > .git/config", "python run.py < sub/.env", "rm -rf .git"]
)
def test_secrets_and_protected_files_still_ask(decider: Decider, command: str) -> None:
    assert decider.get_outcome(command)[0] == "ask"


def test_an_approved_change_of_a_protected_file_runs_outside(decider: Decider) -> None:
    assert decider.get_outcome("echo x > .git/config") == ("ask", None)


def test_files_that_read_rules_guard_are_hidden(decider: Decider) -> None:
    decider.add_rule("read", "secrets/*", "deny")
    for name in (".env", "sub/.env.local", "secrets/key", "secrets.txt"):
        (decider.root / name).parent.mkdir(exist_ok=True)
        (decider.root / name).write_text("hidden")
    sandbox = decider.decide("make").sandbox
    assert sandbox is not None
    names = {str(Path(path).relative_to(decider.root)) for path in sandbox.hidden_files}
    assert names == {".env", "sub/.env.local", "secrets/key"}


def test_running_outside_always_asks_by_its_own_name(decider: Decider) -> None:
    decider.add_rule("bash", "*", "allow")
    decided = decider.decide("make", outside=True)
    assert (decided.decision.action, decided.sandbox) == ("ask", None)
    decider.add_rule("outside", "make", "allow")
    assert decider.decide("make", outside=True).decision.action == "allow"
    decider.add_rule("bash", "make", "deny")
    assert decider.decide("make", outside=True).decision.action == "deny"


def test_without_a_sandbox_everything_asks_as_before(decider: Decider) -> None:
    decider.has_sandbox = False
    assert decider.get_outcome("make") == ("ask", None)
    decider.add_rule("bash", "make", "allow")
    assert decider.decide("make", outside=True).decision.action == "allow"
