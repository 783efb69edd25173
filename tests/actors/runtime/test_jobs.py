"""Every job has exactly one outcome, which arrives after the job has ended."""

import asyncio
import queue
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import partial
from typing import cast

import pytest

from actors.runtime.actor import UnexpectedMessageError
from actors.runtime.system import ActorSystem
from messages.address import ROOT, Address
from messages.child_lifecycle import ChildCancelled, ChildFailed
from tests.actors.runtime.sample_actors import (
    JobRunner,
    JobRunnerOnThread,
    Observed,
    Ping,
    PriorityPing,
    new_future,
)
from tests.probe import PROBE_TIMEOUT_S, Probe

pytestmark = pytest.mark.quick

MessageSink = Callable[[Observed], None]
Job = Callable[[MessageSink], Awaitable[Observed]]
StartJob = Callable[[Job], Address]


@pytest.fixture(params=[JobRunner, JobRunnerOnThread])
def start_job(system: ActorSystem, request: pytest.FixtureRequest) -> StartJob:
    """Start a job in a new actor and return the actor's address; on each dispatcher."""

    def start(job: Job) -> Address:
        child = system.start(partial(request.param, job))
        system.tell(child, Ping())
        return child

    return start


async def wait_forever() -> None:
    await asyncio.Event().wait()


def test_a_jobs_return_value_is_its_outcome(root: Probe, start_job: StartJob) -> None:
    async def job(_: MessageSink) -> Observed:
        return Observed(text="returned")

    start_job(job)
    root.expect(Observed(text="returned"))
    root.expect_nothing_more()


def test_a_job_that_raises_is_reported_as_failed(root: Probe, start_job: StartJob) -> None:
    async def job(_: MessageSink) -> Observed:
        raise ConnectionResetError(104, "connection reset")

    start_job(job)
    root.expect(Observed(text="raised ConnectionResetError: [Errno 104] connection reset"))
    root.expect_nothing_more()


def test_a_job_that_returns_no_message_fails(root: Probe, start_job: StartJob) -> None:
    async def job(_: MessageSink) -> Observed:
        return cast("Observed", None)

    start_job(job)
    root.expect(Observed(text="raised TypeError: the job returned NoneType"))


def test_an_outcome_outside_the_inbox_is_a_crash(root: Probe, start_job: StartJob) -> None:
    async def job(_: MessageSink) -> Observed:
        return cast("Observed", ChildCancelled(child=ROOT))

    child = start_job(job)
    detail = f"UnexpectedMessageError: {child} does not receive ChildCancelled"
    root.expect(ChildFailed(child=child, cause="crash", detail=detail))


def test_a_job_cancelled_before_its_first_step_never_runs(system: ActorSystem, root: Probe) -> None:
    async def job(send: MessageSink) -> Observed:
        send(Observed(text="job ran"))
        return Observed(text="returned")

    system.tell(system.start(partial(JobRunner, job)), Ping(text="and cancel"))
    root.expect(Observed(text="cancelled"))
    root.expect_nothing_more()


def test_a_cancel_before_the_task_exists_is_not_lost(system: ActorSystem, root: Probe) -> None:
    """On a thread actor, the cancel comes before the event loop has created the task."""

    async def job(_: MessageSink) -> Observed:
        await wait_forever()
        return Observed(text="never")

    system.tell(system.start(partial(JobRunnerOnThread, job)), Ping(text="and cancel"))
    root.expect(Observed(text="cancelled"))
    root.expect_nothing_more()


def test_a_cancelled_job_cleans_up_before_its_outcome(
    system: ActorSystem, root: Probe, start_job: StartJob
) -> None:
    cleanup_done = new_future()

    async def job(send: MessageSink) -> Observed:
        try:
            send(Observed(text="running"))
            await wait_forever()
        finally:
            send(Observed(text="cleaning"))
            await asyncio.wrap_future(cleanup_done)
            send(Observed(text="clean"))
        return Observed(text="never")

    child = start_job(job)
    root.expect(Observed(text="running"))
    system.tell(child, PriorityPing())
    root.expect(Observed(text="cleaning"))
    root.expect_nothing_more()
    cleanup_done.set_result(None)
    root.expect(Observed(text="clean"), Observed(text="cancelled"))
    root.expect_nothing_more()


def test_a_job_that_ignores_its_cancellation_still_reports(
    system: ActorSystem, root: Probe, start_job: StartJob
) -> None:
    async def job(send: MessageSink) -> Observed:
        try:
            send(Observed(text="running"))
            await wait_forever()
        except asyncio.CancelledError:
            return Observed(text="returned after cancel")
        return Observed(text="never")

    child = start_job(job)
    root.expect(Observed(text="running"))
    system.tell(child, PriorityPing())
    root.expect(Observed(text="returned after cancel"))
    root.expect_nothing_more()


def test_cancelling_an_ended_job_has_no_effect(
    system: ActorSystem, root: Probe, start_job: StartJob
) -> None:
    async def job(_: MessageSink) -> Observed:
        return Observed(text="returned")

    child = start_job(job)
    root.expect(Observed(text="returned"))
    system.tell(child, PriorityPing())
    system.tell(child, Ping())
    root.expect(Observed(text="returned"))
    root.expect_nothing_more()


def test_a_stop_waits_for_a_job_and_drops_its_outcome(
    system: ActorSystem, root: Probe, start_job: StartJob
) -> None:
    cleanup_done = new_future()

    async def job(send: MessageSink) -> Observed:
        try:
            send(Observed(text="running"))
            await wait_forever()
        finally:
            await asyncio.wrap_future(cleanup_done)
        return Observed(text="never")

    child = start_job(job)
    root.expect(Observed(text="running"))
    system.stop_child(child)
    root.expect_nothing_more()
    cleanup_done.set_result(None)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()
    assert system.dead_letter_count == 0


def test_a_jobs_messages_arrive_in_order_before_its_outcome(
    root: Probe, start_job: StartJob
) -> None:
    async def job(send: MessageSink) -> Observed:
        for number in range(0, 100, 2):
            send(Observed(text=str(number)))
            await asyncio.to_thread(send, Observed(text=str(number + 1)))
        return Observed(text="returned")

    start_job(job)
    root.expect(*(Observed(text=str(number)) for number in range(100)), Observed(text="returned"))


def test_an_unexpected_message_raises_in_the_job(root: Probe, start_job: StartJob) -> None:
    async def job(send: MessageSink) -> Observed:
        with pytest.raises(UnexpectedMessageError):
            send(cast("Observed", ChildCancelled(child=ROOT)))
        return Observed(text="raised in the job")

    start_job(job)
    root.expect(Observed(text="raised in the job"))


def test_a_jobs_messages_after_the_end_are_dropped(
    system: ActorSystem, root: Probe, start_job: StartJob
) -> None:
    sinks: queue.SimpleQueue[MessageSink] = queue.SimpleQueue()

    async def job(send: MessageSink) -> Observed:
        sinks.put(send)
        return Observed(text="returned")

    child = start_job(job)
    root.expect(Observed(text="returned"))
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    sinks.get(timeout=PROBE_TIMEOUT_S)(Observed(text="too late"))
    root.expect_nothing_more()


def test_jobs_of_one_actor_run_in_parallel(
    system: ActorSystem, root: Probe, start_job: StartJob
) -> None:
    all_running = asyncio.Barrier(3)

    async def job(_: MessageSink) -> Observed:
        await all_running.wait()
        return Observed(text="met")

    child = start_job(job)
    for _ in range(2):
        system.tell(child, Ping())
    root.expect(*[Observed(text="met")] * 3)


def test_a_blocking_call_does_not_delay_the_end(system: ActorSystem, root: Probe) -> None:
    release: Future[None] = Future()

    async def job(send: MessageSink) -> Observed:
        send(Observed(text="running"))
        await asyncio.to_thread(release.result)
        return Observed(text="never")

    child = system.start(partial(JobRunner, job))
    system.tell(child, Ping())
    root.expect(Observed(text="running"))
    system.stop_child(child, timeout_s=3600)
    root.expect(ChildCancelled(child=child))
    release.set_result(None)


@pytest.mark.parametrize("error", [RuntimeError, SystemExit, KeyboardInterrupt, StopIteration])
def test_an_exception_in_a_blocking_call_is_the_outcome(
    system: ActorSystem, root: Probe, error: type[BaseException]
) -> None:
    def blocking() -> None:
        raise error("blocking")  # noqa: EM101  (a test error)

    async def job(_: MessageSink) -> Observed:
        await asyncio.to_thread(blocking)
        return Observed(text="never")

    system.tell(system.start(partial(JobRunner, job)), Ping())
    outcome = root.expect_kind(Observed).text
    assert outcome.startswith("raised ")
    assert error.__name__ in outcome
    root.expect_nothing_more()


def test_a_task_left_by_a_job_is_cancelled_at_exit() -> None:
    """It belongs to no actor, so only stopping the whole system cancels it."""
    events: queue.SimpleQueue[str] = queue.SimpleQueue()
    remaining_tasks: list[asyncio.Task[None]] = []

    async def run_on() -> None:
        try:
            events.put("started")
            await wait_forever()
        finally:
            events.put("cleaned up")

    async def job(_: MessageSink) -> Observed:
        remaining_tasks.append(asyncio.create_task(run_on()))
        return Observed(text="returned")

    system = ActorSystem()
    system.tell(system.start(partial(JobRunner, job)), Ping())
    assert events.get(timeout=PROBE_TIMEOUT_S) == "started"
    assert system.stop()
    assert events.get_nowait() == "cleaned up"
