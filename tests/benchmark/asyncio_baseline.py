"""The limit for the substrate: bare asyncio, a task and a queue for each actor, no more."""

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
    """Microseconds for one message."""

    async def main() -> float:
        queue: asyncio.Queue[int] = asyncio.Queue()

        async def count() -> None:
            while await queue.get() != TELL_COUNT:
                pass

        counting = asyncio.create_task(count())
        await asyncio.sleep(0)
        began_s = time.perf_counter()
        for number in range(TELL_COUNT):
            queue.put_nowait(number + 1)
        await counting
        return (time.perf_counter() - began_s) / TELL_COUNT * 1e6

    return asyncio.run(main())


def ask_us() -> float:
    """Microseconds for a request and its reply."""

    async def main() -> float:
        queue: asyncio.Queue[tuple[int, asyncio.Future[int]]] = asyncio.Queue()

        async def reply() -> None:
            while True:
                message, answer = await queue.get()
                answer.set_result(message)

        replying = asyncio.create_task(reply())
        loop = asyncio.get_running_loop()
        began_s = time.perf_counter()
        for number in range(ASK_COUNT):
            answer: asyncio.Future[int] = loop.create_future()
            queue.put_nowait((number, answer))
            await answer
        took_s = time.perf_counter() - began_s
        replying.cancel()
        return took_s / ASK_COUNT * 1e6

    return asyncio.run(main())


def start_and_cancel_us(count: int = ACTOR_COUNT) -> tuple[float, float]:
    """Microseconds to start one of so many tasks, until it said so, and to end it, likewise."""

    async def main() -> tuple[float, float]:
        told: asyncio.Queue[int] = asyncio.Queue()

        async def idle(queue: asyncio.Queue[int]) -> None:
            told.put_nowait(1)
            while await queue.get():
                pass
            told.put_nowait(0)

        began_s = time.perf_counter()
        queues: list[asyncio.Queue[int]] = [asyncio.Queue() for _ in range(count)]
        tasks = [asyncio.create_task(idle(queue)) for queue in queues]
        await _taken(told, count)
        started_s = time.perf_counter()
        for queue in queues:
            queue.put_nowait(0)
        await _taken(told, count)
        await asyncio.gather(*tasks)
        ended_s = time.perf_counter()
        return (started_s - began_s) / count * 1e6, (ended_s - started_s) / count * 1e6

    return asyncio.run(main())


async def _taken(queue: asyncio.Queue[T], count: int) -> None:
    for _ in range(count):
        await queue.get()


def memory_kib() -> float:
    """KiB for one idle task with its queue."""

    async def main() -> float:
        async def idle(queue: asyncio.Queue[int]) -> None:
            await queue.get()

        tracemalloc.start()
        tasks = [asyncio.create_task(idle(asyncio.Queue())) for _ in range(ACTOR_COUNT)]
        await asyncio.sleep(0)
        taken_bytes, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        for task in tasks:
            task.cancel()
        return taken_bytes / ACTOR_COUNT / 1024

    return asyncio.run(main())


def cancel_tree_ms() -> float:
    """Milliseconds to cancel a tree of tasks, each of which waits for its children and a job."""

    async def main() -> float:
        waiting: asyncio.Queue[int] = asyncio.Queue()

        async def branch(depth: int) -> None:
            never = asyncio.Event()
            below = [branch(depth - 1) for _ in range(TREE_BREADTH if depth else 0)]
            waiting.put_nowait(depth)
            await asyncio.gather(never.wait(), *below)

        root = asyncio.create_task(branch(TREE_DEPTH))
        await _taken(waiting, TREE_SIZE)
        began_s = time.perf_counter()
        root.cancel()
        await asyncio.wait_for(asyncio.gather(root, return_exceptions=True), None)
        return (time.perf_counter() - began_s) * 1e3

    return asyncio.run(main())
