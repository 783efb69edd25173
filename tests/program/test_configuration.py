"""Configuration files, read by the real program."""

import os
from pathlib import Path

import pytest

from actors.models.model_names import DEFAULT_MODEL
from tests.program.preloaded_program import PreloadedProgram
from tests.program.program_harness import STREAM_JSON, CompletedRun, Program
from tests.scripted_server import respond_http_error, respond_text, respond_tool_call

PROGRAM_TYPE = PreloadedProgram


def write_user_config(program: Program, content: str) -> Path:
    program.state_folder.mkdir(exist_ok=True)
    path = program.state_folder / "config.toml"
    path.write_text(content)
    return path


def error_lines(done: CompletedRun) -> list[str]:
    return [line.removeprefix("greenroom: ") for line in done.stderr.splitlines()]


def test_the_problems_of_all_files_are_reported_at_once(program: Program) -> None:
    user = write_user_config(program, 'model = 5\n[budget]\nturns = "x"\n')
    (program.repository / ".greenroom").mkdir()
    project = program.repository / ".greenroom" / "config.toml"
    project.write_text("\nhooks = 'touch ran'\n")
    done = program.run("-p", "Hello.", "--trust")
    assert (done.exit_status, done.stdout) == (2, b"")
    assert [line.partition(": ")[0] for line in error_lines(done)] == [
        f"{user}:1",
        f"{user}:3",
        f"{project}:2",
    ]
    assert not any(program.state_folder.rglob("*.jsonl"))


@pytest.mark.parametrize(
    ("arguments", "variable", "model"),
    [
        (["--model", "flag"], "variable", "flag"),
        ([], "variable", "variable"),
        ([], "", "file"),
    ],
)
def test_the_model_comes_from_flag_then_environment_then_file(
    program: Program, arguments: list[str], variable: str, model: str
) -> None:
    write_user_config(program, 'model = "file"\npermission_mode = "auto-edit"\n')
    with program.serve(respond_text("Yes.")) as server:
        done = program.run(
            "-p", "Hi.", *arguments, *STREAM_JSON, environment={"GREENROOM_MODEL": variable}
        )
    assert done.exit_status == 0
    assert server.requests[0].body["model"] == model
    assert done.json_lines[0]["mode"] == "auto-edit"


@pytest.mark.parametrize(
    ("agent", "model"), [("explore", "claude-haiku-5-5"), ("general", "large")]
)
def test_the_small_model_is_used_for_the_explore_agent(
    program: Program, agent: str, model: str
) -> None:
    write_user_config(program, 'model = "large"\nmodels.small = "haiku"\n')
    task = respond_tool_call("task", description="d", prompt="Look.", subagent_type=agent)
    with program.serve(task, respond_text("Seen."), respond_text("Done.")) as server:
        assert program.run("-p", "Hi.").exit_status == 0
    models = [request.body["model"] for request in server.requests]
    assert models == ["large", model, "large"]


def test_a_rejected_effort_is_left_out_with_a_notice(program: Program) -> None:
    write_user_config(program, 'effort = "high"\n')
    detail = "This model does not support the effort parameter."
    rejected = respond_http_error(400, "invalid_request_error", detail)
    with program.serve(rejected, respond_text("Here.")) as server:
        done = program.run("-p", "Hi.")
    assert (done.exit_status, done.stdout) == (0, b"Here.\n")
    assert f"does not accept effort high for {DEFAULT_MODEL} (400: {detail})" in done.stderr
    sent = [request.body.get("output_config") for request in server.requests]
    assert sent == [{"effort": "high"}, None]


def test_without_greenroom_home_the_platforms_folder_is_used(
    program: Program,
) -> None:
    config = program.folder / "config" / "greenroom"
    config.mkdir(parents=True)
    (config / "config.toml").write_text('model = "file"\n')
    (config / "AGENTS.md").write_text("Be brief.")
    environment = {
        "GREENROOM_HOME": None,
        "XDG_CONFIG_HOME": str(config.parent),
        "XDG_STATE_HOME": str(program.state_folder),
    }
    with program.serve(respond_text("Yes.")) as server:
        done = program.run("-p", "Hi.", environment=environment)
    if os.uname().sysname != "Linux":
        pytest.skip("other platforms have other folders")
    assert (done.exit_status, done.stderr) == (0, "")
    assert server.requests[0].body["model"] == "file"
    assert "Be brief." in str(server.requests[0].body["system"])


def test_instructions_come_from_the_user_then_the_repository(
    program: Program,
) -> None:
    write_user_config(program, "")
    subfolder = program.repository / "src"
    subfolder.mkdir()
    for number, folder in enumerate(
        (program.state_folder, program.repository, subfolder, program.folder)
    ):
        (folder / "AGENTS.md").write_text(f"Instruction {number}.")
    with program.serve(respond_text("Yes."), respond_text("Yes.")) as server:
        first = program.run("-p", "Hi.", "--trust", *STREAM_JSON, cwd=subfolder)
        program.run("-p", "Hi.", cwd=subfolder)
    system = str(server.requests[0].body["system"])
    positions = [system.index(f"Instruction {number}.") for number in range(3)]
    assert positions == sorted(positions)
    assert "Instruction 3." not in system
    assert system == str(server.requests[1].body["system"])
    reported = [
        (Path(file["path"]).parent, file["file_bytes"])
        for file in first.json_lines[0]["instruction_files"]
    ]
    assert reported == [(program.state_folder, 14), (program.repository, 14), (subfolder, 14)]


def rule_toml(permission: str, pattern: str, action: str) -> str:
    return f'[[rules]]\npermission = "{permission}"\npattern = "{pattern}"\naction = "{action}"\n'


def test_a_denial_names_the_file_of_its_rule(program: Program) -> None:
    user = write_user_config(
        program, rule_toml("bash", "echo *", "allow") + rule_toml("bash", "echo no*", "deny")
    )
    (program.repository / ".greenroom").mkdir()
    project = program.repository / ".greenroom" / "config.toml"
    project.write_text(
        rule_toml("bash", "touch *", "allow") + rule_toml("bash", "echo maybe*", "deny")
    )
    script = (
        respond_tool_call("bash", command="echo yes"),
        respond_tool_call("bash", command="echo no"),
        respond_tool_call("bash", command="echo maybe"),
        respond_tool_call("bash", command="touch made"),
        respond_text("Done."),
    )
    with program.serve(*script, *script):
        untrusted = program.run("-p", "Try.", "--output-format", "json")
        made = (program.repository / "made").exists()
        trusted = program.run("-p", "Try.", "--output-format", "json", "--trust")
    assert (untrusted.exit_status, trusted.exit_status, made) == (5, 0, False)
    for done in (untrusted, trusted):
        assert [reason for reason in done.denial_reasons if f"user rules, {user}" in reason]
        assert [reason for reason in done.denial_reasons if f"project rules, {project}" in reason]
    targets = [denial["target"] for denial in untrusted.result["denials"]]
    assert targets[-3:] == ["echo no", "echo maybe", "touch made"]
    assert (program.repository / "made").exists()


def test_plan_mode_from_the_configuration_denies_changes(program: Program) -> None:
    write_user_config(program, 'permission_mode = "plan"\n')
    (program.repository / "a.txt").write_text("one\n")
    script = (
        respond_tool_call("read", path="a.txt"),
        respond_tool_call("write", path="b.txt", content="two"),
        respond_text("Done."),
    )
    with program.serve(*script):
        done = program.run("-p", "Try.", "--output-format", "json")
    assert done.exit_status == 0
    assert [denial["tool"] for denial in done.result["denials"]] == ["write"]


def test_an_added_folder_belongs_to_the_workspace(program: Program) -> None:
    added, other = program.folder / "added", program.folder / "other"
    for folder in (added, other):
        folder.mkdir()
        (folder / "a.txt").write_text("one\n")
    script = (
        respond_tool_call("read", path=str(added / "a.txt")),
        respond_tool_call("edit", path=str(added / "a.txt"), old_string="one", new_string="two"),
        respond_tool_call("read", path=str(other / "a.txt")),
        respond_text("Done."),
    )
    arguments = ("--add-dir", str(added), "--permission-mode", "auto-edit")
    with program.serve(*script):
        done = program.run("-p", "Try.", *arguments, "--output-format", "json")
    assert done.exit_status == 5
    assert (added / "a.txt").read_text() == "two\n"
    assert [denial["target"] for denial in done.result["denials"]] == [str(other / "a.txt")]
