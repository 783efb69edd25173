"""The same jobs on stock pykka: a thread for each actor."""

import threading
import time
import tracemalloc

import pykka

from tests.benchmark.sizes import ASKS, MANY, TELLS


class Counter(pykka.ThreadingActor):
    """Counts what it is told, and answers what it is asked."""

    def __init__(self, last: int, done: threading.Event) -> None:
        super().__init__()
        self._last = last
        self._done = done

    def on_receive(self, message: int) -> int:
        if message == self._last:
            self._done.set()
        return message


def tell() -> float:
    """Microseconds for one message."""
    done = threading.Event()
    ref = Counter.start(TELLS, done)
    began_s = time.perf_counter()
    for number in range(TELLS):
        ref.tell(number + 1)
    done.wait()
    took_s = time.perf_counter() - began_s
    ref.stop()
    return took_s / TELLS * 1e6


def ask() -> float:
    """Microseconds for a request and its reply."""
    ref = Counter.start(-1, threading.Event())
    began_s = time.perf_counter()
    for number in range(ASKS):
        ref.ask(number)
    took_s = time.perf_counter() - began_s
    ref.stop()
    return took_s / ASKS * 1e6


def crowd() -> tuple[float, float]:
    """Microseconds to start one of many actors, and to stop it."""
    never = threading.Event()
    began_s = time.perf_counter()
    refs = [Counter.start(-1, never) for _ in range(MANY)]
    started_s = time.perf_counter()
    for ref in refs:
        ref.stop()
    ended_s = time.perf_counter()
    return (started_s - began_s) / MANY * 1e6, (ended_s - started_s) / MANY * 1e6


def memory() -> float:
    """KiB of Python's own memory for one idle actor; its thread's stack comes on top."""
    never = threading.Event()
    tracemalloc.start()
    refs = [Counter.start(-1, never) for _ in range(MANY)]
    taken_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    for ref in refs:
        ref.stop()
    return taken_bytes / MANY / 1024
