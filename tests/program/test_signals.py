"""Ended from outside: all stops in time, the turn is suspended, `--continue` goes on."""

import os
import signal

import pytest

from tests.program.program import (
    LINES,
    YOLO,
    Program,
    Witness,
    messages_of,
    one_complaint,
    plain,
    results_in,
)
from tests.scripted_server import Answer, calls, cut, says

STOPPED_S = 5.0
STATUS = {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGHUP: 129}
ENDED = {"turn_completed", "turn_failed", "turn_interrupted"}


def hanging(witness: Witness, then: str = "") -> Answer:
    """A command that says when it has begun, and holds the witness until all of it has ended."""
    held = f"exec 3>{witness.path}; echo x >> runs; echo at work >&3; {then}"
    return calls("bash", command=f"{held} sleep 300 & sleep 300")


def silent_after(text: str) -> Answer:
    whole = says(text)
    return cut(whole, whole.body.rindex(b"event: content_block_stop"), "silence")


@pytest.mark.parametrize("number", list(STATUS))
def test_a_signal_while_a_command_runs_ends_all_of_it_and_the_turn_is_suspended(
    program: Program, witness: Witness, number: signal.Signals
) -> None:
    with program.serve(hanging(witness), says("I looked."), says("Next.")) as server:
        running = program.start("-p", "Work.", *YOLO, *LINES)
        witness.wait_for_word()
        running.signal(number)
        done = running.ended(STOPPED_S)
        witness.wait_for_silence(STOPPED_S)
        assert done.status == STATUS[number]
        assert (done.result["subtype"], done.result["error"]) == ("error", one_complaint(done))
        assert program.record_types()[-1] == "tool_started"
        resumed = program.run("-p", "And then?", *YOLO, "--continue")

    assert (resumed.status, resumed.out) == (0, b"Next.\n")
    assert (program.repository / "runs").read_text() == "x\n"
    ((text, failed),) = results_in(messages_of(server, 1)[-1])
    assert failed
    assert "outcome is unknown" in text
    assert [plain(m["content"]) for m in messages_of(server)][-2:] == ["I looked.", "And then?"]


@pytest.mark.parametrize("number", list(STATUS))
def test_a_signal_while_the_model_speaks_suspends_and_the_question_is_asked_again(
    program: Program, number: signal.Signals
) -> None:
    answers = (silent_after("Half a thought"), says("A whole one."), says("Next."))
    with program.serve(*answers) as server:
        running = program.start("-p", "Think.", *LINES)
        running.wait_for("Half a thought")
        running.signal(number)
        done = running.ended(STOPPED_S)
        server.wait_for_left()
        assert done.status == STATUS[number]
        assert program.record_types() == ["session_header", "session_opened", "turn_started"]
        resumed = program.run("-p", "And then?", "--continue", *LINES)

    assert resumed.status == 0
    assert [plain(m["content"]) for m in messages_of(server, 1)] == ["Think."]
    said = [plain(message["content"]) for message in messages_of(server)]
    assert said == ["Think.", "A whole one.", "And then?"]
    turns = [line["turn"] for line in resumed.lines if line["type"] == "turn_completed"]
    assert turns == [1, 2]


def test_a_second_signal_does_not_leave_a_command_behind(
    program: Program, witness: Witness
) -> None:
    stubborn = hanging(witness, then="trap '' TERM;")
    with program.serve(stubborn):
        running = program.start("-p", "Work.", *YOLO)
        witness.wait_for_word()
        running.signal(signal.SIGINT)
        running.signal(signal.SIGINT)
        running.signal(signal.SIGTERM)
        done = running.ended(STOPPED_S)
        witness.wait_for_silence(STOPPED_S)
    assert done.status in {130, 143}
    assert not ENDED & set(program.record_types())


def test_what_was_ignored_from_the_start_stays_ignored(program: Program, witness: Witness) -> None:
    command = f"exec 3>{witness.path}; echo at work >&3; read -r line < go"
    os.mkfifo(program.repository / "go")
    with program.serve(calls("bash", command=command), says("Done.")):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            running = program.start("-p", "Work.", *YOLO)
        finally:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
        witness.wait_for_word()
        running.signal(signal.SIGHUP)
        (program.repository / "go").write_text("go\n")
        done = running.ended()
    assert (done.status, done.out) == (0, b"Done.\n")


def test_a_signal_ends_it_while_nobody_reads_its_output(program: Program) -> None:
    long = "word " * 100_000
    with program.serve(says(long), says("Again.")):
        running = program.start("-p", "Speak.", *LINES)
        running.wait_for("text_delta")
        running.signal(signal.SIGTERM)
        assert running.process.wait(STOPPED_S) == 143


def test_a_reader_that_leaves_ends_it_quietly(program: Program, witness: Witness) -> None:
    with program.serve(hanging(witness)):
        running = program.start("-p", "Speak.", *YOLO, *LINES)
        first = running.leave_after_a_line()
        done = running.ended()
        witness.wait_for_silence(STOPPED_S)
    assert b"session_configured" in first
    assert (done.status, done.err) == (1, "")
    assert not ENDED & set(program.record_types())
