"""A signal stops everything in time and suspends the turn for `--continue`."""

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
    respond_stalled,
    respond_text,
    respond_tool_call,
)

STOP_TIMEOUT_S = 5.0
EXIT_STATUSES = {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGHUP: 129}
TURN_ENDS = {"turn_completed", "turn_failed", "turn_interrupted"}


def hanging_command(command_watch: CommandWatch, then: str = "") -> ScriptedResponse:
    """Return a command that reports its start and keeps the watch open until it ends."""
    start = f"echo x >> runs; {command_watch.report_start}; {then}"
    return respond_tool_call("bash", command=f"{start} sleep 300 & sleep 300")


@pytest.mark.parametrize("number", list(EXIT_STATUSES))
def test_a_signal_during_a_command_suspends_the_turn(
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
def test_a_signal_during_a_reply_suspends_the_turn(
    program: Program, number: signal.Signals
) -> None:
    answers = (
        respond_stalled("Half a thought"),
        respond_text("A whole one."),
        respond_text("Next."),
    )
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
    texts = [content_text(message["content"]) for message in request_messages(server)]
    assert texts == ["Think.", "A whole one.", "And then?"]
    turns = [line["turn"] for line in resumed.json_lines if line["type"] == "turn_completed"]
    assert turns == [1, 2]


def test_a_second_signal_leaves_no_command_running(
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


def test_an_ignored_signal_stays_ignored(program: Program, command_watch: CommandWatch) -> None:
    command = f"{command_watch.report_start}; read -r line < go"
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


def test_a_signal_ends_a_run_with_blocked_output(program: Program) -> None:
    long = "word " * 100_000
    with program.serve(respond_text(long), respond_text("Again.")):
        running = program.start("-p", "Speak.", *STREAM_JSON)
        running.wait_for("text_delta")
        running.send_signal(signal.SIGTERM)
        assert running.process.wait(STOP_TIMEOUT_S) == 143


def test_a_closed_output_pipe_ends_the_run_quietly(
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
