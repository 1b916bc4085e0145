"""A disk that loses what was not synced: a folder as a power cut at this moment may leave it.

What ``os.fsync`` was asked for is kept: the bytes of a file, and the names in a folder. Of
everything else any part may be lost: a file's bytes since then are there, cut short, or zeros;
a name made, moved or taken away since then is as it was or as it is.
"""

from __future__ import annotations

import os
import random
from pathlib import Path


class Disk:
    """Watches a folder through ``os.fsync``, which it stands in for."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.content: dict[int, bytes] = {}  # by inode: what was synced
        self.names: dict[Path, dict[str, int]] = {}  # by folder: inodes by name
        self.syncs = 0
        self._fsync = os.fsync
        self._inodes: list[int] = []  # kept open, so that a number is not given out again

    def fsync(self, handle: int) -> None:
        """In place of ``os.fsync``."""
        place = Path(os.readlink(f"/proc/self/fd/{handle}"))
        if self.folder in (place, *place.parents):
            self.syncs += 1
            if place.is_dir():
                self.names[place] = {path.name: path.stat().st_ino for path in place.iterdir()}
            else:
                self._inodes.append(os.dup(handle))
                self.content[os.fstat(handle).st_ino] = place.read_bytes()
        self._fsync(handle)

    def after_power_cut(self, to: Path, rng: random.Random) -> None:
        """Write to another folder what may be left."""
        self._leave(self.folder, to, rng)

    def close(self) -> None:
        for handle in self._inodes:
            os.close(handle)

    def _leave(self, place: Path, to: Path, rng: random.Random) -> None:
        to.mkdir()
        now = {path.name: path for path in place.iterdir()}
        then = self.names.get(place, {})
        for name in sorted({*now, *then}):
            path = now.get(name)
            if path is not None and path.is_dir():
                if name in then or rng.random() < 0.8:
                    self._leave(path, to / name, rng)
                continue
            inode = None if path is None else path.stat().st_ino
            if then.get(name) != inode and rng.random() < 0.5:  # the name is as it was
                if name in then:
                    (to / name).write_bytes(self.content.get(then[name], b""))
            elif path is not None:
                (to / name).write_bytes(self._content(path, rng))

    def _content(self, path: Path, rng: random.Random) -> bytes:
        synced, now = self.content.get(path.stat().st_ino, b""), path.read_bytes()
        if not now.startswith(synced):  # nothing here writes in place
            raise AssertionError(f"{path} was changed where it was synced")
        cut = rng.randint(len(synced), len(now))
        return rng.choice([synced, now, now[:cut], now[:cut] + bytes(len(now) - cut)])
