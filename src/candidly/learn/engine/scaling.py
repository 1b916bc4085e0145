"""How inputs become numbers of a common size: what they are less, and what they are divided by.

Two steps. ``base_scaling`` is that of all rows, in float64, and holds for every split; what a split
has of its own is a shift and a factor on top, applied to the rows of a batch. The two compose to
exactly the split's standardisation, and a feature with a large mean keeps its digits in float32.
Pictures have one mean and deviation a channel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from ...data.inputs import Pictures

GUARD = 1e-6  # added to every standard deviation: the benchmark's
WHITE = 255.0
AT_ONCE = 64  # pictures, to stay in the cache
EXACT = 2**24  # whole numbers that float32 has

# Means and standard deviations of channels from 0 to 1, by name. Sources: `plench`, Wang et al.,
# ICLR 2025, released program (for every data set of pictures); the others, the released programs of
# the CIFAR-N challenge.
CONSTANTS = {
    "plench": ((0.4922, 0.4832, 0.4486), (0.2456, 0.2419, 0.2605)),
    "cifar10": ((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)),
    "cifar100": ((0.5071, 0.4867, 0.4408), (0.2675, 0.2565, 0.2761)),
}
SCALINGS = ("train", "none", *CONSTANTS)
OF_TABLES = ("train", "none", "plench")


@dataclass(frozen=True)
class Sums:
    """Of the pixels of each picture and channel, int64 (n, C), and of their squares."""

    plain: np.ndarray
    squares: np.ndarray
    pixels: int  # of one picture and channel


def check_scaling(scaling: str, inputs: np.ndarray | Pictures) -> None:
    """Refuse a scaling that these inputs cannot have.

    Raises:
        ValueError: says which they can have.
    """
    if scaling not in SCALINGS:
        raise ValueError(f"scaling is {scaling!r}; use one of {', '.join(SCALINGS)}.")
    pictures = isinstance(inputs, Pictures)
    if not pictures and scaling not in OF_TABLES:
        raise ValueError(
            f"scaling {scaling} is for pictures, and these inputs are a table; use one of "
            f"{', '.join(OF_TABLES)}."
        )
    if pictures and scaling in CONSTANTS and inputs.shape[0] != 3:
        raise ValueError(
            f"scaling {scaling} has constants for 3 channels, and these pictures have "
            f"{inputs.shape[0]}; use train or none."
        )


def base_scaling(
    inputs: np.ndarray | Pictures, scaling: str, sums: Sums | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Centre and spread, float64 (d,) or (C, 1, 1): inputs less the one, divided by the other.

    ``train`` standardises over all rows (a split's own comes on top); ``none`` leaves tables as
    they are, and makes pixels numbers from 0 to 1; ``plench`` is the released program's, for tables
    over all rows, and for pictures constants, as are the other names.

    Args:
        sums: for pictures, for ``train``.
    """
    if isinstance(inputs, Pictures):
        channels = inputs.shape[0]
        if scaling == "none":
            return np.zeros((channels, 1, 1)), np.full((channels, 1, 1), WHITE)
        if scaling in CONSTANTS:
            centre, spread = (WHITE * np.reshape(each, (-1, 1, 1)) for each in CONSTANTS[scaling])
            return centre, spread
        assert sums is not None
        mean, deviation = _of_channels(sums, slice(None))
        return mean, np.where(deviation == 0, 1, deviation)
    mean, deviation, constant = _moments(inputs)
    if scaling == "none":
        return np.zeros_like(mean), np.ones_like(mean)
    if scaling == "plench":
        return mean, deviation + GUARD
    return mean, np.where(constant | (deviation == 0), 1, deviation)


def split_of_table(
    table: np.ndarray, centre: np.ndarray, spread: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Shift and factor (d,) that turn scaled rows into those standardised over ``table``."""
    mean, deviation, constant = _moments(table)
    shift = (mean - centre) / spread
    return shift, np.where(constant, 0, spread / (deviation + GUARD))


def split_of_pictures(
    sums: Sums, rows: np.ndarray, centre: np.ndarray, spread: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Shift and factor (C, 1, 1), likewise for these rows' pictures."""
    mean, deviation = _of_channels(sums, rows)
    guarded = deviation + WHITE * GUARD  # as added to deviations of numbers from 0 to 1
    return (mean - centre) / spread, np.where(deviation == 0, 0, spread / guarded)


def sums_of(pictures: Pictures) -> Sums:
    """In one pass over the pixels; exact."""
    n, (channels, high, wide) = len(pictures), pictures.shape
    plain, squares = (np.empty((n, channels), np.int64) for _ in range(2))
    dtype = np.float32 if high * WHITE**2 < EXACT else np.float64
    for start in range(0, n, AT_ONCE):
        some = pictures.by_row[start : start + AT_ONCE].astype(dtype, order="C")
        numbers = torch.from_numpy(some).view(-1, high, wide * channels)
        for sums, values in ((plain, numbers), (squares, numbers.square())):
            columns = values.sum(1).to(torch.float64).view(-1, wide, channels)
            sums[start : start + AT_ONCE] = columns.sum(1).numpy()
    return Sums(plain, squares, high * wide)


def _of_channels(sums: Sums, rows: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
    """Mean and population standard deviation of each channel of these pictures: (C, 1, 1)."""
    plain = sums.plain[rows].sum(0).tolist()
    squares = sums.squares[rows].sum(0).tolist()
    n = len(sums.plain[rows]) * sums.pixels
    # whole numbers of any size: no digit is lost before the root
    variance = [(n * square - one * one) / n**2 for one, square in zip(plain, squares)]
    mean = np.array([one / n for one in plain])
    return mean.reshape(-1, 1, 1), np.sqrt(variance).reshape(-1, 1, 1)


def _moments(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, population standard deviation and constancy of each column, in float64."""
    constant = (table == table[:1]).all(0)
    # the mean of equal numbers may differ from them in the last bit
    mean = np.where(constant, table[0], table.mean(0, dtype=np.float64))
    return mean, table.std(0, dtype=np.float64), constant
