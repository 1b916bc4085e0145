"""One process that serves the app on a socket which is bound already."""

from __future__ import annotations

import gc
import socket
from collections.abc import Callable
from functools import partial

import uvicorn

from ._connections import BACKLOG, Connection, Crowd, places
from ._site import Site
from .app import make_app


def run(
    site: Site,
    door: socket.socket,
    at_once: int = BACKLOG,
    begun: Callable[[uvicorn.Server], None] = lambda server: None,
) -> None:
    """Serve until a signal ends it.

    Args:
        at_once: connections that are accepted before one of them is looked at.
        begun: called with the server just before it runs.
    """
    config = uvicorn.Config(
        make_app(site),
        http=partial(Connection, crowd=Crowd(places())),  # type: ignore[arg-type]
        backlog=at_once,
        log_level="error",  # a warning for each request that is none would fill a disk
        access_log=False,
        server_header=False,
        ws="none",
        proxy_headers=bool(site.proxies),
        forwarded_allow_ips=list(site.proxies),
        timeout_graceful_shutdown=5,
    )
    server = uvicorn.Server(config)
    begun(server)
    gc.collect()  # what is here now stays; looking through it again and again would stop everybody
    gc.freeze()  # for a tenth of a second
    server.run(sockets=[door])
