"""Kills the real program with SIGKILL at random moments and resumes it.

Run as `python -m tests.program.sigkill_harness FOLDER COUNT SEED`; it prints one line of JSON for
each run. With COUNT 0, it truncates the session file after each record and resumes from there. Each
run is forked from a process that has imported everything, which saves startup time.
"""

import json
import os
import select
import signal
import sys
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

import actors.runtime.system
import actors.supervisor.supervisor
import actors.wiring.session_setup
import actors.wiring.wiring
import shell.cli.launch_config
import shell.headless.event_queue
import shell.headless.headless_console
import shell.headless.main_loop
import shell.main
from actors.models.anthropic_client import load_sdk
from actors.sessions.log_reader import read_log
from messages.serialization import message_adapter
from messages.turns import ToolEnded, ToolStarted, TurnCompleted
from shell.process.streams import exit_process
from tests.program.program_harness import make_repository

PRELOADED_MODULES = (
    actors.wiring.wiring,
    actors.supervisor.supervisor,
    actors.runtime.system,
    actors.wiring.session_setup,
    shell.headless.event_queue,
    shell.headless.headless_console,
    shell.headless.main_loop,
    shell.cli.launch_config,
)
"""Imported once here instead of in every run."""
ARGUMENTS = ("-p", "Work.", "--permission-mode", "yolo")
MAX_RECORDS = 16
PROMPT_RECORD = 0
CALL_COUNT = 4


@dataclass
class KillTrial:
    """One session with its own folders."""

    folder: Path

    def set_up(self) -> None:
        make_repository(self.folder / "repository")
        (self.folder / "user").mkdir()

    def run(self, *arguments: str, min_records: int = 10**6, delay_ms: float = 0.0) -> int:
        """Run the program; kill it `delay_ms` after it has `min_records` records on disk.

        Return its exit status, or the negative number of the signal.
        """
        pid = os.fork()
        if not pid:
            self._exec_program(arguments)
        descriptor = os.pidfd_open(pid)
        exited = select.poll()
        exited.register(descriptor, select.POLLIN)
        while not exited.poll(1):
            if self.record_count >= min_records:
                exited.poll(delay_ms)
                os.kill(pid, signal.SIGKILL)
                break
        os.close(descriptor)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    @property
    def record_count(self) -> int:
        return sum(data.count(b"\n") for data in self.sessions.values())

    def _exec_program(self, arguments: tuple[str, ...]) -> None:
        try:
            os.chdir(self.folder / "repository")
            os.environ["GREENROOM_HOME"] = str(self.folder / "state")
            os.environ["GREENROOM_SANDBOX"] = "off"
            os.environ["HOME"] = str(self.folder / "user")
            output = os.open(self.folder / "output", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            for number in (1, 2):
                os.dup2(output, number)
            exit_process(shell.main.run(list(arguments)))
        finally:
            os._exit(99)

    @property
    def sessions(self) -> dict[Path, bytes]:
        paths = (self.folder / "state").glob("projects/*/*.jsonl")
        return {path: data for path in paths if (data := path.read_bytes())}


def run_kill_trial(folder: Path, min_records: int, delay_ms: float) -> dict[str, object]:
    """Kill a session once, resume it, and report all problems."""
    session = KillTrial(folder)
    session.set_up()
    first = session.run(*ARGUMENTS, min_records=min_records, delay_ms=delay_ms)
    before = session.sessions
    second = session.run(*ARGUMENTS, "--continue")
    after = session.sessions
    problems = [f"the resume ended with {second}"] if second else []
    problems += [
        f"bytes of {path.name} are lost"
        for path in before
        if not _has_all_bytes(before, after, path)
    ]
    problems += [f"{len(after)} sessions"] if len(after) != 1 else []
    for path in after:
        problems += _find_problems(path, folder / "repository" / "runs")
    record_count = sum(data.count(b"\n") for data in before.values())
    return {"killed": first == -signal.SIGKILL, "records": record_count, "problems": problems}


def resume_after_each_record(folder: Path) -> list[dict[str, object]]:
    """Cut a session off after each of its records, as a kill would, and resume it there."""
    session = KillTrial(folder)
    session.set_up()
    session.run(*ARGUMENTS)
    ((path, content),) = session.sessions.items()
    lines, runs = content.splitlines(keepends=True), folder / "repository" / "runs"
    results: list[dict[str, object]] = []
    for record_count in range(1, len(lines) + 1):
        path.write_bytes(b"".join(lines[:record_count]))
        ended = [record for record in read_log(path).records if isinstance(record, ToolEnded)]
        runs.write_text("".join(f"{number}\n" for number in range(len(ended))))
        has_open_call = isinstance(read_log(path).records[-1], ToolStarted)
        status = session.run(*ARGUMENTS, "--continue")
        problems = [f"the resume ended with {status}"] if status else []
        problems += _find_problems(path, runs) if record_count > PROMPT_RECORD else []
        unknown = [
            record
            for record in read_log(path).records
            if isinstance(record, ToolEnded) and record.status != "ok"
        ]
        if len(unknown) != has_open_call:
            problems.append(f"{len(unknown)} outcomes are unknown")
        if not path.read_bytes().startswith(b"".join(lines[:record_count])):
            problems.append("a record is lost")
        results.append({"killed": True, "records": record_count, "problems": problems})
    return results


def _has_all_bytes(before: dict[Path, bytes], after: dict[Path, bytes], path: Path) -> bool:
    complete_lines = before[path].rpartition(b"\n")[0]
    return after.get(path, b"").startswith(complete_lines)


def _find_problems(path: Path, runs: Path) -> list[str]:
    """Compare the records with the effects of the calls."""
    records = read_log(path).records
    done = runs.read_text().split() if runs.exists() else []
    started = [record.call_id for record in records if isinstance(record, ToolStarted)]
    ended = {record.call_id: record.status for record in records if isinstance(record, ToolEnded)}
    problems = [
        f"call {number} ran {count} times" for number, count in Counter(done).items() if count > 1
    ]
    problems += [
        f"call {number} ran unrecorded" for number in done if f"toolu_{number}_0" not in started
    ]
    for number in range(CALL_COUNT):
        status = ended.get(f"toolu_{number}_0")
        times = done.count(str(number))
        if (status, times) not in (("ok", 1), ("unknown", 0), ("unknown", 1)):
            problems.append(f"call {number} ended as {status} and ran {times} times")
    if not isinstance(records[-1], TurnCompleted):
        problems.append(f"the last record is {type(records[-1]).__name__}")
    return problems


def main(folder: Path, count: int, seed: int) -> None:
    """Print one line of JSON for each run."""
    load_sdk()
    assert threading.active_count() == 1, "a fork would copy one thread of several"
    message_adapter()
    random = Random(seed)  # noqa: S311  (a seed must replay)
    if not count:
        for result in resume_after_each_record(folder / "stops"):
            print(json.dumps(result))  # noqa: T201  (its caller reads it)
    for number in range(count):
        result = run_kill_trial(
            folder / f"{seed}-{number}", random.randint(0, MAX_RECORDS), random.uniform(0, 12)
        )
        print(json.dumps(result), flush=True)  # noqa: T201  (its caller reads it)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
