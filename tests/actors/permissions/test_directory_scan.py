"""A command that reads a folder recursively reads every file in it, secret files included."""

from dataclasses import replace
from pathlib import Path

import pytest

from actors.paths.resolve import WorkspacePaths
from actors.permissions.directory_scan import MAX_SCANNED_ENTRIES, DirectoryScan
from messages.policy import Action
from tests.actors.permissions.decision_helpers import (
    DEFAULT_POLICY,
    decide_action,
    decide_requests,
    rule,
    rules_only_policy,
    user_rules,
)

pytestmark = pytest.mark.quick


@pytest.fixture
def workspace_paths(tmp_path: Path) -> WorkspacePaths:
    root = tmp_path.resolve() / "project"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "app" / "deep").mkdir(parents=True)
    for name in (".env", "src/a.py", "src/deep/b.py", "app/deep/.env.local", "app/.env.example"):
        (root / name).write_text("text")
    return WorkspacePaths(root=str(root), cwd=str(root), home=str(tmp_path))


ASKING_COMMANDS = [
    "grep -r K .",
    "grep -rn K",
    "grep -R K .",
    "grep --recursive K app",
    "grep -d recurse K .",
    "cd app && grep -r K",
    "cd src; grep -r K",
    "(cd app/deep; grep -rl K .)",
    "rg --hidden K",
    "rg -uu K",
    "rg -. K app",
    "rg -g '.env*' K",
    "rg -t all K",
    "rg -tall K",
    "rg --type=all K",
    "rg -itdotenv K",
    "rg -tsh K app/deep",
    "diff -r app src",
    "diff app/deep src",
    "diff -N app/deep src",
    "grep -r --include='.env*' K .",
    "grep -r --include='*.py' --exclude=x K .",
    "grep -r --include='*.{py,local}' K .",
    "grep -r --include='*.py' --include='*env' K .",
    "rg -g '*.py' -g '*.local' K",
    "rg --hidden -g '!*.py' K",
    "rg --iglob '*.PY' K",
]
ALLOWED_COMMANDS = [
    "grep -rn K src",
    "grep -r K src/deep",
    "grep -R K src",
    "grep -rn --include=*.py K src",
    "grep -rn --include='*.py' K .",
    "grep -rn --include=*.py --include=*.md K .",
    "grep -rn --include='*.py' --exclude-dir=.git K .",
    "rg -g '*.py' K",
    "rg -tpy K",
    "rg --type rust --type=json K app",
    "rg -tall K src",
    "rg -g '!*.md' K",
    "rg K",
    "rg -n K app",
    "rg --hidden K src",
    "find . -name '*.py'",
    "diff src/a.py src/deep/b.py",
    "ls -R .",
]


@pytest.mark.parametrize("command", ASKING_COMMANDS)
def test_a_recursive_read_asks_if_it_includes_a_secret_file(
    command: str, workspace_paths: WorkspacePaths
) -> None:
    assert decide_action("bash", command, workspace_paths=workspace_paths) == "ask"


@pytest.mark.parametrize("command", ALLOWED_COMMANDS)
def test_a_recursive_read_without_secret_files_is_allowed(
    command: str, workspace_paths: WorkspacePaths
) -> None:
    assert decide_action("bash", command, workspace_paths=workspace_paths) == "allow"


@pytest.mark.parametrize(
    ("pattern", "action", "expected"),
    [
        ("src/deep/*", "ask", "ask"),
        ("src/deep/*", "deny", "deny"),
        ("*.py", "deny", "deny"),
        ("*.pem", "deny", "allow"),
        ("app/*", "deny", "allow"),
    ],
)
def test_read_rules_apply_to_the_files_that_exist(
    pattern: str, action: Action, expected: Action, workspace_paths: WorkspacePaths
) -> None:
    source = user_rules(rule("read", pattern, action))
    policy = replace(DEFAULT_POLICY, sources=(source,))

    assert (
        decide_action("bash", "grep -r K src", policy, workspace_paths=workspace_paths) == expected
    )


def test_a_deny_applies_to_an_allowed_recursive_read(
    workspace_paths: WorkspacePaths,
) -> None:
    policy = rules_only_policy(rule("bash", "*"), rule("read", "*"), rule("read", "*.py", "deny"))

    assert decide_action("bash", "grep -r K src", policy, workspace_paths=workspace_paths) == "deny"
    assert (
        decide_action("bash", "timeout 5 grep -r K src", policy, workspace_paths=workspace_paths)
        == "deny"
    )
    assert (
        decide_action("bash", "grep -r K app", policy, workspace_paths=workspace_paths) == "allow"
    )


def test_a_link_asks_only_if_the_command_follows_links(
    workspace_paths: WorkspacePaths,
) -> None:
    src = Path(workspace_paths.root, "src")
    (src / "link").symlink_to("../.env")

    assert decide_action("bash", "grep -r K src", workspace_paths=workspace_paths) == "allow"
    assert decide_action("bash", "grep -R K src", workspace_paths=workspace_paths) == "ask"
    assert decide_action("bash", "rg -L K src", workspace_paths=workspace_paths) == "ask"
    assert decide_action("bash", "diff -r src app", workspace_paths=workspace_paths) == "ask"


def test_git_diff_may_compare_folders_outside_a_repository(workspace_paths: WorkspacePaths) -> None:
    trusted = replace(DEFAULT_POLICY, trusted=True)

    assert (
        decide_action("bash", "git diff app src", trusted, workspace_paths=workspace_paths) == "ask"
    )
    assert (
        decide_action("bash", "git diff HEAD src", trusted, workspace_paths=workspace_paths)
        == "allow"
    )


def test_diff_of_a_folder_reads_the_files_in_it(
    workspace_paths: WorkspacePaths,
) -> None:
    src = Path(workspace_paths.root, "src")
    (src / "b.py").symlink_to("../.env")
    deny = rules_only_policy(
        rule("bash", "*"), rule("read", "*"), rule("read", "src/deep/*", "deny")
    )

    assert decide_action("bash", "diff src/deep/b.py src", workspace_paths=workspace_paths) == "ask"
    assert (
        decide_action("bash", "diff b.py src/deep", deny, workspace_paths=workspace_paths) == "deny"
    )
    assert (
        decide_action("bash", "diff src/a.py app/deep/a.py", workspace_paths=workspace_paths)
        == "allow"
    )


@pytest.mark.parametrize(
    "command",
    [
        "cd linked && cat b.py",
        "cd linked; cp x .new",
        "cd src/../linked && cp x .new",
        "cd linked && sudo cp x .new",
        "bash -c 'cd linked; cp x .new'",
        "while ls; do cp x .new; cd linked; done",
        "while ls; do cat b.py; cd src/deep; done",
        "cd $x; cd src/deep; cat b.py",
    ],
)
def test_a_linked_working_directory_is_resolved_before_rules_apply(
    command: str, workspace_paths: WorkspacePaths
) -> None:
    Path(workspace_paths.root, "linked").symlink_to("src/deep")
    deny = rules_only_policy(
        *(rule(permission, "*") for permission in ("bash", "read", "write")),
        rule("read", "src/deep/b.py", "deny"),
        rule("write", "src/deep/.new", "deny"),
    )

    assert decide_action("bash", command, deny, workspace_paths=workspace_paths) == "deny"
    assert decide_action("bash", command, workspace_paths=workspace_paths) == "ask"


def test_more_files_than_can_be_checked_ask(workspace_paths: WorkspacePaths) -> None:
    many = Path(workspace_paths.root, "many")
    many.mkdir()
    for number in range(MAX_SCANNED_ENTRIES + 1):
        (many / str(number)).touch()

    decision = decide_requests(("bash", "grep -r K many"), workspace_paths=workspace_paths).decision
    assert (decision.action, decision.reason) == (
        "ask",
        "it may read more files than can be checked in advance",
    )
    granted = replace(DEFAULT_POLICY, grants=decision.grants)
    assert (
        decide_action("bash", "grep -r K many", granted, workspace_paths=workspace_paths) == "allow"
    )
    (many / "0").unlink()
    assert decide_action("bash", "grep -r K many", workspace_paths=workspace_paths) == "allow"
    assert (
        decide_action("bash", "grep -r K many; grep -r K src", workspace_paths=workspace_paths)
        == "ask"
    )
    twice = "grep -r K many; grep -r --include=1* K many"
    assert decide_action("bash", twice, workspace_paths=workspace_paths) == "allow", (
        "a folder is listed once"
    )


def test_a_scan_skips_git_and_missing_folders(workspace_paths: WorkspacePaths) -> None:
    root = Path(workspace_paths.root)
    (root / ".git").mkdir()
    (root / ".git" / "config").touch()

    paths = map(Path, DirectoryScan().list_files(workspace_paths.root, "all").files)
    assert sorted(str(path.relative_to(root)) for path in paths if not path.is_dir()) == [
        ".env",
        "app/.env.example",
        "app/deep/.env.local",
        "src/a.py",
        "src/deep/b.py",
    ]
    assert DirectoryScan().list_files(f"{root}/gone", "all").files == ()
    assert DirectoryScan().list_files(f"{root}/.env", "all").files == ()


def test_files_found_before_the_limit_are_still_denied(
    workspace_paths: WorkspacePaths,
) -> None:
    many = Path(workspace_paths.root, "many")
    many.mkdir()
    for number in range(MAX_SCANNED_ENTRIES + 1):
        (many / f"{number}").touch()
    deny = rules_only_policy(rule("bash", "*"), rule("read", "app/deep/.env.local", "deny"))

    assert (
        decide_action("bash", "grep -r K app many", deny, workspace_paths=workspace_paths) == "deny"
    )
    assert (
        decide_action("bash", "grep -r K many app", deny, workspace_paths=workspace_paths) == "ask"
    )


@pytest.mark.parametrize("name", [".gitignore", ".ignore", ".rgignore"])
@pytest.mark.parametrize("line", ["!.env", "!/.env*", "  x\n!app/**/.env.local/", "!.e?v", "!*"])
def test_a_search_reads_hidden_files_that_are_unignored(
    workspace_paths: WorkspacePaths, name: str, line: str
) -> None:
    Path(workspace_paths.root, name).write_text(f"*.log\n{line}\n")
    assert decide_action("bash", "rg K", workspace_paths=workspace_paths) == "ask"
    assert decide_action("bash", "rg K src", workspace_paths=workspace_paths) == "allow"


def test_an_unignored_file_that_may_be_read_does_not_ask(
    workspace_paths: WorkspacePaths,
) -> None:
    Path(workspace_paths.root, ".gitignore").write_text("# !.env\n.env\n!.env.example\n!.github/\n")
    assert decide_action("bash", "rg K", workspace_paths=workspace_paths) == "allow"
    Path(workspace_paths.root, ".gitignore").unlink()
    Path(workspace_paths.root, ".gitignore").mkdir()
    assert decide_action("bash", "rg K", workspace_paths=workspace_paths) == "allow"
