"""Rules for files whose path is case-insensitive or cannot be resolved."""

from dataclasses import replace
from pathlib import Path

import pytest

from actors.paths.resolve import IdentifyFile, PathResolver, WorkspacePaths
from actors.permissions.access_resolution import resolve_accesses
from actors.permissions.call_analysis import analyze_call
from actors.permissions.decide import combine_decisions, decide_access
from actors.permissions.rule_index import get_rule_index
from messages.policy import Action, Policy, Rule
from tests.actors.permissions.decision_helpers import (
    BUILD_PROFILE,
    DEFAULT_POLICY,
    decide_action,
    permission_request,
    rule,
    user_rules,
)

pytestmark = pytest.mark.quick


def identify_ignoring_case(path: str) -> tuple[int, int] | None:
    """Identify files as a case-insensitive file system does."""
    return (0, hash(path.casefold()))


CASE_INSENSITIVE: IdentifyFile = identify_ignoring_case


def decide_read(identify_file: IdentifyFile | None, name: str, *rules: Rule) -> Action:
    workspace_paths = WorkspacePaths(root="/nowhere/project", cwd="/nowhere/project")
    resolver = (
        PathResolver(workspace_paths, identify_file)
        if identify_file
        else PathResolver(workspace_paths)
    )
    policy = replace(DEFAULT_POLICY, sources=(user_rules(*rules),))
    rule_index = get_rule_index(policy, (BUILD_PROFILE,))
    analyzed = analyze_call((permission_request("read", name),))
    accesses = resolve_accesses(analyzed, resolver, rule_index).accesses
    return combine_decisions(
        (access, decide_access(access, rule_index)) for access in accesses
    ).action


@pytest.mark.parametrize("name", ["secrets/key", "SECRETS/key", "Secrets/KEY", "secrets/Key"])
def test_a_deny_ignores_case_if_the_file_system_does(name: str) -> None:
    deny = rule("read", "secrets/*", "deny")

    assert decide_read(CASE_INSENSITIVE, name, deny) == "deny"
    assert decide_read(None, name, deny) == ("deny" if name.startswith("secrets/") else "allow")


def test_a_deny_ignores_unicode_composition_with_case() -> None:
    deny = rule("read", "caf\u00e9/*", "deny")

    assert decide_read(CASE_INSENSITIVE, "CAFE\u0301/x", deny) == "deny"


def test_an_allow_never_ignores_case() -> None:
    rules = (rule("read", "*", "ask"), rule("read", "src/*"))

    assert decide_read(CASE_INSENSITIVE, "src/a", *rules) == "allow"
    assert decide_read(CASE_INSENSITIVE, "SRC/a", *rules) == "ask"


@pytest.mark.parametrize(
    "command",
    ["cat loop", "cp loop x", "python loop", "cat nodir/../x", "rm nodir/../x", "touch loop"],
)
def test_a_command_with_an_unresolvable_path_asks(tmp_path: Path, command: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    workspace_paths = WorkspacePaths(root=str(tmp_path), cwd=str(tmp_path))
    all_allowed = replace(DEFAULT_POLICY, sources=(user_rules(rule("bash", "*")),))

    assert decide_action("bash", command, all_allowed, workspace_paths=workspace_paths) == "ask"


@pytest.mark.parametrize(
    "command",
    ["cd a\0b && cat a", "cd a\0b; git status", "grep -r x 'a\0b'", "diff 'a\0b' c", "ls a\0b*"],
)
def test_a_nul_character_in_a_path_asks(command: str) -> None:
    assert decide_action("bash", command) == "ask"


@pytest.mark.parametrize(
    "path", ["", "a\0b", "a\udc80", "loop/x", "gone/../a", "/proc/self/environ"]
)
def test_an_unresolvable_path_asks_although_a_rule_allows_it(tmp_path: Path, path: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    workspace_paths = WorkspacePaths(root=str(tmp_path), cwd=str(tmp_path))
    allow_all = Policy(sources=(user_rules(rule("read", "*"), rule("read", "/*")),))

    assert decide_action("read", path, allow_all, workspace_paths=workspace_paths) == "ask"
