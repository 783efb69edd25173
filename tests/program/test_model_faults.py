"""A model's server that fails in every way: nothing half-said runs, and nothing is lost."""

from dataclasses import replace

import pytest

from actors.agents.history import CUT_OFF
from tests.program.program import (
    KEY,
    LINES,
    YOLO,
    Done,
    Program,
    messages_of,
    one_complaint,
    plain,
    results_in,
)
from tests.scripted_server import (
    Answer,
    calls,
    calls_raw,
    cut,
    fails,
    reports,
    says,
    streams,
)

JSON = ("--output-format", "json")
RAN = "touch ran"
DANGEROUS = calls("bash", command=RAN, description="make a marker that must never appear")


def for_good(answer: Answer) -> Answer:
    """Say in the head of an answer that the request is not to be sent again."""
    return replace(answer, headers={**answer.headers, "x-should-retry": "false"})


def soon(answer: Answer) -> Answer:
    """Say in the head of an answer that the request may be sent again at once."""
    return replace(answer, headers={**answer.headers, "retry-after-ms": "1"})


def marker_was_made(program: Program) -> bool:
    return (program.repository / "ran").exists()


def test_a_call_whose_stream_is_cut_never_runs_and_the_session_goes_on(program: Program) -> None:
    size, last = len(DANGEROUS.body), DANGEROUS.body.rindex(b"event: message_stop")
    cuts = [
        cut(DANGEROUS, 0, "reset"),
        cut(DANGEROUS, size // 4, "close"),
        cut(DANGEROUS, size // 2, "reset"),
        cut(DANGEROUS, size // 2, "complete"),
        cut(DANGEROUS, last, "close"),
        cut(DANGEROUS, last, "complete"),
        cut(DANGEROUS, size - 2, "reset"),
    ]
    with program.serve(*map(for_good, cuts), says("Here I am.")) as server:
        failures = [asked_once(program, number) for number in range(len(cuts))]
        last_one = program.run("-p", "And now?", *YOLO, "--continue")

    for failure in failures:
        check_failure(failure, "")
    assert (last_one.status, last_one.out) == (0, b"Here I am.\n")
    assert not marker_was_made(program)
    asked = "".join(plain(message["content"]) for message in messages_of(server))
    assert asked == "Try 0.Try 1.Try 2.Try 3.Try 4.Try 5.Try 6.And now?"


def asked_once(program: Program, number: int) -> Done:
    resumed = ("--continue",) if number else ()
    return program.run("-p", f"Try {number}.", *YOLO, *JSON, *resumed)


@pytest.mark.parametrize("stop_reason", ["max_tokens", "end_turn"])
def test_a_whole_call_under_another_stop_reason_is_answered_and_not_run(
    program: Program, stop_reason: str
) -> None:
    told = calls_raw("bash", f'{{"command": "{RAN}"}}', stop_reason=stop_reason)
    with program.serve(told, says("I see."), says("Again.")) as server:
        done = program.run("-p", "Do it.", *YOLO, *JSON)
        again = program.run("-p", "Go on.", *YOLO, *JSON, "--continue")

    assert done.status == (0 if stop_reason == "max_tokens" else 1)
    assert again.status == 0
    assert not marker_was_made(program)
    ((text, failed),) = [r for message in messages_of(server) for r in results_in(message)]
    assert failed
    assert text.startswith("Not run: ")


def test_arguments_that_are_not_exactly_right_do_not_run(program: Program) -> None:
    wrong = (
        ('{"command": "true", ', f'"command": "{RAN}"}}'),
        (f'{{"command": "{RAN}"', ""),
        (f'{{"command": "{RAN}", "and": "more"}}',),
        (f'{{"command": "{RAN}"}} {{}}',),
        (f'["{RAN}"]',),
        (f'{{"command": ["{RAN}"]}}',),
        (f'{{"command": "{RAN}", "timeout_s": NaN}}',),
    )
    told = [calls_raw("bash", *pieces) for pieces in wrong]
    with program.serve(*told, says("I see.")) as server:
        done = program.run("-p", "Do it.", *YOLO)
    assert (done.status, done.err) == (0, "")
    assert not marker_was_made(program)
    results = [result for message in messages_of(server) for result in results_in(message)]
    assert [failed for _, failed in results] == [True] * len(wrong)
    assert [text for text, _ in results if not text.startswith("Not run: ")] == []


def test_each_refusal_is_one_clear_line_and_the_session_goes_on(program: Program) -> None:
    page = Answer(b"<html>\x1b]0;owned\x07</html>", headers={"content-type": "text/html"})
    faults = (
        (fails(401, "authentication_error", "invalid x-api-key"), "ANTHROPIC_API_KEY"),
        (fails(403, "permission_error", "not yours"), "not yours"),
        (fails(404, "not_found_error", "model: none"), "model: none"),
        (fails(429, "rate_limit_error", "slow down", retry_after="7"), "in 7 s"),
        (fails(500, "api_error", "oops"), "oops"),
        (fails(529, "overloaded_error", "busy"), "busy"),
        (reports("overloaded_error", "busy now", DANGEROUS), "busy now"),
        (page, ""),
        (streams([{"type": "content_block_stop", "index": 7}]), ""),
    )
    with program.serve(*(for_good(answer) for answer, _ in faults), says("Better.")) as server:
        failures = [asked_once(program, number) for number in range(len(faults))]
        again = program.run("-p", "Now.", *YOLO, "--continue")

    for failure, (_, word) in zip(failures, faults, strict=True):
        check_failure(failure, word)
    assert not marker_was_made(program)
    assert (again.status, again.out, again.err) == (0, b"Better.\n", "")
    assert program.record_types().count("turn_failed") == len(faults)
    assert len(messages_of(server)) == 1


def check_failure(done: Done, word: str) -> None:
    assert done.status == 1
    assert word in one_complaint(done)
    assert KEY not in done.err
    assert done.err.removesuffix("\n").isprintable()
    assert (done.result["subtype"], done.result["stop_reason"]) == ("error", None)
    assert done.result["error"] == one_complaint(done)


def test_a_model_that_cannot_say_what_it_wants_is_given_up(program: Program) -> None:
    told = [calls_raw("bash", f'{{"command": "{RAN}"') for _ in range(3)]
    with program.serve(*told) as server:
        done = program.run("-p", "Do it.", *YOLO)
    assert (done.status, len(server.asked)) == (1, 3)
    assert "not JSON, 3 replies in a row" in one_complaint(done)
    assert not marker_was_made(program)


def test_a_busy_server_is_asked_again_and_the_waits_are_told(program: Program) -> None:
    busy = soon(fails(529, "overloaded_error", "busy"))
    half = soon(cut(says("Half of it is here, and then"), 700, "close"))
    with program.serve(busy, half, says("Whole.")) as server:
        done = program.run("-p", "Go.", *LINES)
    assert (done.status, len(server.asked), done.result["result"]) == (0, 3, "Whole.")
    assert done.err.splitlines() == [
        "greenroom: overloaded, trying again (1 of 5)",
        "greenroom: the reply was cut off, trying again (2 of 4)",
    ]
    told = [line for line in done.lines if line["type"] == "model_retrying"]
    assert [(each["reason"], each["attempt"]) for each in told] == [
        ("overloaded", 1),
        ("cut_off", 2),
    ]
    assert told[1]["partial"].startswith("Half of")
    assert done.result["usage"]["requests"] == 3
    assert len({each.raw for each in server.asked}) == 1, "each try asks the same, to the byte"
    assert program.record_types().count("model_retrying") == 2


def test_what_had_arrived_is_kept_and_marked_when_the_tries_are_spent(program: Program) -> None:
    half = soon(cut(says("Half of it is here, and then"), 700, "close"))
    busy = for_good(fails(503, "api_error", "down"))
    with program.serve(half, busy, says("Better.")) as server:
        failed = program.run("-p", "Go.", *JSON)
        again = program.run("-p", "And now?", "--continue")
    assert (failed.status, failed.result["subtype"]) == (1, "error")
    assert failed.result["result"].startswith("Half of")
    assert failed.err.splitlines()[-1].endswith("(tried 2 times)")
    assert again.status == 0
    said = [plain(message["content"]) for message in messages_of(server)]
    assert said == ["Go.", failed.result["result"], f"{CUT_OFF}And now?"]


@pytest.mark.parametrize("url", ["http://nowhere.invalid", "nonsense", "ftp://127.0.0.1"])
def test_a_server_that_is_not_there_is_named(program: Program, url: str) -> None:
    done = program.run("-p", "Hello?", environment={"ANTHROPIC_BASE_URL": url})
    assert (done.status, done.out) == (1, b"")
    assert url in one_complaint(done)
    assert "ANTHROPIC_BASE_URL" in one_complaint(done)


@pytest.mark.parametrize("key", ["secret\nx-more: yes", "secret\u2026"])
def test_a_key_that_is_no_header_is_refused_without_being_shown(program: Program, key: str) -> None:
    with program.serve() as server:
        done = program.run("-p", "Hello?", environment={"ANTHROPIC_API_KEY": key})
    assert (done.status, server.asked) == (2, [])
    assert "ANTHROPIC_API_KEY" in one_complaint(done)
    assert "secret" not in done.err


def test_a_line_end_behind_a_key_is_not_part_of_it(program: Program) -> None:
    with program.serve(says("Yes.")) as server:
        done = program.run("-p", "Hello?", environment={"ANTHROPIC_API_KEY": f"{KEY}\r\n"})
    assert done.status == 0
    assert any(KEY in value for value in server.asked[0].headers.values())


def test_half_of_a_surrogate_pair_from_the_model_ends_nothing_but_itself(program: Program) -> None:
    half = streams(
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
    bad = Answer(half.body + b"data: " + text + b"\n\ndata: " + end + b"\n\n")
    with program.serve(bad, says("Better.")):
        done = program.run("-p", "First.", *LINES)
        again = program.run("-p", "Second.", "--continue")
    assert done.status == 1
    one_complaint(done)
    assert (again.status, again.out) == (0, b"Better.\n")
