"""A program that stalls ends with one line and a crash report."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from shell.process.crash_report import format_crash_report, save_crash_report

ROOT = Path(__file__).parents[3]
STALLED_PROGRAM = """
import sys, time
from pathlib import Path
from threading import Event
from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from actors.runtime.watchdog import StallLimits
from messages.base import Message
from shell.process.streams import print_error
from shell.process.stall_handler import StallHandler

class Poke(Message):
    word: str

class BlockingActor(Actor[Poke]):
    def on_receive(self, message: Poke) -> None:
        Event().wait()

class BlockingThreadActor(BlockingActor):
    dispatcher = "thread"

system = ActorSystem()
handler = StallHandler(Path(sys.argv[1]), print_error, lambda: print("flushed", flush=True))
limits = StallLimits(report_after_s=0.05, fatal_after_s=0.2)
system.start_watchdog(handler.on_stall, handler.on_fatal_stall, limits)
for kind in (BlockingThreadActor, BlockingActor):
    system.tell(system.start(kind, kind.__name__.lower()), Poke(word="hunter2"))
system.wait()
"""


@pytest.mark.quick
def test_a_crash_report_has_every_stack_and_no_values(tmp_path: Path) -> None:
    secret = "hunter2".upper()
    report = format_crash_report("it was blocked", "1.2", 0.0)
    path = save_crash_report(tmp_path, report, 0.0)

    assert path.read_text() == report
    assert path.name == f"19700101-000000-{os.getpid()}.txt"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    assert report.startswith("greenroom 1.2 ended itself: it was blocked\n1970-01-01 00:00:00 UTC")
    assert "Thread MainThread:" in report
    assert "test_a_crash_report_has_every_stack" in report
    assert secret not in report


@pytest.mark.quick
def test_a_crash_report_that_cannot_be_written_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "crashes").mkdir()
    with pytest.raises(UnicodeEncodeError):
        save_crash_report(tmp_path, "\ud800", 0.0)
    assert list((tmp_path / "crashes").iterdir()) == []


def test_a_stalled_program_names_the_culprit_and_ends(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", STALLED_PROGRAM, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )

    assert (result.returncode, result.stdout) == (1, "flushed\n")
    first, last = result.stderr.splitlines()
    assert re.fullmatch(r"greenroom: /blockingactor .* has blocked Greenroom for 0 s", first), first
    match = re.fullmatch(
        r"greenroom: ended because /blockingactor .* blocked Greenroom for 0 s "
        r"\(crash report: (\S+)\)\. Resume the session with greenroom --continue\.",
        last,
    )
    assert match, last
    report = Path(match[1]).read_text()
    assert "Thread greenroom-loop:" in report
    assert "Thread greenroom /blockingthreadactor:" in report
    assert "hunter2" not in report
