"""A PostgreSQL of our own, while it is wanted: ``postgresql_server.py FOLDER INITDB PG_CTL``.

It says ``ready`` on stdout and runs until its stdin ends, which it does however whoever started it
ends; then the server stops, and its folder is removed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path


def main(folder: str, initdb: str, pg_ctl: str) -> None:
    """See above."""
    data = Path(folder) / "data"
    more = {"stdout": subprocess.DEVNULL, "stdin": subprocess.DEVNULL, "cwd": folder}
    if os.geteuid() == 0:  # which PostgreSQL refuses to run as
        shutil.chown(folder, "postgres")
        more["user"] = "postgres"
    options = f"-k {folder} -c listen_addresses= -c fsync=off -c max_connections=100"
    new = [initdb, "-D", data, "-A", "trust", "-U", "postgres", "--no-sync"]
    start = [pg_ctl, "-D", data, "-w", "-l", Path(folder) / "log", "-o", options, "start"]
    stop = [pg_ctl, "-D", data, "-m", "immediate", "-w", "stop"]
    try:
        subprocess.run(new, check=True, **more)
        subprocess.run(start, check=True, **more)
        print("ready", flush=True)
        sys.stdin.read()
    finally:
        subprocess.run(stop, check=False, stderr=subprocess.DEVNULL, **more)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
