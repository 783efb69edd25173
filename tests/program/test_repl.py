"""The real program on a real terminal, killed and taken up again."""

import signal
import stat
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from actors.models.scripted_reply import ScriptedCall
from shell.repl.key_actions import ESCAPE_DEBOUNCE_S
from tests.program.program_harness import API_KEY, COMMAND, Program, content_text, request_messages
from tests.scripted_server import (
    respond_http_error,
    respond_text,
    respond_tool_call,
    truncate_response,
)
from tests.shell.pty_terminal import PtyTerminal, open_terminal


@contextmanager
def open_repl(
    program: Program, *words: str, environment: Mapping[str, str] | None = None
) -> Generator[PtyTerminal]:
    with open_terminal(
        [*COMMAND, *words],
        environment=program.environment(TERM="xterm-256color", **(environment or {})),
        cwd=program.repository,
    ) as shown:
        yield shown


def kill_when_shown(program: Program, seen: str) -> None:
    """Give the program work, and kill it when that is on its screen."""
    with open_repl(program, "Work.") as shown:
        shown.wait_for_text(seen)
        shown.send_signal(signal.SIGKILL)
        shown.wait_for_exit()


def quit_repl(shown: PtyTerminal) -> None:
    shown.type("/quit\r")
    assert shown.wait_for_exit() == 0


def test_esc_ends_a_turn_that_an_earlier_run_left_open(program: Program) -> None:
    whole = respond_text("Half a thought")
    half = truncate_response(whole, whole.body.rindex(b"event: content_block_stop"), "silence")
    with program.serve(half, half, respond_text("Fresh.")):
        kill_when_shown(program, "Half a thought")
        with open_repl(program, "--continue") as shown:
            shown.wait_for_text("Esc interrupts")
            shown.wait_for_text("Half a thought")
            shown.type("\x1b")
            shown.wait_for_text("Interrupted.")
            shown.type("Anew.\r")
            shown.wait_for_text("Fresh.")
            quit_repl(shown)


def test_a_limit_is_one_line_on_the_screen_and_the_session_goes_on(program: Program) -> None:
    looks = [respond_text(f"Look {n}.", ScriptedCall("ls", {})) for n in range(2)]
    with program.serve(*looks), open_repl(program, "Go.", "--max-turns", "1") as shown:
        shown.wait_for_text("The turn stopped after 1 request to the model")
        shown.type("Go on.\r")
        shown.wait_for_text("Look 1.")
        shown.wait_until(
            lambda: shown.read_screen().count("The turn stopped after") == 2, "the end"
        )
        quit_repl(shown)


def test_another_model_is_asked_from_the_next_request_on_also_after_a_resume(
    program: Program,
) -> None:
    with program.serve(
        respond_text("One."), respond_text("Two."), respond_text("Three.")
    ) as server:
        with open_repl(program, "First.") as shown:
            shown.wait_for_text("One.")
            shown.type("/model\r")
            shown.wait_for_text("The model is claude-sonnet-5-5")
            shown.wait_for_text("look for:")
            shown.type("opus\r")
            shown.wait_for_text("The model is claude-opus-5-5 from the next request on.")
            shown.type(f"/model {'x' * 201}\r")
            shown.wait_for_text("The model must be one line of 1 to 200 printable characters.")
            shown.type("Second.\r")
            shown.wait_for_text("Two.")
            quit_repl(shown)
        with open_repl(program, "Third.", "--continue") as shown:
            shown.wait_for_text("Three.")
            quit_repl(shown)
    asked = [each.body["model"] for each in server.requests]
    assert asked == ["claude-sonnet-5-5", "claude-opus-5-5", "claude-opus-5-5"]


def test_a_key_that_the_server_quotes_is_not_shown(program: Program) -> None:
    refusal = respond_http_error(401, "authentication_error", f"invalid x-api-key: {API_KEY}")
    with program.serve(refusal, refusal):
        with open_repl(program, "Go.") as shown:
            shown.wait_for_text("invalid x-api-key: [secret]")
            quit_repl(shown)
        assert API_KEY.encode() not in shown.raw
        done = program.run("-p", "Go.", "--output-format", "stream-json")
    assert API_KEY not in done.stderr + done.stdout.decode()
    assert "[secret]" in done.result["error"]


def test_a_key_that_was_typed_is_in_no_file(program: Program) -> None:
    plain_key = "correct-horse-battery"
    with (
        program.serve(respond_text("One.")),
        open_repl(program, environment={"ANTHROPIC_API_KEY": plain_key}) as shown,
    ):
        shown.wait_for_text("build · default")
        shown.type(f"It is {plain_key}.\r")
        shown.wait_for_text("One.")
        quit_repl(shown)
    files = [each for each in program.state_folder.rglob("*") if each.is_file()]
    assert [each for each in files if plain_key in each.read_text()] == []
    assert any("It is [secret]." in each.read_text() for each in files)


def test_a_parked_question_waits_for_who_comes_back_and_esc_twice_ends_its_turn(
    program: Program,
) -> None:
    with program.serve(respond_tool_call("bash", command="touch ran"), respond_text("Done.")):
        kill_when_shown(program, "press a key to answer")
        with open_repl(program, "--continue") as shown:
            shown.wait_for_text("touch ran")
            shown.wait_for_text("press a key to answer")
            shown.type("\x1b")
            shown.wait_for_no_text("press a key to answer")
            shown.read_for(ESCAPE_DEBOUNCE_S)
            shown.type("\x1b")
            shown.wait_for_text("Interrupted.")
            quit_repl(shown)
    assert not (program.repository / "ran").exists()


def test_a_yes_after_the_program_was_killed_runs_the_command_once(program: Program) -> None:
    with program.serve(respond_tool_call("bash", command="echo x >> ran"), respond_text("Done.")):
        kill_when_shown(program, "press a key to answer")
        with open_repl(program, "--continue") as shown:
            shown.wait_for_text("press a key to answer")
            shown.type("y")
            shown.wait_for_text("Done.")
            quit_repl(shown)
    assert (program.repository / "ran").read_text() == "x\n"


def test_a_session_is_exported_cleared_and_taken_up_again(program: Program) -> None:
    with (
        program.serve(respond_text("Well done."), respond_text("Fresh.")),
        open_repl(program, "Work.") as shown,
    ):
        shown.wait_for_text("Well done.")
        shown.wait_for_no_text("Esc interrupts")
        shown.type("/export out.md\r")
        shown.wait_for_text("The session so far is in")
        shown.type("/export out.md\r")
        shown.wait_for_text("exists; name another file")
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
        shown.wait_for_text("look for:")
        shown.type("\r")
        shown.wait_for_text("Resumed where it stopped.")
        quit_repl(shown)
    assert len(program.session_files) == 2


def test_sessions_are_switched_in_one_program_and_one_that_cannot_open_leads_back(
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
            assert "│ Old one." in shown.read_screen(), "what is chosen is previewed"
            shown.type("\r")
            shown.wait_for_text("Resumed where it stopped.")
            assert "available" in session_row(program, new)
            assert "locked" in session_row(program, old)
            shown.type("Still there?\r")
            shown.wait_for_text("Back.")

            open_session_list(shown, "The new one?")
            new.write_bytes(new.read_bytes().replace(b"new", b"odd"))
            shown.type("\r")
            shown.wait_until(
                lambda: "damaged at line" in shown.read_screen().replace("\n", ""),
                "why it is not opened",
            )
            told = shown.read_screen
            shown.wait_until(lambda: told().rfind("Resumed") > told().find("damaged"), "the old")
            shown.type("And now?\r")
            shown.wait_for_text("Again.")
            quit_repl(shown)
    heard = [content_text(message["content"]) for message in request_messages(server)]
    assert heard == ["The old one?", "Old one.", "Still there?", "Back.", "And now?"]


def open_session_list(shown: PtyTerminal, first_prompt: str) -> None:
    shown.wait_for_no_text("Esc interrupts")
    shown.type("/resume\r")
    shown.wait_for_text("look for:")
    shown.wait_for_text(f"\u203a {first_prompt}")


def session_row(program: Program, session: Path) -> str:
    """Tell what `greenroom sessions` says of one."""
    listed = program.run("sessions").stdout.decode().splitlines()
    return next(line for line in listed if line.startswith(session.stem))
