"""A program whose actors are all held up ends with one line and a crash report."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from shell.process.crash_report import format_crash_report, save_crash_report

ROOT = Path(__file__).parent.parent.parent
STALLED_PROGRAM = """
import sys, time
from pathlib import Path
from threading import Event
from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from actors.runtime.watchdog import Patience
from messages.base import Message
from shell.process.streams import complain
from shell.process.stall_handler import Stuck

class Poke(Message):
    word: str

class Holder(Actor[Poke]):
    def on_receive(self, message: Poke) -> None:
        Event().wait()

class AlsoStuck(Holder):
    dispatcher = "thread"

system = ActorSystem()
stuck = Stuck(Path(sys.argv[1]), complain, lambda: print("flushed", flush=True), lambda: None)
system.guard(stuck.named, stuck.fatal, Patience(named_s=0.05, fatal_s=0.2))
for kind in (AlsoStuck, Holder):
    system.tell(system.start(kind, kind.__name__.lower()), Poke(word="hunter2"))
system.wait()
"""


@pytest.mark.quick
def test_a_report_says_where_every_thread_is_and_no_values(tmp_path: Path) -> None:
    hidden = "hunter2".upper()
    report = format_crash_report("it was stuck", "1.2", 0.0)
    path = save_crash_report(tmp_path, report, 0.0)

    assert path.read_text() == report
    assert path.name == f"19700101-000000-{os.getpid()}.txt"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert report.startswith("greenroom 1.2 ended itself: it was stuck\n1970-01-01 00:00:00 UTC")
    assert "Thread MainThread:" in report
    assert "test_a_report_says_where_every_thread_is" in report
    assert hidden not in report


@pytest.mark.quick
def test_a_report_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "crashes").mkdir()
    with pytest.raises(UnicodeEncodeError):
        save_crash_report(tmp_path, "\ud800", 0.0)
    assert list((tmp_path / "crashes").iterdir()) == []


def test_a_held_program_names_the_holder_writes_what_is_said_and_ends(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STALLED_PROGRAM, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )

    assert (done.returncode, done.stdout) == (1, "flushed\n")
    named, last = done.stderr.splitlines()
    assert named == "greenroom: /holder (handling Poke) has held up everything else for 0 s"
    said = re.fullmatch(
        r"greenroom: /holder \(handling Poke\) held up everything else for 0 s, so it was ended; "
        r"(\S+) says more, and greenroom --continue goes on",
        last,
    )
    assert said, last
    report = Path(said[1]).read_text()
    assert "Thread greenroom-loop:" in report
    assert "Thread greenroom /alsostuck:" in report
    assert "hunter2" not in report
