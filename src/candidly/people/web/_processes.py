"""Several processes that serve one project behind one address, and one that looks after them.

They share a listening socket: a connection goes to whoever takes it first, which is who has least
to do. What they must agree on is in the database and in the project's folder: sessions, leases,
answers, the key. Of one that dies nothing is lost that was confirmed, as for one process alone;
another takes its place.
"""

from __future__ import annotations

import multiprocessing
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

import uvicorn

from ...ground.own_path import started_safely
from ...ground.process import without_ctrl_c
from ..review import CONNECTIONS, open_project
from ._running import run as run_one
from ._site import Site

SPAWN = multiprocessing.get_context("spawn")  # a fork would share what the parent has open
WAITING = 1024  # connections that nobody has taken yet
SOON_S = 1.0  # one that ends sooner is not followed by another before
STOP_S = 10.0  # twice what a process gives its requests to end


def run(site: Site, door: socket.socket, number: int, ready: Callable[[], None]) -> None:
    """Serve with so many processes until a signal ends it; what ends by itself is started again.

    Args:
        ready: called once they answer.

    Raises:
        RuntimeError: one of them could not begin.
    """
    door.listen(WAITING)
    begun: list[tuple[SpawnProcess, float]] = []
    with _ended_by_sigterm():
        try:
            waiting = []
            for _ in range(number):
                process, told = _started(site, door, number)
                begun.append((process, time.monotonic()))
                waiting.append(told)
            for told in waiting:
                _await(told)
            ready()
            while True:
                wait([process.sentinel for process, _ in begun])
                for place, (process, since) in enumerate(begun):
                    if process.exitcode is not None:
                        print(
                            f"candidly: a web process ended (status {process.exitcode}); another"
                            " takes its place",
                            file=sys.stderr,
                        )
                        time.sleep(max(0.0, since + SOON_S - time.monotonic()))
                        begun[place] = _started(site, door, number)[0], time.monotonic()
        finally:
            _stop([process for process, _ in begun])


def _started(site: Site, door: socket.socket, number: int) -> tuple[SpawnProcess, Connection]:
    """A process that begins, and what says that it serves."""
    told, tell = SPAWN.Pipe(duplex=False)
    about = {one.name: getattr(site, one.name) for one in fields(site) if one.name != "project"}
    connections = max(2, CONNECTIONS // number)
    process = SPAWN.Process(
        target=_serve, args=(site.project.folder, about, connections, door, tell), daemon=True
    )
    # here ``tell`` is closed, so that the other end notices its end
    with started_safely(), tell:
        resource_tracker.ensure_running()  # whose start lets Ctrl-C through again
        with without_ctrl_c():
            process.start()
    return process, told


def _await(told: Connection) -> None:
    with told:
        try:
            told.recv()
        except EOFError:
            raise RuntimeError(
                "a web process ended before it could serve; it printed why above."
            ) from None


def _stop(processes: list[SpawnProcess]) -> None:
    """End them, with the requests that they are at; what takes too long is cut off."""
    for process in processes:
        process.terminate()
    end = time.monotonic() + STOP_S
    for process in processes:
        process.join(max(0.0, end - time.monotonic()))
        if process.exitcode is None:
            process.kill()
            process.join()


class _Terminated(BaseException):
    """SIGTERM has come."""


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Ends what is within on SIGTERM, in order, and then this process, as SIGTERM would."""

    def end(*_: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise _Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except _Terminated:
        signal.signal(signal.SIGTERM, before)
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


# ---- in one of them


class _Door(socket.socket):
    """A listening socket that others listen on, too."""

    def listen(self, backlog: int = WAITING) -> None:
        """Whoever begins to serve would set how many may wait, for all."""
        super().listen(WAITING)


def _serve(
    folder: Any, about: dict[str, Any], connections: int, door: socket.socket, tell: Connection
) -> None:
    try:
        project = open_project(folder, connections)
    except (OSError, ValueError) as error:
        print(f"candidly: error: {error}", file=sys.stderr)
        sys.exit(2)
    with project:

        def begun(server: uvicorn.Server) -> None:
            threading.Thread(target=_follow, args=(server,), daemon=True).start()
            with suppress(OSError), tell:  # only at the start somebody waits for that
                tell.send(True)

        # one connection at a time, so that of many which come at once each process gets its share
        run_one(Site(project=project, **about), _Door(fileno=door.detach()), 1, begun)


def _follow(server: uvicorn.Server) -> None:
    """End with the process that started this one, however that ends."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    server.should_exit = True
