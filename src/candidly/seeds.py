"""Seeds and random numbers, as functions of names: nothing here has a state.

``hashed`` is the benchmark's seed rule (Wang et al., ICLR 2025, released program):
the MD5 of the text of a Python tuple, modulo 2**31. ``draw`` is ours: a counter-based
generator that depends on (seed, name, when) alone, so that there is no generator state to
save and no trial's numbers depend on another's. ``words`` are the same for each row: nor do a
row's numbers depend on another's.
"""

from __future__ import annotations

import hashlib
import zlib

import numpy as np


def hashed(*arguments: object) -> int:
    """The benchmark's integer seed in [0, 2**31) for these arguments.

    >>> hashed(0), hashed("Lost", "PRODEN", 0, 0)
    (1003224347, 973119192)
    """
    return int(hashlib.md5(str(arguments).encode(), usedforsecurity=False).hexdigest(), 16) % 2**31


def draw(seed: int, name: str, when: int = 0) -> np.random.Generator:
    """A fresh generator for one purpose (``name``) at one time (``when``, for example a step)."""
    key = [seed, zlib.crc32(name.encode())]
    return np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 0, when]))


MULTIPLIERS = np.array([0xD2511F53, 0xCD9E8D57], np.uint64)
WEYL = np.array([0x9E3779B9, 0xBB67AE85], np.uint64)
LOW, HALF = np.uint64(2**32 - 1), np.uint64(32)


def philox(counter: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Philox4x32-10: four random words for each counter of four words, under a key of two.

    Args:
        counter: integers (..., 4) in [0, 2**32).    key: integers (..., 2), likewise.

    Returns:
        uint32 (..., 4); leading axes broadcast.

    Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
    """
    counter, key = np.asarray(counter, np.uint64), np.asarray(key, np.uint64)
    shape = np.broadcast_shapes(counter.shape[:-1], key.shape[:-1])
    odd = np.broadcast_to(counter[..., [1, 3]], (*shape, 2))
    even = np.broadcast_to(counter[..., [0, 2]], (*shape, 2))
    for number in range(10):
        product = even * MULTIPLIERS
        high, low = (product >> HALF)[..., ::-1], (product & LOW)[..., ::-1]
        even, odd = high ^ odd ^ ((key + np.uint64(number) * WEYL) & LOW), low
    return np.stack([even, odd], -1).reshape(*shape, 4).astype(np.uint32)


def words(
    seeds: int | np.ndarray, name: str, when: int, rows: np.ndarray, block: int = 0
) -> np.ndarray:
    """Four random words for each row, which depend on (seed, name, when, row, block) alone.

    Args:
        seeds, rows: integers that broadcast; seeds below 2**64, rows below 2**32.
        when: for example a step, below 2**32.
        block: another one has four other words.

    Returns:
        uint32 (..., 4).
    """
    seeds, rows = np.broadcast_arrays(np.asarray(seeds, np.uint64), np.asarray(rows, np.uint64))
    counter = np.empty((*rows.shape, 4), np.uint64)
    counter[..., 0], counter[..., 1], counter[..., 2] = rows, when, block
    counter[..., 3] = seeds >> HALF
    key = np.empty((*rows.shape, 2), np.uint64)
    key[..., 0], key[..., 1] = seeds & LOW, zlib.crc32(name.encode())
    return philox(counter, key)
