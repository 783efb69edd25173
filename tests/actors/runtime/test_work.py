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
from messages.agents import ChildCancelled, ChildFailed
from tests.actors.runtime.behaviours import (
    Hurry,
    Poke,
    Said,
    Worker,
    WorkerOnThread,
    new_future,
)
from tests.probe import PATIENCE_S, Probe

pytestmark = pytest.mark.quick

Say = Callable[[Said], None]
workers = pytest.mark.parametrize("worker", [Worker, WorkerOnThread])


async def for_ever() -> None:
    await asyncio.Event().wait()


@workers
def test_what_a_job_returns_is_its_outcome(
    system: ActorSystem, root: Probe, worker: type[Worker]
) -> None:
    async def job(_: Say) -> Said:
        return Said(word="returned")

    system.tell(system.start(partial(worker, job)), Poke())
    root.expect(Said(word="returned"))
    root.expect_nothing_more()


@workers
def test_a_job_that_raises_has_failed(
    system: ActorSystem, root: Probe, worker: type[Worker]
) -> None:
    async def job(_: Say) -> Said:
        raise ConnectionResetError(104, "connection reset")

    system.tell(system.start(partial(worker, job)), Poke())
    root.expect(Said(word="raised ConnectionResetError: [Errno 104] connection reset"))
    root.expect_nothing_more()


@workers
def test_a_job_that_returns_no_message_has_failed(
    system: ActorSystem, root: Probe, worker: type[Worker]
) -> None:
    async def job(_: Say) -> Said:
        return cast("Said", None)

    system.tell(system.start(partial(worker, job)), Poke())
    root.expect(Said(word="raised TypeError: the job returned NoneType"))


@workers
def test_an_outcome_that_the_inbox_does_not_have_is_a_crash(
    system: ActorSystem, root: Probe, worker: type[Worker]
) -> None:
    async def job(_: Say) -> Said:
        return cast("Said", ChildCancelled(child=child))

    child = system.start(partial(worker, job))
    system.tell(child, Poke())
    detail = f"UnexpectedMessageError: {child} does not receive ChildCancelled"
    root.expect(ChildFailed(child=child, cause="crash", detail=detail))


def test_a_job_cancelled_before_its_first_step_never_runs(system: ActorSystem, root: Probe) -> None:
    async def job(say: Say) -> Said:
        say(Said(word="it ran"))
        return Said(word="returned")

    system.tell(system.start(partial(Worker, job)), Poke(word="and cancel"))
    root.expect(Said(word="cancelled"))
    root.expect_nothing_more()


def test_a_cancel_right_after_the_work_is_not_lost_on_its_way_to_the_loop(
    system: ActorSystem, root: Probe
) -> None:
    """From a thread the cancel is given when there is no task yet."""

    async def job(_: Say) -> Said:
        await for_ever()
        return Said(word="never")

    system.tell(system.start(partial(WorkerOnThread, job)), Poke(word="and cancel"))
    root.expect(Said(word="cancelled"))
    root.expect_nothing_more()


@workers
def test_a_cancelled_job_cleans_up_before_its_outcome(
    system: ActorSystem, root: Probe, worker: type[Worker]
) -> None:
    clean_up = new_future()

    async def job(say: Say) -> Said:
        try:
            say(Said(word="at work"))
            await for_ever()
        finally:
            say(Said(word="cleaning"))
            await asyncio.wrap_future(clean_up)
            say(Said(word="clean"))
        return Said(word="never")

    child = system.start(partial(worker, job))
    system.tell(child, Poke())
    root.expect(Said(word="at work"))
    system.tell(child, Hurry())
    root.expect(Said(word="cleaning"))
    root.expect_nothing_more()
    clean_up.set_result(None)
    root.expect(Said(word="clean"), Said(word="cancelled"))
    root.expect_nothing_more()


@workers
def test_a_job_that_swallows_its_cancellation_is_heard(
    system: ActorSystem, root: Probe, worker: type[Worker]
) -> None:
    async def job(say: Say) -> Said:
        try:
            say(Said(word="at work"))
            await for_ever()
        except asyncio.CancelledError:
            return Said(word="all the same")
        return Said(word="never")

    child = system.start(partial(worker, job))
    system.tell(child, Poke())
    root.expect(Said(word="at work"))
    system.tell(child, Hurry())
    root.expect(Said(word="all the same"))
    root.expect_nothing_more()


@workers
def test_cancelling_an_ended_job_does_nothing(
    system: ActorSystem, root: Probe, worker: type[Worker]
) -> None:
    async def job(_: Say) -> Said:
        return Said(word="returned")

    child = system.start(partial(worker, job))
    system.tell(child, Poke())
    root.expect(Said(word="returned"))
    system.tell(child, Hurry())
    system.tell(child, Poke())
    root.expect(Said(word="returned"))
    root.expect_nothing_more()


@workers
def test_an_outcome_after_the_stop_is_dropped_but_awaited(
    system: ActorSystem, root: Probe, worker: type[Worker]
) -> None:
    clean_up = new_future()

    async def job(say: Say) -> Said:
        try:
            say(Said(word="at work"))
            await for_ever()
        finally:
            await asyncio.wrap_future(clean_up)
        return Said(word="never")

    child = system.start(partial(worker, job))
    system.tell(child, Poke())
    root.expect(Said(word="at work"))
    system.stop_child(child)
    root.expect_nothing_more()
    clean_up.set_result(None)
    root.expect(ChildCancelled(child=child))
    root.expect_nothing_more()
    assert system.dead_letters == 0


@workers
def test_what_a_job_says_comes_in_order_and_before_its_outcome(
    system: ActorSystem, root: Probe, worker: type[Worker]
) -> None:
    async def job(say: Say) -> Said:
        for number in range(0, 100, 2):
            say(Said(word=str(number)))
            await asyncio.to_thread(say, Said(word=str(number + 1)))
        return Said(word="returned")

    system.tell(system.start(partial(worker, job)), Poke())
    root.expect(*(Said(word=str(number)) for number in range(100)), Said(word="returned"))


@workers
def test_what_a_job_may_not_say_fails_the_job(
    system: ActorSystem, root: Probe, worker: type[Worker]
) -> None:
    async def job(say: Say) -> Said:
        with pytest.raises(UnexpectedMessageError):
            say(cast("Said", ChildCancelled(child=child)))
        return Said(word="it was told")

    child = system.start(partial(worker, job))
    system.tell(child, Poke())
    root.expect(Said(word="it was told"))


@workers
def test_nobody_hears_what_is_said_after_the_end(
    system: ActorSystem, root: Probe, worker: type[Worker]
) -> None:
    inlets: queue.SimpleQueue[Say] = queue.SimpleQueue()

    async def job(say: Say) -> Said:
        inlets.put(say)
        return Said(word="returned")

    child = system.start(partial(worker, job))
    system.tell(child, Poke())
    root.expect(Said(word="returned"))
    system.stop_child(child)
    root.expect(ChildCancelled(child=child))
    inlets.get(timeout=PATIENCE_S)(Said(word="too late"))
    root.expect_nothing_more()


@workers
def test_jobs_of_one_actor_run_side_by_side(
    system: ActorSystem, root: Probe, worker: type[Worker]
) -> None:
    all_here = asyncio.Barrier(3)

    async def job(_: Say) -> Said:
        await all_here.wait()
        return Said(word="met")

    child = system.start(partial(worker, job))
    for _ in range(3):
        system.tell(child, Poke())
    root.expect(*[Said(word="met")] * 3)


def test_blocking_work_does_not_delay_the_end(system: ActorSystem, root: Probe) -> None:
    release: Future[None] = Future()

    async def job(say: Say) -> Said:
        say(Said(word="at work"))
        await asyncio.to_thread(release.result)
        return Said(word="never")

    child = system.start(partial(Worker, cast("Callable[[Say], Awaitable[Said]]", job)))
    system.tell(child, Poke())
    root.expect(Said(word="at work"))
    system.stop_child(child, within_s=3600)
    root.expect(ChildCancelled(child=child))
    release.set_result(None)


@pytest.mark.parametrize("error", [RuntimeError, SystemExit, KeyboardInterrupt, StopIteration])
def test_what_a_blocking_call_raises_is_its_jobs_outcome(
    system: ActorSystem, root: Probe, error: type[BaseException]
) -> None:
    def blocking() -> None:
        raise error("below")  # noqa: EM101  (where it is raised)

    async def job(_: Say) -> Said:
        await asyncio.to_thread(blocking)
        return Said(word="never")

    system.tell(system.start(partial(Worker, job)), Poke())
    outcome = root.expect_kind(Said).word
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
            await for_ever()
        finally:
            said.put("cleaned up")

    async def job(_: Say) -> Said:
        left_behind.append(asyncio.create_task(side()))
        return Said(word="returned")

    system = ActorSystem()
    system.tell(system.start(partial(Worker, job)), Poke())
    assert said.get(timeout=PATIENCE_S) == "begun"
    assert system.stop()
    assert said.get_nowait() == "cleaned up"
