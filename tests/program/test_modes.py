"""Modes and plans as a script meets them."""

from typing import cast

from tests.program.program import LINES, YOLO, Done, Json, Program
from tests.scripted_server import calls, says

COMMAND = "echo hi > made.txt"


def denials(done: Done) -> list[str]:
    return [denial["reason"] for denial in done.result["denials"]]


def test_a_run_that_plans_reads_and_writes_its_plan_alone_and_nobody_lets_it_begin(
    program: Program,
) -> None:
    answers = (
        calls("write", path="a.txt", content="x"),
        calls("bash", command="make it"),
        calls("plan_exit"),
        says("Planned."),
    )
    with program.serve(*answers) as server:
        done = program.run("-p", "Do it.", "--permission-mode", "plan", *LINES)
    first, *_ = server.asked
    body = cast("Json", first.body)
    offered = [tool["name"] for tool in body["tools"]]
    assert "plan_exit" in offered
    assert "plan_enter" not in offered
    switched, prompt = [block["text"] for block in body["messages"][0]["content"]]
    assert prompt == "Do it."
    assert f"{program.session.stem}.md, which does not exist yet" in switched
    (line,) = [each for each in done.lines if each["type"] == "agent_switched"]
    assert (line["agent"], line["synthetic"], line["text"]) == ("plan", True, switched)
    assert (done.status, done.result["agent"]) == (0, "plan")
    nobody = "; it needs a person's approval, and this run is headless, so nobody can be asked."
    assert denials(done) == [
        "Denied: plan mode only reads, and writes plans.",
        f"Denied: plan mode only reads: bash asks unless it is allowed (built-in default){nobody}",
        f"Denied: plan_exit is a question itself{nobody}",
    ]
    assert not (program.repository / "a.txt").exists()


def test_yolo_does_not_come_back_by_itself_when_a_session_goes_on(program: Program) -> None:
    answers = (calls("bash", command=COMMAND), says("Made."))
    made = program.repository / "made.txt"
    with program.serve(*answers, *answers, *answers):
        assert denials(program.run("-p", "Make it.", *YOLO, *LINES)) == []
        assert made.read_text() == "hi\n"
        made.unlink()
        went_on = program.run("-p", "Again.", "--continue", *LINES)
        assert not made.exists()
        named = program.run("-p", "Again.", "--continue", *YOLO, *LINES)
    assert len(denials(went_on)) == 1
    assert [went_on.lines[0]["mode"], named.lines[0]["mode"]] == ["default", "yolo"]
    assert made.exists()
