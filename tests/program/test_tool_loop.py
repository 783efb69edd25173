"""A long turn from outside: every call answered, the files right, the output as it is promised."""

from collections.abc import Iterator

import pytest
from pydantic import JsonValue

from actors.models.reply_plan import ReplyPlan, ScriptedCall, events_of
from tests.program.program import (
    KEY,
    LINES,
    YOLO,
    Json,
    Program,
    messages_of,
    one_complaint,
    plain,
    results_in,
)
from tests.scripted_server import Answer, ScriptedServer, calls, says, streams

USAGE = {
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "requests",
}
RESULT = {
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


def call(name: str, **arguments: JsonValue) -> ScriptedCall:
    return ScriptedCall(name, arguments)


CALLS = (
    (call("bash", command="mkdir work && printf 'one\\n' > work/a.txt"),),
    (call("ls", path="work"), call("read", path="work/a.txt")),
    (call("edit", path="work/a.txt", old_string="one", new_string="two"),),
    (call("read", path="missing.txt"),),
    (call("write", path="work/b.txt", content="b\n"), call("read", path="work/b.txt")),
    (call("bash", command="cat work/a.txt; exit 3"), call("bash", command="cat work/b.txt")),
    (call("edit", path="work/b.txt", old_string="not there", new_string="x"),),
    (call("write", path="work/c.txt", content="c\n"),),
    (call("edit", path="work/c.txt", old_string="c", new_string="C"), call("ls", path="work")),
    (call("fly"), call("read"), call("bash", command="echo still here")),
    (call("bash", command="echo $ANTHROPIC_API_KEY-$ANTHROPIC_BASE_URL-"),),
    (call("read", path="work/c.txt"), call("read", path="work/a.txt"), call("ls")),
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
"""Part of each result, and whether it is an error; more than twenty calls in all."""


def loop() -> Iterator[Answer]:
    for number, group in enumerate(CALLS):
        plan = ReplyPlan(text=f"Step {number}.", calls=group)
        yield streams(events_of(plan, {"model": "scripted"}, f"toolu_{number}"))
    yield says("All **done**.\n")


def check_the_conversation(server: ScriptedServer) -> None:
    messages = messages_of(server)
    assert len(server.asked) == len(CALLS) + 1
    results = [result for message in messages for result in results_in(message)]
    assert len(results) == len(EXPECTED) == sum(map(len, CALLS)) >= 20
    for (text, failed), (part, expected) in zip(results, EXPECTED, strict=True):
        assert (part in text, failed) == (True, expected), text


def test_a_loop_of_twenty_calls_is_told_line_by_line(program: Program) -> None:
    with program.serve(*loop()) as server:
        done = program.run("-p", "Do all of it.", *YOLO, *LINES)

    assert (done.status, done.err) == (0, "")
    check_the_conversation(server)
    work = program.repository / "work"
    assert {path.name: path.read_text() for path in work.iterdir()} == {
        "a.txt": "two\n",
        "b.txt": "b\n",
        "c.txt": "C\n",
    }
    check_the_lines(done.lines)
    assert KEY.encode() not in done.out + program.session.read_bytes()


def check_the_lines(lines: list[Json]) -> None:
    *events, result = lines
    assert [event["source"] for event in events] == ["/primary"] * len(events)
    assert [e["type"] for e in events[:2]] == ["session_configured", "turn_started"]
    assert events[-1]["type"] == "turn_completed"
    started = [e["call_id"] for e in events if e["type"] == "tool_started"]
    ended = [e["call_id"] for e in events if e["type"] == "tool_ended"]
    assert len(set(ended)) == len(ended) == len(EXPECTED)
    assert set(started) < set(ended)
    replies = [event for event in events if event["type"] == "reply_completed"]
    check_the_result(result, replies)


def check_the_result(result: Json, replies: list[Json]) -> None:
    assert set(result) == RESULT
    assert set(result["usage"]) == USAGE
    sums = {name: sum(reply["usage"][name] for reply in replies) for name in USAGE}
    assert result["usage"] == sums
    assert sums["requests"] == len(replies) == result["num_turns"] == len(CALLS) + 1
    assert (result["type"], result["subtype"], result["agent"]) == ("result", "success", "build")
    assert (result["result"], result["stop_reason"]) == ("All **done**.\n", "end_turn")
    assert (result["denials"], result["error"]) == ([], None)
    assert result["duration_s"] > 0


def test_the_same_result_is_one_object_as_json(program: Program) -> None:
    with program.serve(calls("ls"), says("Fine.")):
        done = program.run("-p", "Look.", "--output-format", "json")

    assert (done.status, done.err, len(done.lines)) == (0, "", 1)
    assert set(done.result) == RESULT
    assert done.result["session_id"] == program.session.stem
    assert (done.result["result"], done.result["num_turns"]) == ("Fine.", 2)


def test_as_text_only_the_last_answer_is_printed(program: Program) -> None:
    with program.serve(says("I look first.", call("ls")), says("Fine.\n\n")):
        done = program.run("-p", "Look.")
    assert (done.status, done.out, done.err) == (0, b"Fine.\n", "")


def test_what_needs_a_person_is_denied_at_once_and_told(program: Program) -> None:
    asked = (call("bash", command="touch ran"), call("write", path="made.txt", content="x"))
    with program.serve(says("", *asked), says("I could not.")) as server:
        done = program.run("-p", "Change it.", "--output-format", "json")

    assert done.status == 0
    results = results_in(messages_of(server)[-1])
    assert [failed for _, failed in results] == [True, True]
    assert all("nobody can be asked" in text for text, _ in results)
    assert not (program.repository / "ran").exists()
    assert not (program.repository / "made.txt").exists()
    told = [(d["agent"], d["tool"], d["target"]) for d in done.result["denials"]]
    assert told == [("/primary", "bash", "touch ran"), ("/primary", "write", "made.txt")]
    assert [d["reason"] for d in done.result["denials"]] == [text for text, _ in results]
    assert (done.result["subtype"], done.result["error"]) == ("success", None)
    assert all(f"greenroom: {tool} " in done.err for tool in ("bash", "write"))


@pytest.mark.parametrize(("mode", "made"), [("default", False), ("auto-edit", True)])
def test_auto_edit_writes_and_still_runs_no_command(
    program: Program, mode: str, *, made: bool
) -> None:
    asked = (call("write", path="made.txt", content="x"), call("bash", command="touch ran"))
    with program.serve(says("", *asked), says("So be it.")):
        done = program.run("-p", "Change it.", "--permission-mode", mode)
    assert (done.status, done.out) == (0, b"So be it.\n")
    assert (program.repository / "made.txt").exists() is made
    assert not (program.repository / "ran").exists()


def test_the_second_prompt_of_a_session_has_the_first_in_its_history(program: Program) -> None:
    with program.serve(calls("ls"), says("Empty."), says("Still.")) as server:
        assert program.run("-p", "First.").status == 0
        again = program.run("-p", "Second.", "--continue", *LINES)

    assert again.status == 0
    assert again.lines[0]["resumed"] is True
    told = [plain(m["content"]) for m in messages_of(server)]
    assert told == ["First.", "", "", "Empty.", "Second."]


def test_a_denied_command_of_many_lines_is_told_of_in_one(program: Program) -> None:
    with program.serve(calls("bash", command="true\nrm -rf x"), says("Done.")):
        done = program.run("-p", "Work.")
    assert one_complaint(done).startswith("bash true^Jrm -rf x: Denied")
