"""`greenroom sessions`, and choosing a session to resume or fork."""

import json
import os
import pty
import re
from pathlib import Path

import pytest

from actors.sessions.state_paths import project_folder
from tests.program.preloaded_program import PreloadedProgram
from tests.program.program_harness import (
    API_KEY,
    YOLO,
    CommandWatch,
    CompletedRun,
    Program,
    content_text,
    request_messages,
    single_error,
)
from tests.scripted_server import respond_http_error, respond_text, respond_tool_call

PROGRAM_TYPE = PreloadedProgram


def create_two_sessions(program: Program) -> tuple[str, str]:
    program.run("-p", "Old \x1b[31mprompt.")
    (old,) = program.session_files
    program.run("-p", "New prompt.")
    (new,) = set(program.session_files) - {old}
    return old.stem, new.stem


def successful_output(done: CompletedRun) -> str:
    assert (done.exit_status, done.stderr) == (0, "")
    return done.stdout.decode()


def test_sessions_are_listed_shown_and_exported(program: Program) -> None:
    with program.serve(respond_text("One `````text."), respond_text("Two.")):
        old, new = create_two_sessions(program)
    program.server = None
    heading, *rows = successful_output(program.run("sessions")).splitlines()
    assert len(successful_output(program.run("sessions", "list")).splitlines()) == len(rows) + 1
    assert heading.split() == ["session", "age", "turns", "size", "state", "first", "prompt"]
    assert {row.split()[0] for row in rows} == {old, new}
    assert any(
        "1      " in row and "available" in row and "Old ^[[31mprompt." in row for row in rows
    )

    shown = successful_output(program.run("sessions", "show", old))
    assert "## You\n\nOld \x1b[31mprompt.\n\n## Greenroom\n\nOne `````text.\n" in shown
    assert successful_output(program.run("sessions", "export", old)) == shown
    records = json.loads(
        successful_output(program.run("sessions", "export", old, "--format", "json"))
    )
    assert [record["type"] for record in records][:3] == [
        "session_header",
        "session_opened",
        "turn_started",
    ]
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))

    target = program.folder / "export.md"
    done = program.run("sessions", "export", old, "--output", str(target))
    assert (done.exit_status, done.stdout) == (0, b"")
    assert target.read_text() == shown
    assert target.stat().st_mode & 0o077 == 0
    again = program.run("sessions", "export", old, "--output", str(target))
    assert again.exit_status == 2
    assert "already exists" in single_error(again)


def test_a_shown_session_cannot_control_the_terminal(program: Program) -> None:
    with program.serve(respond_text("One."), respond_text("Two.")):
        old, _ = create_two_sessions(program)
    program.server = None
    controller, tty = pty.openpty()
    running = program.start("sessions", "show", old, stdout=tty)
    os.close(tty)
    shown = b""
    while b"One." not in shown:
        shown += os.read(controller, 4096)
    assert running.wait().exit_status == 0
    os.close(controller)
    assert b"Old ^[[31mprompt." in shown
    assert b"\x1b" not in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["sessions", "delete"],
        ["sessions", "show"],
        ["sessions", "export"],
        ["sessions", "list", "x"],
        ["sessions", "show", "x", "--format", "json"],
        ["sessions", "export", "x", "--format", "xml"],
        ["sessions", "export", "x", "y"],
        ["-p", "hi", "--continue", "--resume", "x"],
        ["-p", "hi", "--resume", "x", "--fork", "x"],
        ["-p", "hi", "--resume"],
    ],
)
def test_a_usage_error_is_one_line_and_status_2(program: Program, arguments: list[str]) -> None:
    done = program.run(*arguments)
    assert (done.exit_status, done.stdout) == (2, b"")
    assert "Traceback" not in single_error(done)


def test_an_unknown_session_is_an_error(program: Program) -> None:
    assert successful_output(program.run("sessions")) == "no sessions in this workspace yet\n"
    for arguments in (
        ["sessions", "show", "2"],
        ["-p", "hi", "--resume", "2"],
        ["-p", "hi", "--fork", "2"],
    ):
        done = program.run(*arguments)
        assert (done.exit_status, done.stdout) == (2, b"")
        assert "no session 2; this workspace has no sessions yet" in single_error(done)


def test_a_damaged_session_is_listed_with_the_others(program: Program) -> None:
    with program.serve(respond_text("One."), respond_text("Two.")):
        old, new = create_two_sessions(program)
    program.server = None
    folder = project_folder(program.state_folder, program.repository)
    path = folder / f"{old}.jsonl"
    path.write_bytes(path.read_bytes().replace(b"Old", b"Odd"))
    (folder / "odd.jsonl").write_bytes(b"\0\xff\n" * 9)
    (folder / "odd.jsonl").chmod(0o600)
    rows = {row.split()[0]: row for row in successful_output(program.run("sessions")).splitlines()}
    assert "damaged  " in rows[old]
    assert "damaged at line 3 of 6" in rows[old]
    assert "unusable" in rows["odd"]
    assert "available" in rows[new]
    done = program.run("sessions", "export", "odd", "--format", "json")
    assert (done.exit_status, done.stdout) == (2, b"")
    assert "not a session file" in single_error(done)


def test_a_damaged_session_is_shown_and_forked_but_not_continued(program: Program) -> None:
    with program.serve(
        respond_text("One."), respond_text("Two."), respond_text("Three."), respond_text("Four.")
    ) as server:
        for prompt in ("First.", "Second.", "Third."):
            program.run("-p", prompt, "--continue")
        session = program.session_file
        damaged = session.read_bytes().replace(b"Second.", b"Sekond.")
        session.write_bytes(damaged)
        notice = "Record 8 (turn started) cannot be read: the checksum does not match."

        shown = program.run("sessions", "show", session.stem)
        assert shown.exit_status == 0
        assert notice in single_error(shown)
        text = shown.stdout.decode()
        assert text.index("One.") < text.index(f"*{notice}*") < text.index("Third.")
        exported = program.run("sessions", "export", session.stem, "--format", "json")
        assert exported.exit_status == 0
        assert [record["type"] for record in json.loads(exported.stdout)][7] == "damaged_records"

        continued = program.run("-p", "Fourth.", "--continue")
        assert (continued.exit_status, continued.stdout) == (2, b"")
        assert notice in single_error(continued)
        assert f"greenroom --fork {session.stem}" in single_error(continued)

        forked = program.run("-p", "Fourth.", "--fork", session.stem)
        assert (forked.exit_status, forked.stdout) == (0, b"Four.\n")
        assert "The copy does not have a turn whose start is damaged." in single_error(forked)
    assert [content_text(m["content"]) for m in request_messages(server)] == [
        *("First.", "One.", "Third.", "Three."),
        "Fourth.",
    ]
    assert session.read_bytes() == damaged


def test_a_session_is_resumed_by_a_prefix_of_its_id(program: Program) -> None:
    with program.serve(
        respond_text("One."), respond_text("Two."), respond_text("Three.")
    ) as server:
        old, new = create_two_sessions(program)
        prefix = os.path.commonprefix([old, new])  # noqa: RUF071  (ids are not paths)
        done = program.run("-p", "On.", "--resume", old[: len(prefix) + 1])
        ambiguous = program.run("-p", "On.", "--resume", prefix)
    assert (done.exit_status, done.stdout) == (0, b"Three.\n")
    assert [content_text(m["content"]) for m in request_messages(server)][1:] == ["One.", "On."]
    assert ambiguous.exit_status == 2
    assert re.search(r"matches 2 sessions: \S+, \S+$", single_error(ambiguous))


def test_a_locked_session_can_be_forked(program: Program, command_watch: CommandWatch) -> None:
    os.mkfifo(program.repository / "go")
    command = f"{command_watch.report_start}; read -r line < go"
    with program.serve(
        respond_text("One."),
        respond_tool_call("bash", command=command),
        respond_text("Forked."),
        respond_text("Done."),
    ) as server:
        program.run("-p", "First.")
        (locked,) = program.session_files
        running = program.start("-p", "Work.", "--continue", *YOLO)
        command_watch.wait_for_output()
        before = locked.read_bytes()
        assert "locked" in successful_output(program.run("sessions"))
        failed = program.run("-p", "Me too.", "--resume", locked.stem)
        forked = program.run("-p", "Me too.", "--fork", locked.stem, "--output-format", "json")
        assert locked.read_bytes() == before
        (program.repository / "go").write_text("go\n")
        assert running.wait().stdout == b"Done.\n"
    assert failed.exit_status == 2
    assert f"process {running.process.pid}" in single_error(failed)
    assert forked.exit_status == 0
    assert forked.result["session_id"] != locked.stem
    assert len(program.session_files) == 2
    messages = request_messages(server, 2)
    assert content_text(messages[0]["content"]) == "First."
    assert content_text(messages[-1]["content"]).endswith("Me too.")


def read_all_files(program: Program) -> dict[Path, bytes]:
    folders = (program.state_folder, program.repository, program.folder / "user")
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files}


def test_the_key_is_never_written_to_a_file(program: Program) -> None:
    refusal = respond_http_error(401, "authentication_error", f"invalid x-api-key: {API_KEY}")
    command = "e=$(tr '\\0' ' ' < /proc/$PPID/environ); echo $e; yes $e | head -c 300000"
    answers = (
        respond_tool_call("bash", command=command),
        respond_text(f"The key is {API_KEY}."),
        refusal,
        respond_text("Once more."),
    )
    with program.serve(*answers):
        debug = {"GREENROOM_LOG": "debug"}
        program.run("-p", f"My key is {API_KEY}.", *YOLO, environment=debug)
        program.run("-p", "Again.", "--continue", environment=debug)
        program.run("-p", "Again.", "--continue", environment=debug)
        for output_format in ("markdown", "json"):
            target = str(program.repository / f"export.{output_format}")
            program.run(
                "sessions",
                "export",
                program.session_file.stem,
                "--format",
                output_format,
                "--output",
                target,
            )
    files = read_all_files(program)
    assert [path for path, data in files.items() if API_KEY.encode() in data] == []
    assert any(b"[secret]" in data for data in files.values())
