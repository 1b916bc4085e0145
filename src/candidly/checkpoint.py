"""Checkpoints of stacks: one file, whole or absent, no pickle.

A file names its member trials, so that a stack can be taken up again whatever the plan or the
stack size has become. Tables are written from where they lie, without a second copy.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ._files import replacing
from .train import Stack

SCHEMA = 1


def path_of(folder: Path, keys: Sequence[str]) -> Path:
    """Where the stack with these member trials keeps its checkpoint."""
    return folder / (hashlib.sha256(" ".join(keys).encode()).hexdigest()[:20] + ".npz")


def save(folder: Path, keys: Sequence[str], stack: Stack) -> Path:
    """Write the stack's state; replaces its previous checkpoint."""
    path = path_of(folder, keys)
    about = json.dumps({"schema": SCHEMA, "keys": list(keys)}).encode()
    with replacing(path) as file:
        np.savez(
            file,
            allow_pickle=False,
            about=np.frombuffer(about, dtype=np.uint8),
            **stack.state(),
        )
    return path


def members(path: Path) -> tuple[str, ...] | None:
    """The trial keys of a checkpoint; None when it is damaged anywhere or of another version."""
    try:
        with zipfile.ZipFile(path) as whole:
            if whole.testzip() is not None:
                return None
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(file["about"].tobytes())
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    return tuple(about["keys"]) if about.get("schema") == SCHEMA else None


def load(path: Path, stack: Stack) -> Stack:
    """Bring ``stack``, made of the same members in the same order, to the saved state."""
    with np.load(path, allow_pickle=False) as file:
        return stack.restore(file)
