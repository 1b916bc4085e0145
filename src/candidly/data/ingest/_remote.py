"""Arrays at addresses that fsspec reaches."""

from __future__ import annotations

from typing import Any

import numpy as np

from .prob_rows import ProbRows, working_dtype


def remote_array(name: str, system: Any, path: str) -> ProbRows:
    """Rows of an ``.npy`` file at an address, of which ranges are fetched.

    Raises:
        ValueError: it is no array of rows of floats, or is cut off.
    """
    with system.open(path, "rb") as file:
        try:
            version = np.lib.format.read_magic(file)
            read = {(1, 0): np.lib.format.read_array_header_1_0}.get(
                version, np.lib.format.read_array_header_2_0
            )
            shape, by_columns, dtype = read(file)
        except ValueError:
            raise ValueError(f"{name} is no .npy file, or is cut off.") from None
        begin = file.tell()
    if len(shape) != 2 or dtype.kind != "f" or dtype.itemsize > 8:
        raise ValueError(f"{name} holds {dtype} of shape {shape}; it needs rows of floats.")
    if by_columns:
        raise ValueError(f"{name} is stored by columns; write it again with numpy.save, by rows.")
    (n, m), size = shape, system.size(path)
    if size != begin + n * m * dtype.itemsize:
        raise ValueError(f"{name} is cut off: it has {size:,} bytes, and its {n:,} rows need more.")
    width = m * dtype.itemsize

    def get(start: int, stop: int) -> np.ndarray:
        raw = system.cat_file(path, start=begin + start * width, end=begin + stop * width)
        return np.frombuffer(raw, dtype).reshape(-1, m)

    return ProbRows(n, m, working_dtype(dtype), get, name)
