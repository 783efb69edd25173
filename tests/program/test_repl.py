"""The REPL of the real program, also killed and resumed."""

import stat
from pathlib import Path

from actors.models.scripted_reply import ScriptedCall
from shell.repl.key_actions import ESCAPE_DEBOUNCE_S
from tests.program.program_harness import API_KEY, Program, content_text, request_messages
from tests.program.repl_harness import kill_when_shown, open_repl, quit_repl
from tests.scripted_server import (
    respond_http_error,
    respond_stalled,
    respond_text,
    respond_tool_call,
)
from tests.shell.pty_terminal import PtyTerminal


def test_esc_interrupts_a_resumed_turn(program: Program) -> None:
    stalled = respond_stalled("Half a thought")
    with program.serve(stalled, stalled, respond_text("Fresh.")):
        kill_when_shown(program, "Half a thought")
        with open_repl(program, "--continue") as shown:
            shown.wait_for_text("Esc to interrupt")
            shown.wait_for_text("Half a thought")
            shown.type("\x1b")
            shown.wait_for_text("Interrupted.")
            shown.type("Anew.\r")
            shown.wait_for_text("Fresh.")
            quit_repl(shown)


def test_a_limit_is_one_line_and_the_session_continues(program: Program) -> None:
    replies = [respond_text(f"Look {n}.", ScriptedCall("ls", {})) for n in range(2)]
    with program.serve(*replies), open_repl(program, "Go.", "--max-turns", "1") as shown:
        shown.wait_for_text("The turn stopped after 1 request to the model")
        shown.type("Go on.\r")
        shown.wait_for_text("Look 1.")
        shown.wait_until(
            lambda: shown.read_screen().count("The turn stopped after") == 2, "the end"
        )
        quit_repl(shown)


def test_a_chosen_model_is_used_and_survives_resume(
    program: Program,
) -> None:
    with program.serve(
        respond_text("One."), respond_text("Two."), respond_text("Three.")
    ) as server:
        with open_repl(program, "First.") as shown:
            shown.wait_for_text("One.")
            shown.type("/model\r")
            shown.wait_for_text("The model is claude-sonnet-5-5")
            shown.wait_for_text("filter:")
            shown.type("opus\r")
            shown.wait_for_text("The next request uses claude-opus-5-5.")
            shown.type(f"/model {'x' * 201}\r")
            shown.wait_for_text("The model name must be one line of 1 to 200 printable characters.")
            shown.type("Second.\r")
            shown.wait_for_text("Two.")
            quit_repl(shown)
        with open_repl(program, "Third.", "--continue") as shown:
            shown.wait_for_text("Three.")
            quit_repl(shown)
    models = [request.body["model"] for request in server.requests]
    assert models == ["claude-sonnet-5-5", "claude-opus-5-5", "claude-opus-5-5"]


def test_a_key_in_a_server_error_is_not_shown(program: Program) -> None:
    refusal = respond_http_error(401, "authentication_error", f"invalid x-api-key: {API_KEY}")
    with program.serve(refusal, refusal):
        with open_repl(program, "Go.") as shown:
            shown.wait_for_text("invalid x-api-key: [secret]")
            quit_repl(shown)
        assert API_KEY.encode() not in shown.raw
        done = program.run("-p", "Go.", "--output-format", "stream-json")
    assert API_KEY not in done.stderr + done.stdout.decode()
    assert "[secret]" in done.result["error"]


def test_a_typed_key_is_not_written_to_any_file(program: Program) -> None:
    plain_key = "correct-horse-battery"
    with (
        program.serve(respond_text("One.")),
        open_repl(program, environment={"ANTHROPIC_API_KEY": plain_key}) as shown,
    ):
        shown.wait_for_text("build · default")
        shown.type(f"It is {plain_key}.\r")
        shown.wait_for_text("One.")
        quit_repl(shown)
    files = [path for path in program.state_folder.rglob("*") if path.is_file()]
    assert [path for path in files if plain_key in path.read_text()] == []
    assert any("It is [secret]." in path.read_text() for path in files)


def test_a_parked_approval_request_is_shown_again_after_resume(
    program: Program,
) -> None:
    with program.serve(respond_tool_call("bash", command="touch ran"), respond_text("Done.")):
        kill_when_shown(program, "Press a key to answer")
        with open_repl(program, "--continue") as shown:
            shown.wait_for_text("touch ran")
            shown.wait_for_text("Press a key to answer")
            shown.type("\x1b")
            shown.wait_for_no_text("Press a key to answer")
            shown.read_for(ESCAPE_DEBOUNCE_S)
            shown.type("\x1b")
            shown.wait_for_text("Interrupted.")
            quit_repl(shown)
    assert not (program.repository / "ran").exists()


def test_an_approval_after_a_kill_runs_the_command_once(program: Program) -> None:
    with program.serve(respond_tool_call("bash", command="echo x >> ran"), respond_text("Done.")):
        kill_when_shown(program, "Press a key to answer")
        with open_repl(program, "--continue") as shown:
            shown.wait_for_text("Press a key to answer")
            shown.type("y")
            shown.wait_for_text("Done.")
            quit_repl(shown)
    assert (program.repository / "ran").read_text() == "x\n"


def test_a_session_is_exported_cleared_and_resumed(program: Program) -> None:
    with (
        program.serve(respond_text("Well done."), respond_text("Fresh.")),
        open_repl(program, "Work.") as shown,
    ):
        shown.wait_for_text("Well done.")
        shown.wait_for_no_text("Esc to interrupt")
        shown.type("/export out.md\r")
        shown.wait_for_text("The session was exported to")
        shown.type("/export out.md\r")
        shown.wait_for_text("already exists.")
        exported = program.repository / "out.md"
        assert "Well done." in exported.read_text()
        assert stat.S_IMODE(exported.stat().st_mode) == 0o600
        shown.type("/clear\r")
        headers = "greenroom · build"
        shown.wait_until(lambda: shown.read_scrollback().count(headers) == 2, "a new session")
        shown.type("Anew.\r")
        shown.wait_for_text("Fresh.")
        shown.type("/resume\r")
        shown.wait_for_text("Work.")
        shown.wait_for_text("filter:")
        shown.type("\r")
        shown.wait_for_text("Session resumed.")
        quit_repl(shown)
    assert len(program.session_files) == 2


def test_switching_to_a_damaged_session_returns_to_the_current_one(
    program: Program,
) -> None:
    with program.serve(
        respond_text("Old one."),
        respond_text("New one."),
        respond_text("Back."),
        respond_text("Again."),
    ) as server:
        program.run("-p", "The old one?")
        (old,) = program.session_files
        with open_repl(program, "The new one?") as shown:
            shown.wait_for_text("New one.")
            (new,) = set(program.session_files) - {old}
            open_session_list(shown, "The old one?")
            assert "│ Old one." in shown.read_screen(), "the chosen session has a preview"
            shown.type("\r")
            shown.wait_for_text("Session resumed.")
            assert "available" in session_row(program, new)
            assert "locked" in session_row(program, old)
            shown.type("Still there?\r")
            shown.wait_for_text("Back.")

            open_session_list(shown, "The new one?")
            new.write_bytes(new.read_bytes().replace(b"new", b"odd"))
            shown.type("\r")
            shown.wait_until(
                lambda: "damaged at line" in shown.read_screen().replace("\n", ""),
                "the reason",
            )
            screen = shown.read_screen
            shown.wait_until(
                lambda: screen().rfind("Session resumed") > screen().find("damaged"),
                "the current one",
            )
            shown.type("And now?\r")
            shown.wait_for_text("Again.")
            quit_repl(shown)
    texts = [content_text(message["content"]) for message in request_messages(server)]
    assert texts == ["The old one?", "Old one.", "Still there?", "Back.", "And now?"]


def open_session_list(shown: PtyTerminal, first_prompt: str) -> None:
    shown.wait_for_no_text("Esc to interrupt")
    shown.type("/resume\r")
    shown.wait_for_text("filter:")
    shown.wait_for_text(f"\u203a {first_prompt}")


def session_row(program: Program, session: Path) -> str:
    """Return the line of `greenroom sessions` for one session."""
    lines = program.run("sessions").stdout.decode().splitlines()
    return next(line for line in lines if line.startswith(session.stem))
