"""A private PostgreSQL with Debian's settings, fsync on, that can be killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Server:
    """One server in a folder of its own."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder = programs, folder
        self.user: dict = {}
        if os.geteuid() == 0:  # which PostgreSQL refuses to run as
            shutil.chown(folder, "postgres")
            self.user = {"user": "postgres", "cwd": folder}
        self._run("initdb", "-D", folder / "data", "-A", "trust", "-U", "postgres")

    def _run(self, program: str, *options: object) -> None:
        command = [self.programs / program, *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **self.user)

    def start(self) -> None:
        """Until it answers; after a kill it first reads its log."""
        options = f"-k {self.folder} -c listen_addresses="
        where = ["-D", self.folder / "data", "-l", self.folder / "log"]
        end = time.monotonic() + 60
        while True:
            try:
                self._run("pg_ctl", *where, "-w", "-o", options, "start")
                return
            except subprocess.CalledProcessError:  # what was killed has not quite gone
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def kill(self) -> None:
        """As a crash of the machine would, but that its disk is as it was."""
        pid = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)

    def place(self, name: str) -> str:
        """The address of a schema of its own, empty."""
        import psycopg

        with psycopg.connect(f"host={self.folder} user=postgres", autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"postgresql://postgres@/postgres?host={self.folder}&options=-csearch_path%3D{name}"

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")


@contextmanager
def postgresql() -> Iterator[Server | None]:
    """A server that runs; None where PostgreSQL is not installed."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="candidly-pg-"))
    try:
        server = Server(programs[-1].parent, folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
