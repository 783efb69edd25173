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
    began_s = time.perf_counter()
    for number in range(TELL_COUNT):
        ref.tell(number + 1)
    done.wait()
    took_s = time.perf_counter() - began_s
    ref.stop()
    return took_s / TELL_COUNT * 1e6


def ask_us() -> float:
    """Return the microseconds per request and reply."""
    ref = PykkaCounter.start(-1, threading.Event())
    began_s = time.perf_counter()
    for number in range(ASK_COUNT):
        ref.ask(number)
    took_s = time.perf_counter() - began_s
    ref.stop()
    return took_s / ASK_COUNT * 1e6


def start_and_stop_us() -> tuple[float, float]:
    """Return the microseconds per actor to start many and to stop them."""
    never = threading.Event()
    began_s = time.perf_counter()
    refs = [PykkaCounter.start(-1, never) for _ in range(ACTOR_COUNT)]
    started_s = time.perf_counter()
    for ref in refs:
        ref.stop()
    ended_s = time.perf_counter()
    return (started_s - began_s) / ACTOR_COUNT * 1e6, (ended_s - started_s) / ACTOR_COUNT * 1e6


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
