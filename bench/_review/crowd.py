"""Those who mean no good, and how long somebody else then waits for a page."""

from __future__ import annotations

import contextlib
import resource
import socket
import threading
import time

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


def half_open(port: int, number: int, path: str) -> list[float]:
    """Seconds of somebody's pages while this many requests are half sent, from the same address."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = number + 200
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    with contextlib.ExitStack() as stack:
        for _ in range(number):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), 20))
            with contextlib.suppress(OSError):  # pushed out by now
                one.sendall(HALF)
        return [_page(port, path) for _ in range(20)]


def heavy(port: int, number: int, head: str, body: bytes, path: str) -> list[float]:
    """Seconds of somebody's pages while another sends so many long forms at once."""
    request = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
    threads = [threading.Thread(target=_ask, args=(port, request)) for _ in range(number)]
    for one in threads:
        one.start()
    found = [_page(port, path)]
    while any(one.is_alive() for one in threads):
        found.append(_page(port, path))
    return found


def _page(port: int, path: str) -> float:
    start = time.perf_counter()
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    answer = _ask(port, head.encode())
    assert answer.split(b" ", 2)[1] in (b"200", b"303"), answer[:200]
    return time.perf_counter() - start


def _ask(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), 60) as one:
        found = b""
        with contextlib.suppress(ConnectionError):
            one.sendall(request)
            while part := one.recv(65536):
                found += part
    return found
