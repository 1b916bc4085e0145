"""Projects on SQLite, and the same on a private PostgreSQL where its programs are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from candidly import review

from review_cases import Clock, some_items, some_rules


def program(name: str) -> str | None:
    """A program of PostgreSQL, on the path or where Debian puts it."""
    there = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(there[-1]) if there else None)


@pytest.fixture(scope="session")
def server():
    """The folder of the socket of a server of our own; None where there is none to start."""
    initdb, pg_ctl = program("initdb"), program("pg_ctl")
    if initdb is None or pg_ctl is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="candidly-pg-"))
    as_user = {}
    if os.geteuid() == 0:  # which PostgreSQL refuses to run as
        shutil.chown(folder, "postgres")
        as_user = {"user": "postgres", "cwd": folder}
    data, quiet = folder / "data", {"check": True, "stdout": subprocess.DEVNULL}
    options = f"-k {folder} -c listen_addresses= -c fsync=off -c max_connections=100"
    try:
        subprocess.run(
            [initdb, "-D", data, "-A", "trust", "-U", "postgres", "--no-sync"], **quiet, **as_user
        )
        start = [pg_ctl, "-D", data, "-w", "-l", folder / "log", "-o", options, "start"]
        subprocess.run(start, **quiet, **as_user)
        yield folder
        subprocess.run([pg_ctl, "-D", data, "-m", "immediate", "stop"], **quiet, **as_user)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request):
    """None for SQLite, or the address of a schema of our own, empty."""
    if request.param == "sqlite":
        yield None
        return
    server = request.getfixturevalue("server")
    if server is None:
        pytest.skip("needs PostgreSQL (initdb and pg_ctl)")
    import psycopg

    name = f"t{abs(hash(request.node.name)) % 10**12}"
    with psycopg.connect(f"host={server} user=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    yield f"postgresql://postgres@/postgres?host={server}&options=-csearch_path%3D{name}"


@pytest.fixture
def make(tmp_path, url):
    """Makes a project of ``n`` items by rules that differ from the usual ones as said."""
    made = []

    def make(n: int = 8, items=None, gold=None, order=None, examples=None, **changes):
        project = review.make_project(
            tmp_path / f"project{len(made)}",
            some_items(n) if items is None else items,
            some_rules(**changes),
            gold=gold,
            order=order,
            examples=examples,
            url=url if not made else None,
        )
        project = replace(project, clock=Clock())
        made.append(project)
        return project

    yield make
    for project in made:
        project.close()
