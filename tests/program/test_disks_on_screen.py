"""The program on a real terminal, whose disk is full for a while, or whose session file is removed.

Read-only is not here: nobody can remount a disk so while a file is open for writing.
"""

from pathlib import Path

from actors.sessions.reading import read_log
from messages.turns import ToolEnded, TurnCompleted, TurnStarted
from tests.program.program import YOLO, Program
from tests.program.test_disks import fill, small
from tests.program.test_screen import leave, on_screen
from tests.scripted_server import calls, says

__all__ = ["small"]

UNSAVED = "the session is not saved"
AGAIN = "The session is written again"


def test_a_conversation_goes_on_beside_a_full_disk_and_is_whole_when_there_is_room(
    program: Program, small: Path
) -> None:
    (program.repository / "a.txt").write_text("what is read")
    served = [
        says("One."),
        calls("bash", command="touch ran; : " + "x" * 9000),
        calls("read", path="a.txt"),
        says("Two."),
        calls("bash", command="touch ran-then"),
        says("Three."),
    ]
    with program.serve(*served), on_screen(program, *YOLO) as shown:
        shown.wait_for("build · yolo")
        shown.type("First.\r")
        shown.wait_for("One.")
        ballast = fill(small)
        shown.type("Second.\r")
        shown.wait_for(f"⚠ {UNSAVED}")
        shown.wait_for("Two.")
        assert not (program.repository / "ran").exists()
        ballast.unlink()
        shown.wait_for(AGAIN)
        shown.wait_gone(UNSAVED)
        shown.type("Third.\r")
        shown.wait_for("Three.")
        leave(shown)
    assert (program.repository / "ran-then").exists()
    records = read_log(program.session).records
    started = [each.turn for each in records if isinstance(each, TurnStarted)]
    ended = [each.turn for each in records if isinstance(each, TurnCompleted)]
    assert started == ended == [1, 2, 3]
    ends = [each.status for each in records if isinstance(each, ToolEnded)]
    assert ends == ["denied", "ok", "ok"]


def test_without_its_file_a_session_is_talked_on_with_and_left(program: Program) -> None:
    with program.serve(says("One."), says("Two.")), on_screen(program, *YOLO) as shown:
        shown.wait_for("build · yolo")
        shown.type("First.\r")
        shown.wait_for("One.")
        program.session.unlink()
        shown.type("Second.\r")
        shown.wait_for("Two.")
        shown.wait_for(f"⚠ {UNSAVED}")
        # Below at once; what is said of it above waits for its turn to be laid out.
        assert "thefileisgone" in "".join(shown.wait_for("gone;").split())
        leave(shown)
