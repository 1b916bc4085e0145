"""Inputs as tables of numbers, for processes that depend on what an example looks like."""

from __future__ import annotations

import math

import numpy as np

COMPONENTS = 64  # a bound on the cost: thousands of pixels would take minutes


def checked_table(inputs: np.ndarray, n: int, name: str = "inputs") -> np.ndarray:
    """``inputs`` as float (n, d): images are flattened.

    Raises:
        ValueError: no numbers, NaN or infinity among them, or not n rows.
    """
    inputs = np.asarray(inputs)
    if inputs.dtype.kind not in "biuf":
        raise ValueError(
            f"`{name}` is {inputs.dtype}, but labels that depend on the instance are made from"
            " numbers: give a table or images; of texts, an embedding (n, d)."
        )
    if inputs.ndim < 2 or len(inputs) != n:
        raise ValueError(
            f"`{name}` has shape {inputs.shape}, but `truth` has {n} rows; it must be ({n}, ...)."
        )
    table = inputs.reshape(n, math.prod(inputs.shape[1:]))
    table = table.astype(np.result_type(inputs.dtype, np.float32), copy=False)
    if not np.isfinite(table).all():
        row = int(np.argwhere(~np.isfinite(table))[0, 0])
        raise ValueError(f"`{name}` has NaN or infinity at row {row}. Fill or drop it first.")
    return table


def condensed(table: np.ndarray, seed: int) -> np.ndarray:
    """Standardised columns (n, d); where there are more than 64, their first principal components.

    ``seed``, below 2^31, is for the search for components, which is by random projections where
    there are very many columns.
    """
    if not len(table):
        return table
    from sklearn.decomposition import PCA
    from sklearn.preprocessing import StandardScaler

    table = StandardScaler().fit_transform(table)
    if table.shape[1] <= COMPONENTS:
        return table
    return PCA(min(COMPONENTS, len(table)), random_state=seed).fit_transform(table)
