"""The REPL on a disk that is full for a while, and after its session file is deleted.

A disk cannot become read-only while a file on it is open for writing, so that is not tested.
"""

from pathlib import Path

from actors.sessions.log_reader import read_log
from messages.turns import PersistenceChanged, ToolEnded, TurnCompleted, TurnStarted
from shell.view.status_notices import PERSISTENCE_RECOVERED, format_persistence_warning
from tests.program.program_harness import YOLO, Program
from tests.program.repl_harness import open_repl, quit_repl
from tests.program.small_disk import fill_disk
from tests.scripted_server import respond_text, respond_tool_call

FAILING = PersistenceChanged(state="failing", detail="")
NOT_SAVED = format_persistence_warning(FAILING, "")


def test_a_conversation_survives_a_full_disk(program: Program, small_disk: Path) -> None:
    (program.repository / "a.txt").write_text("content")
    responses = [
        respond_text("One."),
        respond_tool_call("bash", command="touch ran; : " + "x" * 9000),
        respond_tool_call("read", path="a.txt"),
        respond_text("Two."),
        respond_tool_call("bash", command="touch ran-later"),
        respond_text("Three."),
    ]
    with program.serve(*responses), open_repl(program, *YOLO) as terminal:
        terminal.wait_for_text("build · yolo")
        terminal.type("First.\r")
        terminal.wait_for_text("One.")
        ballast = fill_disk(small_disk)
        terminal.type("Second.\r")
        terminal.wait_for_text(NOT_SAVED)
        terminal.wait_for_text("Two.")
        assert not (program.repository / "ran").exists()
        ballast.unlink()
        terminal.wait_for_text(PERSISTENCE_RECOVERED[:40])
        terminal.wait_for_no_text(NOT_SAVED)
        terminal.type("Third.\r")
        terminal.wait_for_text("Three.")
        quit_repl(terminal)
    assert (program.repository / "ran-later").exists()
    records = read_log(program.session_file).records
    started = [record.turn for record in records if isinstance(record, TurnStarted)]
    ended = [record.turn for record in records if isinstance(record, TurnCompleted)]
    assert started == ended == [1, 2, 3]
    ends = [record.status for record in records if isinstance(record, ToolEnded)]
    assert ends == ["denied", "ok", "ok"]


def test_a_conversation_continues_without_its_session_file(program: Program) -> None:
    with (
        program.serve(respond_text("One."), respond_text("Two.")),
        open_repl(program, *YOLO) as terminal,
    ):
        terminal.wait_for_text("build · yolo")
        terminal.type("First.\r")
        terminal.wait_for_text("One.")
        program.session_file.unlink()
        terminal.type("Second.\r")
        terminal.wait_for_text("Two.")
        terminal.wait_for_text(NOT_SAVED)
        # The notice is printed after the footer changes, and may be wrapped.
        terminal.wait_until(
            lambda: "thefilewasdeleted" in "".join(terminal.read_screen().split()), "notice"
        )
        quit_repl(terminal)
