"""What stands before every page: known hosts, sizes, rates; and what every answer says.

A layer of ASGI, so that it sees each request first and each response last.
"""

from __future__ import annotations

import ipaddress
import json
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from starlette.exceptions import HTTPException

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST = 1024 * 1024  # bytes of a request's body; a batch with long notes has 200,000
KNOWN = 10_000  # clients whose rates are remembered
LONGEST = 8 * 1024  # bytes of an address; a filter with a text of 1,000 letters has 6,000
HEADS = 32 * 1024  # bytes of all headers
TOO_LARGE = f"A request may hold {LARGEST} bytes; send less at once."
TOO_LONG = f"The address is too long: it may have {LONGEST} bytes. Write a shorter filter."
TOO_MANY = "Too many requests; wait a moment."
HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::[0-9]{1,5})?")

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self';"
        " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
USUAL = {"cache-control": "no-store"}  # unless a page says otherwise


@dataclass
class Rate:
    """So many requests at once, and so many a second, from each client.

    ``take`` says how long a client must wait, 0 for not at all.
    """

    at_once: float
    a_second: float
    clock: Callable[[], float] = time.monotonic
    left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, client: str) -> float:
        """Seconds until the client may ask again; 0: now, and it counts."""
        now = self.clock()
        room, since = self.left.pop(client, (self.at_once, now))
        room = min(self.at_once, room + (now - since) * self.a_second)
        wait = 0.0 if room >= 1 else (1 - room) / self.a_second
        self.left[client] = (room if wait else room - 1, now)
        while len(self.left) > KNOWN:
            self.left.popitem(last=False)
        return wait


class Guard:
    """Answers for ``app`` only what it should.

    Args:
        hosts: names under which it may be asked for, so that a page elsewhere cannot reach it by a
            name of its own that leads here.
        rates: the rates of one address: of all paths under "", and of single paths.
    """

    def __init__(self, app: App, hosts: tuple[str, ...], rates: Mapping[str, Rate]) -> None:
        self.app = app
        self.hosts = hosts
        self.rates = rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        said = self._refusal(scope, headers)
        if said is not None:
            script = headers.get(b"accept") == b"application/json"
            await _say(_headed(send), script, *said)
            return
        await self.app(scope, _limited(receive), _headed(send))

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[Any, ...] | None:
        host = headers.get(b"host", b"").decode("latin-1").lower()
        named = sum(name == b"host" for name, _ in scope["headers"])
        if named != 1 or _machine(host) not in self.hosts:
            return (
                400,
                "This app does not answer under that name; it is started with the names it has.",
            )
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST:
            return 414, TOO_LONG
        if sum(len(name) + len(value) for name, value in scope["headers"]) > HEADS:
            return 431, f"Headers may have {HEADS} bytes; delete this site's cookies."
        if b"transfer-encoding" in headers:  # many small pieces take long to read
            return 411, "A request must say how long it is, with Content-Length."
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 12 or int(length) > LARGEST:
            return 413, TOO_LARGE
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        known = ("", f"http://{host}", f"https://{host}")
        if scope["method"] not in ("GET", "HEAD") and origin not in known:
            return 403, "That came from another site's page; open this app's own."
        rate = self.rates.get(scope["path"], self.rates[""])
        wait = rate.take(sender(scope))
        if wait:
            return 429, TOO_MANY, retry_after(wait)
        return None


def sender(scope: Scope) -> str:
    """The address that a request comes from; of IPv6 the network, which is one client's."""
    address = (scope.get("client") or ("", 0))[0]
    if ":" not in address:
        return str(address)
    try:
        found = ipaddress.IPv6Address(address)
    except ValueError:
        return str(address)
    return str(found.ipv4_mapped or ipaddress.ip_network((int(found), 64), strict=False))


def wants_json(headers: Mapping[str, str]) -> bool:
    """Whether the page's script asks, and not the browser."""
    return headers.get("accept", "") == "application/json"


def retry_after(wait: float) -> dict[str, str]:
    """The header that says when to come again, in whole seconds."""
    return {"retry-after": str(int(wait) + 1)}


def _machine(host: str) -> str | None:
    """The machine that a ``Host`` names, strictly; None for anything else."""
    found = HOST.fullmatch(host)
    return None if found is None else found[1] or found[2]


def _limited(receive: Receive) -> Receive:
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > LARGEST:  # it did not say so before
            raise HTTPException(413, TOO_LARGE)
        return message

    return limited


def _headed(send: Send) -> Send:
    async def headed(message: Message) -> None:
        if message["type"] == "http.response.start":
            told = list(message.get("headers", []))
            there = {name for name, _ in told}
            for name, value in (HEADERS | USUAL).items():
                if name.encode() not in there:
                    told.append((name.encode(), value.encode()))
            message = {**message, "headers": told}
        await send(message)

    return headed


async def _say(
    send: Send, script: bool, status: int, text: str, more: Mapping[str, str] | None = None
) -> None:
    kind = "application/json" if script else "text/plain; charset=utf-8"
    body = json.dumps({"refused": text}) if script else f"{text}\n"
    headers = {"content-type": kind, "content-length": str(len(body.encode())), **(more or {})}
    told = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": told})
    await send({"type": "http.response.body", "body": body.encode()})
