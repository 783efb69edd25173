"""The real program in line mode, on a dumb terminal."""

import signal

from tests.program.program_harness import Program
from tests.program.repl_harness import open_repl
from tests.scripted_server import respond_text, respond_tool_call


def test_a_whole_session_in_line_mode_prints_no_escape_codes(program: Program) -> None:
    command = respond_tool_call("bash", command="echo x >> ran")
    question = respond_tool_call(
        "question", questions=[{"question": "Which?", "choices": [{"label": "red"}]}]
    )
    with (
        program.serve(command, question, respond_text("**Done**."), respond_text("Bye.")),
        open_repl(program, "Work.", environment={"TERM": "dumb"}) as shown,
    ):
        shown.type("yes 1\nyes\n")
        shown.wait_for_text("yes 1        Yes, once")
        shown.wait_for_text("There is no open request with number 1.")
        assert not (program.repository / "ran").exists()
        shown.type("yes 7\n")
        shown.wait_for_text("There is no open request with number 7.")
        shown.type("yes 1\n")
        shown.wait_for_text("reply 2")
        assert (program.repository / "ran").read_text() == "x\n"
        shown.type("reply 2 1\n")
        shown.wait_for_text("Done.")
        shown.wait_for_text("Bye.")
        shown.type("!echo mine\n")
        shown.wait_for_text("  mine")
        shown.type("/status\n")
        shown.wait_for_text("session")
        shown.send_signal(signal.SIGINT)
        shown.wait_for_text("Press Ctrl-C again to exit.")
        shown.send_signal(signal.SIGINT)
        assert shown.wait_for_exit() == 130
        assert b"\x1b" not in shown.raw
        assert shown.read_scrollback().count("!echo mine") == 1, "the terminal echoes what is typed"
        assert "\nSession " in shown.read_scrollback(), "on its own line"
    assert program.record_types().count("turn_completed") == 2
