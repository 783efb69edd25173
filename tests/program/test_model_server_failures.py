"""When the model server fails, no incomplete call runs and nothing is lost."""

from dataclasses import replace

import pytest

from actors.agents.turn.conversation_history import TRUNCATED_REPLY
from tests.program.preloaded_program import PreloadedProgram
from tests.program.program_harness import (
    API_KEY,
    STREAM_JSON,
    YOLO,
    CompletedRun,
    Program,
    content_text,
    request_messages,
    single_error,
    tool_results,
)
from tests.scripted_server import (
    ScriptedResponse,
    respond_events,
    respond_http_error,
    respond_raw_tool_call,
    respond_stream_error,
    respond_text,
    respond_tool_call,
    truncate_response,
)

PROGRAM_TYPE = PreloadedProgram

JSON = ("--output-format", "json")
MARKER_COMMAND = "touch ran"
MARKER_CALL = respond_tool_call(
    "bash", command=MARKER_COMMAND, description="make a marker that must never appear"
)


def without_retry(response: ScriptedResponse) -> ScriptedResponse:
    """Add a header that forbids a retry."""
    return replace(response, headers={**response.headers, "x-should-retry": "false"})


def with_immediate_retry(response: ScriptedResponse) -> ScriptedResponse:
    """Add a header that allows an immediate retry."""
    return replace(response, headers={**response.headers, "retry-after-ms": "1"})


def has_marker(program: Program) -> bool:
    return (program.repository / "ran").exists()


def test_an_incomplete_call_never_runs(program: Program) -> None:
    size, last = len(MARKER_CALL.body), MARKER_CALL.body.rindex(b"event: message_stop")
    cuts = [
        truncate_response(MARKER_CALL, 0, "reset"),
        truncate_response(MARKER_CALL, size // 4, "close"),
        truncate_response(MARKER_CALL, size // 2, "reset"),
        truncate_response(MARKER_CALL, size // 2, "complete"),
        truncate_response(MARKER_CALL, last, "close"),
        truncate_response(MARKER_CALL, last, "complete"),
        truncate_response(MARKER_CALL, size - 2, "reset"),
    ]
    with program.serve(*map(without_retry, cuts), respond_text("Here I am.")) as server:
        failures = [run_prompt(program, number) for number in range(len(cuts))]
        final = program.run("-p", "And now?", *YOLO, "--continue")

    for failure in failures:
        check_failure(failure, "")
    assert (final.exit_status, final.stdout) == (0, b"Here I am.\n")
    assert not has_marker(program)
    text = "".join(content_text(message["content"]) for message in request_messages(server))
    assert text == "Try 0.Try 1.Try 2.Try 3.Try 4.Try 5.Try 6.And now?"


def run_prompt(program: Program, number: int) -> CompletedRun:
    resume = ("--continue",) if number else ()
    return program.run("-p", f"Try {number}.", *YOLO, *JSON, *resume)


@pytest.mark.parametrize("stop_reason", ["max_tokens", "end_turn"])
def test_a_call_with_another_stop_reason_does_not_run(program: Program, stop_reason: str) -> None:
    response = respond_raw_tool_call(
        "bash", f'{{"command": "{MARKER_COMMAND}"}}', stop_reason=stop_reason
    )
    with program.serve(response, respond_text("I see."), respond_text("Again.")) as server:
        done = program.run("-p", "Do it.", *YOLO, *JSON)
        again = program.run("-p", "Go on.", *YOLO, *JSON, "--continue")

    assert done.exit_status == (0 if stop_reason == "max_tokens" else 1)
    assert again.exit_status == 0
    assert not has_marker(program)
    ((text, failed),) = [r for message in request_messages(server) for r in tool_results(message)]
    assert failed
    assert text.startswith("Not run: ")


def test_a_call_with_invalid_arguments_does_not_run(program: Program) -> None:
    invalid = (
        ('{"command": "true", ', f'"command": "{MARKER_COMMAND}"}}'),
        (f'{{"command": "{MARKER_COMMAND}"', ""),
        (f'{{"command": ["{MARKER_COMMAND}"]}}',),  # three replies without an object end a turn
        (f'{{"command": "{MARKER_COMMAND}"}} {{}}',),
        (f'["{MARKER_COMMAND}"]',),
        (f'{{"command": "{MARKER_COMMAND}", "timeout_s": "soon"}}',),
        (f'{{"command": "{MARKER_COMMAND}", "timeout_s": NaN}}',),
    )
    responses = [respond_raw_tool_call("bash", *pieces) for pieces in invalid]
    with program.serve(*responses, respond_text("I see.")) as server:
        done = program.run("-p", "Do it.", *YOLO)
    assert (done.exit_status, done.stderr) == (0, "")
    assert not has_marker(program)
    results = [result for message in request_messages(server) for result in tool_results(message)]
    assert [failed for _, failed in results] == [True] * len(invalid)
    assert [text for text, _ in results if not text.startswith("Not run: ")] == []


def test_each_server_error_is_one_line_and_the_session_continues(program: Program) -> None:
    page = ScriptedResponse(b"<html>\x1b]0;owned\x07</html>", headers={"content-type": "text/html"})
    failing_responses = (
        (respond_http_error(401, "authentication_error", "invalid x-api-key"), "ANTHROPIC_API_KEY"),
        (respond_http_error(403, "permission_error", "not yours"), "not yours"),
        (respond_http_error(404, "not_found_error", "model: none"), "model: none"),
        (respond_http_error(429, "rate_limit_error", "slow down", retry_after="7"), "in 7 s"),
        (respond_http_error(500, "api_error", "oops"), "oops"),
        (respond_http_error(529, "overloaded_error", "busy"), "busy"),
        (respond_stream_error("overloaded_error", "busy now", MARKER_CALL), "busy now"),
        (page, ""),
        (respond_events([{"type": "content_block_stop", "index": 7}]), ""),
    )
    with program.serve(
        *(without_retry(answer) for answer, _ in failing_responses), respond_text("Better.")
    ) as server:
        failures = [run_prompt(program, number) for number in range(len(failing_responses))]
        again = program.run("-p", "Now.", *YOLO, "--continue")

    for failure, (_, word) in zip(failures, failing_responses, strict=True):
        check_failure(failure, word)
    assert not has_marker(program)
    assert (again.exit_status, again.stdout, again.stderr) == (0, b"Better.\n", "")
    assert program.record_types().count("turn_failed") == len(failing_responses)
    assert len(request_messages(server)) == 1


def test_a_usage_limit_ends_a_headless_run_at_once(program: Program) -> None:
    limit = respond_http_error(429, "rate_limit_error", "No more today.", retry_after="7200")
    with program.serve(limit) as server:
        done = program.run("-p", "Go.", "--output-format", "json")
    check_failure(done, "(429: No more today.); it resets in 2 h; send the prompt again then")
    assert len(server.requests) == 1


def check_failure(done: CompletedRun, word: str) -> None:
    assert done.exit_status == 1
    assert word in single_error(done)
    assert API_KEY not in done.stderr
    assert done.stderr.removesuffix("\n").isprintable()
    assert (done.result["subtype"], done.result["stop_reason"]) == ("error", None)
    assert done.result["error"] == single_error(done)


def test_three_invalid_calls_in_a_row_end_the_turn(program: Program) -> None:
    responses = [
        respond_raw_tool_call("bash", f'{{"command": "{MARKER_COMMAND}"') for _ in range(3)
    ]
    with program.serve(*responses) as server:
        done = program.run("-p", "Do it.", *YOLO)
    assert (done.exit_status, len(server.requests)) == (1, 3)
    assert "3 consecutive replies of the model had too many tool calls" in single_error(done)
    assert not has_marker(program)


def test_a_busy_server_is_retried_with_notices(program: Program) -> None:
    busy = with_immediate_retry(respond_http_error(529, "overloaded_error", "busy"))
    half = with_immediate_retry(
        truncate_response(respond_text("Half of it is here, and then"), 700, "close")
    )
    with program.serve(busy, half, respond_text("Whole.")) as server:
        done = program.run("-p", "Go.", *STREAM_JSON)
    assert (done.exit_status, len(server.requests), done.result["result"]) == (0, 3, "Whole.")
    assert done.stderr.splitlines() == [
        "greenroom: the service is overloaded, retrying (1 of 15)",
        "greenroom: the reply was interrupted, retrying (2 of 4)",
    ]
    retries = [line for line in done.json_lines if line["type"] == "model_retrying"]
    assert [(retry["reason"], retry["attempt"]) for retry in retries] == [
        ("overloaded", 1),
        ("stream_interrupted", 2),
    ]
    assert retries[1]["partial_text"].startswith("Half of")
    assert done.result["usage"]["requests"] == 3
    assert len({request.raw_body for request in server.requests}) == 1, (
        "each attempt sends the same bytes"
    )
    assert program.record_types().count("model_retrying") == 2


def test_partial_text_is_kept_after_the_last_retry(program: Program) -> None:
    half = with_immediate_retry(
        truncate_response(respond_text("Half of it is here, and then"), 700, "close")
    )
    busy = without_retry(respond_http_error(503, "api_error", "down"))
    with program.serve(half, busy, respond_text("Better.")) as server:
        failed = program.run("-p", "Go.", *JSON)
        again = program.run("-p", "And now?", "--continue")
    assert (failed.exit_status, failed.result["subtype"]) == (1, "error")
    assert failed.result["result"].startswith("Half of")
    assert failed.stderr.splitlines()[-1].endswith("(tried 2 times)")
    assert again.exit_status == 0
    texts = [content_text(message["content"]) for message in request_messages(server)]
    assert texts == ["Go.", failed.result["result"], f"{TRUNCATED_REPLY}And now?"]


@pytest.mark.parametrize("url", ["http://nowhere.invalid", "nonsense", "ftp://127.0.0.1"])
def test_an_unreachable_server_is_named(program: Program, url: str) -> None:
    done = program.run("-p", "Hello?", environment={"ANTHROPIC_BASE_URL": url})
    assert (done.exit_status, done.stdout) == (1, b"")
    assert url in single_error(done)
    assert "ANTHROPIC_BASE_URL" in single_error(done)


@pytest.mark.parametrize("key", ["secret\nx-more: yes", "secret\u2026"])
def test_an_invalid_key_is_an_error_that_does_not_show_it(program: Program, key: str) -> None:
    with program.serve() as server:
        done = program.run("-p", "Hello?", environment={"ANTHROPIC_API_KEY": key})
    assert (done.exit_status, server.requests) == (2, [])
    assert "ANTHROPIC_API_KEY" in single_error(done)
    assert "secret" not in done.stderr


def test_a_newline_after_a_key_is_ignored(program: Program) -> None:
    with program.serve(respond_text("Yes.")) as server:
        done = program.run("-p", "Hello?", environment={"ANTHROPIC_API_KEY": f"{API_KEY}\r\n"})
    assert done.exit_status == 0
    assert any(API_KEY in value for value in server.requests[0].headers.values())


def test_an_invalid_surrogate_ends_only_its_turn(program: Program) -> None:
    half = respond_events(
        [
            {
                "type": "message_start",
                "message": {"id": "m", "model": "m", "usage": {"input_tokens": 1}},
            },
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "text", "text": ""},
            },
        ]
    )
    text = (
        b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\\ud800"}}'
    )
    end = b'{"type":"content_block_stop","index":0}'
    bad = ScriptedResponse(half.body + b"data: " + text + b"\n\ndata: " + end + b"\n\n")
    with program.serve(bad, respond_text("Better.")):
        done = program.run("-p", "First.", *STREAM_JSON)
        again = program.run("-p", "Second.", "--continue")
    assert done.exit_status == 1
    single_error(done)
    assert (again.exit_status, again.stdout) == (0, b"Better.\n")
