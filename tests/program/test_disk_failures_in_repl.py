"""The program on a real terminal, whose disk is full for a while, or whose session file is removed.

Read-only is not here: nobody can remount a disk so while a file is open for writing.
"""

from pathlib import Path

from actors.sessions.log_reader import read_log
from messages.turns import ToolEnded, TurnCompleted, TurnStarted
from tests.program.program_harness import YOLO, Program
from tests.program.test_disk_failures import fill_disk, small_disk
from tests.program.test_repl import open_repl, quit_repl
from tests.scripted_server import respond_text, respond_tool_call

__all__ = ["small_disk"]

NOT_SAVED = "the session is not saved"
SAVED_AGAIN = "The session is written again"


def test_a_conversation_goes_on_beside_a_full_disk_and_is_whole_when_there_is_room(
    program: Program, small_disk: Path
) -> None:
    (program.repository / "a.txt").write_text("what is read")
    served = [
        respond_text("One."),
        respond_tool_call("bash", command="touch ran; : " + "x" * 9000),
        respond_tool_call("read", path="a.txt"),
        respond_text("Two."),
        respond_tool_call("bash", command="touch ran-then"),
        respond_text("Three."),
    ]
    with program.serve(*served), open_repl(program, *YOLO) as shown:
        shown.wait_for_text("build · yolo")
        shown.type("First.\r")
        shown.wait_for_text("One.")
        ballast = fill_disk(small_disk)
        shown.type("Second.\r")
        shown.wait_for_text(f"⚠ {NOT_SAVED}")
        shown.wait_for_text("Two.")
        assert not (program.repository / "ran").exists()
        ballast.unlink()
        shown.wait_for_text(SAVED_AGAIN)
        shown.wait_for_no_text(NOT_SAVED)
        shown.type("Third.\r")
        shown.wait_for_text("Three.")
        quit_repl(shown)
    assert (program.repository / "ran-then").exists()
    records = read_log(program.session_file).records
    started = [each.turn for each in records if isinstance(each, TurnStarted)]
    ended = [each.turn for each in records if isinstance(each, TurnCompleted)]
    assert started == ended == [1, 2, 3]
    ends = [each.status for each in records if isinstance(each, ToolEnded)]
    assert ends == ["denied", "ok", "ok"]


def test_without_its_file_a_session_is_talked_on_with_and_left(program: Program) -> None:
    with (
        program.serve(respond_text("One."), respond_text("Two.")),
        open_repl(program, *YOLO) as shown,
    ):
        shown.wait_for_text("build · yolo")
        shown.type("First.\r")
        shown.wait_for_text("One.")
        program.session_file.unlink()
        shown.type("Second.\r")
        shown.wait_for_text("Two.")
        shown.wait_for_text(f"⚠ {NOT_SAVED}")
        # Below at once; what is said of it above waits for its turn to be laid out.
        assert "thefilewasdeleted" in "".join(shown.wait_for_text("deleted;").split())
        quit_repl(shown)
