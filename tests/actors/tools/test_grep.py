"""The `grep` tool, with ripgrep and with the fallback; both must return the same."""

import asyncio
import os
import stat
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from actors.tools.file_search import MAX_OUTPUT_BYTES, SearchQuery, find_ripgrep, search
from actors.tools.grep import MAX_LINE_CHARS, MAX_MATCHES, MAX_OPEN_FILES
from messages.policy import PermissionRequest
from tests.actors.tools.tool_caller import ToolCaller

ripgrep = find_ripgrep(Path("/nowhere"))


def test_ripgrep_is_installed_for_these_tests() -> None:
    assert ripgrep, "install the project with [dev], which includes ripgrep"


@pytest.fixture(params=["ripgrep", "fallback"])
def project(caller: ToolCaller, request: pytest.FixtureRequest) -> ToolCaller:
    caller.context = replace(
        caller.context, ripgrep_path=ripgrep if request.param == "ripgrep" else None
    )
    return caller


def run_grep(project: ToolCaller, pattern: str, **arguments: object) -> list[str]:
    return project.call("grep", pattern=pattern, **arguments).splitlines()


def test_a_match_is_shown_with_path_and_line(project: ToolCaller) -> None:
    (project.root / "src").mkdir()
    project.write_file("src/a.py", "one\ntwo three\n")
    project.write_file("b.py", "three\r\n")

    assert run_grep(project, "thr..") == ["b.py:1:three", "src/a.py:2:two three"]


def test_context_lines_are_marked_differently_from_matches(project: ToolCaller) -> None:
    project.write_file("a", "1\n2\nx\n4\n5\n6\nx\n")

    assert run_grep(project, "x", context=1) == ["a-2-2", "a:3:x", "a-4-4", "a-6-6", "a:7:x"]


def test_a_search_is_case_sensitive_by_default(project: ToolCaller) -> None:
    project.write_file("a", "Größe\n")

    assert run_grep(project, "größe") == ["(no lines match)"]
    assert run_grep(project, "GRÖSSE|größe", ignore_case=True) == ["a:1:Größe"]


def test_files_only_returns_paths_instead_of_lines(project: ToolCaller) -> None:
    project.write_file("a", "x\nx\n")
    project.write_file("b", "x\n")

    assert run_grep(project, "x", files_only=True) == ["a", "b"]


def test_a_glob_restricts_the_files_searched(project: ToolCaller) -> None:
    project.write_file("a.py", "x\n")
    project.write_file("a.ts", "x\n")
    project.write_file("a.md", "x\n")

    assert run_grep(project, "x", glob="*.{py,ts}") == ["a.py:1:x", "a.ts:1:x"]


def test_a_single_file_can_be_searched(project: ToolCaller) -> None:
    project.write_file("a", "x\n")
    project.write_file("b", "x\n")

    assert run_grep(project, "x", path="b") == ["b:1:x"]


@pytest.mark.parametrize("pattern", ["^x$", r"\bx\b", "[w-y]", "x|y", "x+?", r"\x78", "(x)"])
def test_common_regular_expression_syntax_matches_alike(project: ToolCaller, pattern: str) -> None:
    project.write_file("a", "a\nx\nb\n")

    assert run_grep(project, pattern) == ["a:2:x"]


def test_line_endings_and_byte_order_marks_are_not_matched(project: ToolCaller) -> None:
    project.write_file("crlf.txt", "seek it\r\n")
    project.write_file("marked.txt", "\ufeffseek it\n")
    project.write_file("late.txt", b"text\n" * 10_000 + b"\0 seek it\n")

    assert project.call("grep", pattern="seek it$").splitlines() == [
        "crlf.txt:1:seek it",
        "late.txt:10001:\0 seek it",
        "marked.txt:1:seek it",
    ]
    assert project.call("grep", pattern="^seek", files_only=True) == "crlf.txt\nmarked.txt"


def test_a_pattern_that_looks_like_an_option_works(project: ToolCaller) -> None:
    project.write_file("a", "--pre=sh\n")

    assert run_grep(project, "--pre=sh") == ["a:1:--pre=sh"]


def test_an_invalid_pattern_is_reported_without_any_file(project: ToolCaller) -> None:
    error = project.expect_error("grep", pattern="(")

    assert error.startswith("invalid regular expression: ")
    assert "\n" not in error


def test_invalid_utf8_in_a_match_is_replaced(project: ToolCaller) -> None:
    project.write_file("a", b"caf\xe9 x\n")

    assert run_grep(project, "x") == ["a:1:caf\ufffd x"]


def test_the_last_line_needs_no_newline(project: ToolCaller) -> None:
    project.write_file("a", "1\nx")

    assert run_grep(project, "x") == ["a:2:x"]


def test_binary_files_are_skipped_and_counted(project: ToolCaller) -> None:
    project.write_file("a", b"x\0x")
    project.write_file("b", "x\n")

    assert run_grep(project, "x") == ["b:1:x", "[skipped: 1 binary file]"]


def test_files_that_need_approval_are_skipped_and_counted(project: ToolCaller) -> None:
    project.write_file(".env", "x\n")
    project.write_file("b", "x\n")

    assert run_grep(project, "x") == [
        "b:1:x",
        "[skipped: 1 file that may not be read without approval; use read for one of them]",
    ]
    assert run_grep(project, "x", path=".env")[0] == "(no lines match)"


def test_a_search_follows_no_symbolic_links(project: ToolCaller) -> None:
    outside = project.root.parent / "secret"
    outside.write_text("x\n")
    (project.root / "link").symlink_to(outside)

    assert run_grep(project, "x") == [
        "(no lines match)",
        "[skipped: 1 entry that is not a regular file (symbolic link, pipe or device)]",
    ]


def test_a_long_matching_line_is_truncated(project: ToolCaller) -> None:
    project.write_file("a", "x" * (MAX_LINE_CHARS + 7) + "\n")

    assert run_grep(project, "x") == [f"a:1:{'x' * MAX_LINE_CHARS}… [+7 characters]"]


def test_matches_over_the_limit_are_reported(project: ToolCaller) -> None:
    project.write_file("a", "x\n" * (MAX_MATCHES + 5))
    rows = run_grep(project, "x")

    assert len(rows) == MAX_MATCHES + 1
    assert rows[-1] == "[truncated: the first 200 matches; use a narrower pattern, path or glob]"


def test_files_in_all_batches_are_searched(project: ToolCaller) -> None:
    for number in range(MAX_OPEN_FILES + 3):
        project.write_file(f"{number:04}", "y\n")
    project.write_file("zz", "x\n")

    assert run_grep(project, "x") == ["zz:1:x"]


def test_the_searched_folder_is_the_requested_target(project: ToolCaller) -> None:
    (project.root / "src").mkdir()
    plan = project.plan("grep", pattern="x", path="src")

    assert plan.requests == (PermissionRequest(permission="grep", target="src"),)
    assert plan.title == "grep x in src"


def test_a_named_pipe_cannot_be_searched(project: ToolCaller) -> None:
    os.mkfifo(project.root / "pipe")

    assert stat.S_ISFIFO((project.root / "pipe").stat().st_mode)
    assert project.expect_error("grep", pattern="x", path="pipe") == (
        "pipe is a named pipe, not a directory or a regular file"
    )


def test_a_search_is_stopped_at_the_timeout(tmp_path: Path) -> None:
    """The pattern backtracks exponentially in the fallback search."""
    (tmp_path / "a").write_text("a" * 5_000 + "b")
    with (tmp_path / "a").open("rb") as file:
        result = asyncio.run(search(SearchQuery("(a|a)*(a|a)*c"), [file.fileno()], None, 0.3))

    assert not result.in_time


def test_a_cancelled_search_leaves_no_process(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a" * 5_000 + "b")

    async def search_until_timeout() -> None:
        with (tmp_path / "a").open("rb") as file:
            async with asyncio.timeout(0.3):
                await search(SearchQuery("(a|a)*(a|a)*c"), [file.fileno()], None, 60.0)

    before = list_children()
    with pytest.raises(TimeoutError):
        asyncio.run(search_until_timeout())
    assert list_children() == before


def list_children() -> str:
    return Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text()


def test_a_ripgrep_inside_the_workspace_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "rg"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:bin")

    assert find_ripgrep(tmp_path) != str(program)
    assert find_ripgrep(tmp_path / "other") == str(program)


def test_an_overlong_matching_line_hides_no_other_file(
    project: ToolCaller,
) -> None:
    project.write_file("a", "x" * MAX_OUTPUT_BYTES + "\n")
    project.write_file("b", "x\n")

    assert run_grep(project, "x") == [
        "b:1:x",
        "[skipped: 1 file with a matching line of 4 MiB or more]",
    ]
