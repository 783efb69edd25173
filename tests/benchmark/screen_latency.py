"""Latency of the screen, compared with fixed limits.

A key is on screen when the program writes the first byte of its echo. Each key is a letter that
appears nowhere else on screen.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmark.benchmark_row import BenchmarkRow, Measurement
from tests.benchmark.screen_under_load import STREAM_COUNT
from tests.program.program_harness import Program
from tests.program.repl_harness import open_repl
from tests.scripted_server import respond_stalled
from tests.shell.pty_terminal import PtyTerminal, open_terminal

ROOT = Path(__file__).parents[2]
EVENTS_PER_S = 2_000
LETTERS = "бвгджзйлпфцчшщъыьэюя"
ROUNDS = 6
ESCAPE_COUNT = 25
CTRL_U, ESC = "\x15", "\x1b"
MAX_KEY_P99_MS, MAX_ESC_MEDIAN_MS, MAX_ESC_P95_MS = 30.0, 250.0, 400.0


def measure_key_latencies_ms(events_per_s: int) -> list[float]:
    """Return the milliseconds from each key to its echo, at this many events per second."""
    command = [sys.executable, "-m", "tests.benchmark.screen_under_load"]
    environment = {**os.environ, "LOAD": str(events_per_s), "TERM": "xterm-256color"}
    with open_terminal(
        command, environment=environment, cwd=ROOT, rows=30, columns=100
    ) as terminal:
        terminal.wait_for_text("primary · default")
        if events_per_s:
            terminal.wait_for_text("Esc to interrupt")
        latencies_ms = [
            _measure_echo_ms(terminal, letter)
            for _ in range(ROUNDS)
            for letter in _clear_input(terminal)
        ]
        terminal.wait_for_text("primary · default")
        assert terminal.status is None, "the program ended"
    return latencies_ms


def _clear_input(terminal: PtyTerminal) -> str:
    """Clear the input line; return the letters to type."""
    terminal.type(CTRL_U)
    terminal.read_for(0.2)
    return LETTERS


def _measure_echo_ms(terminal: PtyTerminal, letter: str) -> float:
    started_s = time.perf_counter()
    terminal.type(letter)
    terminal.read_until(letter.encode())
    latency_ms = 1_000 * (time.perf_counter() - started_s)
    terminal.read_for(0.02 + (ord(letter) % 13) / 250)  # at varying times between frames
    return latency_ms


def measure_escape_latencies_ms() -> tuple[list[float], list[float]]:
    """Return the milliseconds from Esc to the notice on screen, and to the closed stream.

    Runs the real program with a server that stops sending in the middle of each response.
    """
    stalled = respond_stalled("Half a thought")
    with tempfile.TemporaryDirectory() as folder:
        program = Program.in_folder(Path(folder))
        with program.serve(*([stalled] * ESCAPE_COUNT)) as server:
            return _interrupt_turns(program, server.wait_for_disconnects)


def _interrupt_turns(
    program: Program, wait_for_disconnects: Callable[[int], None]
) -> tuple[list[float], list[float]]:
    screen_latencies_ms: list[float] = []
    stream_latencies_ms: list[float] = []
    with open_repl(program) as terminal:
        terminal.wait_for_text("build · default")
        for number in range(1, ESCAPE_COUNT + 1):
            terminal.type("continue\r")
            terminal.read_until(b"Half a thought")
            terminal.wait_for_text("Esc to interrupt")
            terminal.read_for(0.05 + number % 7 / 50)
            started_s = time.perf_counter()
            terminal.type(ESC)
            terminal.read_until(b"Interrupted.")
            screen_latencies_ms.append(1_000 * (time.perf_counter() - started_s))
            wait_for_disconnects(number)
            stream_latencies_ms.append(1_000 * (time.perf_counter() - started_s))
            terminal.wait_for_no_text("Esc to interrupt")
    return screen_latencies_ms, stream_latencies_ms


def percentile(values: list[float], percent: float) -> float:
    """Return the smallest value that this percentage of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(round(percent / 100 * len(ordered) + 0.5), len(ordered)) - 1]


def _limit_row(name: str, description: str, limit_ms: float, ours: Measurement) -> BenchmarkRow:
    baseline = f"{limit_ms:g} ms, fixed"
    return BenchmarkRow(
        name, description, baseline, 1, ours, lambda: limit_ms, "ms", rounds=2, is_fixed_limit=True
    )


ROWS = (
    _limit_row(
        "key-p99",
        f"key to screen at {EVENTS_PER_S:,} events/s on {STREAM_COUNT} streams, 99th percentile",
        MAX_KEY_P99_MS,
        lambda: percentile(measure_key_latencies_ms(EVENTS_PER_S), 99),
    ),
    _limit_row(
        "escape",
        "Esc to the end of the turn on screen, median",
        MAX_ESC_MEDIAN_MS,
        lambda: percentile(measure_escape_latencies_ms()[0], 50),
    ),
    _limit_row(
        "escape-p95",
        "Esc to the closed stream, 95th percentile",
        MAX_ESC_P95_MS,
        lambda: percentile(measure_escape_latencies_ms()[1], 95),
    ),
)
