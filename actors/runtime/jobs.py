"""The jobs of one cell: ordered in the cell's context, run on the event loop's thread."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import cast

from actors.runtime.actor import JobFailure, JobId
from actors.runtime.event_loop import EventLoop, describe_error
from actors.runtime.mailbox import JobEnded
from messages.address import Address
from messages.base import Message

log = logging.getLogger("greenroom.runtime")

Job = Callable[[], Awaitable[Message]]
FailureHandler = Callable[[JobFailure], Message]


class Jobs:
    """What a cell has at work; each ends with exactly one `JobEnded`."""

    def __init__(
        self, event_loop: EventLoop, owner: Address, on_ended: Callable[[JobEnded], object]
    ) -> None:
        """Begin with nothing at work."""
        self._event_loop = event_loop
        self._owner = owner
        self._report = on_ended
        self._failed: dict[JobId, FailureHandler] = {}
        self._reminders: dict[JobId, FailureHandler] = {}
        """Nothing of them runs, so that nobody waits for their end."""
        self._tasks: dict[JobId, asyncio.Task[Message]] = {}
        self._timers: dict[JobId, asyncio.TimerHandle] = {}
        self._last = 0

    def __len__(self) -> int:
        """How many jobs have not ended, as the cell knows it."""
        return len(self._failed)

    # In the cell's context.

    def start(self, job: Job, on_failure: FailureHandler) -> JobId:
        """Launch a job."""
        self._last += 1
        self._failed[self._last] = on_failure
        self._event_loop.run_on_loop(partial(self._launch, self._last, job))
        return self._last

    def schedule(self, delay_s: float, message: Message) -> None:
        """Report a message later; many wait at a time, and a task for each would cost much."""
        self._last += 1
        self._reminders[self._last] = lambda _: message
        self._event_loop.run_on_loop(partial(self._wind_up, self._last, delay_s, message))

    def cancel(self, job_id: JobId) -> None:
        """Cancel by id and behind the launch, which may not have happened yet."""
        self._event_loop.run_on_loop(partial(self._cancel, job_id))

    def cancel_all(self) -> None:
        """Cancel every job and strike off the reminders, from any thread."""
        self._reminders.clear()
        self._event_loop.run_on_loop(self._cancel_here)

    def abandon(self) -> int:
        """Strike all off; how many there were. What still comes of them is nobody's."""
        left = len(self._failed)
        self._failed.clear()
        return left

    def pop_failure_handler(self, job_id: JobId) -> FailureHandler | None:
        """Strike a work off; what makes a message of its failure. None: it is unknown."""
        return self._failed.pop(job_id, None) or self._reminders.pop(job_id, None)

    # On the event loop's thread.

    def _launch(self, work: JobId, job: Job) -> None:
        task = self._event_loop.create_task(job, name=f"{self._owner} work {work}")
        self._tasks[work] = task
        task.add_done_callback(partial(self._done, work))

    def _cancel(self, work: JobId) -> None:
        task = self._tasks.get(work)
        if task is not None:
            task.cancel()

    def _cancel_here(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _wind_up(self, work: JobId, delay_s: float, message: Message) -> None:
        ring = partial(self._ring, work, message)
        self._timers[work] = self._event_loop.call_at(self._event_loop.now_s() + delay_s, ring)

    def _ring(self, work: JobId, message: Message) -> None:
        del self._timers[work]
        self._report(JobEnded(work, message))

    def _done(self, work: JobId, task: "asyncio.Task[Message]") -> None:
        """Report from the done-callback: a job cancelled before its first step never ran at all."""
        del self._tasks[work]
        self._report(JobEnded(work, _outcome(task)))


def _outcome(task: "asyncio.Task[Message]") -> Message | JobFailure:
    if task.cancelled():
        return JobFailure("cancelled")
    error = task.exception()
    if error is not None:
        log.error("%s failed", task.get_name(), exc_info=error)
        return JobFailure("raised", describe_error(error))
    result = cast("object", task.result())
    if isinstance(result, Message):
        return result
    return JobFailure("raised", f"TypeError: the job returned {type(result).__name__}")
