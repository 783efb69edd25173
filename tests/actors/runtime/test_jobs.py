"""Every work has exactly one outcome, and a cancelled one's comes when it has really ended."""

import asyncio
import queue
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import partial
from typing import cast

import pytest

from actors.runtime.actor import UnexpectedMessageError
from actors.runtime.system import ActorSystem
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
each_dispatcher = pytest.mark.parametrize("worker", [JobRunner, JobRunnerOnThread])


async def wait_forever() -> None:
    await asyncio.Event().wait()


@each_dispatcher
def test_what_a_job_returns_is_its_outcome(
    system: ActorSystem, root: Probe, worker: type[JobRunner]
) -> None:
    async def job(_: MessageSink) -> Observed:
        return Observed(text="returned")

    system.tell(system.start(partial(worker, job)), Ping())
    root.expect(Observed(text="returned"))
    root.expect_nothing_more()


@each_dispatcher
def test_a_job_that_raises_has_failed(
    system: ActorSystem, root: Probe, worker: type[JobRunner]
) -> None:
    async def job(_: MessageSink) -> Observed:
        raise ConnectionResetError(104, "connection reset")

    system.tell(system.start(partial(worker, job)), Ping())
    root.expect(Observed(text="raised ConnectionResetError: [Errno 104] connection reset"))
    root.expect_nothing_more()


@each_dispatcher
def test_a_job_that_returns_no_message_has_failed(
    system: ActorSystem, root: Probe, worker: type[JobRunner]
) -> None:
    async def job(_: MessageSink) -> Observed:
        return cast("Observed", None)

    system.tell(system.start(partial(worker, job)), Ping())
    root.expect(Observed(text="raised TypeError: the job returned NoneType"))


@each_dispatcher
def test_an_outcome_that_the_inbox_does_not_have_is_a_crash(
    system: ActorSystem, root: Probe, worker: type[JobRunner]
) -> None:
    async def job(_: MessageSink) -> Observed:
        return cast("Observed", ChildCancelled(child=child))

    child = system.start(partial(worker, job))
    system.tell(child, Ping())
    detail = f"UnexpectedMessageError: {child} does not receive ChildCancelled"
    root.expect(ChildFailed(child=child, cause="crash", detail=detail))


def test_a_job_cancelled_before_its_first_step_never_runs(system: ActorSystem, root: Probe) -> None:
    async def job(say: MessageSink) -> Observed:
        say(Observed(text="it ran"))
        return Observed(text="returned")

    system.tell(system.start(partial(JobRunner, job)), Ping(text="and cancel"))
    root.expect(Observed(text="cancelled"))
    root.expect_nothing_more()


def test_a_cancel_right_after_the_work_is_not_lost_on_its_way_to_the_loop(
    system: ActorSystem, root: Probe
) -> None:
    """From a thread the cancel is given when there is no task yet."""

    async def job(_: MessageSink) -> Observed:
        await wait_forever()
        return Observed(text="never")

    system.tell(system.start(partial(JobRunnerOnThread, job)), Ping(text="and cancel"))
    root.expect(Observed(text="cancelled"))
    root.expect_nothing_more()


@each_dispatcher
def test_a_cancelled_job_cleans_up_before_its_outcome(
    system: ActorSystem, root: Probe, worker: type[JobRunner]
) -> None:
    clean_up = new_future()

    async def job(say: MessageSink) -> Observed:
        try:
            say(Observed(text="at work"))
            await wait_forever()
        finally:
            say(Observed(text="cleaning"))
            await asyncio.wrap_future(clean_up)
            say(Observed(text="clean"))
        return Observed(text="never")

    child = system.start(partial(worker, job))
    system.tell(child, Ping())
    root.expect(Observed(text="at work"))
    system.tell(child, PriorityPing())
    root.expect(Observed(text="cleaning"))
    root.expect_nothing_more()
    clean_up.set_result(None)
    root.expect(Observed(text="clean"), Observed(text="cancelled"))
    root.expect_nothing_more()


@each_dispatcher
def test_a_job_that_swallows_its_cancellation_is_heard(
    system: ActorSystem, root: Probe, worker: type[JobRunner]
) -> None:
    async def job(say: MessageSink) -> Observed:
        try:
            say(Observed(text="at work"))
            await wait_forever()
        except asyncio.CancelledError:
            return Observed(text="all the same")
        return Observed(text="never")

    child = system.start(partial(worker, job))
    system.tell(child, Ping())
    root.expect(Observed(text="at work"))
    system.tell(child, PriorityPing())
    root.expect(Observed(text="all the same"))
    root.expect_nothing_more()


@each_dispatcher
def test_cancelling_an_ended_job_does_nothing(
    system: ActorSystem, root: Probe, worker: type[JobRunner]
) -> None:
    async def job(_: MessageSink) -> Observed:
        return Observed(text="returned")

    child = system.start(partial(worker, job))
    system.tell(child, Ping())
    root.expect(Observed(text="returned"))
    system.tell(child, PriorityPing())
    system.tell(child, Ping())
    root.expect(Observed(text="returned"))
    root.expect_nothing_more()


@each_dispatcher
def test_an_outcome_after_the_stop_is_dropped_but_awaited(
    system: ActorSystem, root: Probe, worker: type[JobRunner]
) -> None:
    clean_up = new_future()

    async def job(say: MessageSink) -> Observed:
        try:
            say(Observed(text="at work"))
            await wait_forever()
        finally:
            await asyncio.wrap_future(clean_up)
        return Observed(text="never")

    child = system.start(partial(worker, job))
    system.tell(child, Ping())
    root.expect(Observed(text="at work"))
    system.stop_child(child)
    root.expect_nothing_more()
    clean_up.set_result(None)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()
    assert system.dead_letter_count == 0


@each_dispatcher
def test_what_a_job_says_comes_in_order_and_before_its_outcome(
    system: ActorSystem, root: Probe, worker: type[JobRunner]
) -> None:
    async def job(say: MessageSink) -> Observed:
        for number in range(0, 100, 2):
            say(Observed(text=str(number)))
            await asyncio.to_thread(say, Observed(text=str(number + 1)))
        return Observed(text="returned")

    system.tell(system.start(partial(worker, job)), Ping())
    root.expect(*(Observed(text=str(number)) for number in range(100)), Observed(text="returned"))


@each_dispatcher
def test_what_a_job_may_not_say_fails_the_job(
    system: ActorSystem, root: Probe, worker: type[JobRunner]
) -> None:
    async def job(say: MessageSink) -> Observed:
        with pytest.raises(UnexpectedMessageError):
            say(cast("Observed", ChildCancelled(child=child)))
        return Observed(text="it was told")

    child = system.start(partial(worker, job))
    system.tell(child, Ping())
    root.expect(Observed(text="it was told"))


@each_dispatcher
def test_nobody_hears_what_is_said_after_the_end(
    system: ActorSystem, root: Probe, worker: type[JobRunner]
) -> None:
    inlets: queue.SimpleQueue[MessageSink] = queue.SimpleQueue()

    async def job(say: MessageSink) -> Observed:
        inlets.put(say)
        return Observed(text="returned")

    child = system.start(partial(worker, job))
    system.tell(child, Ping())
    root.expect(Observed(text="returned"))
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    inlets.get(timeout=PROBE_TIMEOUT_S)(Observed(text="too late"))
    root.expect_nothing_more()


@each_dispatcher
def test_jobs_of_one_actor_run_side_by_side(
    system: ActorSystem, root: Probe, worker: type[JobRunner]
) -> None:
    all_here = asyncio.Barrier(3)

    async def job(_: MessageSink) -> Observed:
        await all_here.wait()
        return Observed(text="met")

    child = system.start(partial(worker, job))
    for _ in range(3):
        system.tell(child, Ping())
    root.expect(*[Observed(text="met")] * 3)


def test_blocking_work_does_not_delay_the_end(system: ActorSystem, root: Probe) -> None:
    release: Future[None] = Future()

    async def job(say: MessageSink) -> Observed:
        say(Observed(text="at work"))
        await asyncio.to_thread(release.result)
        return Observed(text="never")

    child = system.start(
        partial(JobRunner, cast("Callable[[MessageSink], Awaitable[Observed]]", job))
    )
    system.tell(child, Ping())
    root.expect(Observed(text="at work"))
    system.stop_child(child, timeout_s=3600)
    root.expect(ChildCancelled(child=child))
    release.set_result(None)


@pytest.mark.parametrize("error", [RuntimeError, SystemExit, KeyboardInterrupt, StopIteration])
def test_what_a_blocking_call_raises_is_its_jobs_outcome(
    system: ActorSystem, root: Probe, error: type[BaseException]
) -> None:
    def blocking() -> None:
        raise error("below")  # noqa: EM101  (where it is raised)

    async def job(_: MessageSink) -> Observed:
        await asyncio.to_thread(blocking)
        return Observed(text="never")

    system.tell(system.start(partial(JobRunner, job)), Ping())
    outcome = root.expect_kind(Observed).text
    assert outcome.startswith("raised ")
    assert error.__name__ in outcome
    root.expect_nothing_more()


def test_what_a_job_leaves_running_is_cancelled_when_everything_ends() -> None:
    """It is nobody's work: no stop reaches it but the last."""
    said: queue.SimpleQueue[str] = queue.SimpleQueue()
    left_behind: list[asyncio.Task[None]] = []

    async def side() -> None:
        try:
            said.put("begun")
            await wait_forever()
        finally:
            said.put("cleaned up")

    async def job(_: MessageSink) -> Observed:
        left_behind.append(asyncio.create_task(side()))
        return Observed(text="returned")

    system = ActorSystem()
    system.tell(system.start(partial(JobRunner, job)), Ping())
    assert said.get(timeout=PROBE_TIMEOUT_S) == "begun"
    assert system.stop()
    assert said.get_nowait() == "cleaned up"
