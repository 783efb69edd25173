"""Resuming sessions after a kill, with a torn or damaged file, or locked by another process."""

import os
import signal
from pathlib import Path

from actors.sessions.log_reader import read_log
from messages.journal import SessionOpened
from tests.program.preloaded_program import PreloadedProgram
from tests.program.program_harness import (
    STREAM_JSON,
    YOLO,
    CommandWatch,
    Program,
    content_text,
    make_repository,
    request_messages,
    single_error,
    tool_results,
)
from tests.scripted_server import respond_stalled, respond_text, respond_tool_call

PROGRAM_TYPE = PreloadedProgram


def kill_during_command(program: Program, command_watch: CommandWatch) -> None:
    """Kill the program during a command, then end the command."""
    running = program.start("-p", "Work.", *YOLO)
    pid = int(command_watch.wait_for_output())
    running.send_signal(signal.SIGKILL)
    running.wait()
    os.killpg(pid, signal.SIGKILL)


def test_a_command_interrupted_by_a_kill_is_not_run_again(
    program: Program, command_watch: CommandWatch
) -> None:
    command = f"echo x >> runs; exec 3>{command_watch.path}; echo $$ >&3; sleep 300"
    answers = (
        respond_tool_call("bash", command=command),
        respond_text("I looked."),
        respond_text("Next."),
    )
    with program.serve(*answers) as server:
        kill_during_command(program, command_watch)
        resumed = program.run("-p", "And then?", *YOLO, "--continue", *STREAM_JSON)

    assert (resumed.exit_status, resumed.stderr) == (0, "")
    assert (program.repository / "runs").read_text() == "x\n"
    ((text, failed),) = tool_results(request_messages(server, 1)[-1])
    assert failed
    assert "outcome is unknown" in text
    statuses = [line["status"] for line in resumed.json_lines if line["type"] == "tool_ended"]
    assert statuses == ["unknown"]
    assert content_text(request_messages(server)[-1]["content"]) == "And then?"
    runs = [record.run for record in program.records() if isinstance(record, SessionOpened)]
    assert runs == [1, 2]


def test_a_request_interrupted_by_a_kill_is_sent_again(program: Program) -> None:
    answers = (
        respond_stalled("Half a thought"),
        respond_text("A whole one."),
        respond_text("Next."),
    )
    with program.serve(*answers) as server:
        running = program.start("-p", "Think.", *STREAM_JSON)
        running.wait_for("Half a thought")
        running.send_signal(signal.SIGKILL)
        running.wait()
        resumed = program.run("-p", "And then?", "--continue")
    assert (resumed.exit_status, resumed.stdout) == (0, b"Next.\n")
    texts = [content_text(message["content"]) for message in request_messages(server)]
    assert texts == ["Think.", "A whole one.", "And then?"]


def test_a_second_program_names_the_process_with_the_session(
    program: Program, command_watch: CommandWatch
) -> None:
    command = f"{command_watch.report_start}; read -r line < go"
    os.mkfifo(program.repository / "go")
    with program.serve(respond_tool_call("bash", command=command), respond_text("Done.")):
        running = program.start("-p", "Work.", *YOLO)
        command_watch.wait_for_output()
        before = program.session_file.read_bytes()
        second = program.run("-p", "Me too.", "--continue")
        assert program.session_file.read_bytes() == before
        (program.repository / "go").write_text("go\n")
        first = running.wait()
    assert second.exit_status == 2
    assert f"process {running.process.pid}" in single_error(second)
    assert (first.exit_status, first.stdout) == (0, b"Done.\n")


def test_a_torn_last_record_is_quarantined(program: Program) -> None:
    with program.serve(respond_text("One."), respond_text("Two.")) as server:
        program.run("-p", "First.")
        with program.session_file.open("ab") as file:
            file.write(b'{"type":"turn_started","turn":2,"pro')
        resumed = program.run("-p", "Second.", "--continue")
    assert (resumed.exit_status, resumed.stdout) == (0, b"Two.\n")
    assert [content_text(m["content"]) for m in request_messages(server)] == [
        "First.",
        "One.",
        "Second.",
    ]
    (torn,) = program.session_file.parent.glob("*.torn-*")
    assert torn.read_bytes().endswith(b'"pro')
    assert str(torn) in single_error(resumed)


def test_damage_in_the_middle_is_reported_and_the_file_kept(program: Program) -> None:
    with program.serve(respond_text("One.")):
        program.run("-p", "First.")
    damaged = program.session_file.read_bytes().replace(b"First.", b"Fjrst.")
    program.session_file.write_bytes(damaged)
    program.server = None
    done = program.run("-p", "Second.", "--continue")
    assert (done.exit_status, done.stdout) == (2, b"")
    assert "damaged at line 3 of 6" in single_error(done)
    assert program.session_file.read_bytes() == damaged


def test_continue_without_an_earlier_session_starts_a_new_one(program: Program) -> None:
    with program.serve(respond_text("One.")):
        done = program.run("-p", "First.", "--continue")
    assert (done.exit_status, done.stdout) == (0, b"One.\n")
    assert "starting a new one" in single_error(done)
    assert program.record_types()[-1] == "turn_completed"


def test_continue_resumes_the_last_written_session(program: Program) -> None:
    with program.serve(
        respond_text("One."), respond_text("Two."), respond_text("Three.")
    ) as server:
        program.run("-p", "Old.")
        (old,) = program.session_files
        program.run("-p", "New.")
        (new,) = set(program.session_files) - {old}
        moment_ns = new.stat().st_mtime_ns + 1_000_000_000
        os.utime(old, ns=(moment_ns, moment_ns))
        program.run("-p", "On.", "--continue")
    assert [content_text(m["content"]) for m in request_messages(server)] == ["Old.", "One.", "On."]
    assert len(program.session_files) == 2


def test_continue_ignores_sessions_of_other_workspaces(program: Program) -> None:
    other = program.folder / "other" / "repository"
    make_repository(other)
    subfolder = program.repository / "subfolder"
    subfolder.mkdir()
    with program.serve(
        respond_text("One."), respond_text("Two."), respond_text("Three.")
    ) as server:
        program.run("-p", "Here.")
        program.run("-p", "There.", "--continue", cwd=other)
        assert [content_text(m["content"]) for m in request_messages(server)] == ["There."]
        program.run("-p", "Here again.", "--continue", cwd=subfolder)
    assert [content_text(m["content"]) for m in request_messages(server)] == [
        "Here.",
        "One.",
        "Here again.",
    ]
    assert len({path.parent for path in program.session_files}) == len(program.session_files) == 2


def test_the_start_of_a_call_is_on_disk_before_it_runs(program: Program) -> None:
    (program.repository / "a.txt").write_text("one\n")
    fifo = program.repository / "fifo"
    os.mkfifo(fifo)
    edit = respond_tool_call("edit", path="a.txt", old_string="one", new_string="two")
    waits = respond_tool_call("bash", command="cat fifo")
    with program.serve(respond_tool_call("read", path="a.txt"), edit, waits, respond_text("Done.")):
        running = program.start("-p", "Change it.", *YOLO)
        with fifo.open("w"):  # opens when the command has opened it
            lines = read_log(program.session_file).lines
        assert running.wait().exit_status == 0
    assert program.record_types() == [
        *("session_header", "session_opened", "session_settings", "turn_started"),
        *("request_prefix", "reply_completed", "tool_ended"),
        *("reply_completed", "tool_started", "tool_ended"),
        *("reply_completed", "tool_started", "tool_ended"),
        "reply_completed",
        "turn_completed",
    ]
    assert [line.message.model_dump()["type"] for line in lines[-2:]] == [
        "reply_completed",
        "tool_started",
    ]


def test_state_files_are_private(program: Program) -> None:
    with program.serve(respond_text("One.")):
        program.run("-p", "First.")
    private = [program.state_folder, *program.state_folder.rglob("*")]
    assert {path for path in private if path.stat().st_mode & 0o077} == set()


def test_a_session_needs_no_repository(program: Program, tmp_path: Path) -> None:
    plain_folder = tmp_path / "plain"
    plain_folder.mkdir()
    worktree = tmp_path / "worktree"
    (worktree / "deep").mkdir(parents=True)
    (worktree / ".git").write_text("gitdir: elsewhere\n")
    with program.serve(respond_text("One."), respond_text("Two.")):
        assert program.run("-p", "First.", cwd=plain_folder).exit_status == 0
        assert program.run("-p", "Second.", cwd=worktree / "deep").exit_status == 0
    names = sorted(path.parent.name.rpartition("-")[0] for path in program.session_files)
    assert names == ["plain", "worktree"]
