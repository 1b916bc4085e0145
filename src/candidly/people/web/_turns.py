"""Requests of one client take turns, so that what is slow for one is not slow for the others."""

from __future__ import annotations

from asyncio import Semaphore
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool

Value = TypeVar("Value")
AT_ONCE = 4  # a page with its images asks for about so many


class Turns:
    """Runs functions in threads: of each client a few at once, the rest after them, in order."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self.at_once = at_once
        self._clients: dict[str, tuple[Semaphore, int]] = {}  # and who works or waits there

    async def run(self, client: str, work: Callable[..., Value], *args: Any) -> Value:
        """What ``work(*args)`` returns."""
        semaphore, number = self._clients.get(client, (None, 0))
        semaphore = semaphore or Semaphore(self.at_once)
        self._clients[client] = semaphore, number + 1
        try:
            async with semaphore:
                return await run_in_threadpool(work, *args)
        finally:
            _, number = self._clients[client]
            if number == 1:
                del self._clients[client]
            else:
                self._clients[client] = semaphore, number - 1
