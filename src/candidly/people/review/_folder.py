"""What of a project others on this machine may read: nothing, unless somebody lets them."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

BESIDE = ("", "-wal", "-shm")  # SQLite keeps what was written last beside the file


def make_folder(path: Path) -> None:
    """Makes a folder, and those above it; what is made is its owner's alone."""
    for folder in (*reversed(path.parents), path):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)


def make_file(path: Path) -> None:
    """An empty file that its owner alone may read; one that is there stays as it is."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def close_to_others(path: Path) -> None:
    """Takes away what a database, and what SQLite keeps beside it, allow to everybody.

    What the group may do stays: somebody may have meant it. So does a file of another owner.
    """
    for ending in BESIDE:
        place = path.with_name(path.name + ending)
        with suppress(FileNotFoundError, PermissionError):
            mode = stat.S_IMODE(place.stat().st_mode)
            if mode & stat.S_IRWXO:
                place.chmod(mode & ~stat.S_IRWXO)
