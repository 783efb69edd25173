"""The real program on a terminal that can only print."""

import signal

from tests.program.program import COMMAND, Program
from tests.scripted_server import calls, says
from tests.shell.terminal import terminal


def test_a_whole_session_without_an_escape(program: Program) -> None:
    command = calls("bash", command="echo x >> ran")
    question = calls("question", questions=[{"question": "Which?", "choices": [{"label": "red"}]}])
    with (
        program.serve(command, question, says("**Done**."), says("Bye.")),
        terminal(
            [*COMMAND, "Work."],
            environment=program.environment(TERM="dumb"),
            folder=program.repository,
        ) as shown,
    ):
        shown.type("yes 1\nyes\n")
        shown.wait_for("yes 1      once")
        shown.wait_for("Nothing that is asked now has the number 1.")
        assert not (program.repository / "ran").exists()
        shown.type("yes 7\n")
        shown.wait_for("Nothing that is asked now has the number 7.")
        shown.type("yes 1\n")
        shown.wait_for("reply 2")
        assert (program.repository / "ran").read_text() == "x\n"
        shown.type("reply 2 1\n")
        shown.wait_for("Done.")
        shown.wait_for("Bye.")
        shown.type("!echo mine\n")
        shown.wait_for("  mine")
        shown.type("/status\n")
        shown.wait_for("session")
        shown.signal(signal.SIGINT)
        shown.wait_for("press Ctrl-C once more to leave")
        shown.signal(signal.SIGINT)
        assert shown.wait_exit() == 130
        assert b"\x1b" not in shown.raw
        assert shown.everything().count("!echo mine") == 1, "the terminal echoes what is typed"
        assert "\nSession " in shown.everything(), "not behind the prompt"
    assert program.record_types().count("turn_completed") == 2
