"""The threads under `asyncio.to_thread`: they are used again, and nothing waits for them."""

import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from actors.runtime.daemon_executor import MAX_IDLE_THREADS, DaemonThreadExecutor
from tests.probe import PROBE_TIMEOUT_S

pytestmark = pytest.mark.quick


class HeldObject:
    """Something that a call holds."""


@pytest.fixture
def executor() -> Iterator[DaemonThreadExecutor]:
    threads = DaemonThreadExecutor()
    yield threads
    threads.shutdown()


def get_worker_thread(executor: DaemonThreadExecutor) -> threading.Thread:
    return executor.submit(threading.current_thread).result(PROBE_TIMEOUT_S)


def test_a_thread_that_is_idle_takes_the_next_call(executor: DaemonThreadExecutor) -> None:
    first = get_worker_thread(executor)
    while get_worker_thread(executor) is not first:  # it may not be idle yet
        pass


def test_a_call_begins_at_once_whatever_the_others_wait_for(executor: DaemonThreadExecutor) -> None:
    everybody = threading.Barrier(3 * MAX_IDLE_THREADS)
    calls = [executor.submit(everybody.wait, PROBE_TIMEOUT_S) for _ in range(3 * MAX_IDLE_THREADS)]
    assert sorted(call.result(PROBE_TIMEOUT_S) for call in calls) == list(
        range(3 * MAX_IDLE_THREADS)
    )


def test_an_idle_thread_keeps_nothing_of_the_call_before(executor: DaemonThreadExecutor) -> None:
    token = HeldObject()
    trace = weakref.ref(token)
    executor.submit(id, token).result(PROBE_TIMEOUT_S)
    del token
    while trace() is not None:  # until it is idle
        pass


def test_threads_end_with_the_pool_the_busy_ones_after_their_call() -> None:
    threads = DaemonThreadExecutor()
    release: Future[None] = Future()
    begun: Future[threading.Thread] = Future()

    def busy() -> None:
        begun.set_result(threading.current_thread())
        release.result()

    call = threads.submit(busy)
    workers = [
        begun.result(PROBE_TIMEOUT_S),
        get_worker_thread(threads),
        get_worker_thread(threads),
    ]
    threads.shutdown()
    assert not call.done(), "nobody waits for it"
    release.set_result(None)
    for worker in workers:
        worker.join(PROBE_TIMEOUT_S)
        assert not worker.is_alive()


def test_what_a_call_raises_is_its_futures(executor: DaemonThreadExecutor) -> None:
    with pytest.raises(ZeroDivisionError):
        executor.submit(divmod, 1, 0).result(PROBE_TIMEOUT_S)
