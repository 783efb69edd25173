"""The tool `glob`."""

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
        caller.write_file(name, "")
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
        ("*.rs", ["(no file matches)"]),
    ],
)
def test_a_pattern_finds_its_files(project: ToolCaller, pattern: str, found: list[str]) -> None:
    assert project.call("glob", pattern=pattern).splitlines() == found


def test_the_folder_searched_is_what_is_judged(project: ToolCaller) -> None:
    plan = project.plan("glob", pattern="*.py", path="src")

    assert plan.requests == (PermissionRequest(permission="glob", target="src"),)
    assert plan.title == "glob *.py in src"


def test_paths_can_be_given_to_read(project: ToolCaller) -> None:
    assert project.call("glob", pattern="c.py", path="src/deep") == "src/deep/c.py"


def test_a_name_cannot_pose_as_more_lines(caller: ToolCaller) -> None:
    caller.write_file("a\nb", "")

    assert caller.call("glob", pattern="*") == "a\\nb"


def test_more_than_can_be_shown_is_counted(caller: ToolCaller) -> None:
    for number in range(MAX_MATCHES + 1):
        caller.write_file(f"{number:04}", "")
    shown = caller.call("glob", pattern="*").splitlines()

    assert len(shown) == MAX_MATCHES + 1
    assert shown[-1] == "[the first 500 of 501; narrow the pattern down]"


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("", "a pattern has 1 to"),
        ("x" * 1_001, "a pattern has 1 to"),
        ("{a,b}" * 9, "more than"),
        ("src/../../*.py", "name another folder as path"),
    ],
)
def test_what_is_no_pattern_is_told(caller: ToolCaller, pattern: str, problem: str) -> None:
    assert problem in caller.expect_error("glob", pattern=pattern)


def test_a_file_is_no_folder(project: ToolCaller) -> None:
    assert project.expect_error("glob", pattern="*", path="a.py") == (
        "a.py is a regular file, not a folder; use read"
    )


@pytest.mark.parametrize(
    ("pattern", "whole"),
    [
        ("a", ["a"]),
        ("{a,b}c", ["ac", "bc"]),
        ("{a,{b,c}d}", ["a", "bd", "cd"]),
        ("{a}{b,c}", ["{a}b", "{a}c"]),
        ("{a,b", ["{a,b"]),
        ("a,b}", ["a,b}"]),
        ("{,x}y", ["y", "xy"]),
    ],
)
def test_braces_are_written_out_as_a_shell_does(pattern: str, whole: list[str]) -> None:
    assert expand_braces(pattern) == whole
