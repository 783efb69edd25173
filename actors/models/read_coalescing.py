"""What one read of the socket brought, in one piece."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator


async def coalesce_reads(
    chunks: AsyncIterator[bytes], idle_timeout_s: float
) -> AsyncGenerator[bytes, None]:
    """Join the chunks that are there without waiting; raises whatever reading them raised.

    An HTTP client hands out the parts of a chunked body one by one, also those of a single read.
    A task takes them until it has to wait for the socket; only then is the reader woken.

    Raises:
        TimeoutError: nothing came for `idle_s`.
    """
    waiting: list[bytes] = []
    arrived = asyncio.Event()

    async def take() -> None:
        try:
            async for chunk in chunks:
                waiting.append(chunk)
                arrived.set()
        finally:
            arrived.set()

    taking = asyncio.create_task(take())
    try:
        while waiting or not taking.done():
            async with asyncio.timeout(idle_timeout_s):
                await arrived.wait()
            arrived.clear()
            burst = b"".join(waiting)
            waiting.clear()
            if burst:
                yield burst
        await taking
    finally:
        taking.cancel()
        await asyncio.gather(taking, return_exceptions=True)
