"""Choosing, reading and exporting sessions, from outside."""

import itertools
import json
import os
import pty
from pathlib import Path

import pytest

from actors.sessions.places import project_folder
from tests.program.program import (
    KEY,
    YOLO,
    Done,
    Program,
    Witness,
    messages_of,
    one_complaint,
    plain,
)
from tests.scripted_server import calls, fails, says


def two_sessions(program: Program) -> tuple[str, str]:
    program.run("-p", "Old \x1b[31mprompt.")
    (old,) = program.sessions
    program.run("-p", "New prompt.")
    (new,) = set(program.sessions) - {old}
    return old.stem, new.stem


def shared(one: str, other: str) -> str:
    """What both begin with."""
    pairs = zip(one, other, strict=False)
    return "".join(a for a, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def said(done: Done) -> str:
    assert (done.status, done.err) == (0, "")
    return done.out.decode()


def test_sessions_are_listed_shown_and_exported(program: Program) -> None:
    with program.serve(says("One `````text."), says("Two.")):
        old, new = two_sessions(program)
    program.server = None
    heading, *rows = said(program.run("sessions")).splitlines()
    assert len(said(program.run("sessions", "list")).splitlines()) == len(rows) + 1
    assert heading.split() == ["session", "age", "turns", "size", "state", "first", "prompt"]
    assert {row.split()[0] for row in rows} == {old, new}
    assert any("1      " in row and "free" in row and "Old ^[[31mprompt." in row for row in rows)

    shown = said(program.run("sessions", "show", old))
    assert "## You\n\nOld \x1b[31mprompt.\n\n## Greenroom\n\nOne `````text.\n" in shown
    assert said(program.run("sessions", "export", old)) == shown
    records = json.loads(said(program.run("sessions", "export", old, "--format", "json")))
    assert [each["type"] for each in records][:3] == [
        "session_header",
        "session_opened",
        "turn_started",
    ]
    assert [each["seq"] for each in records] == list(range(1, len(records) + 1))

    target = program.folder / "export.md"
    done = program.run("sessions", "export", old, "--output", str(target))
    assert (done.status, done.out) == (0, b"")
    assert target.read_text() == shown
    assert target.stat().st_mode & 0o077 == 0
    again = program.run("sessions", "export", old, "--output", str(target))
    assert again.status == 2
    assert "there is such a file already" in one_complaint(again)


def test_on_a_terminal_nothing_in_a_session_draws(program: Program) -> None:
    with program.serve(says("One."), says("Two.")):
        old, _ = two_sessions(program)
    program.server = None
    main, theirs = pty.openpty()
    running = program.start("sessions", "show", old, stdout=theirs)
    os.close(theirs)
    shown = b""
    while b"One." not in shown:
        shown += os.read(main, 4096)
    assert running.ended().status == 0
    os.close(main)
    assert b"Old ^[[31mprompt." in shown
    assert b"\x1b" not in shown


@pytest.mark.parametrize(
    "words",
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
def test_a_wrong_use_is_one_line_and_status_2(program: Program, words: list[str]) -> None:
    done = program.run(*words)
    assert (done.status, done.out) == (2, b"")
    assert "Traceback" not in one_complaint(done)


def test_without_sessions_the_list_says_so_and_an_unknown_one_is_told(program: Program) -> None:
    assert said(program.run("sessions")) == "no sessions in this workspace yet\n"
    for words in (
        ["sessions", "show", "2"],
        ["-p", "hi", "--resume", "2"],
        ["-p", "hi", "--fork", "2"],
    ):
        done = program.run(*words)
        assert (done.status, done.out) == (2, b"")
        assert "no session 2; this workspace has none yet" in one_complaint(done)


def test_a_broken_session_is_listed_and_the_others_with_it(program: Program) -> None:
    with program.serve(says("One."), says("Two.")):
        old, new = two_sessions(program)
    program.server = None
    folder = project_folder(program.home, program.repository)
    path = folder / f"{old}.jsonl"
    path.write_bytes(path.read_bytes().replace(b"Old", b"Odd"))
    (folder / "odd.jsonl").write_bytes(b"\0\xff\n" * 9)
    (folder / "odd.jsonl").chmod(0o600)
    rows = {row.split()[0]: row for row in said(program.run("sessions")).splitlines()}
    assert "broken" in rows[old]
    assert "damaged at line 3 of 5" in rows[old]
    assert "broken" in rows["odd"]
    assert "free" in rows[new]
    for words in (["show", old], ["export", "odd", "--format", "json"]):
        done = program.run("sessions", *words)
        assert (done.status, done.out) == (2, b"")
        assert "Traceback" not in one_complaint(done)


def test_a_session_is_taken_up_by_the_beginning_of_its_id(program: Program) -> None:
    with program.serve(says("One."), says("Two."), says("Three.")) as server:
        old, new = two_sessions(program)
        prefix = shared(old, new)
        done = program.run("-p", "On.", "--resume", old[: len(prefix) + 1])
        several = program.run("-p", "On.", "--resume", prefix)
    assert (done.status, done.out) == (0, b"Three.\n")
    assert [plain(m["content"]) for m in messages_of(server)][1:] == ["One.", "On."]
    assert several.status == 2
    assert f"the beginning of 2 sessions: {new}, {old}" in one_complaint(several) or (
        f"the beginning of 2 sessions: {old}, {new}" in one_complaint(several)
    )


def test_a_session_that_is_held_is_listed_so_and_may_be_forked(
    program: Program, witness: Witness
) -> None:
    os.mkfifo(program.repository / "go")
    command = f"exec 3>{witness.path}; echo at work >&3; read -r line < go"
    with program.serve(
        says("One."), calls("bash", command=command), says("Forked."), says("Done.")
    ) as server:
        program.run("-p", "First.")
        (held,) = program.sessions
        running = program.start("-p", "Work.", "--continue", *YOLO)
        witness.wait_for_word()
        before = held.read_bytes()
        assert "held" in said(program.run("sessions"))
        refused = program.run("-p", "Me too.", "--resume", held.stem)
        forked = program.run("-p", "Me too.", "--fork", held.stem, "--output-format", "json")
        assert held.read_bytes() == before
        (program.repository / "go").write_text("go\n")
        assert running.ended().out == b"Done.\n"
    assert refused.status == 2
    assert f"process {running.process.pid}" in one_complaint(refused)
    assert forked.status == 0
    assert forked.result["session_id"] != held.stem
    assert len(program.sessions) == 2
    heard = messages_of(server, 2)
    assert plain(heard[0]["content"]) == "First."
    assert plain(heard[-1]["content"]).endswith("Me too.")


def everything_written(program: Program) -> dict[Path, bytes]:
    folders = (program.home, program.repository, program.folder / "user")
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files}


def test_the_key_is_written_nowhere_whatever_says_it(program: Program) -> None:
    refusal = fails(401, "authentication_error", f"invalid x-api-key: {KEY}")
    spy = "e=$(tr '\\0' ' ' < /proc/$PPID/environ); echo $e; yes $e | head -c 300000"
    answers = (calls("bash", command=spy), says(f"The key is {KEY}."), refusal, says("Once more."))
    with program.serve(*answers):
        debug = {"GREENROOM_LOG": "debug"}
        program.run("-p", f"My key is {KEY}.", *YOLO, environment=debug)
        program.run("-p", "Again.", "--continue", environment=debug)
        program.run("-p", "Again.", "--continue", environment=debug)
        for form in ("markdown", "json"):
            target = str(program.repository / f"export.{form}")
            program.run(
                "sessions", "export", program.session.stem, "--format", form, "--output", target
            )
    found = everything_written(program)
    assert [path for path, data in found.items() if KEY.encode() in data] == []
    assert any(b"[secret]" in data for data in found.values())
