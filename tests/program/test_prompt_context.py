"""The environment and the attachments of a prompt, in the requests of headless runs."""

import subprocess
from typing import cast

from tests.program.preloaded_program import PreloadedProgram
from tests.program.program_harness import Json, Program, single_error
from tests.scripted_server import ScriptedServer, respond_text, respond_tool_call

PROGRAM_TYPE = PreloadedProgram


def run_git(program: Program, *words: str) -> None:
    subprocess.run(["git", *words], cwd=program.repository, check=True, capture_output=True)


def first_texts(server: ScriptedServer, request: int = -1) -> list[str]:
    body = cast("Json", server.requests[request].body)
    return [block["text"] for block in body["messages"][0]["content"]]


def test_the_first_prompt_has_its_environment_and_files(program: Program) -> None:
    folder = program.repository
    run_git(program, "init", "-q", "-b", "main")
    (folder / "src").mkdir()
    (folder / "src/a.py").write_text("one\ntwo\nthree\n")
    (folder / ".env").write_text("KEY=x\n")
    rule = '[[rules]]\npermission = "read"\npattern = "secret.txt"\naction = "deny"\n'
    (program.state_folder).mkdir(parents=True, exist_ok=True)
    (program.state_folder / "config.toml").write_text(rule)
    (folder / "secret.txt").write_text("hidden\n")
    prompt = "Fix @src/a.py:2-3, not @.env, @secret.txt or a@b.c, like @dataclass in @src/"
    change = respond_tool_call("write", path="src/a.py", content="new\n")
    with program.serve(change, respond_text("Done."), respond_text("More.")) as server:
        done = program.run("-p", prompt, "--trust", "--permission-mode", "auto-edit")
        assert program.run("-p", "More.", "--continue").exit_status == 0

    environment, *attached, text = first_texts(server, 0)
    assert environment.startswith("<env>\nToday's date: ")
    assert "\nGit branch: " in environment
    assert "\n?? src/\n" in environment
    assert environment.endswith(
        "\nTop-level listing of the working directory:\n.env\n.git/\nsecret.txt\nsrc/\n</env>"
    )
    lines, secret, denied, listing = [text.removeprefix("<attachment>\n") for text in attached]
    assert lines.startswith("The user attached @src/a.py:2-3. Result of read ")
    assert "\n     2\ttwo\n     3\tthree\n" in lines
    assert secret.startswith("@.env was not attached (reading it needs approval, ")
    assert denied.startswith("@secret.txt was not attached (it may not be read, ")
    assert listing.endswith("\na.py\n</attachment>")
    assert text == prompt

    assert done.exit_status == 0, "what is attached counts as read"
    assert (folder / "src/a.py").read_text() == "new\n"
    first, second = done.stderr.splitlines()
    assert first.startswith("greenroom: @.env was not attached ")
    assert second.startswith("greenroom: @secret.txt was not attached ")
    assert first_texts(server) == first_texts(server, 0), "a resumed session sends the same bytes"


def test_a_file_named_in_piped_text_is_not_attached(program: Program) -> None:
    (program.repository / "a.py").write_text("one\n")
    with program.serve(respond_text("Yes."), respond_text("Yes.")) as server:
        program.run("-p", "Explain.", stdin=b"see @a.py")
        program.run("-p", "-", stdin=b"see @a.py")
    assert len(first_texts(server, 0)) == 2
    assert len(first_texts(server, 1)) == 3


def test_a_missing_file_is_reported_and_the_run_continues(program: Program) -> None:
    (program.repository / "main.py").write_text("one\n")
    with program.serve(respond_text("Yes.")):
        done = program.run("-p", "See @maim.py")
    problem = "maim.py: no such file or directory; did you mean main.py?"
    assert single_error(done) == f"@maim.py was not attached ({problem})."
    assert (done.exit_status, done.stdout) == (0, b"Yes.\n")


def test_a_repositorys_programs_do_not_run_at_the_start(program: Program) -> None:
    folder = program.repository
    run_git(program, "init", "-q")
    run_git(program, "config", "core.fsmonitor", f"touch {folder}/ran")
    with program.serve(respond_text("Yes.")) as server:
        program.run("-p", "Hello.", "--trust")
    assert "Git status" in first_texts(server)[0]
    assert not (folder / "ran").exists()
