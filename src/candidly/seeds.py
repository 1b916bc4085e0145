"""Seeds and random numbers, as functions of names: nothing here has a state.

``hashed`` is the benchmark's seed rule (Wang et al., ICLR 2025, released program):
the MD5 of the text of a Python tuple, modulo 2**31. ``draw`` is ours: a counter-based
generator that depends on (seed, name, when) alone, so that there is no generator state to
save and no trial's numbers depend on another's.
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
