"""The command line and standard input of the program."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program.program_harness import (
    COMMAND,
    ROOT,
    Program,
    content_text,
    request_messages,
    single_error,
)
from tests.scripted_server import respond_text


@pytest.mark.parametrize(
    "arguments",
    [
        ["--no-such-option"],
        ["-p", "hi", "--output-format", "xml"],
        ["-p", "hi", "--permission-mode", "never-ask"],
        ["-p", "one", "two"],
        ["--output-format", "json", "hi"],
        ["-p"],
        ["-p", ""],
        ["-p", " \n"],
        ["-p", "-"],
        ["-p", "hi", "--model"],
        ["demo", "extra"],
        ["hi"],
        [],
    ],
)
def test_a_usage_error_is_one_line_and_status_2(program: Program, arguments: list[str]) -> None:
    done = program.run(*arguments)
    assert (done.exit_status, done.stdout) == (2, b"")
    assert "Traceback" not in single_error(done)
    assert not program.state_folder.exists()


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_import_nothing_slow(option: str) -> None:
    code = (
        "import sys, shell.main\n"
        f"status = shell.main.run([{option!r}])\n"
        "slow = {'anthropic', 'pydantic', 'prompt_toolkit', 'pykka', 'asyncio', 'rich'}\n"
        "slow |= {'logging', 'tomllib', 'dataclasses', 'threading'}\n"
        "sys.exit(status or ' '.join(slow & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=20, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"greenroom" in done.stdout


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_into_a_closed_pipe_end_quietly(program: Program, option: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    running = program.start(option, stdout=writing)
    os.close(writing)
    done = running.wait()
    assert (done.exit_status, done.stderr) == (0, "")


def received_prompt(program: Program, *arguments: str | bytes, stdin: bytes | int) -> str:
    with program.serve(respond_text("Yes.")) as server:
        done = program.run(*arguments, stdin=stdin)
    assert (done.exit_status, done.stdout, done.stderr) == (0, b"Yes.\n", "")
    return content_text(request_messages(server)[0]["content"])


@pytest.mark.parametrize(
    ("arguments", "stdin", "prompt"),
    [
        (["-p", "Explain."], b"the log\n", "Explain.\n\nthe log"),
        (["-p", "-"], b"from the pipe\n", "from the pipe"),
        (["-p"], b"from the pipe\n", "from the pipe"),
        (["-p", "Explain."], b"", "Explain."),
        (["-p", "Explain."], b"\x00\xff\xfe\x1b[2J", "Explain.\n\n\x00\ufffd\ufffd\x1b[2J"),
        (["-p", "--", "-x is what?"], b"", "-x is what?"),
        (["-p", b"caf\xe9 \xed\xa0\x80"], b"", "caf\ufffd \ufffd\ufffd\ufffd"),
        (["-p", "a\tb\x1b[31m\u202e"], b"", "a\tb\x1b[31m\u202e"),
    ],
)
def test_the_prompt_joins_the_argument_and_piped_input(
    program: Program, arguments: list[str | bytes], stdin: bytes, prompt: str
) -> None:
    assert received_prompt(program, *arguments, stdin=stdin) == prompt


def test_a_silent_pipe_does_not_block(program: Program) -> None:
    reading, writing = os.pipe()
    try:
        assert received_prompt(program, "-p", "Go on.", stdin=reading) == "Go on."
    finally:
        os.close(reading)
        os.close(writing)


def test_too_much_standard_input_is_an_error(program: Program) -> None:
    done = program.run("-p", "Explain.", stdin=b"x" * 10_000_001)
    assert done.exit_status == 2
    assert "put the text into a file" in single_error(done)


def test_standard_input_that_cannot_be_read_is_one_line(program: Program) -> None:
    write_only = os.open(program.folder / "file", os.O_WRONLY | os.O_CREAT)
    try:
        done = program.run("-p", "Explain.", stdin=write_only)
    finally:
        os.close(write_only)
    assert done.exit_status == 2
    assert "standard input" in single_error(done)


def test_closed_streams_are_not_reused_by_our_files(program: Program) -> None:
    with program.serve(respond_text("Yes.")):
        command = subprocess.list2cmdline([*COMMAND, "-p", "Hello."])
        done = subprocess.run(
            ["sh", "-c", f"{command} <&- 2>&-"],
            cwd=program.repository,
            env=program.environment(),
            stdout=subprocess.PIPE,
            timeout=20,
            check=False,
        )
    assert (done.returncode, done.stdout) == (0, b"Yes.\n")
    assert program.record_types()[-1] == "turn_completed"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("-p", "Hello."), "standard output is closed; open it, or redirect it"),
        (("agents",), "standard output: Bad file descriptor"),
        (("--version",), "standard output: Bad file descriptor"),
    ],
)
def test_a_closed_standard_output_is_reported_before_any_work(
    program: Program, arguments: tuple[str, ...], error: str
) -> None:
    with program.serve(respond_text("Yes.")) as server:
        shell = f"exec {subprocess.list2cmdline([*COMMAND, *arguments])} >&-"
        done = program.start(command=("sh", "-c", shell)).wait()
    assert done.exit_status == 1
    assert single_error(done).startswith(error)
    assert server.requests == []


@pytest.mark.parametrize("arguments", [("-p", "Hello."), ("agents",), ("agents", "--json")])
def test_a_full_disk_behind_standard_output_is_reported(
    program: Program, arguments: tuple[str, ...]
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with program.serve(respond_text("Yes.")):
        full = os.open("/dev/full", os.O_WRONLY)
        running = program.start(*arguments, stdout=full)
        os.close(full)
        done = running.wait()
    assert done.exit_status == 1
    assert single_error(done).startswith("standard output: ")


def test_a_state_folder_that_is_a_file_is_named(program: Program) -> None:
    program.state_folder.write_text("not a folder")
    done = program.run("-p", "Hello.")
    assert (done.exit_status, done.stdout) == (2, b"")
    assert str(program.state_folder) in single_error(done)
    second = program.run(
        "-p", "Hello.", environment={"GREENROOM_HOME": f"{program.state_folder}/subfolder"}
    )
    assert second.exit_status == 2
    assert "GREENROOM_HOME" in single_error(second)


@pytest.mark.parametrize(("home", "expected"), [("", "None"), ("here", "None"), ("/me", "/me")])
def test_a_relative_home_is_ignored(home: str, expected: str) -> None:
    code = (
        "import os; from shell.process.streams import fix_home; "
        "fix_home(); print(os.environ.get('HOME'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={"HOME": home}, capture_output=True, check=True
    )
    assert done.stdout.decode() == f"{expected}\n"


def test_a_project_folder_that_cannot_be_created_is_named(program: Program) -> None:
    program.state_folder.mkdir()
    (program.state_folder / "projects").write_text("not a folder")
    done = program.run("-p", "Hello.")
    assert done.exit_status == 2
    assert "projects" in single_error(done)


def test_a_deleted_current_directory_is_one_line(program: Program) -> None:
    gone = program.folder / "gone"
    gone.mkdir()
    command = subprocess.list2cmdline([*COMMAND, "-p", "Hello."])
    done = subprocess.run(
        ["sh", "-c", f"rmdir {gone}; exec {command}"],
        cwd=gone,
        env=program.environment(),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("greenroom: cannot use the current directory: ")
    assert done.stderr.count("\n") == 1


def test_a_folder_name_that_is_not_utf_8_is_an_error(program: Program) -> None:
    try:
        folder = Path(os.fsdecode(os.fsencode(program.folder) + b"/caf\xe9"))
        folder.mkdir()
    except OSError:
        pytest.skip("this file system does not allow such a name")
    done = program.run("-p", "Hello.", cwd=folder)
    assert done.exit_status == 2
    assert "not UTF-8" in single_error(done)


def test_model_text_cannot_control_the_terminal(program: Program) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2Jdone\u202e\r\nnext"
    with program.serve(respond_text(hostile), respond_text(hostile)):
        controller, tty = pty.openpty()
        running = program.start("-p", "Hello.", stdout=tty)
        os.close(tty)
        shown = b""
        while b"next" not in shown:
            shown += os.read(controller, 4096)
        assert running.wait().exit_status == 0
        os.close(controller)
        piped = program.run("-p", "Hello.")
    assert shown == b"^[]0;owned^G^[[2Jdone<U+202E>^M\r\nnext\r\n"
    assert piped.stdout.decode() == f"{hostile}\n"
