"""A long turn of the real program: results, files and output formats."""

from collections.abc import Iterator

import pytest
from pydantic import JsonValue

from actors.models.scripted_reply import ReplyPlan, ScriptedCall, generate_events
from shell.headless.headless_console import NO_USER_REASON
from tests.program.program_harness import (
    API_KEY,
    STREAM_JSON,
    YOLO,
    Json,
    Program,
    content_text,
    request_messages,
    tool_results,
)
from tests.scripted_server import (
    ScriptedResponse,
    ScriptedServer,
    respond_events,
    respond_text,
    respond_tool_call,
)

USAGE_KEYS = {
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "requests",
}
RESULT_KEYS = {
    "type",
    "subtype",
    "session_id",
    "agent",
    "result",
    "stop_reason",
    "num_turns",
    "duration_s",
    "usage",
    "denials",
    "error",
}


def tool_call(name: str, **arguments: JsonValue) -> ScriptedCall:
    return ScriptedCall(name, arguments)


CALL_GROUPS = (
    (tool_call("bash", command="mkdir work && printf 'one\\n' > work/a.txt"),),
    (tool_call("ls", path="work"), tool_call("read", path="work/a.txt")),
    (tool_call("edit", path="work/a.txt", old_string="one", new_string="two"),),
    (tool_call("read", path="missing.txt"),),
    (tool_call("write", path="work/b.txt", content="b\n"), tool_call("read", path="work/b.txt")),
    (
        tool_call("bash", command="cat work/a.txt; exit 3"),
        tool_call("bash", command="cat work/b.txt"),
    ),
    (tool_call("edit", path="work/b.txt", old_string="not there", new_string="x"),),
    (tool_call("write", path="work/c.txt", content="c\n"),),
    (
        tool_call("edit", path="work/c.txt", old_string="c", new_string="C"),
        tool_call("ls", path="work"),
    ),
    (tool_call("fly"), tool_call("read"), tool_call("bash", command="echo still here")),
    (tool_call("bash", command="echo $ANTHROPIC_API_KEY-$ANTHROPIC_BASE_URL-"),),
    (tool_call("read", path="work/c.txt"), tool_call("read", path="work/a.txt"), tool_call("ls")),
)
EXPECTED: tuple[tuple[str, bool], ...] = (
    ("(no output)", False),
    ("a.txt", False),
    ("one", False),
    ("", False),
    ("missing.txt", True),
    ("", False),
    ("b", False),
    ("two\nexit status 3", True),
    ("b", False),
    ("", True),
    ("", False),
    ("", False),
    ("c.txt", False),
    ("There is no tool 'fly'", True),
    ("path", True),
    ("still here", False),
    ("--", False),
    ("C", False),
    ("two", False),
    ("work", False),
)
"""Part of each result, and whether it is an error; twenty calls in total."""


def scripted_replies() -> Iterator[ScriptedResponse]:
    for number, group in enumerate(CALL_GROUPS):
        plan = ReplyPlan(text=f"Step {number}.", calls=group)
        yield respond_events(generate_events(plan, {"model": "scripted"}, f"toolu_{number}"))
    yield respond_text("All **done**.\n")


def check_conversation(server: ScriptedServer) -> None:
    messages = request_messages(server)
    assert len(server.requests) == len(CALL_GROUPS) + 1
    results = [result for message in messages for result in tool_results(message)]
    assert len(results) == len(EXPECTED) == sum(map(len, CALL_GROUPS)) >= 20
    for (text, failed), (part, expected) in zip(results, EXPECTED, strict=True):
        assert (part in text, failed) == (True, expected), text


def test_twenty_calls_are_reported_as_stream_json(program: Program) -> None:
    with program.serve(*scripted_replies()) as server:
        done = program.run("-p", "Do all of it.", *YOLO, *STREAM_JSON)

    assert (done.exit_status, done.stderr) == (0, "")
    check_conversation(server)
    work = program.repository / "work"
    assert {path.name: path.read_text() for path in work.iterdir()} == {
        "a.txt": "two\n",
        "b.txt": "b\n",
        "c.txt": "C\n",
    }
    check_json_lines(done.json_lines)
    assert API_KEY.encode() not in done.stdout + program.session_file.read_bytes()


def check_json_lines(lines: list[Json]) -> None:
    *events, result = lines
    assert [event["source"] for event in events] == ["/primary"] * len(events)
    assert [e["type"] for e in events[:2]] == ["session_configured", "turn_started"]
    assert events[-1]["type"] == "turn_completed"
    started = [e["call_id"] for e in events if e["type"] == "tool_started"]
    ended = [e["call_id"] for e in events if e["type"] == "tool_ended"]
    assert len(set(ended)) == len(ended) == len(EXPECTED)
    assert set(started) < set(ended)
    replies = [event for event in events if event["type"] == "reply_completed"]
    check_result(result, replies)


def check_result(result: Json, replies: list[Json]) -> None:
    assert set(result) == RESULT_KEYS
    assert set(result["usage"]) == USAGE_KEYS
    sums = {name: sum(reply["usage"][name] for reply in replies) for name in USAGE_KEYS}
    assert result["usage"] == sums
    assert sums["requests"] == len(replies) == result["num_turns"] == len(CALL_GROUPS) + 1
    assert (result["type"], result["subtype"], result["agent"]) == ("result", "success", "build")
    assert (result["result"], result["stop_reason"]) == ("All **done**.\n", "end_turn")
    assert (result["denials"], result["error"]) == ([], None)
    assert result["duration_s"] > 0


def test_json_output_is_one_result_object(program: Program) -> None:
    with program.serve(respond_tool_call("ls"), respond_text("Fine.")):
        done = program.run("-p", "Look.", "--output-format", "json")

    assert (done.exit_status, done.stderr, len(done.json_lines)) == (0, "", 1)
    assert set(done.result) == RESULT_KEYS
    assert done.result["session_id"] == program.session_file.stem
    assert (done.result["result"], done.result["num_turns"]) == ("Fine.", 2)


def test_text_output_is_only_the_last_answer(program: Program) -> None:
    with program.serve(respond_text("I look first.", tool_call("ls")), respond_text("Fine.\n\n")):
        done = program.run("-p", "Look.")
    assert (done.exit_status, done.stdout, done.stderr) == (0, b"Fine.\n", "")


def test_a_call_that_needs_approval_is_denied_and_listed(program: Program) -> None:
    calls = (
        tool_call("bash", command="touch ran"),
        tool_call("write", path="made.txt", content="x"),
    )
    with program.serve(respond_text("", *calls), respond_text("I could not.")) as server:
        done = program.run("-p", "Change it.", "--output-format", "json")

    assert done.exit_status == 5
    results = tool_results(request_messages(server)[-1])
    assert [failed for _, failed in results] == [True, True]
    assert all(NO_USER_REASON in text for text, _ in results)
    assert not (program.repository / "ran").exists()
    assert not (program.repository / "made.txt").exists()
    denials = [(d["agent"], d["tool"], d["target"]) for d in done.result["denials"]]
    assert denials == [("/primary", "bash", "touch ran"), ("/primary", "write", "made.txt")]
    assert done.denial_reasons == [text for text, _ in results]
    assert (done.result["subtype"], done.result["error"]) == ("denied", None)
    assert all(f"greenroom: {tool} " in done.stderr for tool in ("bash", "write"))


@pytest.mark.parametrize(("mode", "made"), [("default", False), ("auto-edit", True)])
def test_auto_edit_mode_allows_edits_but_no_commands(
    program: Program, mode: str, *, made: bool
) -> None:
    calls = (
        tool_call("write", path="made.txt", content="x"),
        tool_call("bash", command="touch ran"),
    )
    with program.serve(respond_text("", *calls), respond_text("So be it.")):
        done = program.run("-p", "Change it.", "--permission-mode", mode)
    assert (done.exit_status, done.stdout) == (5, b"So be it.\n")
    assert (program.repository / "made.txt").exists() is made
    assert not (program.repository / "ran").exists()


def test_the_second_prompt_has_the_first_in_its_history(program: Program) -> None:
    with program.serve(
        respond_tool_call("ls"), respond_text("Empty."), respond_text("Still.")
    ) as server:
        assert program.run("-p", "First.").exit_status == 0
        again = program.run("-p", "Second.", "--continue", *STREAM_JSON)

    assert again.exit_status == 0
    assert again.json_lines[0]["resumed"] is True
    texts = [content_text(m["content"]) for m in request_messages(server)]
    assert texts == ["First.", "", "", "Empty.", "Second."]


def test_a_denied_multi_line_command_is_reported_on_one_line(program: Program) -> None:
    with program.serve(respond_tool_call("bash", command="true\nrm -rf x"), respond_text("Done.")):
        done = program.run("-p", "Work.")
    denial, _ = done.stderr.splitlines()
    assert denial.startswith("greenroom: bash true^Jrm -rf x: Denied")
