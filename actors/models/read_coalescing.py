"""Joining of the chunks that arrive in one socket read."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator


async def coalesce_reads(
    chunks: AsyncIterator[bytes], idle_timeout_s: float
) -> AsyncGenerator[bytes, None]:
    """Join the chunks that are available without waiting; pass on exceptions from reading them.

    An HTTP client returns the parts of a chunked body one by one, even if they came in one read.
    A task collects them until it has to wait for the socket; only then does the consumer wake.

    Raises:
        TimeoutError: nothing arrived for `idle_timeout_s`.
    """
    collected: list[bytes] = []
    arrived = asyncio.Event()

    async def collect() -> None:
        try:
            async for chunk in chunks:
                collected.append(chunk)
                arrived.set()
        finally:
            arrived.set()

    task = asyncio.create_task(collect())
    try:
        while collected or not task.done():
            async with asyncio.timeout(idle_timeout_s):
                await arrived.wait()
            arrived.clear()
            data = b"".join(collected)
            collected.clear()
            if data:
                yield data
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
