"""Threads under `asyncio.to_thread`: they are reused, and nothing waits for them."""

import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from actors.runtime.daemon_executor import MAX_IDLE_THREADS, DaemonThreadExecutor
from tests.probe import PROBE_TIMEOUT_S

pytestmark = pytest.mark.quick


class HeldObject:
    """An argument of a call."""


@pytest.fixture
def executor() -> Iterator[DaemonThreadExecutor]:
    daemon_executor = DaemonThreadExecutor()
    yield daemon_executor
    daemon_executor.shutdown()


def get_worker_thread(executor: DaemonThreadExecutor) -> threading.Thread:
    return executor.submit(threading.current_thread).result(PROBE_TIMEOUT_S)


def test_an_idle_thread_runs_the_next_call(executor: DaemonThreadExecutor) -> None:
    first = get_worker_thread(executor)
    while get_worker_thread(executor) is not first:  # it may not be idle yet
        pass


def test_a_call_starts_at_once_while_others_wait(executor: DaemonThreadExecutor) -> None:
    all_running = threading.Barrier(3 * MAX_IDLE_THREADS)
    calls = [
        executor.submit(all_running.wait, PROBE_TIMEOUT_S) for _ in range(3 * MAX_IDLE_THREADS)
    ]
    assert sorted(call.result(PROBE_TIMEOUT_S) for call in calls) == list(
        range(3 * MAX_IDLE_THREADS)
    )


def test_an_idle_thread_frees_the_arguments_of_its_call(executor: DaemonThreadExecutor) -> None:
    argument = HeldObject()
    reference = weakref.ref(argument)
    executor.submit(id, argument).result(PROBE_TIMEOUT_S)
    del argument
    while reference() is not None:  # until it is idle
        pass


def test_a_shutdown_ends_threads_after_their_calls() -> None:
    executor = DaemonThreadExecutor()
    release: Future[None] = Future()
    started: Future[threading.Thread] = Future()

    def wait() -> None:
        started.set_result(threading.current_thread())
        release.result()

    call = executor.submit(wait)
    workers = [
        started.result(PROBE_TIMEOUT_S),
        get_worker_thread(executor),
        get_worker_thread(executor),
    ]
    executor.shutdown()
    assert not call.done(), "shutdown must not wait"
    release.set_result(None)
    for worker in workers:
        worker.join(PROBE_TIMEOUT_S)
        assert not worker.is_alive()


def test_an_exception_in_a_call_goes_to_its_future(executor: DaemonThreadExecutor) -> None:
    with pytest.raises(ZeroDivisionError):
        executor.submit(divmod, 1, 0).result(PROBE_TIMEOUT_S)
