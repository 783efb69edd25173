"""A thread that reports a blocked event loop and names the handler or job that blocks it."""

import logging
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

from actors.runtime.cell import Cell
from actors.runtime.event_loop import JOB_WRAPPER_CODE, EventLoop

log = logging.getLogger("greenroom.runtime")

CHECKS_BEFORE_REPORT = 4
"""Checks within `StallLimits.report_after_s`."""
StallCallback = Callable[[str, float], object]
"""Gets the blocking handler or job, and for how many seconds the loop has been blocked."""


@dataclass(frozen=True, slots=True)
class StallLimits:
    """How long the event loop may be blocked before a callback runs."""

    report_after_s: float = 1.0
    fatal_after_s: float = 10.0


class Watchdog:
    """Calls `on_stall` when the loop has been blocked for a while, and later `on_fatal_stall`.

    It counts checks instead of seconds, so that a suspended process that resumes is not reported.
    Both callbacks run on the watchdog's thread, each at most once per stall.
    """

    def __init__(
        self,
        event_loop: EventLoop,
        on_stall: StallCallback,
        on_fatal_stall: StallCallback,
        limits: StallLimits,
    ) -> None:
        """Watch `event_loop`, from `start` on."""
        self._event_loop = event_loop
        self._check_interval_s = limits.report_after_s / CHECKS_BEFORE_REPORT
        self._max_checks = round(limits.fatal_after_s / self._check_interval_s)
        self._callbacks = {CHECKS_BEFORE_REPORT: on_stall, self._max_checks: on_fatal_stall}
        self._loop_ran = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="greenroom-watchdog", daemon=True)

    def start(self) -> None:
        """Start watching."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching, from any thread."""
        self._stopped.set()
        self._loop_ran.set()  # the thread may be waiting for a blocked loop

    def _watch(self) -> None:
        while not self._stopped.wait(self._check_interval_s):
            self._loop_ran.clear()
            if not self._event_loop.call_soon(self._loop_ran.set):
                return
            self._wait_for_loop()

    def _wait_for_loop(self) -> None:
        """Wait until the loop runs again, and call the callbacks meanwhile."""
        for checks in range(1, self._max_checks + 1):
            if self._loop_ran.wait(self._check_interval_s) or self._stopped.is_set():
                return
            callback = self._callbacks.get(checks)
            if callback is not None:
                self._report(callback, checks * self._check_interval_s)
        self._loop_ran.wait()  # one report per stall, however long it lasts

    def _report(self, callback: StallCallback, blocked_s: float) -> None:
        try:
            callback(describe_activity(self._event_loop.thread_id), blocked_s)
        except BaseException:  # the fatal callback must still run later
            log.exception("a watchdog callback failed")


def describe_activity(thread_id: int) -> str:
    """Return which actor and message, or which job, a thread is busy with."""
    frame = sys._current_frames().get(thread_id)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (documented)
    while frame is not None:
        description = _describe_frame(frame)
        if description:
            return description
        frame = frame.f_back
    return "code outside any handler or job"


def _describe_frame(frame: FrameType) -> str:
    variables = frame.f_locals
    if frame.f_code is Cell.handle_item.__code__:
        item = variables.get("item")
        message = getattr(item, "message", item)
        return f"{variables['self'].address} (handling {type(message).__name__})"
    if frame.f_code is Cell.start_incarnation.__code__:
        return f"{variables['self'].address} (starting)"
    return str(variables.get("name", "")) if frame.f_code is JOB_WRAPPER_CODE else ""
