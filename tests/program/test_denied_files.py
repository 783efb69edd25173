"""The model cannot learn the content of a file that it may not read."""

from pathlib import Path

from tests.program.program_harness import Program
from tests.scripted_server import respond_text, respond_tool_call


def test_right_and_wrong_guesses_get_the_same_answer(program: Program, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("password=hunter2\n")
    guesses = ["password=h", "password=x", "s", "pass  word"]
    answers = [
        *(
            respond_tool_call("edit", path=str(secret), old_string=guess, new_string="")
            for guess in guesses
        ),
        respond_tool_call("write", path=str(secret), content="password=hunter2\n"),
        respond_tool_call("write", path=str(secret), content="something else"),
        respond_text("I know nothing."),
    ]
    with program.serve(*answers):
        done = program.run("-p", "Guess.", "--output-format", "json")

    assert len(done.denial_reasons) == len(answers) - 1
    assert len(set(done.denial_reasons)) == 1
    assert secret.read_text() == "password=hunter2\n"
