"""Runs the app until it is stopped: in this process, or in several behind one address."""

from __future__ import annotations

import socket
from collections.abc import Callable

from ...ground.problem import passed, refused
from ..review.deeds import PROGRAM, record
from . import _processes
from ._running import BACKLOG, run
from ._site import EVERYWHERE, LOCAL, Site


def serve(
    site: Site,
    host: str = "127.0.0.1",
    port: int = 8765,
    ready: Callable[[str], None] = print,
    processes: int = 1,
    by: str = PROGRAM,
) -> None:
    """Serve a project until interrupted.

    Args:
        host, port: where; port 0 takes a free one.
        ready: called with the app's address once it answers there: that of what stands in front,
            or, where it is bound to all addresses of this machine, its first name.
        processes: that share the work; more than one need PostgreSQL.
        by: who starts it, for ``events``.

    Raises:
        OSError: the port is taken. ValueError: several processes, and SQLite.
    """
    if processes > 1 and site.project.store.is_sqlite:
        raise ValueError(
            f"{passed('processes', processes)} needs PostgreSQL, and this project is in SQLite, for"
            " which one process is the quickest. A project is made there with a URL such as"
            " postgresql://user@host/name, and candidly review merge takes the answers over."
        )
    with _bound(host, port) as door:
        record(
            site.project,
            by,
            "served",
            host=host,
            names=[name for name in site.hosts if name not in LOCAL],
            behind=list(site.proxies),
            processes=processes,
            for_others=not site.local,
        )
        address = site.address or f"http://{_name(site, host)}:{door.getsockname()[1]}"
        if processes > 1:
            _processes.run(site, door, processes, lambda: ready(address))
        else:
            ready(address)
            run(site, door)


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
        door.listen(BACKLOG)  # so that whoever comes before the app is ready waits
    except OSError as error:
        door.close()
        raise refused(
            OSError,
            f"{host}:{port} cannot be used ({error.strerror}).",
            "take another `port`",
            "take `port=0`, which is a free one",
        ) from None
    return door
