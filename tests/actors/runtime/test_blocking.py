"""The threads under `asyncio.to_thread`: they are used again, and nothing waits for them."""

import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from actors.runtime.blocking import MOST_IDLE, DaemonThreads
from tests.probe import PATIENCE_S

pytestmark = pytest.mark.quick


class Token:
    """Something that a call holds."""


@pytest.fixture
def threads() -> Iterator[DaemonThreads]:
    threads = DaemonThreads()
    yield threads
    threads.shutdown()


def worker_of(threads: DaemonThreads) -> threading.Thread:
    return threads.submit(threading.current_thread).result(PATIENCE_S)


def test_a_thread_that_is_idle_takes_the_next_call(threads: DaemonThreads) -> None:
    first = worker_of(threads)
    while worker_of(threads) is not first:  # it may not be idle yet
        pass


def test_a_call_begins_at_once_whatever_the_others_wait_for(threads: DaemonThreads) -> None:
    everybody = threading.Barrier(3 * MOST_IDLE)
    calls = [threads.submit(everybody.wait, PATIENCE_S) for _ in range(3 * MOST_IDLE)]
    assert sorted(call.result(PATIENCE_S) for call in calls) == list(range(3 * MOST_IDLE))


def test_an_idle_thread_keeps_nothing_of_the_call_before(threads: DaemonThreads) -> None:
    token = Token()
    trace = weakref.ref(token)
    threads.submit(id, token).result(PATIENCE_S)
    del token
    while trace() is not None:  # until it is idle
        pass


def test_threads_end_with_the_pool_the_busy_ones_after_their_call() -> None:
    threads = DaemonThreads()
    release: Future[None] = Future()
    begun: Future[threading.Thread] = Future()

    def busy() -> None:
        begun.set_result(threading.current_thread())
        release.result()

    call = threads.submit(busy)
    workers = [begun.result(PATIENCE_S), worker_of(threads), worker_of(threads)]
    threads.shutdown()
    assert not call.done(), "nobody waits for it"
    release.set_result(None)
    for worker in workers:
        worker.join(PATIENCE_S)
        assert not worker.is_alive()


def test_what_a_call_raises_is_its_futures(threads: DaemonThreads) -> None:
    with pytest.raises(ZeroDivisionError):
        threads.submit(divmod, 1, 0).result(PATIENCE_S)
