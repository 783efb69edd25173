"""The program with a sandbox: what runs unasked, what asks, and what the model is told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.program.program_harness import CompletedRun, Program
from tests.scripted_server import respond_text, respond_tool_call

JSON = ("--output-format", "json")
SANDBOX = {"GREENROOM_SANDBOX": "require"}
RunCommand = Callable[..., CompletedRun]


@pytest.fixture
def run_command(program: Program) -> RunCommand:
    """Let the model run one command; return the run, or skip the test without a sandbox."""
    checked = program.run("sandbox", "--", "true", environment={"GREENROOM_SANDBOX": "auto"})
    if checked.exit_status:
        pytest.skip(checked.stderr)

    def run(command: str, *options: str, **arguments: bool) -> CompletedRun:
        call = respond_tool_call("bash", command=command, **arguments)
        with program.serve(call, respond_text("Done.")):
            return program.run("-p", "Go.", *JSON, *options, environment=SANDBOX)

    return run


def get_last_request(program: Program) -> str:
    assert program.server is not None
    return str(program.server.requests[-1].body)


def test_a_command_runs_unasked_in_a_read_only_workspace(
    program: Program, run_command: RunCommand
) -> None:
    done = run_command("python3 -c 'print(6 * 7)'; touch made")
    assert (done.exit_status, done.result["denials"]) == (0, [])
    assert done.result["sandbox"] == "full"
    assert "42" in get_last_request(program)
    assert "the workspace is read-only (set writes to change files)" in get_last_request(program)
    assert not (program.repository / "made").exists()


def test_a_command_that_writes_is_denied_without_a_user(run_command: RunCommand) -> None:
    assert run_command("touch made", writes=True).exit_status == 5


def test_auto_edit_mode_lets_commands_write(program: Program, run_command: RunCommand) -> None:
    done = run_command("touch made; git add made", "--permission-mode", "auto-edit")
    assert (done.exit_status, done.result["denials"]) == (0, [])
    assert (program.repository / "made").exists()
    assert not (program.repository / ".vscode").exists()


def test_running_outside_is_a_question_of_its_own(
    program: Program, run_command: RunCommand, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    done = run_command(f"touch {outside}", outside=True)
    assert done.exit_status == 5
    assert (
        run_command(f"touch {outside}", "--permission-mode", "yolo", outside=True).exit_status == 0
    )
    assert outside.exists()
    assert "it ran in the sandbox" not in get_last_request(program)


def test_a_required_sandbox_that_is_missing_is_an_error(program: Program) -> None:
    done = program.run("-p", "Go.", environment={**SANDBOX, "PATH": "/nonexistent"})
    if not Path("/usr/bin/bwrap").exists():
        assert done.exit_status == 2
        assert "[sandbox] mode is require, but commands cannot be confined" in done.stderr
