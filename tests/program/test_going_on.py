"""Sessions that outlive their program: killed, torn, damaged, held by another."""

import os
import signal
from pathlib import Path

from actors.sessions.reading import read_log
from messages.transcript import SessionOpened
from tests.program.program import (
    LINES,
    YOLO,
    Program,
    Witness,
    make_repository,
    messages_of,
    one_complaint,
    plain,
    results_in,
)
from tests.scripted_server import calls, cut, says


def killed_at_work(program: Program, witness: Witness) -> None:
    """Kill the program with SIGKILL in the middle of a command, and end the command."""
    running = program.start("-p", "Work.", *YOLO)
    pid = int(witness.wait_for_word())
    running.signal(signal.SIGKILL)
    running.ended()
    os.killpg(pid, signal.SIGKILL)


def test_after_a_kill_in_a_command_its_outcome_is_unknown_and_it_is_not_run_again(
    program: Program, witness: Witness
) -> None:
    command = f"echo x >> runs; exec 3>{witness.path}; echo $$ >&3; sleep 300"
    answers = (calls("bash", command=command), says("I looked."), says("Next."))
    with program.serve(*answers) as server:
        killed_at_work(program, witness)
        resumed = program.run("-p", "And then?", *YOLO, "--continue", *LINES)

    assert (resumed.status, resumed.err) == (0, "")
    assert (program.repository / "runs").read_text() == "x\n"
    ((text, failed),) = results_in(messages_of(server, 1)[-1])
    assert failed
    assert "outcome is unknown" in text
    statuses = [line["status"] for line in resumed.lines if line["type"] == "tool_ended"]
    assert statuses == ["unknown"]
    assert plain(messages_of(server)[-1]["content"]) == "And then?"
    runs = [record.run for record in program.records() if isinstance(record, SessionOpened)]
    assert runs == [1, 2]


def test_after_a_kill_while_the_model_spoke_it_is_asked_again(program: Program) -> None:
    whole = says("Half a thought")
    half = cut(whole, whole.body.rindex(b"event: content_block_stop"), "silence")
    with program.serve(half, says("A whole one."), says("Next.")) as server:
        running = program.start("-p", "Think.", *LINES)
        running.wait_for("Half a thought")
        running.signal(signal.SIGKILL)
        running.ended()
        resumed = program.run("-p", "And then?", "--continue")
    assert (resumed.status, resumed.out) == (0, b"Next.\n")
    said = [plain(message["content"]) for message in messages_of(server)]
    assert said == ["Think.", "A whole one.", "And then?"]


def test_a_second_program_is_told_who_holds_the_session(program: Program, witness: Witness) -> None:
    command = f"exec 3>{witness.path}; echo at work >&3; read -r line < go"
    os.mkfifo(program.repository / "go")
    with program.serve(calls("bash", command=command), says("Done.")):
        running = program.start("-p", "Work.", *YOLO)
        witness.wait_for_word()
        before = program.session.read_bytes()
        second = program.run("-p", "Me too.", "--continue")
        assert program.session.read_bytes() == before
        (program.repository / "go").write_text("go\n")
        first = running.ended()
    assert second.status == 2
    assert f"process {running.process.pid}" in one_complaint(second)
    assert (first.status, first.out) == (0, b"Done.\n")


def test_a_torn_last_line_is_kept_aside_and_the_session_goes_on(program: Program) -> None:
    with program.serve(says("One."), says("Two.")) as server:
        program.run("-p", "First.")
        with program.session.open("ab") as file:
            file.write(b'{"type":"turn_started","turn":2,"pro')
        resumed = program.run("-p", "Second.", "--continue")
    assert (resumed.status, resumed.out) == (0, b"Two.\n")
    assert [plain(m["content"]) for m in messages_of(server)] == ["First.", "One.", "Second."]
    (aside,) = program.session.parent.glob("*.torn-*")
    assert aside.read_bytes().endswith(b'"pro')
    assert str(aside) in one_complaint(resumed)


def test_damage_in_the_middle_is_shown_and_the_file_is_not_touched(program: Program) -> None:
    with program.serve(says("One.")):
        program.run("-p", "First.")
    damaged = program.session.read_bytes().replace(b"First.", b"Fjrst.")
    program.session.write_bytes(damaged)
    program.server = None
    done = program.run("-p", "Second.", "--continue")
    assert (done.status, done.out) == (2, b"")
    assert "damaged at line 3 of 5" in one_complaint(done)
    assert program.session.read_bytes() == damaged


def test_without_an_earlier_session_continue_begins_one_and_says_so(program: Program) -> None:
    with program.serve(says("One.")):
        done = program.run("-p", "First.", "--continue")
    assert (done.status, done.out) == (0, b"One.\n")
    assert "new one begins" in one_complaint(done)
    assert program.record_types()[-1] == "turn_completed"


def test_continue_takes_the_session_that_was_written_to_last(program: Program) -> None:
    with program.serve(says("One."), says("Two."), says("Three.")) as server:
        program.run("-p", "Old.")
        (old,) = program.sessions
        program.run("-p", "New.")
        (new,) = set(program.sessions) - {old}
        moment_ns = new.stat().st_mtime_ns + 1_000_000_000
        os.utime(old, ns=(moment_ns, moment_ns))
        program.run("-p", "On.", "--continue")
    assert [plain(m["content"]) for m in messages_of(server)] == ["Old.", "One.", "On."]
    assert len(program.sessions) == 2


def test_a_session_of_another_workspace_is_not_continued(program: Program) -> None:
    other = program.folder / "other" / "repository"
    make_repository(other)
    below = program.repository / "below"
    below.mkdir()
    with program.serve(says("One."), says("Two."), says("Three.")) as server:
        program.run("-p", "Here.")
        program.run("-p", "There.", "--continue", cwd=other)
        assert [plain(m["content"]) for m in messages_of(server)] == ["There."]
        program.run("-p", "Here again.", "--continue", cwd=below)
    assert [plain(m["content"]) for m in messages_of(server)] == ["Here.", "One.", "Here again."]
    assert len({path.parent for path in program.sessions}) == len(program.sessions) == 2


def test_a_change_is_on_disk_as_begun_before_it_happens(program: Program) -> None:
    (program.repository / "a.txt").write_text("one\n")
    held = program.repository / "held"
    os.mkfifo(held)
    edit = calls("edit", path="a.txt", old_string="one", new_string="two")
    waits = calls("bash", command="cat held")
    with program.serve(calls("read", path="a.txt"), edit, waits, says("Done.")):
        running = program.start("-p", "Change it.", *YOLO)
        with held.open("w"):  # which is open once the command is
            seen = read_log(program.session).lines
        assert running.ended().status == 0
    assert program.record_types() == [
        *("session_header", "session_opened", "session_settings", "turn_started"),
        *("reply_completed", "tool_ended"),
        *("reply_completed", "tool_started", "tool_ended"),
        *("reply_completed", "tool_started", "tool_ended"),
        "reply_completed",
        "turn_completed",
    ]
    assert [line.message.model_dump()["type"] for line in seen[-2:]] == [
        "reply_completed",
        "tool_started",
    ]


def test_state_is_for_its_owner_alone(program: Program) -> None:
    with program.serve(says("One.")):
        program.run("-p", "First.")
    private = [program.home, *program.home.rglob("*")]
    assert {path for path in private if path.stat().st_mode & 0o077} == set()


def test_a_repository_may_be_a_worktree_or_none_at_all(program: Program, tmp_path: Path) -> None:
    plain_folder = tmp_path / "plain"
    plain_folder.mkdir()
    worktree = tmp_path / "worktree"
    (worktree / "deep").mkdir(parents=True)
    (worktree / ".git").write_text("gitdir: elsewhere\n")
    with program.serve(says("One."), says("Two.")):
        assert program.run("-p", "First.", cwd=plain_folder).status == 0
        assert program.run("-p", "Second.", cwd=worktree / "deep").status == 0
    names = sorted(path.parent.name.rpartition("-")[0] for path in program.sessions)
    assert names == ["plain", "worktree"]
