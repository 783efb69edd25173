"""A command that reads a whole folder reads every file in it, also those that ask."""

from dataclasses import replace
from pathlib import Path

import pytest

from actors.permissions.defaults import BUILT_IN
from actors.permissions.depths import MOST_ENTRIES, Depths
from actors.permissions.places import WorkspacePaths
from messages.rules import Action, Policy
from tests.actors.permissions.judged import by_rules, decided, rule, user, verdict

pytestmark = pytest.mark.quick


@pytest.fixture
def ground(tmp_path: Path) -> WorkspacePaths:
    root = tmp_path.resolve() / "project"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "app" / "deep").mkdir(parents=True)
    for name in (".env", "src/a.py", "src/deep/b.py", "app/deep/.env.local", "app/.env.example"):
        (root / name).write_text("text")
    return WorkspacePaths(root=str(root), cwd=str(root), home=str(tmp_path))


ASKING = [
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
QUIET = [
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


@pytest.mark.parametrize("command", ASKING)
def test_a_deep_read_asks_where_such_a_file_stands_below(
    command: str, ground: WorkspacePaths
) -> None:
    assert verdict("bash", command, ground=ground) == "ask"


@pytest.mark.parametrize("command", QUIET)
def test_a_deep_read_is_quiet_where_none_does(command: str, ground: WorkspacePaths) -> None:
    assert verdict("bash", command, ground=ground) == "allow"


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
def test_rules_on_reading_hold_for_what_really_stands_there(
    pattern: str, action: Action, expected: Action, ground: WorkspacePaths
) -> None:
    written = user(rule("read", pattern, action))
    policy = Policy(defaults=BUILT_IN, sources=(written,))

    assert verdict("bash", "grep -r K src", policy, ground=ground) == expected


def test_a_deny_holds_for_a_deep_read_that_rules_allow_and_inside_a_wrapper(
    ground: WorkspacePaths,
) -> None:
    policy = by_rules(rule("bash", "*"), rule("read", "*"), rule("read", "*.py", "deny"))

    assert verdict("bash", "grep -r K src", policy, ground=ground) == "deny"
    assert verdict("bash", "timeout 5 grep -r K src", policy, ground=ground) == "deny"
    assert verdict("bash", "grep -r K app", policy, ground=ground) == "allow"


def test_links_below_are_not_followed_and_ask_where_the_command_follows_them(
    ground: WorkspacePaths,
) -> None:
    src = Path(ground.root, "src")
    (src / "link").symlink_to("../.env")

    assert verdict("bash", "grep -r K src", ground=ground) == "allow"
    assert verdict("bash", "grep -R K src", ground=ground) == "ask"
    assert verdict("bash", "rg -L K src", ground=ground) == "ask"
    assert verdict("bash", "diff -r src app", ground=ground) == "ask"


def test_without_a_repository_git_compares_folders_too(ground: WorkspacePaths) -> None:
    trusted = Policy(defaults=BUILT_IN, trusted=True)

    assert verdict("bash", "git diff app src", trusted, ground=ground) == "ask"
    assert verdict("bash", "git diff HEAD src", trusted, ground=ground) == "allow"


def test_two_folders_or_a_file_and_a_folder_are_compared_by_what_is_in_them(
    ground: WorkspacePaths,
) -> None:
    src = Path(ground.root, "src")
    (src / "b.py").symlink_to("../.env")
    deny = by_rules(rule("bash", "*"), rule("read", "*"), rule("read", "src/deep/*", "deny"))

    assert verdict("bash", "diff src/deep/b.py src", ground=ground) == "ask"
    assert verdict("bash", "diff b.py src/deep", deny, ground=ground) == "deny"
    assert verdict("bash", "diff src/a.py app/deep/a.py", ground=ground) == "allow"


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
def test_a_folder_that_is_entered_by_a_link_counts_by_where_it_leads(
    command: str, ground: WorkspacePaths
) -> None:
    Path(ground.root, "linked").symlink_to("src/deep")
    denying = by_rules(
        *(rule(permission, "*") for permission in ("bash", "read", "write")),
        rule("read", "src/deep/b.py", "deny"),
        rule("write", "src/deep/.new", "deny"),
    )

    assert verdict("bash", command, denying, ground=ground) == "deny"
    assert verdict("bash", command, ground=ground) == "ask"


def test_more_than_is_looked_at_asks_and_only_that(ground: WorkspacePaths) -> None:
    many = Path(ground.root, "many")
    many.mkdir()
    for number in range(MOST_ENTRIES + 1):
        (many / str(number)).touch()

    judgement = decided(("bash", "grep -r K many"), ground=ground).judgement
    assert (judgement.action, judgement.reason) == (
        "ask",
        "it reads more files than are looked at beforehand",
    )
    granting = replace(Policy(defaults=BUILT_IN), grants=judgement.grants)
    assert verdict("bash", "grep -r K many", granting, ground=ground) == "allow"
    (many / "0").unlink()
    assert verdict("bash", "grep -r K many", ground=ground) == "allow"
    assert verdict("bash", "grep -r K many; grep -r K src", ground=ground) == "ask"
    twice = "grep -r K many; grep -r --include=1* K many"
    assert verdict("bash", twice, ground=ground) == "allow", "it is looked at once"


def test_the_look_leaves_out_git_and_what_is_not_there(ground: WorkspacePaths) -> None:
    root = Path(ground.root)
    (root / ".git").mkdir()
    (root / ".git" / "config").touch()

    found = Depths().below(ground.root, "all").files
    assert sorted(
        str(Path(each).relative_to(root)) for each in found if not Path(each).is_dir()
    ) == [
        ".env",
        "app/.env.example",
        "app/deep/.env.local",
        "src/a.py",
        "src/deep/b.py",
    ]
    assert Depths().below(f"{root}/gone", "all").files == ()
    assert Depths().below(f"{root}/.env", "all").files == ()


def test_what_was_found_counts_though_there_is_more_than_is_looked_at(
    ground: WorkspacePaths,
) -> None:
    many = Path(ground.root, "many")
    many.mkdir()
    for number in range(MOST_ENTRIES + 1):
        (many / f"{number}").touch()
    deny = by_rules(rule("bash", "*"), rule("read", "app/deep/.env.local", "deny"))

    assert verdict("bash", "grep -r K app many", deny, ground=ground) == "deny"
    assert verdict("bash", "grep -r K many app", deny, ground=ground) == "ask"


@pytest.mark.parametrize("name", [".gitignore", ".ignore", ".rgignore"])
@pytest.mark.parametrize("line", ["!.env", "!/.env*", "  x\n!app/**/.env.local/", "!.e?v", "!*"])
def test_what_an_ignore_file_takes_back_a_search_looks_at(
    ground: WorkspacePaths, name: str, line: str
) -> None:
    Path(ground.root, name).write_text(f"*.log\n{line}\n")
    assert verdict("bash", "rg K", ground=ground) == "ask"
    assert verdict("bash", "rg K src", ground=ground) == "allow"


def test_what_an_ignore_file_takes_back_that_anybody_may_read_is_no_question(
    ground: WorkspacePaths,
) -> None:
    Path(ground.root, ".gitignore").write_text("# !.env\n.env\n!.env.example\n!.github/\n")
    assert verdict("bash", "rg K", ground=ground) == "allow"
    Path(ground.root, ".gitignore").unlink()
    Path(ground.root, ".gitignore").mkdir()
    assert verdict("bash", "rg K", ground=ground) == "allow"
