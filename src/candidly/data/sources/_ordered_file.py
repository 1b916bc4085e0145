"""Integer arrays from a dict in an ``.npy`` file, as ``numpy.save`` pickles it; nothing is run."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from ...ground.problem import why
from ._pickled import WHOLE, PickleLimits, read_pickled
from ._torch_file import as_array

LARGEST = 1 << 26  # bytes; the label files have two million
LIMITS = PickleLimits(steps=400_000, objects=1_000, arrays=True)  # a step for each label of a list


def read_ordered_arrays(path: Path) -> dict[str, np.ndarray]:
    """The integer arrays of a dict that ``numpy.save`` wrote.

    Returns:
        int64 arrays by name.

    Raises:
        ValueError: another kind of file, a damaged one, or one that holds anything else than a
            dict of arrays or lists of integers.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError(f"it is larger than {LARGEST >> 20} MiB")
        found = read_pickled(_pickle_in(path.read_bytes()), LIMITS, WHOLE)
        if not isinstance(found, dict) or not found:
            raise ValueError("it does not hold a dict of arrays")
        return {str(name): as_array(value) for name, value in found.items()}
    except ValueError as error:
        raise ValueError(f"{path} cannot be read as label arrays{why(error, ': {}')}.") from error


def _pickle_in(content: bytes) -> bytes:
    """What is behind the header of an ``.npy`` file that holds one object."""
    file = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(file)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, _, dtype = read(file)
    except (ValueError, KeyError) as error:
        raise ValueError(f"it is no .npy file, or a damaged one{why(error)}") from None
    if not dtype.hasobject or shape != ():
        raise ValueError(f"it holds {dtype} {shape}, not one dict")
    return content[file.tell() :]
