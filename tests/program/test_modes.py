"""Permission modes and plan mode in headless runs."""

from typing import cast

from shell.headless.headless_console import NO_USER_REASON
from tests.program.preloaded_program import PreloadedProgram
from tests.program.program_harness import STREAM_JSON, YOLO, Json, Program
from tests.scripted_server import respond_text, respond_tool_call

PROGRAM_TYPE = PreloadedProgram

COMMAND = "echo hi > made.txt"


def test_plan_mode_denies_everything_but_the_plan(
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
    assert {"plan_enter", "plan_exit"} <= set(offered), "so a turn keeps them in both modes"
    switched, _, prompt = [block["text"] for block in body["messages"][0]["content"]]
    assert prompt == "Do it."
    assert f"{program.session_file.stem}.md, which does not exist yet" in switched
    (line,) = [event for event in done.json_lines if event["type"] == "agent_switched"]
    assert (line["agent"], line["text"]) == ("plan", switched)
    assert (done.exit_status, done.result["agent"]) == (5, "plan")
    write, command, plan_exit = done.denial_reasons
    assert "plan mode" in write
    assert "plan mode" in command
    assert NO_USER_REASON in command
    assert NO_USER_REASON in plan_exit
    assert not (program.repository / "a.txt").exists()


def test_a_resumed_session_does_not_keep_yolo_mode(program: Program) -> None:
    answers = (respond_tool_call("bash", command=COMMAND), respond_text("Made."))
    made = program.repository / "made.txt"
    with program.serve(*answers, *answers, *answers):
        assert program.run("-p", "Make it.", *YOLO, *STREAM_JSON).denial_reasons == []
        assert made.read_text() == "hi\n"
        made.unlink()
        resumed = program.run("-p", "Again.", "--continue", *STREAM_JSON)
        assert not made.exists()
        explicit = program.run("-p", "Again.", "--continue", *YOLO, *STREAM_JSON)
    assert len(resumed.denial_reasons) == 1
    assert [resumed.json_lines[0]["mode"], explicit.json_lines[0]["mode"]] == ["default", "yolo"]
    assert made.exists()
