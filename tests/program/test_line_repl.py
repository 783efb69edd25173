"""The real program in line mode, on a dumb terminal."""

import signal

from tests.program.program_harness import Program
from tests.program.repl_harness import open_repl
from tests.scripted_server import respond_stalled, respond_text, respond_tool_call


def test_a_whole_session_in_line_mode_prints_no_escape_codes(program: Program) -> None:
    command = respond_tool_call("bash", command="echo x >> ran")
    question = respond_tool_call(
        "question", questions=[{"question": "Which?", "choices": [{"label": "red"}]}]
    )
    with (
        program.serve(command, question, respond_text("**Done**.")),
        open_repl(program, "Work.", environment={"TERM": "dumb"}) as terminal,
    ):
        terminal.type("yes 1\nyes\n")
        terminal.wait_for_text("yes 1        Yes, once")
        terminal.wait_for_text("There is no open request with number 1.")
        assert not (program.repository / "ran").exists()
        terminal.type("yes 7\n")
        terminal.wait_for_text("There is no open request with number 7.")
        terminal.type("yes 1\n")
        terminal.wait_for_text("reply 2")
        assert (program.repository / "ran").read_text() == "x\n"
        terminal.type("reply 2 1\n")
        terminal.wait_for_text("delivered during the turn")
        terminal.wait_for_text("Done.")
        terminal.type("!echo mine\n")
        terminal.wait_for_text("│ mine")
        terminal.type("/status\n")
        terminal.wait_for_text("session")
        terminal.send_signal(signal.SIGINT)
        terminal.wait_for_text("Press Ctrl-C again to exit.")
        terminal.send_signal(signal.SIGINT)
        assert terminal.wait_for_exit() == 130
        assert b"\x1b" not in terminal.raw
        assert terminal.read_scrollback().count("!echo mine") == 1, (
            "the terminal echoes what is typed"
        )
        assert "\nSession " in terminal.read_scrollback(), "on its own line"
    assert program.record_types().count("turn_completed") == 1
    assert program.record_types().count("prompt_delivered") == 1


def test_an_interrupt_in_line_mode_prints_undelivered_lines(program: Program) -> None:
    with (
        program.serve(respond_stalled("Half a thought.\n\nMore"), respond_text("Fresh.")),
        open_repl(program, "Work.", environment={"TERM": "dumb"}) as terminal,
    ):
        terminal.wait_for_text("Half a thought.")
        terminal.type("use tabs\n/status\n")
        terminal.wait_for_text("queued     1")
        terminal.send_signal(signal.SIGINT)
        terminal.wait_for_text("Not sent: use tabs")
        terminal.wait_for_text("Interrupted.")
        terminal.type("Again.\n")
        terminal.wait_for_text("Fresh.")
        terminal.type("/quit\n")
        assert terminal.wait_for_exit() == 0
    assert "prompt_delivered" not in program.record_types()
