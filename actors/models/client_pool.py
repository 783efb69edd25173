"""A pool of SDK clients for one server, each with its own small connection pool.

An HTTP connection pool scans all its connections whenever a request starts or ends. With a thousand
agents in one pool, that takes longer than everything else in the SDK. So each client has a small
pool, and another client is created when all others are full. Few agents never need a second one.
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
"""Concurrent requests of one client; further ones use the next client, or wait."""
MAX_IDLE_CONNECTIONS = 12
"""Connections that a client keeps open: the usual number of concurrent agents."""
MAX_CLIENTS = 20
_LOOPBACK_HOSTS = {"127.0.0.1", "::1", "localhost"}

MakeClient = Callable[["anthropic.AsyncAnthropic | None"], "anthropic.AsyncAnthropic"]
"""Creates a client on a worker thread, as a copy of the first one if there is one."""


@dataclass(eq=False, slots=True)
class PooledClient:
    """A client and the number of its requests in progress."""

    client: "anthropic.AsyncAnthropic"
    active_requests: int = 0


class ClientPool:
    """All clients for one server; used from one event loop."""

    def __init__(self, make_client: MakeClient) -> None:
        """Start without clients."""
        self._make_client = make_client
        self._clients: list[PooledClient] = []
        self._lock = asyncio.Lock()

    async def open_first(self) -> "anthropic.AsyncAnthropic":
        """Create the first client unless it exists; passes on exceptions of `make_client`."""
        async with self._lock:
            return (await self._find_available(max_clients=1)).client

    @asynccontextmanager
    async def acquire(self) -> AsyncGenerator["anthropic.AsyncAnthropic"]:
        """Lend a client for one request; passes on exceptions of `make_client`."""
        async with self._lock:
            pooled = await self._find_available(max_clients=MAX_CLIENTS)
            pooled.active_requests += 1
        try:
            yield pooled.client
        finally:
            pooled.active_requests -= 1

    async def close(self) -> None:
        """Close the connections."""
        clients, self._clients = self._clients, []
        for pooled in clients:
            await pooled.client.close()

    async def _find_available(self, max_clients: int) -> PooledClient:
        """Return the first client that is not full, else a new one, else the least busy one."""
        for pooled in self._clients:
            if pooled.active_requests < MAX_REQUESTS_PER_CLIENT:
                return pooled
        if len(self._clients) < max_clients:
            first = self._clients[0].client if self._clients else None
            self._clients.append(PooledClient(await asyncio.to_thread(self._make_client, first)))
            return self._clients[-1]
        return min(self._clients, key=lambda pooled: pooled.active_requests)


def make_http_client(base_url: str | None) -> Any:  # noqa: ANN401  (the SDK's own dependency)
    """Create an HTTP client as the SDK does, but with a small connection pool.

    For a server on this machine, it ignores the proxies that the environment sets.
    """
    import anthropic  # noqa: PLC0415  (imported late, see `anthropic_client`)
    import httpx2  # noqa: PLC0415  (as above)

    limits = httpx2.Limits(
        max_connections=MAX_REQUESTS_PER_CLIENT, max_keepalive_connections=MAX_IDLE_CONNECTIONS
    )
    if not base_url or urlsplit(base_url).hostname not in _LOOPBACK_HOSTS:
        return anthropic.DefaultAsyncHttpxClient(limits=limits)
    if urlsplit(base_url).scheme == "https":
        return httpx2.AsyncClient(trust_env=False, limits=limits)
    # Plain HTTP needs no certificates, and reading the system's takes 25 ms.
    empty_context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx2.AsyncClient(trust_env=False, limits=limits, verify=empty_context)
