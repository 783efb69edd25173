"""The tool `grep`, with ripgrep and with our own search; both must say the same."""

import asyncio
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from actors.tools.file_search import MAX_OUTPUT_BYTES, SearchQuery, find_ripgrep, search
from actors.tools.grep import MAX_LINE_CHARS, MAX_MATCHES, MAX_OPEN_FILES
from messages.policy import PermissionRequest
from tests.actors.tools.tool_caller import ToolCaller

ripgrep = find_ripgrep(Path("/nowhere"))


def test_the_checks_run_with_ripgrep_too() -> None:
    assert ripgrep, "install the project with [dev], which brings ripgrep"


@pytest.fixture(params=["ripgrep", "ours"])
def project(caller: ToolCaller, request: pytest.FixtureRequest) -> ToolCaller:
    caller.context = replace(
        caller.context, ripgrep_path=ripgrep if request.param == "ripgrep" else None
    )
    return caller


def run_grep(project: ToolCaller, pattern: str, **arguments: object) -> list[str]:
    return project.call("grep", pattern=pattern, **arguments).splitlines()


def test_a_match_is_shown_with_its_place(project: ToolCaller) -> None:
    (project.root / "src").mkdir()
    project.write_file("src/a.py", "one\ntwo three\n")
    project.write_file("b.py", "three\r\n")

    assert run_grep(project, "thr..") == ["b.py:1:three", "src/a.py:2:two three"]


def test_lines_around_a_match_are_marked_apart(project: ToolCaller) -> None:
    project.write_file("a", "1\n2\nx\n4\n5\n6\nx\n")

    assert run_grep(project, "x", context=1) == ["a-2-2", "a:3:x", "a-4-4", "a-6-6", "a:7:x"]


def test_case_counts_unless_told_otherwise(project: ToolCaller) -> None:
    project.write_file("a", "Größe\n")

    assert run_grep(project, "größe") == ["(no line matches)"]
    assert run_grep(project, "GRÖSSE|größe", ignore_case=True) == ["a:1:Größe"]


def test_names_alone_can_be_asked_for(project: ToolCaller) -> None:
    project.write_file("a", "x\nx\n")
    project.write_file("b", "x\n")

    assert run_grep(project, "x", files_only=True) == ["a", "b"]


def test_files_can_be_chosen_by_name(project: ToolCaller) -> None:
    project.write_file("a.py", "x\n")
    project.write_file("a.ts", "x\n")
    project.write_file("a.md", "x\n")

    assert run_grep(project, "x", glob="*.{py,ts}") == ["a.py:1:x", "a.ts:1:x"]


def test_one_file_can_be_searched(project: ToolCaller) -> None:
    project.write_file("a", "x\n")
    project.write_file("b", "x\n")

    assert run_grep(project, "x", path="b") == ["b:1:x"]


@pytest.mark.parametrize("pattern", ["^x$", r"\bx\b", "[w-y]", "x|y", "x+?", r"\x78", "(x)"])
def test_what_both_have_in_common_matches_alike(project: ToolCaller, pattern: str) -> None:
    project.write_file("a", "a\nx\nb\n")

    assert run_grep(project, pattern) == ["a:2:x"]


def test_ends_of_lines_marks_and_nuls_are_no_part_of_a_line(project: ToolCaller) -> None:
    project.write_file("crlf.txt", "seek it\r\n")
    project.write_file("marked.txt", "\ufeffseek it\n")
    project.write_file("late.txt", b"text\n" * 10_000 + b"\0 seek it\n")

    assert project.call("grep", pattern="seek it$").splitlines() == [
        "crlf.txt:1:seek it",
        "late.txt:10001:\0 seek it",
        "marked.txt:1:seek it",
    ]
    assert project.call("grep", pattern="^seek", files_only=True) == "crlf.txt\nmarked.txt"


def test_a_pattern_that_begins_like_an_option_is_a_pattern(project: ToolCaller) -> None:
    project.write_file("a", "--pre=sh\n")

    assert run_grep(project, "--pre=sh") == ["a:1:--pre=sh"]


def test_a_wrong_pattern_is_told_even_where_there_is_no_file(project: ToolCaller) -> None:
    refusal = project.expect_error("grep", pattern="(")

    assert refusal.startswith("not a regular expression that can be searched for: ")
    assert "\n" not in refusal


def test_what_is_not_utf8_is_shown_as_far_as_it_can_be(project: ToolCaller) -> None:
    project.write_file("a", b"caf\xe9 x\n")

    assert run_grep(project, "x") == ["a:1:caf\ufffd x"]


def test_the_last_line_needs_no_line_feed(project: ToolCaller) -> None:
    project.write_file("a", "1\nx")

    assert run_grep(project, "x") == ["a:2:x"]


def test_binary_files_are_counted_only(project: ToolCaller) -> None:
    project.write_file("a", b"x\0x")
    project.write_file("b", "x\n")

    assert run_grep(project, "x") == ["b:1:x", "[left out: 1 binary file]"]


def test_files_that_may_not_be_read_unasked_are_counted_only(project: ToolCaller) -> None:
    project.write_file(".env", "x\n")
    project.write_file("b", "x\n")

    assert run_grep(project, "x") == ["b:1:x", "[left out: 1 file that may not be read unasked]"]
    assert run_grep(project, "x", path=".env")[0] == "(no line matches)"


def test_links_are_not_followed(project: ToolCaller) -> None:
    outside = project.root.parent / "secret"
    outside.write_text("x\n")
    (project.root / "link").symlink_to(outside)

    assert run_grep(project, "x") == [
        "(no line matches)",
        "[left out: 1 not regular file (links, pipes, devices)]",
    ]


def test_a_long_line_is_cut(project: ToolCaller) -> None:
    project.write_file("a", "x" * (MAX_LINE_CHARS + 7) + "\n")

    assert run_grep(project, "x") == [f"a:1:{'x' * MAX_LINE_CHARS}… [+7 characters]"]


def test_more_matches_than_are_shown_are_told(project: ToolCaller) -> None:
    project.write_file("a", "x\n" * (MAX_MATCHES + 5))
    rows = run_grep(project, "x")

    assert len(rows) == MAX_MATCHES + 1
    assert rows[-1] == "[the first 200 matches; narrow it down]"


def test_all_files_of_several_batches_are_searched(project: ToolCaller) -> None:
    for number in range(MAX_OPEN_FILES + 3):
        project.write_file(f"{number:04}", "y\n")
    project.write_file("zz", "x\n")

    assert run_grep(project, "x") == ["zz:1:x"]


def test_the_folder_searched_is_what_is_judged(project: ToolCaller) -> None:
    (project.root / "src").mkdir()
    plan = project.plan("grep", pattern="x", path="src")

    assert plan.requests == (PermissionRequest(permission="grep", target="src"),)
    assert plan.title == "grep x in src"


def test_a_pipe_is_not_waited_for(project: ToolCaller) -> None:
    os.mkfifo(project.root / "pipe")

    assert stat.S_ISFIFO((project.root / "pipe").stat().st_mode)
    assert project.expect_error("grep", pattern="x", path="pipe") == (
        "pipe is a named pipe, neither a folder nor a file"
    )


def test_a_search_without_end_is_ended(tmp_path: Path) -> None:
    """A pattern that tries every way to split a long line, in our own search."""
    (tmp_path / "a").write_text("a" * 5_000 + "b")
    with (tmp_path / "a").open("rb") as file:
        done = asyncio.run(search(SearchQuery("(a|a)*(a|a)*c"), [file.fileno()], None, 0.3))

    assert not done.in_time


def test_a_cancelled_search_leaves_no_process(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a" * 5_000 + "b")

    async def cancelled() -> None:
        with (tmp_path / "a").open("rb") as file:
            async with asyncio.timeout(0.3):
                await search(SearchQuery("(a|a)*(a|a)*c"), [file.fileno()], None, 60.0)

    with pytest.raises(TimeoutError):
        asyncio.run(cancelled())
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_program_that_the_workspace_brings_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "rg"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:bin")

    assert find_ripgrep(tmp_path) != str(program)
    assert find_ripgrep(tmp_path / "other") == str(program)


def test_a_matching_line_too_long_to_show_is_counted_and_hides_no_other_file(
    project: ToolCaller,
) -> None:
    project.write_file("a", "x" * MAX_OUTPUT_BYTES + "\n")
    project.write_file("b", "x\n")

    assert run_grep(project, "x") == [
        "b:1:x",
        "[left out: 1 file with matching lines of 4 MiB and more]",
    ]
