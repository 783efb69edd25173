"""Baseline for the actor runtime: unmodified pykka, a thread per actor."""

import threading
import time
import tracemalloc

import pykka

from tests.benchmark.workload_sizes import ACTOR_COUNT, ASK_COUNT, TELL_COUNT


class PykkaCounter(pykka.ThreadingActor):
    """Waits for the last message, and replies to each."""

    def __init__(self, last: int, done: threading.Event) -> None:
        super().__init__()
        self._last = last
        self._done = done

    def on_receive(self, message: int) -> int:
        if message == self._last:
            self._done.set()
        return message


def tell_us() -> float:
    """Return the microseconds per message."""
    done = threading.Event()
    ref = PykkaCounter.start(TELL_COUNT, done)
    started_s = time.perf_counter()
    for number in range(TELL_COUNT):
        ref.tell(number + 1)
    done.wait()
    elapsed_s = time.perf_counter() - started_s
    ref.stop()
    return elapsed_s / TELL_COUNT * 1e6


def ask_us() -> float:
    """Return the microseconds per request and reply."""
    ref = PykkaCounter.start(-1, threading.Event())
    started_s = time.perf_counter()
    for number in range(ASK_COUNT):
        ref.ask(number)
    elapsed_s = time.perf_counter() - started_s
    ref.stop()
    return elapsed_s / ASK_COUNT * 1e6


def start_and_stop_us() -> tuple[float, float]:
    """Return the microseconds per actor to start many and to stop them."""
    never = threading.Event()
    started_s = time.perf_counter()
    refs = [PykkaCounter.start(-1, never) for _ in range(ACTOR_COUNT)]
    all_started_s = time.perf_counter()
    for ref in refs:
        ref.stop()
    start_s, stop_s = all_started_s - started_s, time.perf_counter() - all_started_s
    return start_s / ACTOR_COUNT * 1e6, stop_s / ACTOR_COUNT * 1e6


def memory_kib() -> float:
    """Return the KiB of Python memory per idle actor, without the stack of its thread."""
    never = threading.Event()
    tracemalloc.start()
    refs = [PykkaCounter.start(-1, never) for _ in range(ACTOR_COUNT)]
    used_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    for ref in refs:
        ref.stop()
    return used_bytes / ACTOR_COUNT / 1024
