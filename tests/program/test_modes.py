"""Modes and plans as a script meets them."""

from typing import cast

from tests.program.program_harness import STREAM_JSON, YOLO, CompletedRun, Json, Program
from tests.scripted_server import respond_text, respond_tool_call

COMMAND = "echo hi > made.txt"


def denial_reasons(done: CompletedRun) -> list[str]:
    return [denial["reason"] for denial in done.result["denials"]]


def test_a_run_that_plans_reads_and_writes_its_plan_alone_and_nobody_lets_it_begin(
    program: Program,
) -> None:
    answers = (
        respond_tool_call("write", path="a.txt", content="x"),
        respond_tool_call("bash", command="make it"),
        respond_tool_call("plan_exit"),
        respond_text("Planned."),
    )
    with program.serve(*answers) as server:
        done = program.run("-p", "Do it.", "--permission-mode", "plan", *STREAM_JSON)
    first, *_ = server.requests
    body = cast("Json", first.body)
    offered = [tool["name"] for tool in body["tools"]]
    assert "plan_exit" in offered
    assert "plan_enter" not in offered
    switched, prompt = [block["text"] for block in body["messages"][0]["content"]]
    assert prompt == "Do it."
    assert f"{program.session_file.stem}.md, which does not exist yet" in switched
    (line,) = [each for each in done.json_lines if each["type"] == "agent_switched"]
    assert (line["agent"], line["text"]) == ("plan", switched)
    assert (done.exit_status, done.result["agent"]) == (0, "plan")
    nobody = "; it needs the user's approval, but this run is headless, so nobody can be asked."
    assert denial_reasons(done) == [
        "Denied: plan mode allows only reading and writing plan files.",
        f"Denied: it is not allowed by any rule, and plan mode is read-only{nobody}",
        f"Denied: plan_exit always needs approval{nobody}",
    ]
    assert not (program.repository / "a.txt").exists()


def test_yolo_does_not_come_back_by_itself_when_a_session_goes_on(program: Program) -> None:
    answers = (respond_tool_call("bash", command=COMMAND), respond_text("Made."))
    made = program.repository / "made.txt"
    with program.serve(*answers, *answers, *answers):
        assert denial_reasons(program.run("-p", "Make it.", *YOLO, *STREAM_JSON)) == []
        assert made.read_text() == "hi\n"
        made.unlink()
        went_on = program.run("-p", "Again.", "--continue", *STREAM_JSON)
        assert not made.exists()
        named = program.run("-p", "Again.", "--continue", *YOLO, *STREAM_JSON)
    assert len(denial_reasons(went_on)) == 1
    assert [went_on.json_lines[0]["mode"], named.json_lines[0]["mode"]] == ["default", "yolo"]
    assert made.exists()
