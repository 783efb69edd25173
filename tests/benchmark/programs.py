"""Whole programs against a scripted server: start, tool turns, streams, memory, first screen."""

import os
import pty
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from actors.models.reply_plan import Event, ReplyPlan, events_of
from tests.benchmark import bare_sdk, bare_stream, peak, profiled
from tests.benchmark.rows import Row
from tests.program.program import COMMAND, make_repository
from tests.scripted_server import Answer, ScriptedServer, calls, says, streams

TURNS = 50
DELTAS, LONG_DELTAS, INPUT_DELTAS = 1_000, 51_000, 8_000
INPUT_ALL = 96_000
"""Over several calls: those of one alone take less than one start differs from another."""
FIRST_SCREEN = "greenroom ·".encode()
"""The footer of the first frame, under an input line that takes keys."""
Command = Callable[[Path], Sequence[str]]
"""Makes the words of a command from a folder that it may write to."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What one run took."""

    first_ms: float
    """Until its first request."""
    turns_ms: float
    """From its first request to its last."""
    cpu_us: float


def greenroom(_: Path) -> Sequence[str]:
    """Run our program headless."""
    return (*program(), "-p", "x", "--permission-mode", "yolo")


def program() -> tuple[str, ...]:
    """Start our program, under a profiler where that is asked for."""
    return (sys.executable, "-P", profiled.__file__) if profiled.NAME in os.environ else COMMAND


def plain_sdk(folder: Path) -> Sequence[str]:
    """Run the SDK's loop."""
    return (sys.executable, bare_sdk.__file__, str(folder / "journal"), "x")


def plain_http(_: Path) -> Sequence[str]:
    """Read one stream by the standard library."""
    return (sys.executable, bare_stream.__file__, "x")


def run(command: Command, *answers: Answer) -> Ran:
    """Run a program against a server with these answers, in a folder of its own."""
    with tempfile.TemporaryDirectory() as name, ScriptedServer(*answers) as server:
        folder = Path(name)
        make_repository(folder / "work")
        environment = _environment(folder) | {
            "ANTHROPIC_BASE_URL": server.base_url,
            "ANTHROPIC_API_KEY": "none",
        }
        words = command(folder)
        began_s = time.perf_counter()
        process = subprocess.Popen(
            words,
            cwd=folder / "work",
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        server.wait_for_requests(1, 60)
        first_s = time.perf_counter()
        server.wait_for_requests(len(answers), 60)
        last_s = time.perf_counter()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or len(server.asked) != len(answers):
        message = f"{words[0]}: exit status {process.returncode}, {len(server.asked)} requests"
        raise RuntimeError(message)
    return Ran(
        first_ms=(first_s - began_s) * 1e3,
        turns_ms=(last_s - first_s) * 1e3,
        cpu_us=(used.ru_utime + used.ru_stime) * 1e6,
    )


def _environment(folder: Path) -> dict[str, str]:
    kept = {
        name: os.environ[name] for name in ("PATH", "LANG", profiled.NAME) if name in os.environ
    }
    return kept | {"HOME": str(folder), "GREENROOM_HOME": str(folder / "state"), "TERM": "xterm"}


# What is measured of a run.


def first_ms(command: Command) -> float:
    """Milliseconds from the start to the first request."""
    return run(command, says("hi")).first_ms


def turn_ms(command: Command) -> float:
    """Milliseconds for one tool turn."""
    echo = [calls("bash", command="echo hi") for _ in range(TURNS)]
    return run(command, *echo, says("done")).turns_ms / TURNS


def most_mib(command: Command) -> float:
    """MiB of memory at most, for one reply."""
    with tempfile.NamedTemporaryFile("r") as told:
        words = (sys.executable, peak.__file__, told.name)
        run(lambda folder: (*words, *command(folder)), says("hi"))
        return int(told.read()) / 1024


def delta_us(command: Command) -> float:
    """Microseconds of processor time for one more streamed delta of text."""
    long, short = (run(command, text(count)).cpu_us for count in (LONG_DELTAS, DELTAS))
    return (long - short) / (LONG_DELTAS - DELTAS)


def input_us(command: Command, deltas: int = INPUT_DELTAS) -> float:
    """Microseconds of processor time for one more delta of tools' inputs, each of so many."""
    after = [says("done")] if command is greenroom else []
    inputs = INPUT_ALL // deltas
    long, short = (run(command, written(inputs, each), *after).cpu_us for each in (deltas, 1))
    return (long - short) / INPUT_ALL


def text(deltas: int) -> Answer:
    """Answer by so many deltas of text."""
    first, *rest = events_of(ReplyPlan(text="x"), {"model": "scripted"}, "toolu")
    delta: Event = {"type": "text_delta", "text": "eleven char"}
    more: Event = {"type": "content_block_delta", "index": 0, "delta": delta}
    return streams([first, rest[0], *([more] * deltas), *rest[1:]])


def written(inputs: int, deltas: int) -> Answer:
    """Answer by so many calls whose inputs come in so many deltas each, with escapes."""
    said = [next(events_of(ReplyPlan(), {"model": "scripted"}, "toolu"))]
    for index in range(inputs):
        said += _call(index, deltas)
    end: Event = {"stop_reason": "tool_use"}
    said.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": 9}})
    return streams([*said, {"type": "message_stop"}])


def _call(index: int, deltas: int) -> list[Event]:
    pieces = ['{"path": "/nowhere/x", "content": "', *(['a\\n\\"bcdef\\t'] * deltas), '"}']
    block: Event = {"type": "tool_use", "id": f"toolu_{index}", "name": "write", "input": {}}
    said: list[Event] = [{"type": "content_block_start", "index": index, "content_block": block}]
    for piece in pieces:
        delta: Event = {"type": "input_json_delta", "partial_json": piece}
        said.append({"type": "content_block_delta", "index": index, "delta": delta})
    return [*said, {"type": "content_block_stop", "index": index}]


def whole_ms(*words: str) -> float:
    """Milliseconds of a whole process that says little."""
    with tempfile.TemporaryDirectory() as name:
        began_s = time.perf_counter()
        subprocess.run(
            words,
            cwd=name,
            env=_environment(Path(name)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return (time.perf_counter() - began_s) * 1e3


def screen_ms() -> float:
    """Milliseconds until the first screen stands."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_repository(folder / "work")
        ours, theirs = pty.openpty()
        os.set_blocking(ours, True)
        began_s = time.perf_counter()
        process = subprocess.Popen(
            program(),
            cwd=folder / "work",
            env=_environment(folder),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        seen = b""
        while FIRST_SCREEN not in seen:
            seen += os.read(ours, 65_536)
        took_s = time.perf_counter() - began_s
        process.terminate()
        process.wait()
        os.close(ours)
        return took_s * 1e3


SDK, HTTP, PYTHON = "bare SDK loop", "http.client + json.loads", "python -c pass"
_PASS = (sys.executable, "-c", "pass")


def _small(name: str, reach: float, *words: str) -> Row:
    return Row(
        name,
        f"`greenroom {' '.join(words)}`",
        PYTHON,
        reach,
        lambda: whole_ms(*program(), *words),
        lambda: whole_ms(*_PASS),
        "ms",
        rounds=9,
    )


ROWS = (
    Row(
        "first",
        "start to first request",
        SDK,
        1,
        lambda: first_ms(greenroom),
        lambda: first_ms(plain_sdk),
        "ms",
    ),
    Row(
        "turn",
        "one tool turn, a synced write each",
        SDK,
        1.5,
        lambda: turn_ms(greenroom),
        lambda: turn_ms(plain_sdk),
        "ms",
    ),
    Row(
        "delta",
        "one streamed delta, processor time",
        HTTP,
        1.5,
        lambda: delta_us(greenroom),
        lambda: delta_us(plain_http),
        rounds=3,
    ),
    Row(
        "input",
        f"one of {INPUT_DELTAS:,} deltas of a tool's input",
        HTTP,
        1.5,
        lambda: input_us(greenroom),
        lambda: input_us(plain_http),
        rounds=3,
    ),
    Row(
        "flat",
        f"one of {4 * INPUT_DELTAS:,} deltas of a tool's input",
        f"one of {INPUT_DELTAS:,}",
        1.2,
        lambda: input_us(greenroom, 4 * INPUT_DELTAS),
        lambda: input_us(greenroom),
        rounds=7,
    ),
    Row(
        "most",
        "largest memory of a one-reply run",
        SDK,
        1.25,
        lambda: most_mib(greenroom),
        lambda: most_mib(plain_sdk),
        "MiB",
        rounds=3,
    ),
    _small("version", 4, "--version"),
    _small("help", 4, "--help"),
    Row(
        "screen",
        "start to first screen",
        "`import prompt_toolkit`",
        3,
        screen_ms,
        lambda: whole_ms(sys.executable, "-c", "import prompt_toolkit"),
        "ms",
    ),
)
