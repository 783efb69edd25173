"""However the REPL ends, the terminal is restored and no command keeps running."""

import random
import signal
import sys

import pytest

from tests.program.program_harness import YOLO, CommandWatch, Program
from tests.program.repl_harness import open_repl
from tests.scripted_server import respond_text, respond_tool_call
from tests.shell.pty_terminal import PtyTerminal

STOP_TIMEOUT_S = 5.0
FAULTY_COMMAND = """
from shell.commands.command import Command
from shell.commands.command_table import COMMANDS
from shell.main import main
COMMANDS["fail"] = Command("fail", lambda words, host: str(1 // 0))
main()
"""
"""The program with a command that fails."""
FAULTY_DRAWING = """
from shell.main import main
from shell.view import frame_layout
frame_layout.render_footer = lambda *rest: 1 // 0
main()
"""


def is_restored(shown: PtyTerminal) -> bool:
    """Return whether raw mode, hidden cursor, bracketed paste and alternate screen are off."""
    pairs = ((b"\x1b[?25l", b"\x1b[?25h"), (b"\x1b[?2004h", b"\x1b[?2004l"))
    undone = all(shown.raw.rfind(on) < shown.raw.rfind(off) for on, off in pairs)
    alternate = shown.raw.count(b"\x1b[?1049h") == shown.raw.count(b"\x1b[?1049l")
    return undone and alternate and not shown.is_raw()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_commands_and_restores_the_terminal(
    program: Program, command_watch: CommandWatch, number: signal.Signals, status: int
) -> None:
    command = f"{command_watch.report_start}; sleep 300 & sleep 300"
    with (
        program.serve(respond_tool_call("bash", command=command)),
        open_repl(program, "Work.", *YOLO) as shown,
    ):
        command_watch.wait_for_output()
        shown.wait_for_text("Working")
        shown.send_signal(number)
        assert shown.wait_for_exit(STOP_TIMEOUT_S) == status
        command_watch.wait_for_close()
        assert is_restored(shown)
        assert shown.read_screen().count("is saved. Resume it with greenroom --continue") == 1
    assert program.record_types()[-1] == "tool_started"


def test_closing_the_terminal_ends_everything(
    program: Program, command_watch: CommandWatch
) -> None:
    command = f"{command_watch.report_start}; sleep 300 & sleep 300"
    with (
        program.serve(respond_tool_call("bash", command=command)),
        open_repl(program, "Work.", *YOLO) as shown,
    ):
        command_watch.wait_for_output()
        shown.wait_for_text("Working")
        shown.hang_up()
        command_watch.wait_for_close(STOP_TIMEOUT_S)
        assert shown.wait_for_exit(STOP_TIMEOUT_S) == 129
    assert program.record_types()[-1] == "tool_started"


def test_an_internal_error_ends_the_repl_with_one_line(program: Program) -> None:
    with (
        program.serve(respond_text("Hello.")),
        open_repl(program, command=(sys.executable, "-P", "-c", FAULTY_COMMAND)) as shown,
    ):
        shown.wait_for_text("build · default")
        shown.type("Hi.\r")
        shown.wait_for_text("Hello.")
        shown.wait_for_no_text("Esc to interrupt")
        shown.type("/fail\r")
        assert shown.wait_for_exit(STOP_TIMEOUT_S) == 1
        assert is_restored(shown)
        line = "internal error: ZeroDivisionError"
        assert shown.read_screen().replace("\n", "").count(line) == 1
        assert "Traceback" not in shown.read_scrollback()
    assert program.record_types()[-1] == "turn_completed"


def test_an_error_in_the_first_frame_restores_the_terminal(program: Program) -> None:
    with (
        program.serve(),
        open_repl(program, command=(sys.executable, "-P", "-c", FAULTY_DRAWING)) as shown,
    ):
        assert shown.wait_for_exit(STOP_TIMEOUT_S) == 1
        assert is_restored(shown)
        assert "internal error: ZeroDivisionError" in shown.read_screen()


def test_ctrl_d_twice_exits(program: Program) -> None:
    with program.serve(), open_repl(program) as shown:
        shown.wait_for_text("build · default")
        shown.type("\x04")
        shown.wait_for_text("again to exit")
        shown.type("\x04")
        assert shown.wait_for_exit(STOP_TIMEOUT_S) == 130
        assert is_restored(shown)


@pytest.mark.parametrize("seed", range(3))
def test_random_keys_and_pastes_leave_a_working_screen(program: Program, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  (a replayable sequence)
    long = "\n\n".join(f"Paragraph {n}: " + "word " * 30 for n in range(40))
    answers = [respond_text(long) for _ in range(40)]
    inputs = (
        "go on\r",
        "\x1b",
        "draft\x03",
        "\x1b\x1b",
        "\x1b[200~a\nb\x1b[201~\x15",
        "/he\x15",
        "\t",
    )
    with program.serve(*answers), open_repl(program) as shown:
        shown.type("before there is a screen\r")
        shown.wait_for_text("build · default")
        for _ in range(25):
            if chance.random() < 0.2:
                shown.resize(24, chance.choice((40, 60, 80, 100)))
            shown.type(chance.choice(inputs))
            shown.read_for(chance.choice((0.0, 0.01, 0.05, 0.12)))
        shown.resize(24, 80)
        for _ in range(2):  # the first one may close a menu
            shown.type("\x1b")
            shown.read_for(0.3)  # else Esc and the next key would be read as Alt and that key
        shown.wait_for_no_text("Esc to interrupt")
        shown.wait_for_no_text("Interrupting")
        shown.type("x\x03/status\r")
        shown.wait_for_text("turn       none")
        shown.wait_for_no_text("again to exit")  # a busy machine reads Esc and x together, as Alt-x
        assert shown.read_screen().count("build · default") == 1
        assert (
            sum(
                row.startswith(">") and row.strip() == ">"
                for row in shown.read_screen().split("\n")
            )
            == 1
        )
        shown.type("/quit\r")
        assert shown.wait_for_exit() == 0
        assert is_restored(shown)
    types = program.record_types()
    ended = sum(
        types.count(f"turn_{outcome}") for outcome in ("completed", "interrupted", "failed")
    )
    assert types.count("turn_started") == ended
