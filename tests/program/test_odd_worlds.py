"""What a model, a disk and a repository may hold that nobody expects."""

import os
import shlex
from pathlib import Path

import pytest

from tests.program.program import (
    COMMAND,
    KEY,
    LINES,
    YOLO,
    Program,
    Running,
    messages_of,
    results_in,
)
from tests.scripted_server import calls, calls_raw, says


def test_bytes_that_are_no_text_come_back_as_marks_and_end_nothing(program: Program) -> None:
    (program.repository / "image").write_bytes(b"\xff\x00\xfe" * 100)
    (program.repository / "latin").write_bytes(b"caf\xe9\n")
    try:
        (program.repository / os.fsdecode(b"caf\xe9")).touch()
    except OSError:
        pytest.skip("this file system takes no such name")
    odd = (
        calls("bash", command=r"printf 'a\377\033[31m\000b'; ls"),
        calls("ls"),
        calls("read", path="image"),
        calls("read", path="latin"),
        calls("read", path="a\0b"),
        calls("read", path="x" * 5000),
        calls("write", path="x/" * 3000, content=""),
        calls("bash", command="head -c 3000000 /dev/zero | tr '\\0' x"),
        calls("bash", command="kill -9 $$"),
        calls("bash", command="exec >&- 2>&-; true"),
        calls_raw("bash", r'{"command": "touch ran \ud800"}'),
        calls_raw(
            "bash", '{"command": "touch ran", "description": ' + "[" * 5000 + "]" * 5000 + "}"
        ),
    )
    with program.serve(*odd, says("Odd.")) as server:
        done = program.run("-p", "Look.", *YOLO, *LINES)
        again = program.run("-p", "And?", "--continue")

    assert (done.status, done.err) == (0, "")
    assert not (program.repository / "ran").exists()
    results = [result for message in messages_of(server) for result in results_in(message)]
    assert len(results) == len(odd)
    assert [failed for _, failed in results[-5:]] == [False, True, False, True, True]
    assert max(len(text) for text, _ in results) < 100_000
    assert again.status == 1  # the script is over; the history was sent
    assert len(server.asked) == len(odd) + 2


def test_on_a_disk_that_fills_up_the_answer_is_printed_and_said_not_to_be_kept(
    program: Program,
) -> None:
    with program.serve(says("long " * 4000), says("Short."), says("Shorter.")) as server:
        full = limited(program, "ulimit -f 8", "-p", "Speak.").ended()
        again = program.run("-p", "Shorter.", "--continue")
    assert (full.status, full.out) == (1, b"long " * 3999 + b"long \n")
    told, unsaved = full.err.splitlines()
    assert "cannot be written" in told
    assert "is not in the session" in unsaved
    # What was on disk goes on: the turn is answered anew, then the new prompt.
    assert (again.status, again.out) == (0, b"Shorter.\n")
    assert messages_of(server)[0]["content"][0]["text"] == "Speak."


def limited(program: Program, limit: str, *words: str) -> Running:
    """Start it under a limit, which may not spoil what Python compiles for everybody."""
    shell = f"{limit}; exec {shlex.join([*COMMAND, *words])}"
    no_cache = {"PYTHONDONTWRITEBYTECODE": "1"}
    return program.start_other("bash", "-c", shell, environment=no_cache)


def test_the_log_is_kept_when_asked_for_and_holds_no_key(program: Program) -> None:
    with program.serve(calls("bash", command="env"), says("Done.")):
        done = program.run("-p", "Look.", *YOLO, environment={"GREENROOM_LOG": "debug"})
    assert (done.status, done.err) == (0, "")
    log = (program.home / "greenroom.log").read_text()
    assert program.session.name in log
    everything = [path for path in program.home.rglob("*") if path.is_file()]
    assert [path for path in everything if KEY.encode() in path.read_bytes()] == []


@pytest.mark.parametrize(
    ("words", "variable", "model"),
    [
        (["--model", "one"], "two", "one"),
        ([], "two", "two"),
        ([], "", "claude-sonnet-5-5"),
    ],
)
def test_the_model_is_the_flags_then_the_environments(
    program: Program, words: list[str], variable: str, model: str
) -> None:
    with program.serve(says("Yes.")) as server:
        done = program.run("-p", "Hi.", *words, environment={"GREENROOM_MODEL": variable})
    assert done.status == 0
    assert server.asked[0].body["model"] == model


def test_a_token_and_a_server_without_a_key_are_enough(program: Program) -> None:
    with program.serve(says("Yes."), says("Yes.")) as server:
        no_key = {"ANTHROPIC_API_KEY": None}
        token = no_key | {"ANTHROPIC_AUTH_TOKEN": "a-token"}
        assert program.run("-p", "Hi.", environment=no_key).status == 0
        assert program.run("-p", "Hi.", environment=token).status == 0
    assert server.asked[1].headers["authorization"] == "Bearer a-token"


def test_commands_start_where_the_program_did(program: Program, tmp_path: Path) -> None:
    below = program.repository / "below"
    below.mkdir()
    with program.serve(calls("bash", command="pwd"), says("Done.")) as server:
        program.run("-p", "Where?", *YOLO, cwd=below)
    assert results_in(messages_of(server)[-1]) == [(str(below), False)]
    assert str(tmp_path.resolve() / "repository") in str(server.asked[0].body["system"])


def test_the_log_is_its_owners_alone_and_follows_no_link(program: Program) -> None:
    program.home.mkdir()
    elsewhere = program.folder / "elsewhere"
    elsewhere.write_text("mine\n")
    (program.home / "greenroom.log").symlink_to(elsewhere)
    with program.serve(says("Hello.")):
        done = program.run("-p", "Hi.", environment={"GREENROOM_LOG": "debug"})
    assert done.status == 0
    assert elsewhere.read_text() == "mine\n"
