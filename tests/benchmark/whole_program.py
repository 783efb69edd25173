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

from actors.models.scripted_reply import ReplyPlan, StreamEvent, generate_events
from tests.benchmark import http_stream_baseline, peak_memory, program_profiler, sdk_baseline
from tests.benchmark.benchmark_row import BenchmarkRow
from tests.program.program_harness import COMMAND, make_repository
from tests.scripted_server import (
    ScriptedResponse,
    ScriptedServer,
    respond_events,
    respond_text,
    respond_tool_call,
)

TURN_COUNT = 50
DELTA_COUNT, LONG_DELTA_COUNT, INPUT_DELTA_COUNT = 1_000, 51_000, 8_000
TOTAL_INPUT_DELTAS = 96_000
"""Over several calls: those of one alone take less than one start differs from another."""
FIRST_SCREEN_MARKER = "greenroom ·".encode()
"""The footer of the first frame, under an input line that takes keys."""
CommandBuilder = Callable[[Path], Sequence[str]]
"""Makes the words of a command from a folder that it may write to."""


@dataclass(frozen=True, slots=True)
class ProgramTiming:
    """What one run took."""

    first_request_ms: float
    """Until its first request."""
    turns_ms: float
    """From its first request to its last."""
    cpu_us: float


def greenroom_command(_: Path) -> Sequence[str]:
    """Run our program headless."""
    return (*program_command(), "-p", "x", "--permission-mode", "yolo")


def program_command() -> tuple[str, ...]:
    """Start our program, under a profiler where that is asked for."""
    return (
        (sys.executable, "-P", program_profiler.__file__)
        if program_profiler.PROFILE_VARIABLE in os.environ
        else COMMAND
    )


def sdk_command(folder: Path) -> Sequence[str]:
    """Run the SDK's loop."""
    return (sys.executable, sdk_baseline.__file__, str(folder / "journal"), "x")


def http_command(_: Path) -> Sequence[str]:
    """Read one stream by the standard library."""
    return (sys.executable, http_stream_baseline.__file__, "x")


def run_program(command: CommandBuilder, *answers: ScriptedResponse) -> ProgramTiming:
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
    if process.returncode or len(server.requests) != len(answers):
        message = f"{words[0]}: exit status {process.returncode}, {len(server.requests)} requests"
        raise RuntimeError(message)
    return ProgramTiming(
        first_request_ms=(first_s - began_s) * 1e3,
        turns_ms=(last_s - first_s) * 1e3,
        cpu_us=(used.ru_utime + used.ru_stime) * 1e6,
    )


def _environment(folder: Path) -> dict[str, str]:
    kept = {
        name: os.environ[name]
        for name in ("PATH", "LANG", program_profiler.PROFILE_VARIABLE)
        if name in os.environ
    }
    return kept | {"HOME": str(folder), "GREENROOM_HOME": str(folder / "state"), "TERM": "xterm"}


# What is measured of a run.


def first_ms(command: CommandBuilder) -> float:
    """Milliseconds from the start to the first request."""
    return run_program(command, respond_text("hi")).first_request_ms


def turn_ms(command: CommandBuilder) -> float:
    """Milliseconds for one tool turn."""
    echo = [respond_tool_call("bash", command="echo hi") for _ in range(TURN_COUNT)]
    return run_program(command, *echo, respond_text("done")).turns_ms / TURN_COUNT


def peak_memory_mib(command: CommandBuilder) -> float:
    """MiB of memory at most, for one reply."""
    with tempfile.NamedTemporaryFile("r") as told:
        words = (sys.executable, peak_memory.__file__, told.name)
        run_program(lambda folder: (*words, *command(folder)), respond_text("hi"))
        return int(told.read()) / 1024


def delta_us(command: CommandBuilder) -> float:
    """Microseconds of processor time for one more streamed delta of text."""
    long, short = (
        run_program(command, respond_text_deltas(count)).cpu_us
        for count in (LONG_DELTA_COUNT, DELTA_COUNT)
    )
    return (long - short) / (LONG_DELTA_COUNT - DELTA_COUNT)


def input_delta_us(command: CommandBuilder, deltas: int = INPUT_DELTA_COUNT) -> float:
    """Microseconds of processor time for one more delta of tools' inputs, each of so many."""
    after = [respond_text("done")] if command is greenroom_command else []
    inputs = TOTAL_INPUT_DELTAS // deltas
    long, short = (
        run_program(command, respond_input_deltas(inputs, each), *after).cpu_us
        for each in (deltas, 1)
    )
    return (long - short) / TOTAL_INPUT_DELTAS


def respond_text_deltas(deltas: int) -> ScriptedResponse:
    """Answer by so many deltas of text."""
    first, *rest = generate_events(ReplyPlan(text="x"), {"model": "scripted"}, "toolu")
    delta: StreamEvent = {"type": "text_delta", "text": "eleven char"}
    more: StreamEvent = {"type": "content_block_delta", "index": 0, "delta": delta}
    return respond_events([first, rest[0], *([more] * deltas), *rest[1:]])


def respond_input_deltas(inputs: int, deltas: int) -> ScriptedResponse:
    """Answer by so many calls whose inputs come in so many deltas each, with escapes."""
    said = [next(generate_events(ReplyPlan(), {"model": "scripted"}, "toolu"))]
    for index in range(inputs):
        said += _call(index, deltas)
    end: StreamEvent = {"stop_reason": "tool_use"}
    said.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": 9}})
    return respond_events([*said, {"type": "message_stop"}])


def _call(index: int, deltas: int) -> list[StreamEvent]:
    pieces = ['{"path": "/nowhere/x", "content": "', *(['a\\n\\"bcdef\\t'] * deltas), '"}']
    block: StreamEvent = {"type": "tool_use", "id": f"toolu_{index}", "name": "write", "input": {}}
    said: list[StreamEvent] = [
        {"type": "content_block_start", "index": index, "content_block": block}
    ]
    for piece in pieces:
        delta: StreamEvent = {"type": "input_json_delta", "partial_json": piece}
        said.append({"type": "content_block_delta", "index": index, "delta": delta})
    return [*said, {"type": "content_block_stop", "index": index}]


def process_ms(*words: str) -> float:
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


def first_screen_ms() -> float:
    """Milliseconds until the first screen stands."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_repository(folder / "work")
        ours, theirs = pty.openpty()
        os.set_blocking(ours, True)
        began_s = time.perf_counter()
        process = subprocess.Popen(
            program_command(),
            cwd=folder / "work",
            env=_environment(folder),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        seen = b""
        while FIRST_SCREEN_MARKER not in seen:
            seen += os.read(ours, 65_536)
        took_s = time.perf_counter() - began_s
        process.terminate()
        process.wait()
        os.close(ours)
        return took_s * 1e3


SDK_BASELINE, HTTP_BASELINE, PYTHON_BASELINE = (
    "bare SDK loop",
    "http.client + json.loads",
    "python -c pass",
)
_PASS = (sys.executable, "-c", "pass")


def _small(name: str, reach: float, *words: str) -> BenchmarkRow:
    return BenchmarkRow(
        name,
        f"`greenroom {' '.join(words)}`",
        PYTHON_BASELINE,
        reach,
        lambda: process_ms(*program_command(), *words),
        lambda: process_ms(*_PASS),
        "ms",
        rounds=9,
    )


ROWS = (
    BenchmarkRow(
        "first",
        "start to first request",
        SDK_BASELINE,
        1,
        lambda: first_ms(greenroom_command),
        lambda: first_ms(sdk_command),
        "ms",
    ),
    BenchmarkRow(
        "turn",
        "one tool turn, a synced write each",
        SDK_BASELINE,
        1.5,
        lambda: turn_ms(greenroom_command),
        lambda: turn_ms(sdk_command),
        "ms",
    ),
    BenchmarkRow(
        "delta",
        "one streamed delta, processor time",
        HTTP_BASELINE,
        1.5,
        lambda: delta_us(greenroom_command),
        lambda: delta_us(http_command),
        rounds=3,
    ),
    BenchmarkRow(
        "input",
        f"one of {INPUT_DELTA_COUNT:,} deltas of a tool's input",
        HTTP_BASELINE,
        1.5,
        lambda: input_delta_us(greenroom_command),
        lambda: input_delta_us(http_command),
        rounds=3,
    ),
    BenchmarkRow(
        "flat",
        f"one of {4 * INPUT_DELTA_COUNT:,} deltas of a tool's input",
        f"one of {INPUT_DELTA_COUNT:,}",
        1.2,
        lambda: input_delta_us(greenroom_command, 4 * INPUT_DELTA_COUNT),
        lambda: input_delta_us(greenroom_command),
        rounds=7,
    ),
    BenchmarkRow(
        "most",
        "largest memory of a one-reply run",
        SDK_BASELINE,
        1.25,
        lambda: peak_memory_mib(greenroom_command),
        lambda: peak_memory_mib(sdk_command),
        "MiB",
        rounds=3,
    ),
    _small("version", 4, "--version"),
    _small("help", 4, "--help"),
    BenchmarkRow(
        "screen",
        "start to first screen",
        "`import prompt_toolkit`",
        3,
        first_screen_ms,
        lambda: process_ms(sys.executable, "-c", "import prompt_toolkit"),
        "ms",
    ),
)
