"""What all open pages hear at once: server-sent events.

    event: state       data: {"revision": 12}              something changed; ask for it
    event: progress    data: {"done": 3, "total": 10, ...}  how far the long work is

A page that does not listen for a while misses progress, and nothing else: it asks for the state.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

_QUIET = 15.0  # seconds after which a line of comment shows that the studio is there
_WAITING = 200  # events that are kept for a page; of more the oldest are dropped


class Events:
    """Messages to every page that listens."""

    def __init__(self) -> None:
        self._pages: set[asyncio.Queue[str]] = set()
        self._is_over = False

    def tell(self, kind: str, content: Any) -> None:
        """Send a message to every page."""
        text = f"event: {kind}\ndata: {json.dumps(content)}\n\n"
        for page in self._pages:
            if page.full():
                with suppress(asyncio.QueueEmpty):
                    page.get_nowait()
            page.put_nowait(text)

    async def listen(self) -> AsyncIterator[str]:
        """Messages for one page, until it goes or the studio ends."""
        page: asyncio.Queue[str] = asyncio.Queue(_WAITING)
        self._pages.add(page)
        try:
            yield "retry: 1000\n\n"
            while not self._is_over:
                try:
                    yield await asyncio.wait_for(page.get(), _QUIET)
                except TimeoutError:
                    yield ": here\n\n"
        finally:
            self._pages.discard(page)

    def close(self) -> None:
        """Let every page go."""
        self._is_over = True
        self.tell("closed", {})
