"""Connections of browsers: one that begins a request and does not go on is closed.

The web server waits for the rest of a request as long as the other side likes. Whoever opens
requests and never ends them would hold all connections that there may be.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

IDLE = 30.0  # seconds without a byte of a request that is not complete
HEAD = 60.0  # seconds for all that comes before the body


class Connection(H11Protocol):
    """A connection that is closed when the rest of a request does not come."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._rest: asyncio.TimerHandle | None = None
        self._began = self.loop.time()
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take the next bytes, and wait for the rest."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        super().connection_lost(exc)
        if self._rest is not None:
            self._rest.cancel()

    def _wait(self) -> None:
        """Wait for the next bytes where some are missing, and not longer than that takes."""
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            self._rest = self.loop.call_later(IDLE, self._end)
        elif state is h11.IDLE and (self.cycle is None or self.conn.trailing_data[0]):
            left = HEAD - (self.loop.time() - self._began) if self.cycle is None else IDLE
            self._rest = self.loop.call_later(max(0.0, min(IDLE, left)), self._end)

    def _end(self) -> None:
        if not self.transport.is_closing():
            self.transport.abort()
