"""Confined by namespaces and a root that candidly makes itself, where bubblewrap is missing."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ._shown import NOBODY, shown
from ._start import Preparation

OWN_ROOT = Path(__file__).absolute().with_name("_own_root.py")


@contextmanager
def prepare(
    readable: Mapping[str, Path], sizes: Mapping[str, int], network: bool, virtual: Path | None
) -> Iterator[Preparation]:
    """A run in namespaces made by the calls of unshare(2), mount(2) and pivot_root(2)."""
    as_root = os.geteuid() == 0
    root = shown(readable, sizes, network, virtual)
    request = {
        "folders": {path: str(host) for path, host in root.folders.items()},
        "links": dict(root.links),
        "texts": dict(root.texts),
        "writable": dict(root.writable),
        "network": network,
        "user": None if as_root else NOBODY,
        "parent": os.getpid(),
    }
    yield Preparation(
        line=[sys.executable, "-I", "-S", "-B", str(OWN_ROOT), json.dumps(request)],
        places={name: f"/{name}" for name in [*readable, *sizes]},
        writable=tuple(root.writable),
        user=NOBODY if as_root else None,
    )
