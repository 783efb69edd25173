"""The REPL of the real program, also killed and resumed."""

import re
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
        with open_repl(program, "--continue") as terminal:
            terminal.wait_for_text("Esc to interrupt")
            terminal.wait_for_text("Half a thought")
            terminal.type("\x1b")
            terminal.wait_for_text("Interrupted.")
            terminal.type("Again.\r")
            terminal.wait_for_text("Fresh.")
            quit_repl(terminal)


def test_a_limit_is_one_line_and_the_session_continues(program: Program) -> None:
    replies = [respond_text(f"Look {n}.", ScriptedCall("ls", {})) for n in range(2)]

    def stop_at_limit(terminal: PtyTerminal, end_count: int) -> None:
        terminal.wait_for_text("Paused after 1 request to the model")
        terminal.wait_for_text("Enter or a number: answer")
        terminal.type("2")
        end = "The turn stopped after 1 request"
        terminal.wait_until(lambda: terminal.read_screen().count(end) == end_count, end)

    with program.serve(*replies), open_repl(program, "Go.", "--max-turns", "1") as terminal:
        stop_at_limit(terminal, 1)
        terminal.type("Go on.\r")
        terminal.wait_for_text("Look 1.")
        stop_at_limit(terminal, 2)
        assert "Paused after" not in terminal.read_screen()
        quit_repl(terminal)


def test_a_chosen_model_is_used_and_survives_resume(
    program: Program,
) -> None:
    with program.serve(
        respond_text("One."), respond_text("Two."), respond_text("Three.")
    ) as server:
        with open_repl(program, "First.") as terminal:
            terminal.wait_for_text("One.")
            terminal.type("/model\r")
            terminal.wait_for_text("The model is claude-sonnet-5-5")
            terminal.wait_for_text("filter:")
            terminal.type("opus\r")
            terminal.wait_for_text("The next request uses claude-opus-5-5.")
            terminal.type(f"/model {'x' * 201}\r")
            terminal.wait_for_text(
                "The model name must be one line of 1 to 200 printable characters."
            )
            terminal.type("Second.\r")
            terminal.wait_for_text("Two.")
            quit_repl(terminal)
        with open_repl(program, "Third.", "--continue") as terminal:
            terminal.wait_for_text("Three.")
            quit_repl(terminal)
    models = [request.body["model"] for request in server.requests]
    assert models == ["claude-sonnet-5-5", "claude-opus-5-5", "claude-opus-5-5"]


def test_a_key_in_a_server_error_is_not_shown(program: Program) -> None:
    refusal = respond_http_error(401, "authentication_error", f"invalid x-api-key: {API_KEY}")
    with program.serve(refusal, refusal):
        with open_repl(program, "Go.") as terminal:
            terminal.wait_for_text("invalid x-api-key: [secret]")
            quit_repl(terminal)
        assert API_KEY.encode() not in terminal.raw
        done = program.run("-p", "Go.", "--output-format", "stream-json")
    assert API_KEY not in done.stderr + done.stdout.decode()
    assert "[secret]" in done.result["error"]


def test_a_typed_key_is_not_written_to_any_file(program: Program) -> None:
    plain_key = "correct-horse-battery"
    with (
        program.serve(respond_text("One.")),
        open_repl(program, environment={"ANTHROPIC_API_KEY": plain_key}) as terminal,
    ):
        terminal.wait_for_text("build · default")
        terminal.type(f"It is {plain_key}.\r")
        terminal.wait_for_text("One.")
        quit_repl(terminal)
    files = [path for path in program.state_folder.rglob("*") if path.is_file()]
    assert [path for path in files if plain_key in path.read_text()] == []
    assert any("It is [secret]." in path.read_text() for path in files)


def test_a_parked_approval_request_is_shown_again_after_resume(
    program: Program,
) -> None:
    with program.serve(respond_tool_call("bash", command="touch ran"), respond_text("Done.")):
        kill_when_shown(program, "Press a key to answer")
        with open_repl(program, "--continue") as terminal:
            terminal.wait_for_text("touch ran")
            terminal.wait_for_text("Press a key to answer")
            terminal.type("\x1b")
            terminal.wait_for_no_text("Press a key to answer")
            terminal.read_for(ESCAPE_DEBOUNCE_S)
            terminal.type("\x1b")
            terminal.wait_for_text("Interrupted.")
            quit_repl(terminal)
    assert not (program.repository / "ran").exists()


def test_an_approval_after_a_kill_runs_the_command_once(program: Program) -> None:
    with program.serve(respond_tool_call("bash", command="echo x >> ran"), respond_text("Done.")):
        kill_when_shown(program, "Press a key to answer")
        with open_repl(program, "--continue") as terminal:
            terminal.wait_for_text("Press a key to answer")
            terminal.type("y")
            terminal.wait_for_text("Done.")
            quit_repl(terminal)
    assert (program.repository / "ran").read_text() == "x\n"


def test_a_session_is_exported_cleared_and_resumed(program: Program) -> None:
    with (
        program.serve(respond_text("Well done."), respond_text("Fresh.")),
        open_repl(program, "Work.") as terminal,
    ):
        terminal.wait_for_text("Well done.")
        terminal.wait_for_no_text("Esc to interrupt")
        terminal.type("/export out.md\r")
        terminal.wait_for_text("The session was exported to")
        terminal.type("/export out.md\r")
        terminal.wait_for_text("already exists.")
        exported = program.repository / "out.md"
        assert "Well done." in exported.read_text()
        assert stat.S_IMODE(exported.stat().st_mode) == 0o600
        terminal.type("/clear\r")
        headers = "greenroom · build"
        terminal.wait_until(lambda: terminal.read_scrollback().count(headers) == 2, "a new session")
        terminal.type("Again.\r")
        terminal.wait_for_text("Fresh.")
        terminal.type("/resume\r")
        terminal.wait_for_text("Work.")
        terminal.wait_for_text("filter:")
        terminal.type("\r")
        terminal.wait_for_text("Session resumed.")
        quit_repl(terminal)
    assert len(program.session_files) == 2


def test_the_second_of_two_waiting_agents_is_answered_first(program: Program) -> None:
    down, left = "\x1b[B", "\x1b[D"
    tasks = [
        ScriptedCall(
            "task", {"description": name, "prompt": f"Make {name}.", "subagent_type": "general"}
        )
        for name in ("one", "two")
    ]
    touches = [respond_tool_call("bash", command="touch made-$$")] * 2
    with (
        program.serve(
            respond_text("", *tasks), *touches, *[respond_text("Made.")] * 2, respond_text("Done.")
        ),
        open_repl(program, "Work.") as terminal,
    ):
        terminal.wait_for_text("2 need approval")
        terminal.wait_for_text("Press a key to answer")
        terminal.type("\x1b")
        terminal.wait_for_text("2 need approval (Ctrl-Y)")
        terminal.type(down)
        terminal.wait_for_text("Agents · 2 of 2")
        terminal.type(f"{down}\r")
        terminal.wait_for_text("primary › general-2 wants to run a command")  # noqa: RUF001
        terminal.wait_for_text("Press a key to answer")
        terminal.type("y")
        terminal.wait_for_text("1 needs approval (Ctrl-Y)")
        terminal.type(left)
        terminal.wait_for_text("Agents ·")
        terminal.type("\x19")
        terminal.wait_for_text("primary › general-1 wants to run a command")  # noqa: RUF001
        terminal.wait_for_text("Press a key to answer")
        terminal.type("y")
        terminal.wait_until(
            lambda: all(
                re.search(rf"general-{n} · {name} +done", terminal.read_screen())
                for n, name in ((1, "one"), (2, "two"))
            ),
            "the end of both agents",
        )
        terminal.type(left)
        terminal.wait_for_text("Done.")
        quit_repl(terminal)
    assert len(list(program.repository.glob("made-*"))) == 2


def test_leaving_a_session_says_what_stays_in_it(program: Program) -> None:
    asks = respond_tool_call("bash", command="touch ran")
    task = respond_tool_call(
        "task", description="touch", prompt="Touch it.", subagent_type="general"
    )
    with (
        program.serve(task, asks),
        open_repl(program, "Work.") as terminal,
    ):
        terminal.wait_for_text("Press a key to answer")
        terminal.type("\x1b")
        terminal.wait_for_text("1 needs approval (Ctrl-Y)")
        terminal.type("And then rest.\r")
        terminal.wait_for_text("» And then rest.")
        terminal.type("/clear\r")
        (session,) = program.session_files
        terminal.wait_until(
            lambda: terminal.read_scrollback().count("greenroom · build") == 2, "a new session"
        )
        text = "".join(terminal.read_scrollback().split())  # wrapped anywhere by the terminal
        notice = (
            f"Paused in session {session.stem} until you resume it: the running turn, "
            "1 subagent (general-1) and 1 approval request. Not sent: And then rest."
        )
        assert "".join(notice.split()) in text
        quit_repl(terminal)
        assert terminal.read_scrollback().count("Paused in session") == 1


def test_a_damaged_session_is_previewed_but_not_resumed(program: Program) -> None:
    with program.serve(respond_text("Old one."), respond_text("New one."), respond_text("Still.")):
        program.run("-p", "The old one?")
        (old,) = program.session_files
        old.write_bytes(old.read_bytes().replace(b'"turn_started"', b'"turn_storted"'))
        with open_repl(program, "The new one?") as terminal:
            terminal.wait_for_text("New one.")
            open_session_list(terminal, "damaged at line 3")
            terminal.wait_for_text("│ Damaged. Record 3 cannot be read")
            assert "│ Old one." in terminal.read_screen()
            terminal.type("\r")
            terminal.wait_for_text(f"Session {old.stem} cannot be continued: damaged at line 3")
            terminal.wait_for_text("greenroom --fork")
            terminal.type("Still there?\r")
            terminal.wait_for_text("Still.")
            quit_repl(terminal)


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
        with open_repl(program, "The new one?") as terminal:
            terminal.wait_for_text("New one.")
            (new,) = set(program.session_files) - {old}
            open_session_list(terminal, "The old one?")
            assert "│ Old one." in terminal.read_screen(), "the chosen session has a preview"
            terminal.type("\r")
            terminal.wait_for_text("Session resumed.")
            assert "available" in session_row(program, new)
            assert "locked" in session_row(program, old)
            terminal.type("Still there?\r")
            terminal.wait_for_text("Back.")

            open_session_list(terminal, "The new one?")
            new.write_bytes(new.read_bytes().replace(b"new", b"odd"))
            terminal.type("\r")
            terminal.wait_until(
                lambda: "damaged at line" in terminal.read_screen().replace("\n", ""),
                "the reason",
            )
            screen = terminal.read_screen
            terminal.wait_until(
                lambda: screen().rfind("Session resumed") > screen().find("damaged"),
                "the current one",
            )
            terminal.type("And now?\r")
            terminal.wait_for_text("Again.")
            quit_repl(terminal)
    texts = [content_text(message["content"]) for message in request_messages(server)]
    assert texts == ["The old one?", "Old one.", "Still there?", "Back.", "And now?"]


def open_session_list(terminal: PtyTerminal, first_prompt: str) -> None:
    terminal.wait_for_no_text("Esc to interrupt")
    terminal.type("/resume\r")
    terminal.wait_for_text("filter:")
    terminal.wait_for_text(f"\u203a {first_prompt}")


def session_row(program: Program, session: Path) -> str:
    """Return the line of `greenroom sessions` for one session."""
    lines = program.run("sessions").stdout.decode().splitlines()
    return next(line for line in lines if line.startswith(session.stem))
