"""Connections that end: half a request is waited for so long, and from one address only so often.

The server's own protocol waits for ever for a request that was begun, and for a reader who does not
read. Whoever opens as many connections as there are file descriptors would lock everybody out.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from ._guard import sender

HEAD_S = 10.0  # from a connection's start, or the answer before, to the end of the headers
BODY_S = 30.0  # from there to the end of the body: 1 MB at 34 kB/s
REST_S = 2.0  # of a body that nobody wants any more: refused before it was here
UNREAD_S = 60.0  # while nothing of an answer is taken by whoever asked
MOST = 4096  # connections in all, where descriptors last
KEPT_BACK = 256  # descriptors for the database and files
BACKLOG = 256  # connections that are accepted before one of them is looked at


class Crowd:
    """All connections of a server, and those of them that wait for whoever opened them.

    One too many pushes out the one that has been waiting longest: of those from the same address
    where that has more than half of all, else from the address with most. So whoever asks at once
    is answered, also from the address of the flood, such as that of a web server in front.
    """

    def __init__(self, most: int) -> None:
        self.most, self.most_of_one = most, max(1, most // 2)
        self.open: Counter[str] = Counter()
        self.waiting: dict[str, OrderedDict[Connection, None]] = {}  # the longest first

    def enter(self, one: Connection) -> bool:
        """Count a connection; False where there is no place, as all others are at work."""
        address = one.address
        if self.open[address] >= self.most_of_one and not self._push_out(address):
            return False
        if self.open.total() >= self.most and not self._push_out(self._fullest()):
            return False
        self.open[address] += 1
        return True

    def leave(self, one: Connection) -> None:
        """It is gone."""
        self.works(one)
        self.open[one.address] -= 1
        if not self.open[one.address]:
            del self.open[one.address]

    def waits(self, one: Connection) -> None:
        """From now on it waits for whoever opened it."""
        self.works(one)
        self.waiting.setdefault(one.address, OrderedDict())[one] = None

    def works(self, one: Connection) -> None:
        """It waits for the app, or for nothing."""
        those = self.waiting.get(one.address)
        if those is not None:
            those.pop(one, None)
            if not those:
                del self.waiting[one.address]

    def _fullest(self) -> str:
        return max(self.waiting, key=lambda address: self.open[address], default="")

    def _push_out(self, address: str) -> bool:
        longest = next(iter(self.waiting.get(address, ())), None)
        if longest is not None:
            longest.drop()
        return longest is not None


class Connection(H11Protocol):
    """One connection; what it waits for is bounded in time."""

    def __init__(self, *args: Any, crowd: Crowd, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.crowd = crowd
        self.address = ""
        self.here = False  # counted
        self.unread = False  # more is to be sent than is taken
        self.waits_for = ""
        self.timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = sender({"client": self.client})
        self.here = self.crowd.enter(self)
        if self.here:
            self._look()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.unread = True
        self._look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.unread = False
        self._look()

    def drop(self) -> None:
        """End it now."""
        self._gone()
        self.transport.abort()

    def _gone(self) -> None:
        if self.here:
            self.here = False
            self.crowd.leave(self)
        self._stop()

    def _stop(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _look(self) -> None:
        """See what it waits for; where that has changed, time starts anew."""
        found, seconds = self._waits_for()
        if not self.here or found == self.waits_for:
            return
        self.waits_for = found
        self._stop()
        if found:
            self.crowd.waits(self)
            left = self.transport.get_write_buffer_size()
            self.timer = self.loop.call_later(seconds, self._late, seconds, left)
        else:
            self.crowd.works(self)

    def _waits_for(self) -> tuple[str, float]:
        answered = self.cycle is None or self.cycle.response_complete
        if self.unread or self.transport.is_closing():
            return "its reader", UNREAD_S
        if self.conn.their_state is h11.SEND_BODY:
            return ("the rest", REST_S) if answered else ("a body", BODY_S)
        if self.conn.their_state is h11.IDLE and answered:
            return "headers", HEAD_S
        return "", 0.0  # for the app

    def _late(self, seconds: float, before: int) -> None:
        """It was waited for long enough, unless somebody reads, if slowly."""
        left = self.transport.get_write_buffer_size()
        if self.waits_for == "its reader" and left < before:
            self.timer = self.loop.call_later(seconds, self._late, seconds, left)
        else:
            self.drop()


def places() -> int:
    """How many connections there can be at once; lets the process have the descriptors for them."""
    wanted = MOST + KEPT_BACK + BACKLOG
    try:
        import resource
    except ImportError:  # Windows counts them otherwise
        return MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return MOST
    return max(64, min(MOST, soft - KEPT_BACK - BACKLOG))
