"""The saved state of stacks: one file, whole or absent, no pickle.

A file names its member trials, so that a stack can be taken up again whatever the plan or the
stack size has become. Tables are written from where they lie, without a second copy. Behind the
NumPy archive stands a checksum of all of it: those inside it leave out its own headers.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import torch

from ...ground.files import replacing
from .stack import Stack

SCHEMA = 3
MARK = b"crc32:"  # in front of the checksum, 8 hex digits, with which the file ends
PIECE = 1 << 20  # bytes read at once


@dataclass(frozen=True)
class Saved:
    """What a checkpoint is of: the keys of its trials, and the updates they have done."""

    keys: tuple[str, ...]
    t: int


def state_of(stack: Stack) -> dict[str, np.ndarray]:
    """Everything that changes, as arrays that share memory with the stack where they can."""
    fallen = [-1 if at is None else at for at in stack.diverged_at]
    tensors = {name: t.detach().cpu().numpy() for name, t in stack.changing().items()}
    numbers = {
        "t": np.int64(stack.t),
        "loss_count": np.int64(stack.loss_count),
        "seconds": np.float64(stack.seconds),
        "diverged_at": np.array(fallen, dtype=np.int64),
        **{f"counts/{name}": np.int64(o.count) for name, o in stack.movers.optimisers.items()},
    }
    return tensors | {name: np.asarray(value) for name, value in numbers.items()}


def state_of_some(stack: Stack, kept: Sequence[int]) -> dict[str, np.ndarray]:
    """The state of some of the trials, as a stack of these alone would have it.

    Args:
        kept: their places.
    """
    state, several = state_of(stack), {*stack.changing(), "diverged_at"}
    some = {name: value[list(kept)] if name in several else value for name, value in state.items()}
    share = len(kept) / stack.K  # each trial's time stays what it was
    return some | {"seconds": np.asarray(stack.seconds * share)}


def restore(stack: Stack, state: Mapping[str, np.ndarray]) -> Stack:
    """Bring a fresh stack of the same members to a saved state."""
    stack.take_up_until(int(state["t"]))
    for name in state:
        kind, _, number = name.partition("/")
        if kind == "orders":
            stack.feed.samplers.take(int(number), torch.from_numpy(state[name]))
    for name, tensor in stack.changing().items():
        tensor.copy_(torch.from_numpy(state[name]))
    for name, optimiser in stack.movers.optimisers.items():
        optimiser.count.fill_(int(state[f"counts/{name}"]))
    stack.loss_count = int(state["loss_count"])
    stack.seconds = float(state["seconds"])
    stack.diverged_at = [None if at < 0 else int(at) for at in state["diverged_at"]]
    stack.alive = torch.tensor([at is None for at in stack.diverged_at], device=stack.device)
    stack.everyone = bool(stack.alive.all())
    dead = [k for k, at in enumerate(stack.diverged_at) if at is not None]
    for module in stack.modules.values():
        module.rest(dead)
    return stack


def path_of(folder: Path, keys: Sequence[str]) -> Path:
    """Where the stack with these member trials keeps its checkpoint."""
    return folder / (hashlib.sha256(" ".join(keys).encode()).hexdigest()[:20] + ".npz")


def save(folder: Path, keys: Sequence[str], stack: Stack, synced: bool = True) -> Path:
    """Write the stack's state; replaces its previous one.

    Args:
        synced: wait until it is on the disk.
    """
    path = path_of(folder, keys)
    about = json.dumps({"schema": SCHEMA, "keys": list(keys), "t": stack.t}).encode()
    with replacing(path, synced=synced, again=True) as file:
        np.savez(
            file,
            allow_pickle=False,
            about=np.frombuffer(about, dtype=np.uint8),
            **state_of(stack),
        )
        file.flush()
        with Path(file.name).open("rb") as written:
            checksum = _checksum(written, written.seek(0, 2))
        file.seek(0, 2)
        file.write(MARK + checksum)
    return path


def _checksum(file: BinaryIO, size: int) -> bytes:
    """Of the first ``size`` bytes."""
    found = 0
    file.seek(0)
    while size > 0:
        piece = file.read(min(PIECE, size))
        if not piece:
            break
        found = zlib.crc32(piece, found)
        size -= len(piece)
    return b"%08x" % found


def saved_at(path: Path) -> Saved | None:
    """What a checkpoint is of; None when it is damaged anywhere or of another version."""
    ending = len(MARK) + 8
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2) - ending
            file.seek(max(size, 0))
            if size < 0 or file.read() != MARK + _checksum(file, size):
                return None
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(file["about"].tobytes())
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    if about.get("schema") != SCHEMA:
        return None
    return Saved(tuple(about["keys"]), about["t"])


def load(path: Path, stack: Stack) -> Stack:
    """Bring ``stack``, made of the same members in the same order, to the saved state."""
    with np.load(path, allow_pickle=False) as file:
        return restore(stack, file)
