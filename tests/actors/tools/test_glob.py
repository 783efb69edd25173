"""The `glob` tool."""

import os

import pytest

from actors.tools.glob import MAX_MATCHES
from actors.tools.glob_patterns import expand_braces
from messages.policy import PermissionRequest
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


@pytest.fixture
def project(caller: ToolCaller) -> ToolCaller:
    for name in ("src", "src/deep", "docs"):
        (caller.root / name).mkdir()
    for name in ("a.py", "src/b.py", "src/deep/c.py", "src/d.ts", "docs/e.md", "#odd", "!odd"):
        os.utime(caller.write_file(name, ""), (0, 0))
    return caller


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", ["a.py", "src/b.py", "src/deep/c.py"]),
        ("/*.py", ["a.py"]),
        ("src/*.py", ["src/b.py"]),
        ("src/**/*.py", ["src/b.py", "src/deep/c.py"]),
        ("**/deep/*", ["src/deep/c.py"]),
        ("*.{ts,md}", ["docs/e.md", "src/d.ts"]),
        ("src/{b,deep/c}.py", ["src/b.py", "src/deep/c.py"]),
        ("?.p[xy]", ["a.py", "src/b.py", "src/deep/c.py"]),
        ("#odd", ["#odd"]),
        ("!odd", ["!odd"]),
        ("*.rs", ["(no files match)"]),
    ],
)
def test_a_pattern_finds_the_files_it_matches(
    project: ToolCaller, pattern: str, found: list[str]
) -> None:
    assert project.call("glob", pattern=pattern).splitlines() == found


def test_the_most_recently_changed_files_come_first(project: ToolCaller) -> None:
    os.utime(project.root / "src" / "deep" / "c.py", (20, 20))
    os.utime(project.root / "src" / "b.py", (10, 10))
    (project.root / "bytes\udcff.py").touch()
    os.utime(project.root / "bytes\udcff.py", (5, 5))
    found = project.call("glob", pattern="*.py").splitlines()
    assert found == ["src/deep/c.py", "src/b.py", "bytes\\xff.py", "a.py"]


def test_the_searched_folder_is_the_requested_target(project: ToolCaller) -> None:
    plan = project.plan("glob", pattern="*.py", path="src")

    assert plan.requests == (PermissionRequest(permission="glob", target="src"),)
    assert plan.title == "glob *.py in src"


def test_found_paths_can_be_passed_to_read(project: ToolCaller) -> None:
    assert project.call("glob", pattern="c.py", path="src/deep") == "src/deep/c.py"


def test_a_file_name_cannot_fake_extra_lines(caller: ToolCaller) -> None:
    caller.write_file("a\nb", "")

    assert caller.call("glob", pattern="*") == "a\\nb"


def test_matches_over_the_limit_are_truncated_and_counted(caller: ToolCaller) -> None:
    for number in range(MAX_MATCHES + 1):
        caller.write_file(f"{number:04}", "")
    rows = caller.call("glob", pattern="*").splitlines()

    assert len(rows) == MAX_MATCHES + 1
    assert rows[-1] == "[truncated: the newest 500 of 501 files; use a more specific pattern]"


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("", "a pattern must have 1 to"),
        ("x" * 1_001, "a pattern must have 1 to"),
        ("{a,b}" * 9, "expands to more than 100 alternatives"),
        ("{1..1000000000}", "expands to more than 100 alternatives"),
        ("{" * 1_000, "expands to more than 100 alternatives"),
        ("[a", "not a valid glob pattern: a bracket is not closed"),
        ("src/../../*.py", "set path to another directory"),
    ],
)
def test_a_pattern_that_exceeds_a_limit_is_rejected(
    caller: ToolCaller, pattern: str, problem: str
) -> None:
    assert problem in caller.expect_error("glob", pattern=pattern)


def test_a_file_cannot_be_searched_by_name(project: ToolCaller) -> None:
    assert project.expect_error("glob", pattern="*", path="a.py") == (
        "a.py is a regular file, not a directory; use read"
    )


@pytest.mark.parametrize(
    ("pattern", "alternatives"),
    [
        ("a", ["a"]),
        ("{a,b}c", ["ac", "bc"]),
        ("{a,{b,c}d}", ["a", "bd", "cd"]),
        ("{a}{b,c}", ["{a}b", "{a}c"]),
        ("{a,b", ["{a,b"]),
        ("a,b}", ["a,b}"]),
        ("{,x}y", ["y", "xy"]),
        ("{1..3}", ["1", "2", "3"]),
        ("\\{a,b}", ["\\{a,b}"]),
    ],
)
def test_braces_are_expanded_as_in_a_shell(pattern: str, alternatives: list[str]) -> None:
    assert expand_braces(pattern) == alternatives
