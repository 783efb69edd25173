"""Rules and grants that name a program by its path, or the program that a runner runs."""

from dataclasses import replace
from pathlib import Path

import pytest

from actors.paths.resolve import WorkspacePaths
from messages.policy import Action, Policy
from tests.actors.permissions.decision_helpers import (
    DEFAULT_POLICY,
    decide_action,
    decide_requests,
    rule,
    user_rules,
)

pytestmark = pytest.mark.quick

NAMING_RULES = (
    ".venv/bin/pytest *", "./gradlew *", "uv run pytest *", "npx tsc *", "npm test *",
    "python -m pytest *", ".venv/bin/python *", "bundle exec rspec *", "uv run .venv/bin/pytest *",
)  # fmt: skip
BROAD_RULES = ("*", "uv *", "uv run *", "npx *", ".venv/*", "./*", "uv run .venv/*")


@pytest.fixture
def paths(tmp_path: Path) -> WorkspacePaths:
    root = tmp_path.resolve() / "project"
    for name in (".venv/bin/pytest", ".venv/bin/python", "gradlew", "sub/gradlew"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("#!/bin/sh\n")
    return WorkspacePaths(root=str(root), cwd=str(root), home="/nowhere/home")


def decide(command: str, paths: WorkspacePaths, *patterns: str) -> Action:
    rules = user_rules(*(rule("bash", pattern) for pattern in patterns))
    policy = replace(DEFAULT_POLICY, trusted=True, sources=(rules,))
    return decide_action("bash", command, policy, workspace_paths=paths)


@pytest.mark.parametrize(
    "command",
    [
        *(".venv/bin/pytest -q tests/x.py", "./gradlew test", "uv run pytest -k 'a or b'"),
        *("npx tsc --noEmit", "timeout 60 npm test -- -x", "timeout 60 ./gradlew test"),
        *("python -m pytest -x", ".venv/bin/python -m pytest", ".venv/bin/python x.py"),
        *("bundle exec rspec spec/a.rb", "uv run .venv/bin/pytest -q", "uv run pytest -q | tail"),
        *("cd . && ./gradlew test", "ls && ./gradlew test && npx tsc -p ."),
    ],
)
def test_a_rule_that_names_the_program_allows_it(command: str, paths: WorkspacePaths) -> None:
    assert decide(command, paths) == "ask"
    assert decide(command, paths, *NAMING_RULES) == "allow"


@pytest.mark.parametrize("command", [".venv/bin/pytest -q", "./gradlew x", "uv run pytest -q"])
def test_a_rule_with_a_wildcard_in_the_name_still_asks(command: str, paths: WorkspacePaths) -> None:
    assert decide(command, paths, *BROAD_RULES) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        *("uv run --with x pytest -q", "uv run pytest --junitxml=x", "./gradlew --init-script x"),
        *("uv run pytest $(rm x)", "npx tsc; rm x", "npx tsc > f", "A=1 ./gradlew test"),
        *("cd sub && ./gradlew test", "cd sub; ./gradlew test", "(cd sub && ./gradlew test)"),
        *("cp x gradlew && ./gradlew test", "echo x > gradlew; ./gradlew test"),
        *("cp -r x .venv && .venv/bin/pytest -q", "mv sub/gradlew . && ./gradlew test"),
        *("cp x missing && ./missing test", ".venv/bin/python -c 'import os'"),
        *(".venv/bin/python < x.py", "echo 1 | .venv/bin/python -", "'./gradlew' test"),
        *("uv run 'pytest' -q", "uv run pytes? -q", "npx 'tsc -p' x", "./gradle? test"),
        *("uv run uv run pytest -q", "sudo ./gradlew test", "xargs ./gradlew test"),
    ],
)
def test_a_named_program_asks_for_any_other_reason(command: str, paths: WorkspacePaths) -> None:
    rules = (*NAMING_RULES, "./missing *", "cp *", "mv *", "touch *", "echo *", "cd *")
    assert decide(command, paths, *rules) == "ask"


@pytest.mark.parametrize(
    ("command", "pattern"),
    [
        ("uv run bash -c x", "uv run bash *"),
        ("npx sudo x", "npx sudo *"),
        ("uv run git status", "uv run git *"),
        ("uv run cat /etc/passwd", "uv run cat *"),
        ("uv run cp a b", "uv run cp *"),
        ("./bash -c x", "./bash *"),
        ("/bin/env x", "/bin/env *"),
        ("/bin/cat /etc/passwd", "/bin/cat *"),
        ("uv run python -c x", "uv run python *"),
    ],
)
def test_naming_a_wrapper_or_file_tool_allows_nothing(
    command: str, pattern: str, paths: WorkspacePaths
) -> None:
    assert decide(command, paths, pattern) == "ask"


def test_a_deny_rule_applies_to_what_a_named_runner_runs(paths: WorkspacePaths) -> None:
    for command in ("uv run pytest -q", ".venv/bin/pytest -q"):
        rules = user_rules(
            *(rule("bash", pattern) for pattern in NAMING_RULES), rule("bash", "pytest *", "deny")
        )
        policy = replace(DEFAULT_POLICY, sources=(rules,))
        assert decide_action("bash", command, policy, workspace_paths=paths) == "deny"


@pytest.mark.parametrize(
    ("command", "broader"),
    [
        (".venv/bin/pytest -q tests/x.py", ".venv/bin/pytest *"),
        ("./gradlew test", "./gradlew *"),
        ("uv run pytest", "uv run pytest *"),
        ("poetry run ruff check .", "poetry run ruff check *"),
        ("npx tsc --noEmit", "npx tsc *"),
        ("timeout 60 npm test", "npm test *"),
        ("python3 -m pytest tests", "python3 -m pytest *"),
        (".venv/bin/python -m pytest -q", ".venv/bin/python -m pytest *"),
        ("uv run python -m pytest", "uv run python -m pytest *"),
        ("ruff check .", "ruff check *"),
        ("mypy src", "mypy *"),
        *(("uv run python x.py", ""), ("python3 -m timeit x", ""), ("npx bash x", "")),
        *(("./bash x", ""), ("/bin/rm x", ""), ("uv run x y", ""), ("./x y", "")),
        *(("uv run --with a pytest", ""), ("cd sub && ./gradlew test", "")),
    ],
)
def test_the_prompt_offers_the_prefix_that_names_the_program(
    command: str, broader: str, paths: WorkspacePaths
) -> None:
    decided = decide_requests(("bash", command), policy=DEFAULT_POLICY, workspace_paths=paths)
    grants = decided.decision.broader_grants
    assert [grant.pattern for grant in grants] == ([broader] if broader else [])
    if grants:
        policy = replace(DEFAULT_POLICY, grants=grants)
        for similar in (command, f"{command} other"):
            assert decide_action("bash", similar, policy, workspace_paths=paths) == "allow"


def test_a_grant_by_path_ends_when_the_program_changes(paths: WorkspacePaths) -> None:
    policy = grant_gradlew(paths)
    assert decide_action("bash", "./gradlew b", policy, workspace_paths=paths) == "allow"

    (Path(paths.root) / "gradlew").write_text("#!/bin/sh\nrm x\n")

    assert decide_action("bash", "./gradlew b", policy, workspace_paths=paths) == "ask"


def test_a_missing_program_is_granted_only_as_it_stands(paths: WorkspacePaths) -> None:
    program = Path(paths.root) / "later"
    command = ("bash", "./later -x")
    decided = decide_requests(command, policy=DEFAULT_POLICY, workspace_paths=paths)
    assert decided.decision.broader_grants == ()

    program.write_text("#!/bin/sh\n")
    forced = replace(DEFAULT_POLICY, grants=(rule("bash", "./later *"),))
    assert decide_requests(command, policy=forced, workspace_paths=paths).decision.action == "ask"


def test_a_grant_by_path_covers_only_this_path(paths: WorkspacePaths) -> None:
    policy = grant_gradlew(paths)
    for other in ("gradlew b", "cd sub && ./gradlew b", "sub/gradlew b", "./gradlew b > f"):
        assert decide_action("bash", other, policy, workspace_paths=paths) == "ask", other


def grant_gradlew(paths: WorkspacePaths) -> Policy:
    decided = decide_requests(("bash", "./gradlew a"), policy=DEFAULT_POLICY, workspace_paths=paths)
    return replace(DEFAULT_POLICY, grants=decided.decision.broader_grants)
