"""Binary files, odd names, limited disks and other unusual environments."""

import os
import shlex
from pathlib import Path

import pytest

from tests.program.program_harness import (
    API_KEY,
    COMMAND,
    STREAM_JSON,
    YOLO,
    Program,
    RunningProgram,
    request_messages,
    tool_results,
)
from tests.scripted_server import respond_raw_tool_call, respond_text, respond_tool_call


def test_binary_output_does_not_end_the_run(program: Program) -> None:
    (program.repository / "image").write_bytes(b"\xff\x00\xfe" * 100)
    (program.repository / "latin").write_bytes(b"caf\xe9\n")
    try:
        (program.repository / os.fsdecode(b"caf\xe9")).touch()
    except OSError:
        pytest.skip("this file system does not allow such a name")
    calls = (
        respond_tool_call("bash", command=r"printf 'a\377\033[31m\000b'; ls"),
        respond_tool_call("ls"),
        respond_tool_call("read", path="image"),
        respond_tool_call("read", path="latin"),
        respond_tool_call("read", path="a\0b"),
        respond_tool_call("read", path="x" * 5000),
        respond_tool_call("write", path="x/" * 3000, content=""),
        respond_tool_call("bash", command="head -c 3000000 /dev/zero | tr '\\0' x"),
        respond_tool_call("bash", command="kill -9 $$"),
        respond_tool_call("bash", command="exec >&- 2>&-; true"),
        respond_raw_tool_call("bash", r'{"command": "touch ran \ud800"}'),
        respond_raw_tool_call(
            "bash", '{"command": "touch ran", "description": ' + "[" * 5000 + "]" * 5000 + "}"
        ),
    )
    with program.serve(*calls, respond_text("Done.")) as server:
        done = program.run("-p", "Look.", *YOLO, *STREAM_JSON)
        again = program.run("-p", "And?", "--continue")

    assert (done.exit_status, done.stderr) == (0, "")
    assert not (program.repository / "ran").exists()
    results = [result for message in request_messages(server) for result in tool_results(message)]
    assert len(results) == len(calls)
    assert [failed for _, failed in results[-5:]] == [False, True, False, True, True]
    assert max(len(text) for text, _ in results) < 100_000
    assert again.exit_status == 1  # the server has no more responses; the history was sent
    assert len(server.requests) == len(calls) + 2


def test_on_a_disk_that_fills_up_the_answer_is_printed(
    program: Program,
) -> None:
    with program.serve(
        respond_text("long " * 4000), respond_text("Short."), respond_text("Shorter.")
    ) as server:
        full = start_limited(program, "ulimit -f 8", "-p", "Speak.").wait()
        again = program.run("-p", "Shorter.", "--continue")
    assert (full.exit_status, full.stdout) == (1, b"long " * 3999 + b"long \n")
    _, error = full.stderr.splitlines()
    assert error.startswith("greenroom: this run could not be saved")
    # The turn on disk is answered again, then the new prompt.
    assert (again.exit_status, again.stdout) == (0, b"Shorter.\n")
    assert request_messages(server)[0]["content"][0]["text"] == "Speak."


def start_limited(program: Program, limit: str, *arguments: str) -> RunningProgram:
    """Start the program under a limit, which must not truncate Python's bytecode cache."""
    shell = f"{limit}; exec {shlex.join([*COMMAND, *arguments])}"
    no_cache = {"PYTHONDONTWRITEBYTECODE": "1"}
    return program.start(command=("bash", "-c", shell), environment=no_cache)


def test_the_debug_log_has_no_key(program: Program) -> None:
    with program.serve(respond_tool_call("bash", command="env"), respond_text("Done.")):
        done = program.run("-p", "Look.", *YOLO, environment={"GREENROOM_LOG": "debug"})
    assert (done.exit_status, done.stderr) == (0, "")
    log = (program.state_folder / "greenroom.log").read_text()
    assert program.session_file.name in log
    files = [path for path in program.state_folder.rglob("*") if path.is_file()]
    assert [path for path in files if API_KEY.encode() in path.read_bytes()] == []


def test_a_token_or_a_server_url_replaces_a_key(program: Program) -> None:
    with program.serve(respond_text("Yes."), respond_text("Yes.")) as server:
        no_key = {"ANTHROPIC_API_KEY": None}
        token = no_key | {"ANTHROPIC_AUTH_TOKEN": "a-token"}
        assert program.run("-p", "Hi.", environment=no_key).exit_status == 0
        assert program.run("-p", "Hi.", environment=token).exit_status == 0
    assert server.requests[1].headers["authorization"] == "Bearer a-token"


def test_commands_start_in_the_start_folder(program: Program, tmp_path: Path) -> None:
    subfolder = program.repository / "subfolder"
    subfolder.mkdir()
    with program.serve(respond_tool_call("bash", command="pwd"), respond_text("Done.")) as server:
        program.run("-p", "Where?", *YOLO, cwd=subfolder)
    assert tool_results(request_messages(server)[-1]) == [(str(subfolder), False)]
    assert str(tmp_path.resolve() / "repository") in str(server.requests[0].body["system"])


def test_the_log_follows_no_link(program: Program) -> None:
    program.state_folder.mkdir()
    elsewhere = program.folder / "elsewhere"
    elsewhere.write_text("mine\n")
    (program.state_folder / "greenroom.log").symlink_to(elsewhere)
    with program.serve(respond_text("Hello.")):
        done = program.run("-p", "Hi.", environment={"GREENROOM_LOG": "debug"})
    assert done.exit_status == 0
    assert elsewhere.read_text() == "mine\n"
