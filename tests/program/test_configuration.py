"""Configuration files as the program takes them."""

import os
from pathlib import Path

import pytest

from tests.program.program import LINES, Done, Program
from tests.scripted_server import calls, says


def configure(program: Program, content: str) -> Path:
    program.home.mkdir(exist_ok=True)
    path = program.home / "config.toml"
    path.write_text(content)
    return path


def complaints(done: Done) -> list[str]:
    return [line.removeprefix("greenroom: ") for line in done.err.splitlines()]


def test_all_that_is_wrong_in_all_files_is_told_at_once(program: Program) -> None:
    user = configure(program, 'model = 5\n[budget]\nturns = "x"\n')
    (program.repository / ".greenroom").mkdir()
    project = program.repository / ".greenroom" / "config.toml"
    project.write_text("\nhooks = 'touch ran'\n")
    done = program.run("-p", "Hello.", "--trust")
    assert (done.status, done.out) == (2, b"")
    assert [line.partition(": ")[0] for line in complaints(done)] == [
        f"{user}:1",
        f"{user}:3",
        f"{project}:2",
    ]
    assert not any(program.home.rglob("*.jsonl"))


@pytest.mark.parametrize(
    ("words", "variable", "model"),
    [
        (["--model", "flag"], "variable", "flag"),
        ([], "variable", "variable"),
        ([], "", "file"),
    ],
)
def test_the_model_is_the_flags_then_the_environments_then_the_files(
    program: Program, words: list[str], variable: str, model: str
) -> None:
    configure(program, 'model = "file"\npermission_mode = "auto-edit"\n')
    with program.serve(says("Yes.")) as server:
        done = program.run("-p", "Hi.", *words, *LINES, environment={"GREENROOM_MODEL": variable})
    assert done.status == 0
    assert server.asked[0].body["model"] == model
    assert done.lines[0]["mode"] == "auto-edit"


def test_the_configuration_lies_in_the_platforms_folder_without_a_home_of_ours(
    program: Program,
) -> None:
    config = program.folder / "config" / "greenroom"
    config.mkdir(parents=True)
    (config / "config.toml").write_text('model = "file"\n')
    (config / "AGENTS.md").write_text("Be brief.")
    environment = {
        "GREENROOM_HOME": None,
        "XDG_CONFIG_HOME": str(config.parent),
        "XDG_STATE_HOME": str(program.home),
    }
    with program.serve(says("Yes.")) as server:
        done = program.run("-p", "Hi.", environment=environment)
    if os.uname().sysname != "Linux":
        pytest.skip("other platforms have other folders")
    assert (done.status, done.err) == (0, "")
    assert server.asked[0].body["model"] == "file"
    assert "Be brief." in str(server.asked[0].body["system"])


def test_instructions_are_the_users_then_the_repositorys_down_to_where_we_stand(
    program: Program,
) -> None:
    configure(program, "")
    below = program.repository / "src"
    below.mkdir()
    for number, folder in enumerate((program.home, program.repository, below, program.folder)):
        (folder / "AGENTS.md").write_text(f"Instruction {number}.")
    with program.serve(says("Yes."), says("Yes.")) as server:
        first = program.run("-p", "Hi.", "--trust", *LINES, cwd=below)
        program.run("-p", "Hi.", cwd=below)
    system = str(server.asked[0].body["system"])
    places = [system.index(f"Instruction {number}.") for number in range(3)]
    assert places == sorted(places)
    assert "Instruction 3." not in system
    assert system == str(server.asked[1].body["system"])
    named = [
        (Path(each["path"]).parent, each["file_bytes"]) for each in first.lines[0]["instructions"]
    ]
    assert named == [(program.home, 14), (program.repository, 14), (below, 14)]


def rule(permission: str, pattern: str, action: str) -> str:
    return f'[[rules]]\npermission = "{permission}"\npattern = "{pattern}"\naction = "{action}"\n'


def reasons(done: Done) -> list[str]:
    return [denial["reason"] for denial in done.result["denials"]]


def test_rules_decide_and_a_denial_names_the_file_they_stand_in(program: Program) -> None:
    user = configure(program, rule("bash", "echo *", "allow") + rule("bash", "echo no*", "deny"))
    (program.repository / ".greenroom").mkdir()
    project = program.repository / ".greenroom" / "config.toml"
    project.write_text(rule("bash", "touch *", "allow") + rule("bash", "echo maybe*", "deny"))
    script = (
        calls("bash", command="echo yes"),
        calls("bash", command="echo no"),
        calls("bash", command="echo maybe"),
        calls("bash", command="touch made"),
        says("Done."),
    )
    with program.serve(*script, *script):
        untrusted = program.run("-p", "Try.", "--output-format", "json")
        made = (program.repository / "made").exists()
        trusted = program.run("-p", "Try.", "--output-format", "json", "--trust")
    assert (untrusted.status, trusted.status, made) == (0, 0, False)
    for done in (untrusted, trusted):
        assert [each for each in reasons(done) if f"user rules, {user}" in each]
        assert [each for each in reasons(done) if f"project rules, {project}" in each]
    targets = [denial["target"] for denial in untrusted.result["denials"]]
    assert targets[-3:] == ["echo no", "echo maybe", "touch made"]
    assert (program.repository / "made").exists()


def test_plan_mode_of_the_configuration_denies_what_changes(program: Program) -> None:
    configure(program, 'permission_mode = "plan"\n')
    (program.repository / "a.txt").write_text("one\n")
    script = (
        calls("read", path="a.txt"),
        calls("write", path="b.txt", content="two"),
        says("Done."),
    )
    with program.serve(*script):
        done = program.run("-p", "Try.", "--output-format", "json")
    assert done.status == 0
    assert [denial["tool"] for denial in done.result["denials"]] == ["write"]


def test_an_added_folder_is_worked_in_as_the_workspace_is(program: Program) -> None:
    added, other = program.folder / "added", program.folder / "other"
    for folder in (added, other):
        folder.mkdir()
        (folder / "a.txt").write_text("one\n")
    script = (
        calls("read", path=str(added / "a.txt")),
        calls("edit", path=str(added / "a.txt"), old_string="one", new_string="two"),
        calls("read", path=str(other / "a.txt")),
        says("Done."),
    )
    words = ("--add-dir", str(added), "--permission-mode", "auto-edit")
    with program.serve(*script):
        done = program.run("-p", "Try.", *words, "--output-format", "json")
    assert done.status == 0
    assert (added / "a.txt").read_text() == "two\n"
    assert [denial["target"] for denial in done.result["denials"]] == [str(other / "a.txt")]
