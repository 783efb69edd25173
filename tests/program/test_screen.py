"""The real program on a real terminal, killed and taken up again."""

import signal
import stat
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from actors.models.reply_plan import ScriptedCall
from shell.repl.hands import ONE_PRESS_S
from tests.program.program import COMMAND, KEY, Program, messages_of, plain
from tests.scripted_server import calls, cut, fails, says
from tests.shell.terminal import Terminal, terminal


@contextmanager
def on_screen(
    program: Program, *words: str, environment: Mapping[str, str] | None = None
) -> Generator[Terminal]:
    with terminal(
        [*COMMAND, *words],
        environment=program.environment(TERM="xterm-256color", **(environment or {})),
        folder=program.repository,
    ) as shown:
        yield shown


def killed_when(program: Program, seen: str) -> None:
    """Give the program work, and kill it when that is on its screen."""
    with on_screen(program, "Work.") as shown:
        shown.wait_for(seen)
        shown.signal(signal.SIGKILL)
        shown.wait_exit()


def leave(shown: Terminal) -> None:
    shown.type("/quit\r")
    assert shown.wait_exit() == 0


def test_esc_ends_a_turn_that_an_earlier_run_left_open(program: Program) -> None:
    whole = says("Half a thought")
    half = cut(whole, whole.body.rindex(b"event: content_block_stop"), "silence")
    with program.serve(half, half, says("Fresh.")):
        killed_when(program, "Half a thought")
        with on_screen(program, "--continue") as shown:
            shown.wait_for("Esc interrupts")
            shown.wait_for("Half a thought")
            shown.type("\x1b")
            shown.wait_for("Interrupted.")
            shown.type("Anew.\r")
            shown.wait_for("Fresh.")
            leave(shown)


def test_a_limit_is_one_line_on_the_screen_and_the_session_goes_on(program: Program) -> None:
    looks = [says(f"Look {n}.", ScriptedCall("ls", {})) for n in range(2)]
    with program.serve(*looks), on_screen(program, "Go.", "--max-turns", "1") as shown:
        shown.wait_for("The turn stopped after 1 request to the model")
        shown.type("Go on.\r")
        shown.wait_for("Look 1.")
        shown.wait_until(lambda: shown.screen().count("The turn stopped after") == 2, "the end")
        leave(shown)


def test_another_model_is_asked_from_the_next_request_on_also_after_a_resume(
    program: Program,
) -> None:
    with program.serve(says("One."), says("Two."), says("Three.")) as server:
        with on_screen(program, "First.") as shown:
            shown.wait_for("One.")
            shown.type("/model\r")
            shown.wait_for("The model is claude-sonnet-5-5")
            shown.wait_for("look for:")
            shown.type("opus\r")
            shown.wait_for("The model is claude-opus-5-5 from the next request on.")
            shown.type(f"/model {'x' * 201}\r")
            shown.wait_for("The model must be one line of 1 to 200 printable characters.")
            shown.type("Second.\r")
            shown.wait_for("Two.")
            leave(shown)
        with on_screen(program, "Third.", "--continue") as shown:
            shown.wait_for("Three.")
            leave(shown)
    asked = [each.body["model"] for each in server.asked]
    assert asked == ["claude-sonnet-5-5", "claude-opus-5-5", "claude-opus-5-5"]


def test_a_key_that_the_server_quotes_is_not_shown(program: Program) -> None:
    refusal = fails(401, "authentication_error", f"invalid x-api-key: {KEY}")
    with program.serve(refusal, refusal):
        with on_screen(program, "Go.") as shown:
            shown.wait_for("invalid x-api-key: [secret]")
            leave(shown)
        assert KEY.encode() not in shown.raw
        done = program.run("-p", "Go.", "--output-format", "stream-json")
    assert KEY not in done.err + done.out.decode()
    assert "[secret]" in done.result["error"]


def test_a_key_that_was_typed_is_in_no_file(program: Program) -> None:
    plain_key = "correct-horse-battery"
    with (
        program.serve(says("One.")),
        on_screen(program, environment={"ANTHROPIC_API_KEY": plain_key}) as shown,
    ):
        shown.wait_for("build · default")
        shown.type(f"It is {plain_key}.\r")
        shown.wait_for("One.")
        leave(shown)
    files = [each for each in program.home.rglob("*") if each.is_file()]
    assert [each for each in files if plain_key in each.read_text()] == []
    assert any("It is [secret]." in each.read_text() for each in files)


def test_a_parked_question_waits_for_who_comes_back_and_esc_twice_ends_its_turn(
    program: Program,
) -> None:
    with program.serve(calls("bash", command="touch ran"), says("Done.")):
        killed_when(program, "press a key to answer")
        with on_screen(program, "--continue") as shown:
            shown.wait_for("touch ran")
            shown.wait_for("press a key to answer")
            shown.type("\x1b")
            shown.wait_gone("press a key to answer")
            shown.read_for(ONE_PRESS_S)
            shown.type("\x1b")
            shown.wait_for("Interrupted.")
            leave(shown)
    assert not (program.repository / "ran").exists()


def test_a_yes_after_the_program_was_killed_runs_the_command_once(program: Program) -> None:
    with program.serve(calls("bash", command="echo x >> ran"), says("Done.")):
        killed_when(program, "press a key to answer")
        with on_screen(program, "--continue") as shown:
            shown.wait_for("press a key to answer")
            shown.type("y")
            shown.wait_for("Done.")
            leave(shown)
    assert (program.repository / "ran").read_text() == "x\n"


def test_a_session_is_exported_cleared_and_taken_up_again(program: Program) -> None:
    with program.serve(says("Well done."), says("Fresh.")), on_screen(program, "Work.") as shown:
        shown.wait_for("Well done.")
        shown.wait_gone("Esc interrupts")
        shown.type("/export out.md\r")
        shown.wait_for("The session so far is in")
        shown.type("/export out.md\r")
        shown.wait_for("exists; name another file")
        exported = program.repository / "out.md"
        assert "Well done." in exported.read_text()
        assert stat.S_IMODE(exported.stat().st_mode) == 0o600
        shown.type("/clear\r")
        headers = "greenroom · build"
        shown.wait_until(lambda: shown.everything().count(headers) == 2, "a new session")
        shown.type("Anew.\r")
        shown.wait_for("Fresh.")
        shown.type("/resume\r")
        shown.wait_for("Work.")
        shown.wait_for("look for:")
        shown.type("\r")
        shown.wait_for("Resumed where it stopped.")
        leave(shown)
    assert len(program.sessions) == 2


def test_sessions_are_switched_in_one_program_and_one_that_cannot_open_leads_back(
    program: Program,
) -> None:
    with program.serve(says("Old one."), says("New one."), says("Back."), says("Again.")) as server:
        program.run("-p", "The old one?")
        (old,) = program.sessions
        with on_screen(program, "The new one?") as shown:
            shown.wait_for("New one.")
            (new,) = set(program.sessions) - {old}
            open_list(shown, "The old one?")
            assert "│ Old one." in shown.screen(), "what is chosen is previewed"
            shown.type("\r")
            shown.wait_for("Resumed where it stopped.")
            assert "free" in row_of(program, new)
            assert "held" in row_of(program, old)
            shown.type("Still there?\r")
            shown.wait_for("Back.")

            open_list(shown, "The new one?")
            new.write_bytes(new.read_bytes().replace(b"new", b"odd"))
            shown.type("\r")
            shown.wait_until(
                lambda: "damaged at line" in shown.screen().replace("\n", ""),
                "why it is not opened",
            )
            told = shown.screen
            shown.wait_until(lambda: told().rfind("Resumed") > told().find("damaged"), "the old")
            shown.type("And now?\r")
            shown.wait_for("Again.")
            leave(shown)
    heard = [plain(message["content"]) for message in messages_of(server)]
    assert heard == ["The old one?", "Old one.", "Still there?", "Back.", "And now?"]


def open_list(shown: Terminal, first_prompt: str) -> None:
    shown.wait_gone("Esc interrupts")
    shown.type("/resume\r")
    shown.wait_for("look for:")
    shown.wait_for(f"\u203a {first_prompt}")


def row_of(program: Program, session: Path) -> str:
    """Tell what `greenroom sessions` says of one."""
    listed = program.run("sessions").out.decode().splitlines()
    return next(line for line in listed if line.startswith(session.stem))
