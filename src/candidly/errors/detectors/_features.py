"""Where examples lie: numbers in which like examples are near."""

from __future__ import annotations

import numpy as np

from ...ground.arrays import as_array


def checked_table(features: np.ndarray, n: int | None = None) -> np.ndarray:
    """Finite numbers (n, d).

    Raises:
        ValueError: they are something else; names the first bad row.
    """
    table = as_array(features, "features")
    if table.ndim != 2 or table.dtype.kind not in "biuf" or n not in (None, len(table)):
        raise ValueError(
            f"`features` is {table.dtype} of shape {table.shape}; give numbers "
            f"({'n' if n is None else n}, d)."
        )
    if not np.isfinite(table).all():
        row = int(np.argmin(np.isfinite(table).all(1)))
        raise ValueError(f"`features` has NaN or infinity at row {row}. Fill or drop it first.")
    return table


def standardised(inputs: np.ndarray) -> np.ndarray:
    """A table or images as float32 (n, d): each column with mean 0 and deviation 1, or 0."""
    table = np.asarray(inputs).reshape(len(inputs), -1).astype(np.float64)
    constant = (table == table[:1]).all(0)
    spread = np.where(constant, 1, table.std(0))
    return np.where(constant, 0, (table - table.mean(0)) / spread).astype(np.float32)
