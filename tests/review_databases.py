"""Databases to test on: SQLite, and a private PostgreSQL where its programs are installed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from needs import program, skip_without


@pytest.fixture(scope="session")
def server():
    """The folder of the socket of a server of our own; None where there is none to start."""
    initdb, pg_ctl = program("initdb"), program("pg_ctl")
    if initdb is None or pg_ctl is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="candidly-pg-"))
    # a process of its own, and of a session of its own: it stops the server whatever kills this one
    with subprocess.Popen(
        [sys.executable, Path(__file__).with_name("postgresql_server.py"), folder, initdb, pg_ctl],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as keeper:
        assert keeper.stdout.readline() == b"ready\n"
        yield folder


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request):
    """None for SQLite, or the address of a schema of our own, empty."""
    if request.param == "sqlite":
        yield None
        return
    server = request.getfixturevalue("server")
    if server is None:
        skip_without("PostgreSQL")
    import psycopg

    name = f"t{abs(hash(request.node.name)) % 10**12}"
    with psycopg.connect(f"host={server} user=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    yield f"postgresql://postgres@/postgres?host={server}&options=-csearch_path%3D{name}"
