"""Choosing the session to resume, in the real program."""

from tests.program.program_harness import Program, single_error
from tests.program.repl_harness import open_repl, quit_repl
from tests.scripted_server import respond_text


def test_resume_without_an_id_opens_a_list_to_search(program: Program) -> None:
    with program.serve(respond_text("First."), respond_text("Second.")):
        program.run("-p", "Count the apples.")
        program.run("-p", "Count the pears.")
        with open_repl(program, "--resume") as terminal:
            terminal.wait_for_text("Count the apples.")
            terminal.type("apple")
            terminal.wait_for_no_text("pears")
            terminal.type("\r")
            terminal.wait_for_text("Session resumed.")
            assert "First." in terminal.read_screen()
            quit_repl(terminal)


def test_continue_skips_a_session_that_is_open_elsewhere(program: Program) -> None:
    replies = (respond_text("Apples."), respond_text("Pears."), respond_text("More apples."))
    with program.serve(*replies) as server:
        program.run("-p", "Count the apples.")
        with open_repl(program, "Count the pears.") as terminal:
            terminal.wait_for_text("Pears.")
            again = program.run("-p", "Again.", "--continue")
            quit_repl(terminal)
    assert (again.exit_status, again.stdout) == (0, b"More apples.\n")
    assert "Count the apples." in str(server.requests[-1])


def test_a_headless_run_cannot_choose_a_session(program: Program) -> None:
    done = program.run("-p", "x", "--resume")
    assert done.exit_status == 2
    assert "--resume needs the id of a session" in single_error(done)


def test_a_session_is_listed_by_its_name(program: Program) -> None:
    with program.serve(respond_text("First.")):
        with open_repl(program, "Count.") as terminal:
            terminal.wait_for_text("First.")
            terminal.type("/rename Fruit count\r")
            terminal.wait_for_text("Session name: Fruit count")
            quit_repl(terminal)
        assert b"Fruit count" in program.run("sessions", "list").stdout
