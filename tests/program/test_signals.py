"""Ended from outside: all stops in time, the turn is suspended, `--continue` goes on."""

import os
import signal

import pytest

from tests.program.program_harness import (
    STREAM_JSON,
    YOLO,
    CommandWatch,
    Program,
    content_text,
    request_messages,
    single_error,
    tool_results,
)
from tests.scripted_server import (
    ScriptedResponse,
    respond_text,
    respond_tool_call,
    truncate_response,
)

STOP_TIMEOUT_S = 5.0
EXIT_STATUSES = {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGHUP: 129}
TURN_ENDS = {"turn_completed", "turn_failed", "turn_interrupted"}


def hanging_command(command_watch: CommandWatch, then: str = "") -> ScriptedResponse:
    """A command that says when it has begun, and holds the witness until all of it has ended."""
    held = f"exec 3>{command_watch.path}; echo x >> runs; echo at work >&3; {then}"
    return respond_tool_call("bash", command=f"{held} sleep 300 & sleep 300")


def stalled_reply(text: str) -> ScriptedResponse:
    whole = respond_text(text)
    return truncate_response(whole, whole.body.rindex(b"event: content_block_stop"), "silence")


@pytest.mark.parametrize("number", list(EXIT_STATUSES))
def test_a_signal_while_a_command_runs_ends_all_of_it_and_the_turn_is_suspended(
    program: Program, command_watch: CommandWatch, number: signal.Signals
) -> None:
    with program.serve(
        hanging_command(command_watch), respond_text("I looked."), respond_text("Next.")
    ) as server:
        running = program.start("-p", "Work.", *YOLO, *STREAM_JSON)
        command_watch.wait_for_output()
        running.send_signal(number)
        done = running.wait(STOP_TIMEOUT_S)
        command_watch.wait_for_close(STOP_TIMEOUT_S)
        assert done.exit_status == EXIT_STATUSES[number]
        assert (done.result["subtype"], done.result["error"]) == ("error", single_error(done))
        assert program.record_types()[-1] == "tool_started"
        resumed = program.run("-p", "And then?", *YOLO, "--continue")

    assert (resumed.exit_status, resumed.stdout) == (0, b"Next.\n")
    assert (program.repository / "runs").read_text() == "x\n"
    ((text, failed),) = tool_results(request_messages(server, 1)[-1])
    assert failed
    assert "outcome is unknown" in text
    assert [content_text(m["content"]) for m in request_messages(server)][-2:] == [
        "I looked.",
        "And then?",
    ]


@pytest.mark.parametrize("number", list(EXIT_STATUSES))
def test_a_signal_while_the_model_speaks_suspends_and_the_question_is_asked_again(
    program: Program, number: signal.Signals
) -> None:
    answers = (stalled_reply("Half a thought"), respond_text("A whole one."), respond_text("Next."))
    with program.serve(*answers) as server:
        running = program.start("-p", "Think.", *STREAM_JSON)
        running.wait_for("Half a thought")
        running.send_signal(number)
        done = running.wait(STOP_TIMEOUT_S)
        server.wait_for_disconnects()
        assert done.exit_status == EXIT_STATUSES[number]
        assert program.record_types() == ["session_header", "session_opened", "turn_started"]
        resumed = program.run("-p", "And then?", "--continue", *STREAM_JSON)

    assert resumed.exit_status == 0
    assert [content_text(m["content"]) for m in request_messages(server, 1)] == ["Think."]
    said = [content_text(message["content"]) for message in request_messages(server)]
    assert said == ["Think.", "A whole one.", "And then?"]
    turns = [line["turn"] for line in resumed.json_lines if line["type"] == "turn_completed"]
    assert turns == [1, 2]


def test_a_second_signal_does_not_leave_a_command_behind(
    program: Program, command_watch: CommandWatch
) -> None:
    stubborn = hanging_command(command_watch, then="trap '' TERM;")
    with program.serve(stubborn):
        running = program.start("-p", "Work.", *YOLO)
        command_watch.wait_for_output()
        running.send_signal(signal.SIGINT)
        running.send_signal(signal.SIGINT)
        running.send_signal(signal.SIGTERM)
        done = running.wait(STOP_TIMEOUT_S)
        command_watch.wait_for_close(STOP_TIMEOUT_S)
    assert done.exit_status in {130, 143}
    assert not TURN_ENDS & set(program.record_types())


def test_what_was_ignored_from_the_start_stays_ignored(
    program: Program, command_watch: CommandWatch
) -> None:
    command = f"exec 3>{command_watch.path}; echo at work >&3; read -r line < go"
    os.mkfifo(program.repository / "go")
    with program.serve(respond_tool_call("bash", command=command), respond_text("Done.")):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            running = program.start("-p", "Work.", *YOLO)
        finally:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
        command_watch.wait_for_output()
        running.send_signal(signal.SIGHUP)
        (program.repository / "go").write_text("go\n")
        done = running.wait()
    assert (done.exit_status, done.stdout) == (0, b"Done.\n")


def test_a_signal_ends_it_while_nobody_reads_its_output(program: Program) -> None:
    long = "word " * 100_000
    with program.serve(respond_text(long), respond_text("Again.")):
        running = program.start("-p", "Speak.", *STREAM_JSON)
        running.wait_for("text_delta")
        running.send_signal(signal.SIGTERM)
        assert running.process.wait(STOP_TIMEOUT_S) == 143


def test_a_reader_that_leaves_ends_it_quietly(
    program: Program, command_watch: CommandWatch
) -> None:
    with program.serve(hanging_command(command_watch)):
        running = program.start("-p", "Speak.", *YOLO, *STREAM_JSON)
        first = running.read_line_and_close()
        done = running.wait()
        command_watch.wait_for_close(STOP_TIMEOUT_S)
    assert b"session_configured" in first
    assert (done.exit_status, done.stderr) == (1, "")
    assert not TURN_ENDS & set(program.record_types())
