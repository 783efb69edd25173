"""Reports the end of a running command's output, a few times per second at most."""

import asyncio
from collections.abc import Callable

REPORT_INTERVAL_S = 0.2
MAX_LIVE_BYTES = 2_000
"""The end of the output that is reported."""


class LiveOutput:
    """Calls `report` with the end of the output, some time after each change."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._end = b""
        self._timer: asyncio.TimerHandle | None = None

    def add(self, chunk: bytes) -> None:
        """Add the next bytes."""
        self._end = (self._end + chunk)[-MAX_LIVE_BYTES:]
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(REPORT_INTERVAL_S, self._send)

    def close(self) -> None:
        """Report nothing more: the result has all of the output."""
        if self._timer is not None:
            self._timer.cancel()

    def _send(self) -> None:
        self._timer = None
        self._report(self._end.decode("utf-8", "replace"))
