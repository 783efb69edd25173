"""A thread that looks whether the event loop still turns, and names who holds it."""

import logging
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

from actors.runtime.event_loop import JOB_WRAPPER_CODE, EventLoop
from actors.runtime.mailbox_processor import MailboxProcessor

log = logging.getLogger("greenroom.runtime")

CHECKS_BEFORE_REPORT = 4
"""Looks in the time after which a holder is named."""
StallCallback = Callable[[str, float], object]
"""Hears whose handler or job holds the loop, over which message, and for how many seconds."""


@dataclass(frozen=True, slots=True)
class StallLimits:
    """How long the loop may be held before something happens."""

    report_after_s: float = 1.0
    fatal_after_s: float = 10.0


class Watchdog:
    """Calls `named` when the loop has been held for a while, and `fatal` when it is for too long.

    It counts looks, not seconds: a process that was stopped and goes on is not to blame. Both are
    called on its own thread, each at most once for one hold.
    """

    def __init__(
        self,
        event_loop: EventLoop,
        on_stall: StallCallback,
        on_fatal_stall: StallCallback,
        limits: StallLimits,
    ) -> None:
        """Look after `event_loop`; `start` begins."""
        self._event_loop = event_loop
        self._named = on_stall
        self._fatal = on_fatal_stall
        self._look_s = limits.report_after_s / CHECKS_BEFORE_REPORT
        self._fatal_looks = round(limits.fatal_after_s / self._look_s)
        self._turned = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="greenroom-watchdog", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more, from any thread."""
        self._stopped.set()
        self._turned.set()

    def _watch(self) -> None:
        while not self._stopped.wait(self._look_s):
            self._turned.clear()
            if not self._event_loop.call_soon(self._turned.set):
                return
            self._follow()

    def _follow(self) -> None:
        """Wait for the loop to turn."""
        for looks in range(1, self._fatal_looks + 1):
            if self._turned.wait(self._look_s) or self._stopped.is_set():
                return
            bark = {CHECKS_BEFORE_REPORT: self._named, self._fatal_looks: self._fatal}.get(looks)
            if bark is not None:
                self._bark(bark, looks * self._look_s)
        self._turned.wait()

    def _bark(self, bark: StallCallback, held_s: float) -> None:
        try:
            bark(describe_activity(self._event_loop.thread_id), held_s)
        except BaseException:  # who cannot be named has to be ended all the same
            log.exception("the watchdog's own words failed")


def describe_activity(thread_id: int) -> str:
    """Name the actor and message, or the job, that a thread is busy with."""
    frame = sys._current_frames().get(thread_id)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (documented)
    while frame is not None:
        name = _named_by(frame)
        if name:
            return name
        frame = frame.f_back
    return "something that is neither a handler nor a job"


def _named_by(frame: FrameType) -> str:
    held = frame.f_locals
    if frame.f_code is MailboxProcessor.handle_item.__code__:
        item = held.get("item")
        message = getattr(item, "message", item)
        return f"{held['self'].address} over {type(message).__name__}"
    if frame.f_code is MailboxProcessor.start_incarnation.__code__:
        return f"{held['self'].address} over its start"
    return str(held.get("name", "")) if frame.f_code is JOB_WRAPPER_CODE else ""
