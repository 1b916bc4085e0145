"""Confined by limits alone, where a machine lets nobody make namespaces."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ._shown import NOBODY, handed, of_python
from ._start import Preparation

LACKS = (
    "a program can read every file that its user can read, and write where its user can write",
    "it can use the network, and signal or look at other processes of its user",
    "a process that hides its origin and its environment may go on when the program is stopped",
    "what it writes is counted 20 times a second, and only in the folders that it was given",
    "where root runs it, and its files or this Python are in a folder that only root may enter, it "
    "runs as root",
)


@contextmanager
def prepare(
    readable: Mapping[str, Path], sizes: Mapping[str, int], network: bool, virtual: Path | None
) -> Iterator[Preparation]:
    """A run in temporary folders; ``network`` cannot be kept from it.

    What it is handed are copies, which are gone with the run: it might write there.
    """
    with tempfile.TemporaryDirectory(prefix="candidly-", ignore_cleanup_errors=True) as folder:
        seen = [path.resolve() for path in (*readable.values(), *of_python(virtual), Path(folder))]
        os.chmod(folder, 0o711)
        user = NOBODY if os.geteuid() == 0 and closed(seen) is None else None
        places = {
            name: _copy(handed(name, path), Path(folder, name)) for name, path in readable.items()
        }
        for name in ("out", "tmp"):
            path = Path(folder, name)
            path.mkdir()
            places[name] = str(path)
            if user is not None:
                os.chown(path, user, user)
        yield Preparation(
            line=[],
            places=places,
            writable=(places["out"], places["tmp"]),
            user=user,
            remove=(folder,),
            init=False,
        )


def closed(paths: Iterable[Path]) -> Path | None:
    """The first of these files and folders that only some users may enter; None of none."""
    return next((one for one in paths if not open_to_others(one)), None)


def _copy(path: Path, to: Path) -> str:
    if path.is_dir():
        shutil.copytree(path, to, symlinks=True)
    else:
        shutil.copy2(path, to)
    return str(to)


def open_to_others(path: Path) -> bool:
    """Whether other users than its owner may enter every folder on the way to a file or folder."""
    enter = [folder.stat().st_mode & stat.S_IXOTH for folder in path.parents]
    return all(enter) and bool(path.stat().st_mode & (stat.S_IROTH | stat.S_IXOTH))
