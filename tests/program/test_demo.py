"""`greenroom demo`, as a new user runs it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.program.program_harness import CompletedRun, Program, single_error


def demo_folder(done: CompletedRun) -> Path:
    match = re.search(r"^Demo repository: (.+)$", done.stdout.decode(), re.MULTILINE)
    assert match, done.stdout
    return Path(match[1])


def check_demo_ran(done: CompletedRun) -> None:
    assert (done.exit_status, done.stderr) == (0, "")
    folder = demo_folder(done)
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
    match = re.search(r"^Session file: (.+)$", done.stdout.decode(), re.MULTILINE)
    assert match
    assert '"turn_completed"' in Path(match[1]).read_text()


def test_the_demo_runs_without_a_terminal(
    program: Program,
) -> None:
    done = program.run("demo", "--keep")
    check_demo_ran(done)
    assert b"\x1b" not in done.stdout


@pytest.mark.parametrize("home", ["", None, "/nonexistent"])
def test_the_demo_needs_no_home_repository_or_key(program: Program, home: str | None) -> None:
    elsewhere = program.folder / "elsewhere"
    elsewhere.mkdir()
    state = {"GREENROOM_HOME": None, "XDG_STATE_HOME": str(program.state_folder), "HOME": home}
    check_demo_ran(program.run("demo", "--auto", "--keep", cwd=elsewhere, environment=state))
    assert list(elsewhere.iterdir()) == []


def test_the_demo_does_not_use_a_key(program: Program) -> None:
    with program.serve() as server:
        check_demo_ran(program.run("demo", "--auto", "--keep"))
    assert server.requests == []


def test_the_demo_ignores_git_variables(program: Program) -> None:
    variables = {"GIT_DIR": str(program.folder / "none"), "GIT_INDEX_FILE": "none"}
    done = program.run("demo", "--auto", "--keep", environment=variables)
    check_demo_ran(done)


def test_without_git_the_demo_reports_one_line(program: Program) -> None:
    done = program.run("demo", "--auto", "--keep", environment={"PATH": str(program.folder)})
    assert (done.exit_status, done.stdout) == (2, b"")
    assert "git is not on the PATH" in single_error(done)


def test_the_demo_removes_its_repository_unless_asked(program: Program, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    for option, kept in (((), 0), (("--keep",), 1)):
        done = program.run("demo", "--auto", *option, environment={"TMPDIR": str(temporary)})
        assert done.exit_status == 0
        assert len(list(temporary.glob("greenroom-demo-*"))) == kept
