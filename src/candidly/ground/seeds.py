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
    return hashed_text(str(arguments))


def hashed_text(arguments: str) -> int:
    """The same for arguments that are written as a tuple already.

    >>> hashed_text("('Lost', 'PRODEN', 0, 0)") == hashed("Lost", "PRODEN", 0, 0)
    True
    """
    digest = hashlib.md5(arguments.encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[-4:], "big") % 2**31  # the last bytes are all that counts


def draw(seed: int, name: str, when: int = 0) -> np.random.Generator:
    """A fresh generator for one purpose (``name``) at one time (``when``, for example a step)."""
    key = [seed, zlib.crc32(name.encode())]
    return np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 0, when]))


MULTIPLIERS = np.array([0xD2511F53, 0xCD9E8D57], np.uint64)
WEYL = np.array([0x9E3779B9, 0xBB67AE85], np.uint32)


def philox(counter: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Philox4x32-10: four random words for each counter of four words, under a key of two.

    Args:
        counter: integers (..., 4) in [0, 2**32).    key: integers (..., 2), likewise.

    Returns:
        uint32 (..., 4); leading axes broadcast.

    Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
    """
    counter, key = np.asarray(counter), np.asarray(key)
    shape = np.broadcast_shapes(counter.shape[:-1], key.shape[:-1])
    # each pair of words in a row of its own and no array made on the way: of a batch's few hundred
    # rows that takes a third of the time
    even, odd, keys, weyl = np.empty((4, 2, *shape), np.uint32)
    even[0], odd[0], even[1], odd[1] = (counter[..., word] for word in range(4))
    keys[0], keys[1] = (key[..., word] for word in range(2))
    weyl[0], weyl[1] = WEYL
    factors, products = np.empty((2, 2, *shape), "<u8")
    factors[0], factors[1] = MULTIPLIERS
    halves = products.view("<u4").reshape(2, *shape, 2)[::-1]
    low, high = halves[..., 0], halves[..., 1]
    for _ in range(10):
        np.multiply(even, factors, out=products)
        odd ^= high
        odd ^= keys
        even, odd = odd, even
        odd[...] = low
        keys += weyl
    return np.stack([even[0], odd[0], even[1], odd[1]], -1)


def words(
    seeds: int | np.ndarray, name: str, when: int, rows: np.ndarray, block: int | np.ndarray = 0
) -> np.ndarray:
    """Four random words for each row, which depend on (seed, name, when, row, block) alone.

    Args:
        seeds, rows, block: integers that broadcast; seeds below 2**64, the others below 2**32.
            Another block has four other words.
        when: for example a step, below 2**32.

    Returns:
        uint32 (..., 4).
    """
    seeds = np.asarray(seeds, np.uint64)
    shape = np.broadcast_shapes(seeds.shape, np.shape(rows), np.shape(block))
    counter = np.empty((*shape, 4), np.uint32)
    counter[..., 0], counter[..., 1], counter[..., 2] = rows, when, block
    counter[..., 3] = seeds >> np.uint64(32)
    key = np.empty((*seeds.shape, 2), np.uint32)
    key[..., 0], key[..., 1] = seeds & np.uint64(2**32 - 1), zlib.crc32(name.encode())
    return philox(counter, key)
