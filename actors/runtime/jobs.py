"""The jobs and timers of one cell: started by the cell, run on the event loop's thread."""

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
    """The jobs of one cell; each ends with exactly one `JobEnded`."""

    def __init__(
        self, event_loop: EventLoop, owner: Address, on_ended: Callable[[JobEnded], object]
    ) -> None:
        """Start with no jobs; `on_ended` posts to the owner's mailbox."""
        self._event_loop = event_loop
        self._owner = owner
        self._on_ended = on_ended
        self._failure_handlers: dict[JobId, FailureHandler] = {}
        self._scheduled: dict[JobId, FailureHandler] = {}
        """Scheduled messages, kept apart because a stop does not wait for them."""
        self._tasks: dict[JobId, asyncio.Task[Message]] = {}
        self._timers: dict[JobId, asyncio.TimerHandle] = {}
        self._last_id = 0

    def __len__(self) -> int:
        """Return how many jobs have not ended, as far as the cell knows."""
        return len(self._failure_handlers)

    # In the cell's context.

    def start(self, job: Job, on_failure: FailureHandler) -> JobId:
        """Start a job."""
        self._last_id += 1
        self._failure_handlers[self._last_id] = on_failure
        self._event_loop.run_on_loop(partial(self._start_task, self._last_id, job))
        return self._last_id

    def schedule(self, delay_s: float, message: Message) -> None:
        """Report a message after a delay, using a timer because it costs less than a task."""
        self._last_id += 1
        self._scheduled[self._last_id] = lambda _: message
        self._event_loop.run_on_loop(partial(self._start_timer, self._last_id, delay_s, message))

    def cancel(self, job_id: JobId) -> None:
        """Cancel a job, even if its task has not been started yet."""
        self._event_loop.run_on_loop(partial(self._cancel_task, job_id))

    def cancel_all(self) -> None:
        """Cancel every job and drop the scheduled messages, from any thread."""
        self._scheduled.clear()
        self._event_loop.run_on_loop(self._cancel_tasks_and_timers)

    def abandon(self) -> int:
        """Forget all jobs and drop their outcomes; return how many there were."""
        job_count = len(self._failure_handlers)
        self._failure_handlers.clear()
        return job_count

    def pop_failure_handler(self, job_id: JobId) -> FailureHandler | None:
        """Remove a job and return its failure handler; None: the job is unknown."""
        return self._failure_handlers.pop(job_id, None) or self._scheduled.pop(job_id, None)

    # On the event loop's thread.

    def _start_task(self, job_id: JobId, job: Job) -> None:
        task = self._event_loop.create_task(job, name=f"{self._owner} job {job_id}")
        self._tasks[job_id] = task
        task.add_done_callback(partial(self._on_task_done, job_id))

    def _cancel_task(self, job_id: JobId) -> None:
        task = self._tasks.get(job_id)
        if task is not None:
            task.cancel()

    def _cancel_tasks_and_timers(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _start_timer(self, job_id: JobId, delay_s: float, message: Message) -> None:
        on_due = partial(self._on_timer_due, job_id, message)
        self._timers[job_id] = self._event_loop.call_at(self._event_loop.now_s() + delay_s, on_due)

    def _on_timer_due(self, job_id: JobId, message: Message) -> None:
        del self._timers[job_id]
        self._on_ended(JobEnded(job_id, message))

    def _on_task_done(self, job_id: JobId, task: "asyncio.Task[Message]") -> None:
        """Report the outcome; also runs for a job that was cancelled before its first step."""
        del self._tasks[job_id]
        self._on_ended(JobEnded(job_id, _get_outcome(task)))


def _get_outcome(task: "asyncio.Task[Message]") -> Message | JobFailure:
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
