"""Databases to test on: SQLite, and a private PostgreSQL where its programs are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from needs import postgres_program, skip_without


@pytest.fixture(scope="session")
def server():
    """The folder of the socket of a server of our own; None where there is none to start."""
    initdb, pg_ctl = postgres_program("initdb"), postgres_program("pg_ctl")
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
        skip_without("PostgreSQL")
    import psycopg

    name = f"t{abs(hash(request.node.name)) % 10**12}"
    with psycopg.connect(f"host={server} user=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    yield f"postgresql://postgres@/postgres?host={server}&options=-csearch_path%3D{name}"
