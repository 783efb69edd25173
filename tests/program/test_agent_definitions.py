"""The user's own definitions take effect in the program, and tasks end."""

import json

from pydantic import JsonValue

from actors.models.scripted_reply import ScriptedCall
from tests.program.preloaded_program import PreloadedProgram
from tests.program.program_harness import STREAM_JSON, Program, request_messages
from tests.scripted_server import respond_text, respond_tool_call

PROGRAM_TYPE = PreloadedProgram

JSON = ("--output-format", "json")


def define_agent(program: Program, name: str, frontmatter: str) -> None:
    """Write a definition into the user's folder."""
    folder = program.state_folder / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(f"---\n{frontmatter}\n---\nWork.\n")


def make_task(prompt: str, agent: str = "general", **more: JsonValue) -> ScriptedCall:
    arguments: dict[str, JsonValue] = {
        "description": prompt,
        "prompt": prompt,
        "subagent_type": agent,
    }
    return ScriptedCall("task", {**arguments, **more})


def test_two_calls_for_one_task_end_the_turn(program: Program) -> None:
    again = make_task("again", task_id="general-1")
    with program.serve(
        respond_text("", make_task("first")),
        respond_text("One."),
        respond_text("", again, again),
        respond_text("Two."),
        respond_text("Done."),
    ) as server:
        done = program.run("-p", "Go.", *STREAM_JSON)

    assert (done.exit_status, done.result["result"]) == (0, "Done.")
    results = str(request_messages(server)[-1])
    assert "Two." in results
    assert "general-1 is still working on its task" in results
    ended = [line for line in done.json_lines if line["type"] == "subagent_ended"]
    assert [line["task_number"] for line in ended] == [1, 2]


def test_the_definition_of_the_primary_agent_applies(program: Program) -> None:
    define_agent(program, "lead", "model: large-1\nmax_turns: 2\nsubagents: [explore]")
    with program.serve(
        respond_text("", make_task("work")), respond_tool_call("ls"), respond_text("Never.")
    ) as server:
        done = program.run("-p", "Go.", "--agent", "lead", *JSON)

    assert (done.exit_status, done.result["stop_reason"]) == (3, "max_turns")
    assert "max_turns of the agent lead" in str(done.result["error"])
    assert [request.body["model"] for request in server.requests] == ["large-1", "large-1"]
    assert "There is no subagent type 'general'" in str(request_messages(server)[-1])


def test_a_check_and_a_run_agree_on_a_subagents_rules(program: Program) -> None:
    define_agent(program, "toucher", "mode: subagent\npermission:\n  bash: {'touch *': allow}")
    check = ("permissions", "check", "--tool", "bash", "--agent", "toucher", "--json", "--target")
    decisions: list[str] = []
    for target in ("touch x", "rm x"):
        checked = program.run(*check, target)
        decisions.append(json.loads(checked.stdout)["decision"])
    with program.serve(
        respond_text("", make_task("work", "toucher")),
        respond_tool_call("bash", command="touch x"),
        respond_tool_call("bash", command="rm x"),
        respond_text("Done."),
        respond_text("Done."),
    ):
        done = program.run("-p", "Go.", *JSON)

    assert decisions == ["allow", "ask"]
    assert (program.repository / "x").exists()
    assert [denial["target"] for denial in done.result["denials"]] == ["rm x"]
