"""The rehearsal, as somebody meets it who has just installed Greenroom."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.program.program import Done, Program, one_complaint


def folder_of(done: Done) -> Path:
    found = re.search(r"^The demo's repository: (.+)$", done.out.decode(), re.MULTILINE)
    assert found, done.out
    return Path(found[1])


def check_that_it_was_played(done: Done) -> None:
    assert (done.status, done.err) == (0, "")
    folder = folder_of(done)
    try:
        tests = subprocess.run(
            ["python3", "-m", "unittest", "-q"], cwd=folder, capture_output=True, check=False
        )
        changes = subprocess.run(
            ["git", "status", "--short"], cwd=folder, capture_output=True, check=False
        )
    finally:
        shutil.rmtree(folder)
    assert (tests.returncode, changes.stdout) == (0, b"")
    transcript = re.search(r"^The transcript: (.+)$", done.out.decode(), re.MULTILINE)
    assert transcript
    assert '"turn_completed"' in Path(transcript[1]).read_text()


def test_without_a_terminal_it_plays_by_itself_and_leaves_a_green_clean_repository(
    program: Program,
) -> None:
    done = program.run("demo")
    check_that_it_was_played(done)
    assert b"\x1b" not in done.out


@pytest.mark.parametrize("home", ["", None, "/nonexistent"])
def test_it_needs_no_home_no_repository_and_no_key(program: Program, home: str | None) -> None:
    elsewhere = program.folder / "elsewhere"
    elsewhere.mkdir()
    state = {"GREENROOM_HOME": None, "XDG_STATE_HOME": str(program.home), "HOME": home}
    check_that_it_was_played(program.run("demo", "--auto", cwd=elsewhere, environment=state))
    assert list(elsewhere.iterdir()) == []


def test_a_key_in_the_environment_is_not_used(program: Program) -> None:
    with program.serve() as server:
        check_that_it_was_played(program.run("demo", "--auto"))
    assert server.asked == []


def test_git_variables_of_the_environment_do_not_lead_it_astray(program: Program) -> None:
    variables = {"GIT_DIR": str(program.folder / "none"), "GIT_INDEX_FILE": "none"}
    done = program.run("demo", "--auto", environment=variables)
    check_that_it_was_played(done)


def test_without_git_it_says_so_in_one_line(program: Program) -> None:
    done = program.run("demo", "--auto", environment={"PATH": str(program.folder)})
    assert (done.status, done.out) == (2, b"")
    assert "git is not on the PATH" in one_complaint(done)
