"""Where a path leads, with real links, and on a file system that folds case."""

from pathlib import Path

import pytest

from actors.paths.resolve import (
    IdentifyFile,
    PathResolver,
    ResolvedPath,
    WorkspacePaths,
    is_in_workspace,
)
from actors.permissions.access_analysis import AccessAnalyzer
from actors.permissions.decide import combine_decisions, decide_access
from actors.permissions.default_rules import DEFAULT_RULES
from actors.permissions.rule_index import get_rule_index
from messages.policy import Action, Policy, Rule
from tests.actors.permissions.decision_helpers import (
    BUILD_PROFILE,
    decide_action,
    permission_request,
    rule,
    user_rules,
)

pytestmark = pytest.mark.quick


@pytest.fixture
def ground(tmp_path: Path) -> WorkspacePaths:
    root = tmp_path.resolve() / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").touch()
    return WorkspacePaths(root=str(root), cwd=str(root), home=str(tmp_path))


def resolve_path(path: str, workspace_paths: WorkspacePaths) -> ResolvedPath:
    return PathResolver(workspace_paths).resolve(path, workspace_paths.root)


@pytest.mark.parametrize(
    ("path", "leads"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("src/../src/./a.py", "src/a.py"),
        ("src", "src"),
        ("new/file", "new/file"),
        (".", "."),
        ("src/..", "."),
    ],
)
def test_a_path_leads_where_the_kernel_would_take_it(
    path: str, leads: str, ground: WorkspacePaths
) -> None:
    explorer = PathResolver(ground)
    place = explorer.resolve(path, ground.root)

    assert (explorer.to_target(place.path), place.problem) == (leads, "")
    assert explorer.to_target(explorer.resolve(f"{ground.root}/{path}", "/").path) == leads


def test_links_are_followed_and_every_spelling_on_the_way_is_told(ground: WorkspacePaths) -> None:
    root = Path(ground.root)
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("src")

    assert resolve_path("one/a.py", ground) == ResolvedPath(
        path=f"{root}/src/a.py", other_spellings=(f"{root}/one/a.py", f"{root}/two/a.py")
    )


def test_two_dots_behind_a_link_go_up_from_where_it_leads(ground: WorkspacePaths) -> None:
    root = Path(ground.root)
    (root / "deep").mkdir()
    (root / "deep" / "link").symlink_to("../src")

    assert resolve_path("deep/link/../x", ground).path == f"{root}/x"


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("", "the path is empty"),
        ("a\0b", "the path contains a NUL character"),
        ("a\udc80", "the path is not valid Unicode"),
        ("a/" * 2_100, "the path is longer than 4,095 bytes"),
        ("circle/x", "the links in the path form a loop"),
        ("gone/../a", "the path goes through a folder that does not exist"),
        ("x" * 300, "the path cannot be followed: File name too long"),
        (
            "/proc/self/environ",
            "the path goes through /proc, which differs from process to process",
        ),
    ],
)
def test_what_cannot_be_followed_says_why_and_asks(
    path: str, problem: str, ground: WorkspacePaths
) -> None:
    Path(ground.root, "circle").symlink_to("circle")

    assert resolve_path(path, ground).problem == problem
    everything = Policy(sources=(user_rules(rule("read", "*"), rule("read", "/*")),))
    assert decide_action("read", path, everything, workspace_paths=ground) == "ask"


def test_inside_is_compared_name_by_name() -> None:
    added = ("/srv/lib",)
    for target in ("a", ".", "a/b", "/srv/lib", "/srv/lib/a"):
        assert is_in_workspace(target, added), target
    for target in ("", "/srv/library", "/srv", "../a", "a/../../b", "/srv/lib/../x", "/etc"):
        assert not is_in_workspace(target, added), target


def identify_ignoring_case(path: str) -> tuple[int, int] | None:
    """A file system on which names that differ in case only are the same."""
    return (0, hash(path.casefold()))


CASE_INSENSITIVE: IdentifyFile = identify_ignoring_case


def decide_read(identify_file: IdentifyFile | None, name: str, *rules: Rule) -> Action:
    ground = WorkspacePaths(root="/nowhere/project", cwd="/nowhere/project")
    explorer = PathResolver(ground, identify_file) if identify_file else PathResolver(ground)
    policy = Policy(defaults=DEFAULT_RULES, sources=(user_rules(*rules),))
    book = get_rule_index(policy, (BUILD_PROFILE,))
    looking = AccessAnalyzer(explorer, book)
    looking.analyze(permission_request("read", name))
    return combine_decisions((each, decide_access(each, book)) for each in looking.accesses).action


@pytest.mark.parametrize("name", ["secrets/key", "SECRETS/key", "Secrets/KEY", "secrets/Key"])
def test_a_deny_also_holds_for_other_cases_where_the_file_system_folds(name: str) -> None:
    deny = rule("read", "secrets/*", "deny")

    assert decide_read(CASE_INSENSITIVE, name, deny) == "deny"
    assert decide_read(None, name, deny) == ("deny" if name.startswith("secrets/") else "allow")


def test_composed_and_decomposed_names_are_the_same_where_the_file_system_folds() -> None:
    deny = rule("read", "caf\u00e9/*", "deny")

    assert decide_read(CASE_INSENSITIVE, "CAFE\u0301/x", deny) == "deny"


def test_an_allow_stays_by_the_letter_where_the_file_system_folds() -> None:
    only = (rule("read", "*", "ask"), rule("read", "src/*"))

    assert decide_read(CASE_INSENSITIVE, "src/a", *only) == "allow"
    assert decide_read(CASE_INSENSITIVE, "SRC/a", *only) == "ask"


@pytest.mark.parametrize(
    "command",
    ["cat loop", "cp loop x", "python loop", "cat nodir/../x", "rm nodir/../x", "touch loop"],
)
def test_what_cannot_be_followed_asks_though_no_rule_speaks_of_it(
    tmp_path: Path, command: str
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    ground = WorkspacePaths(root=str(tmp_path), cwd=str(tmp_path))
    all_allowed = Policy(defaults=DEFAULT_RULES, sources=(user_rules(rule("bash", "*")),))

    assert decide_action("bash", command, all_allowed, workspace_paths=ground) == "ask"


@pytest.mark.parametrize(
    "command",
    ["cd a\0b && cat a", "cd a\0b; git status", "grep -r x 'a\0b'", "diff 'a\0b' c", "ls a\0b*"],
)
def test_a_nul_character_in_a_path_is_a_question_and_no_fault(command: str) -> None:
    assert decide_action("bash", command) == "ask"
