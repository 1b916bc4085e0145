"""Runs the app until it is stopped."""

from __future__ import annotations

import socket
from collections.abc import Callable
from functools import partial

import uvicorn

from ._connections import BACKLOG, Connection, Crowd, places
from ._site import EVERYWHERE, LOCAL, Site
from .app import make_app


def serve(
    site: Site, host: str = "127.0.0.1", port: int = 8765, ready: Callable[[str], None] = print
) -> None:
    """Serve a project until interrupted.

    Args:
        host, port: where; port 0 takes a free one.
        ready: called with the app's address once it answers there: that of what stands in front,
            or, where it is bound to all addresses of this machine, its first name.

    Raises:
        OSError: the port is taken.
    """
    door = _bound(host, port)
    crowd = Crowd(places())
    config = uvicorn.Config(
        make_app(site),
        http=partial(Connection, crowd=crowd),  # type: ignore[arg-type]
        backlog=BACKLOG,
        log_level="error",  # a warning for each request that is none would fill a disk
        access_log=False,
        server_header=False,
        ws="none",
        proxy_headers=bool(site.proxies),
        forwarded_allow_ips=list(site.proxies),
        timeout_graceful_shutdown=5,
    )
    with door:
        ready(site.address or f"http://{_name(site, host)}:{door.getsockname()[1]}")
        uvicorn.Server(config).run(sockets=[door])


def _name(site: Site, host: str) -> str:
    """Under which links lead here."""
    if host in EVERYWHERE:
        host = next((name for name in site.hosts if name not in LOCAL), LOCAL[0])
    return f"[{host}]" if ":" in host else host


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    door = socket.socket(family, socket.SOCK_STREAM)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((host, port))
        door.listen()  # so that whoever comes before the app is ready waits
    except OSError as error:
        door.close()
        raise OSError(
            f"{host}:{port} cannot be used ({error.strerror}); take another with --port, or --port"
            " 0 for a free one."
        ) from None
    return door
