"""The whole program with a scripted server: start, tool calls, streams, memory, first screen."""

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
"""Spread over several calls, as the deltas of one take less time than the start varies."""
FIRST_SCREEN_MARKER = "greenroom ·".encode()
"""Part of the first frame's footer, drawn when the input line takes keys."""
CommandBuilder = Callable[[Path], Sequence[str]]
"""Builds a command line, given a folder that the command may write to."""


@dataclass(frozen=True, slots=True)
class ProgramTiming:
    """Times of one run."""

    first_request_ms: float
    """From the start to the first request."""
    turns_ms: float
    """From the first request to the last."""
    cpu_us: float


def greenroom_command(_: Path) -> Sequence[str]:
    """Return the command for a headless run of Greenroom."""
    return (*program_command(), "-p", "x", "--permission-mode", "yolo")


def program_command() -> tuple[str, ...]:
    """Return the command for Greenroom, under the profiler if it is on."""
    return (
        (sys.executable, "-P", program_profiler.__file__)
        if program_profiler.PROFILE_VARIABLE in os.environ
        else COMMAND
    )


def sdk_command(folder: Path) -> Sequence[str]:
    """Return the command for the loop of the plain SDK."""
    return (sys.executable, sdk_baseline.__file__, str(folder / "journal"), "x")


def http_command(_: Path) -> Sequence[str]:
    """Return the command that reads one stream with the standard library."""
    return (sys.executable, http_stream_baseline.__file__, "x")


def run_program(build_command: CommandBuilder, *responses: ScriptedResponse) -> ProgramTiming:
    """Run a program in a new folder with a server that sends these responses."""
    with tempfile.TemporaryDirectory() as name, ScriptedServer(*responses) as server:
        folder = Path(name)
        make_repository(folder / "work")
        environment = _environment(folder) | {
            "ANTHROPIC_BASE_URL": server.base_url,
            "ANTHROPIC_API_KEY": "none",
        }
        words = build_command(folder)
        started_s = time.perf_counter()
        process = subprocess.Popen(
            words,
            cwd=folder / "work",
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        server.wait_for_requests(1, 60)
        first_s = time.perf_counter()
        server.wait_for_requests(len(responses), 60)
        last_s = time.perf_counter()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or len(server.requests) != len(responses):
        message = f"{words[0]}: exit status {process.returncode}, {len(server.requests)} requests"
        raise RuntimeError(message)
    return ProgramTiming(
        first_request_ms=(first_s - started_s) * 1e3,
        turns_ms=(last_s - first_s) * 1e3,
        cpu_us=(usage.ru_utime + usage.ru_stime) * 1e6,
    )


def _environment(folder: Path) -> dict[str, str]:
    inherited = {
        name: os.environ[name]
        for name in ("PATH", "LANG", program_profiler.PROFILE_VARIABLE)
        if name in os.environ
    }
    return inherited | {
        "HOME": str(folder),
        "GREENROOM_HOME": str(folder / "state"),
        "TERM": "xterm",
    }


# Measurements of a run.


def first_request_ms(command: CommandBuilder) -> float:
    """Return the milliseconds from the start to the first request."""
    return run_program(command, respond_text("hi")).first_request_ms


def tool_call_ms(command: CommandBuilder) -> float:
    """Return the milliseconds per tool call and its request."""
    calls = [respond_tool_call("bash", command="echo hi") for _ in range(TURN_COUNT)]
    return run_program(command, *calls, respond_text("done")).turns_ms / TURN_COUNT


def peak_memory_mib(command: CommandBuilder) -> float:
    """Return the peak memory in MiB of a run with one reply."""
    with tempfile.NamedTemporaryFile("r") as result:
        words = (sys.executable, peak_memory.__file__, result.name)
        run_program(lambda folder: (*words, *command(folder)), respond_text("hi"))
        return int(result.read()) / 1024


def delta_us(command: CommandBuilder) -> float:
    """Return the CPU microseconds per text delta, from the difference of two runs."""
    long, short = (
        run_program(command, respond_text_deltas(count)).cpu_us
        for count in (LONG_DELTA_COUNT, DELTA_COUNT)
    )
    return (long - short) / (LONG_DELTA_COUNT - DELTA_COUNT)


def input_delta_us(command: CommandBuilder, deltas: int = INPUT_DELTA_COUNT) -> float:
    """Return the CPU microseconds per tool input delta, with this many deltas per call."""
    last_response = [respond_text("done")] if command is greenroom_command else []
    inputs = TOTAL_INPUT_DELTAS // deltas
    long, short = (
        run_program(command, respond_input_deltas(inputs, deltas_per_call), *last_response).cpu_us
        for deltas_per_call in (deltas, 1)
    )
    return (long - short) / TOTAL_INPUT_DELTAS


def respond_text_deltas(deltas: int) -> ScriptedResponse:
    """Respond with this many text deltas."""
    first, *rest = generate_events(ReplyPlan(text="x"), {"model": "scripted"}, "toolu")
    delta: StreamEvent = {"type": "text_delta", "text": "eleven char"}
    event: StreamEvent = {"type": "content_block_delta", "index": 0, "delta": delta}
    return respond_events([first, rest[0], *([event] * deltas), *rest[1:]])


def respond_input_deltas(inputs: int, deltas: int) -> ScriptedResponse:
    """Respond with tool calls whose inputs come in many deltas, with escapes."""
    events = [next(generate_events(ReplyPlan(), {"model": "scripted"}, "toolu"))]
    for index in range(inputs):
        events += _stream_call(index, deltas)
    end: StreamEvent = {"stop_reason": "tool_use"}
    events.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": 9}})
    return respond_events([*events, {"type": "message_stop"}])


def _stream_call(index: int, deltas: int) -> list[StreamEvent]:
    pieces = ['{"path": "/nowhere/x", "content": "', *(['a\\n\\"bcdef\\t'] * deltas), '"}']
    block: StreamEvent = {"type": "tool_use", "id": f"toolu_{index}", "name": "write", "input": {}}
    events: list[StreamEvent] = [
        {"type": "content_block_start", "index": index, "content_block": block}
    ]
    for piece in pieces:
        delta: StreamEvent = {"type": "input_json_delta", "partial_json": piece}
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
    return [*events, {"type": "content_block_stop", "index": index}]


def process_ms(*words: str) -> float:
    """Return the milliseconds of a whole process."""
    with tempfile.TemporaryDirectory() as name:
        started_s = time.perf_counter()
        subprocess.run(
            words,
            cwd=name,
            env=_environment(Path(name)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return (time.perf_counter() - started_s) * 1e3


def first_screen_ms() -> float:
    """Return the milliseconds from the start to the first screen."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_repository(folder / "work")
        master, slave = pty.openpty()
        os.set_blocking(master, True)
        started_s = time.perf_counter()
        process = subprocess.Popen(
            program_command(),
            cwd=folder / "work",
            env=_environment(folder),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        output = b""
        while FIRST_SCREEN_MARKER not in output:
            output += os.read(master, 65_536)
        elapsed_s = time.perf_counter() - started_s
        process.terminate()
        process.wait()
        os.close(master)
        return elapsed_s * 1e3


SDK_BASELINE, HTTP_BASELINE, PYTHON_BASELINE = (
    "plain SDK in a loop",
    "`http.client` and `json.loads`",
    "`python -c pass`",
)
_EMPTY_PROGRAM = (sys.executable, "-c", "pass")


def _process_row(name: str, target: float, *words: str) -> BenchmarkRow:
    return BenchmarkRow(
        name,
        f"`greenroom {' '.join(words)}`",
        PYTHON_BASELINE,
        target,
        lambda: process_ms(*program_command(), *words),
        lambda: process_ms(*_EMPTY_PROGRAM),
        "ms",
        rounds=9,
    )


ROWS = (
    BenchmarkRow(
        "first-request",
        "start to first request",
        SDK_BASELINE,
        0.5,
        lambda: first_request_ms(greenroom_command),
        lambda: first_request_ms(sdk_command),
        "ms",
    ),
    BenchmarkRow(
        "tool-call",
        "one tool call with its request and a synced write",
        SDK_BASELINE,
        1.5,
        lambda: tool_call_ms(greenroom_command),
        lambda: tool_call_ms(sdk_command),
        "ms",
    ),
    BenchmarkRow(
        "text-delta",
        "one text delta, CPU time",
        HTTP_BASELINE,
        1.5,
        lambda: delta_us(greenroom_command),
        lambda: delta_us(http_command),
        rounds=3,
    ),
    BenchmarkRow(
        "input-delta",
        f"one of {INPUT_DELTA_COUNT:,} tool input deltas, CPU time",
        HTTP_BASELINE,
        1.5,
        lambda: input_delta_us(greenroom_command),
        lambda: input_delta_us(http_command),
        rounds=3,
    ),
    BenchmarkRow(
        "input-scaling",
        f"one of {4 * INPUT_DELTA_COUNT:,} tool input deltas, CPU time",
        f"one of {INPUT_DELTA_COUNT:,}",
        1.2,
        lambda: input_delta_us(greenroom_command, 4 * INPUT_DELTA_COUNT),
        lambda: input_delta_us(greenroom_command),
        rounds=7,
    ),
    BenchmarkRow(
        "peak-memory",
        "peak memory of a run with one reply",
        SDK_BASELINE,
        1.25,
        lambda: peak_memory_mib(greenroom_command),
        lambda: peak_memory_mib(sdk_command),
        "MiB",
        rounds=3,
    ),
    _process_row("version", 4, "--version"),
    _process_row("help", 4, "--help"),
    BenchmarkRow(
        "first-screen",
        "start to first screen",
        "`import prompt_toolkit`",
        3,
        first_screen_ms,
        lambda: process_ms(sys.executable, "-c", "import prompt_toolkit"),
        "ms",
    ),
)
