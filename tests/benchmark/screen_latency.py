"""How quick the screen is under a person's fingers, held against stated limits.

A key counts as shown when the first byte of its echo leaves the program. Each key is a letter that
stands nowhere else; before anything is timed, the program must be alive and have drawn.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmark.benchmark_row import BenchmarkRow, Measurement
from tests.benchmark.screen_under_load import STREAM_COUNT
from tests.program.program_harness import COMMAND, Program
from tests.scripted_server import respond_text, truncate_response
from tests.shell.pty_terminal import PtyTerminal, open_terminal

ROOT = Path(__file__).parents[2]
EVENTS_PER_S = 2_000
LETTERS = "бвгджзйлпфцчшщъыьэюя"
ROUNDS = 6
ESCAPE_COUNT = 25
CTRL_U, ESC = "\x15", "\x1b"
MAX_KEY_P99_MS, MAX_ESC_MEDIAN_MS, MAX_ESC_P95_MS = 30.0, 250.0, 400.0


def measure_key_latencies_ms(events_per_s: int) -> list[float]:
    """Milliseconds from each key to its echo, under so many events a second."""
    command = [sys.executable, "-m", "tests.benchmark.screen_under_load"]
    environment = {**os.environ, "LOAD": str(events_per_s), "TERM": "xterm-256color"}
    with open_terminal(command, environment=environment, cwd=ROOT, rows=30, columns=100) as shown:
        shown.wait_for_text("primary · default")
        if events_per_s:
            shown.wait_for_text("Esc to interrupt")
        took = [_echo_ms(shown, letter) for _ in range(ROUNDS) for letter in _cleared(shown)]
        shown.wait_for_text("primary · default")
        assert shown.status is None, "it ended while it was timed"
    return took


def _cleared(shown: PtyTerminal) -> str:
    shown.type(CTRL_U)
    shown.read_for(0.2)
    return LETTERS


def _echo_ms(shown: PtyTerminal, letter: str) -> float:
    began_s = time.perf_counter()
    shown.type(letter)
    shown.read_until(letter.encode())
    took_ms = 1_000 * (time.perf_counter() - began_s)
    shown.read_for(0.02 + (ord(letter) % 13) / 250)  # not in step with the frames
    return took_ms


def measure_escape_latencies_ms() -> tuple[list[float], list[float]]:
    """Milliseconds from Esc to the interrupted turn on screen, and to the server's closed stream.

    The real program against a server whose answer falls silent half way.
    """
    whole = respond_text("Half a thought")
    half = truncate_response(whole, whole.body.rindex(b"event: content_block_stop"), "silence")
    with tempfile.TemporaryDirectory() as folder:
        program = Program.in_folder(Path(folder))
        with program.serve(*([half] * ESCAPE_COUNT)) as server:
            return _interrupted(program, server.wait_for_disconnects)


def _interrupted(
    program: Program, wait_for_left: Callable[[int], None]
) -> tuple[list[float], list[float]]:
    seen: list[float] = []
    closed: list[float] = []
    environment = program.environment(TERM="xterm-256color")
    with open_terminal(COMMAND, environment=environment, cwd=program.repository) as shown:
        shown.wait_for_text("build · default")
        for number in range(1, ESCAPE_COUNT + 1):
            shown.type("go on\r")
            shown.read_until(b"Half a thought")
            shown.wait_for_text("Esc to interrupt")
            shown.read_for(0.05 + number % 7 / 50)
            began_s = time.perf_counter()
            shown.type(ESC)
            shown.read_until(b"Interrupted.")
            seen.append(1_000 * (time.perf_counter() - began_s))
            wait_for_left(number)
            closed.append(1_000 * (time.perf_counter() - began_s))
            shown.wait_for_no_text("Esc to interrupt")
    return seen, closed


def percentile(took: list[float], percent: float) -> float:
    """Name the value that so many percent stay at or under."""
    ordered = sorted(took)
    return ordered[min(round(percent / 100 * len(ordered) + 0.5), len(ordered)) - 1]


def _most_ms(name: str, what: str, limit_ms: float, ours: Measurement) -> BenchmarkRow:
    told = f"{limit_ms:g} ms, as stated"
    return BenchmarkRow(
        name, what, told, 1, ours, lambda: limit_ms, "ms", rounds=2, is_fixed_limit=True
    )


ROWS = (
    _most_ms(
        "key",
        f"key to screen under {EVENTS_PER_S:,} events/s on {STREAM_COUNT} streams, 99 of 100",
        MAX_KEY_P99_MS,
        lambda: percentile(measure_key_latencies_ms(EVENTS_PER_S), 99),
    ),
    _most_ms(
        "escape",
        "Esc to the turn's end on screen, half of all",
        MAX_ESC_MEDIAN_MS,
        lambda: percentile(measure_escape_latencies_ms()[0], 50),
    ),
    _most_ms(
        "escape-most",
        "Esc to the closed stream, 95 of 100",
        MAX_ESC_P95_MS,
        lambda: percentile(measure_escape_latencies_ms()[1], 95),
    ),
)
