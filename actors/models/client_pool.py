"""Lines to one server: clients of the SDK that differ only in their pool of connections.

A pool looks at each of its connections whenever a request of it begins or ends. With a thousand
agents in one, that takes longer than all else that the SDK does; so a pool is small, and another
one is opened when those before it are full. Few agents never need a second.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import anthropic

MAX_REQUESTS_PER_CLIENT = 50
"""Requests of one line that are under way; further ones wait, or go by the next."""
MAX_IDLE_CONNECTIONS = 12
"""Connections that a line keeps for later: as many as agents usually work at once."""
MAX_CLIENTS = 20
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}

MakeClient = Callable[["anthropic.AsyncAnthropic | None"], "anthropic.AsyncAnthropic"]
"""Makes a client, like an earlier one if there is one; on a worker thread."""


@dataclass(eq=False, slots=True)
class PooledClient:
    """One client, and how many requests of it are under way."""

    client: "anthropic.AsyncAnthropic"
    active_requests: int = 0


class Lines:
    """All lines to one server; used from one event loop."""

    def __init__(self, make_client: MakeClient) -> None:
        """Begin without any."""
        self._open_line = make_client
        self._lines: list[PooledClient] = []
        self._opening = asyncio.Lock()

    async def open_first(self) -> "anthropic.AsyncAnthropic":
        """Open the first one, unless it is there; raises what `open_line` does."""
        async with self._opening:
            return (await self._with_room(of=1)).client

    @asynccontextmanager
    async def acquire(self) -> AsyncGenerator["anthropic.AsyncAnthropic"]:
        """Take the first one with room for the time of a request; raises what `open_line` does."""
        async with self._opening:
            line = await self._with_room(of=MAX_CLIENTS)
            line.active_requests += 1
        try:
            yield line.client
        finally:
            line.active_requests -= 1

    async def close(self) -> None:
        """Close the connections."""
        lines, self._lines = self._lines, []
        for line in lines:
            await line.client.close()

    async def _with_room(self, of: int) -> PooledClient:
        """Find the first that is not full; when all are, the one with the fewest requests."""
        for line in self._lines:
            if line.active_requests < MAX_REQUESTS_PER_CLIENT:
                return line
        if len(self._lines) < of:
            first = self._lines[0].client if self._lines else None
            self._lines.append(PooledClient(await asyncio.to_thread(self._open_line, first)))
            return self._lines[-1]
        return min(self._lines, key=lambda line: line.active_requests)


def make_http_client(base_url: str | None) -> Any:  # noqa: ANN401  (the SDK's own dependency)
    """Make the part of a line that has the connections.

    It reaches this very machine without the environment's proxies, else all as the SDK does.
    """
    import anthropic  # noqa: PLC0415  (it is loaded late, see `anthropic_client`)
    import httpx2  # noqa: PLC0415  (as above)

    limits = httpx2.Limits(
        max_connections=MAX_REQUESTS_PER_CLIENT, max_keepalive_connections=MAX_IDLE_CONNECTIONS
    )
    if not base_url or urlsplit(base_url).hostname not in _LOOPBACK:
        return anthropic.DefaultAsyncHttpxClient(limits=limits)
    if urlsplit(base_url).scheme == "https":
        return httpx2.AsyncClient(trust_env=False, limits=limits)
    # One that trusts nobody: reading the system's certificates takes 25 ms, and none is shown here.
    nobody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx2.AsyncClient(trust_env=False, limits=limits, verify=nobody)
