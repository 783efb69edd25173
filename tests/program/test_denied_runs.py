"""A headless run in which a call was denied because no user could be asked is not a success."""

import pytest

from tests.program.preloaded_program import PreloadedProgram
from tests.program.program_harness import YOLO, Json, Program
from tests.scripted_server import respond_text, respond_tool_call

PROGRAM_TYPE = PreloadedProgram

TOUCH = respond_tool_call("bash", command="touch made")
JSON = ("--output-format", "json")
QUESTION: Json = {"question": "Which?", "header": "h", "choices": []}


def test_a_call_that_no_user_could_allow_gives_status_5(program: Program) -> None:
    with program.serve(*([TOUCH, respond_text("I could not.")] * 3)):
        done = program.run("-p", "Go.")
        as_json = program.run("-p", "Go.", *JSON)
        allowed = program.run("-p", "Go.", "--allow-denials", *JSON)
    assert (done.exit_status, done.stdout) == (5, b"I could not.\n")
    assert "--allow-denials" in done.stderr.splitlines()[-1]
    assert (as_json.exit_status, as_json.result["subtype"]) == (5, "denied")
    assert (as_json.result["result"], as_json.result["error"]) == ("I could not.", None)
    assert (allowed.exit_status, allowed.result["subtype"]) == (0, "success")
    assert len(allowed.result["denials"]) == 1


def test_a_denial_in_a_subagent_counts_as_well(program: Program) -> None:
    task = respond_tool_call("task", description="d", prompt="p", subagent_type="general")
    with program.serve(task, TOUCH, respond_text("No."), respond_text("Done.")):
        done = program.run("-p", "Go.", *JSON)
    assert (done.exit_status, done.result["subtype"]) == (5, "denied")
    assert done.result["denials"][0]["agent"] == "/primary/general-1"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("question", {"questions": [QUESTION]}),
        ("plan_enter", {}),
        ("bash", {"command": "rm -r denied"}),
    ],
)
def test_rules_and_questions_do_not_fail_a_run(
    program: Program, name: str, arguments: Json
) -> None:
    program.state_folder.mkdir(mode=0o700, exist_ok=True)
    (program.state_folder / "config.toml").write_text(
        '[[rules]]\npermission = "bash"\npattern = "rm *"\naction = "deny"\n'
    )
    with program.serve(respond_tool_call(name, **arguments), respond_text("Done.")):
        done = program.run("-p", "Go.", *YOLO, *JSON)
    assert len(done.result["denials"]) == 1
    assert (done.exit_status, done.result["subtype"]) == (0, "success")


def test_allow_denials_needs_a_headless_run(program: Program) -> None:
    done = program.run("--allow-denials")
    assert done.exit_status == 2
    assert "--allow-denials only works with -p" in done.stderr
