"""Baseline for the actor runtime: asyncio with a task and a queue per actor."""

import asyncio
import time
import tracemalloc
from typing import TypeVar

from tests.benchmark.workload_sizes import (
    ACTOR_COUNT,
    ASK_COUNT,
    TELL_COUNT,
    TREE_BREADTH,
    TREE_DEPTH,
    TREE_SIZE,
)

T = TypeVar("T")


def tell_us() -> float:
    """Return the microseconds per message."""

    async def main() -> float:
        queue: asyncio.Queue[int] = asyncio.Queue()

        async def count() -> None:
            while await queue.get() != TELL_COUNT:
                pass

        counter = asyncio.create_task(count())
        await asyncio.sleep(0)
        started_s = time.perf_counter()
        for number in range(TELL_COUNT):
            queue.put_nowait(number + 1)
        await counter
        return (time.perf_counter() - started_s) / TELL_COUNT * 1e6

    return asyncio.run(main())


def ask_us() -> float:
    """Return the microseconds per request and reply."""

    async def main() -> float:
        queue: asyncio.Queue[tuple[int, asyncio.Future[int]]] = asyncio.Queue()

        async def send_replies() -> None:
            while True:
                message, reply = await queue.get()
                reply.set_result(message)

        replier = asyncio.create_task(send_replies())
        loop = asyncio.get_running_loop()
        started_s = time.perf_counter()
        for number in range(ASK_COUNT):
            reply: asyncio.Future[int] = loop.create_future()
            queue.put_nowait((number, reply))
            await reply
        elapsed_s = time.perf_counter() - started_s
        replier.cancel()
        return elapsed_s / ASK_COUNT * 1e6

    return asyncio.run(main())


def start_and_cancel_us(count: int = ACTOR_COUNT) -> tuple[float, float]:
    """Return the microseconds per task until all have started, and until all have ended."""

    async def main() -> tuple[float, float]:
        reports: asyncio.Queue[int] = asyncio.Queue()

        async def idle(queue: asyncio.Queue[int]) -> None:
            reports.put_nowait(1)
            while await queue.get():
                pass
            reports.put_nowait(0)

        started_s = time.perf_counter()
        queues: list[asyncio.Queue[int]] = [asyncio.Queue() for _ in range(count)]
        tasks = [asyncio.create_task(idle(queue)) for queue in queues]
        await _take_all(reports, count)
        all_started_s = time.perf_counter()
        for queue in queues:
            queue.put_nowait(0)
        await _take_all(reports, count)
        await asyncio.gather(*tasks)
        start_s, stop_s = all_started_s - started_s, time.perf_counter() - all_started_s
        return start_s / count * 1e6, stop_s / count * 1e6

    return asyncio.run(main())


async def _take_all(queue: asyncio.Queue[T], count: int) -> None:
    for _ in range(count):
        await queue.get()


def memory_kib() -> float:
    """Return the KiB per idle task with its queue."""

    async def main() -> float:
        async def idle(queue: asyncio.Queue[int]) -> None:
            await queue.get()

        tracemalloc.start()
        tasks = [asyncio.create_task(idle(asyncio.Queue())) for _ in range(ACTOR_COUNT)]
        await asyncio.sleep(0)
        used_bytes, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        for task in tasks:
            task.cancel()
        return used_bytes / ACTOR_COUNT / 1024

    return asyncio.run(main())


def cancel_tree_ms() -> float:
    """Return the milliseconds to cancel a tree of tasks that wait for children and a job."""

    async def main() -> float:
        waiting: asyncio.Queue[int] = asyncio.Queue()

        async def branch(depth: int) -> None:
            never = asyncio.Event()
            children = [branch(depth - 1) for _ in range(TREE_BREADTH if depth else 0)]
            waiting.put_nowait(depth)
            await asyncio.gather(never.wait(), *children)

        root = asyncio.create_task(branch(TREE_DEPTH))
        await _take_all(waiting, TREE_SIZE)
        started_s = time.perf_counter()
        root.cancel()
        await asyncio.wait_for(asyncio.gather(root, return_exceptions=True), None)
        return (time.perf_counter() - started_s) * 1e3

    return asyncio.run(main())
