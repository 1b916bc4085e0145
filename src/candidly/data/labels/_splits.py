"""Dividing examples into training, validation and test rows."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from ...ground.numbers import whole
from ...ground.seeds import hashed


@dataclass(frozen=True, eq=False)
class Split:
    """One division of the examples: int64 row numbers, each row in exactly one part."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def make_split(
    n: int, seed: int, test: float | np.ndarray, validation: float | np.ndarray
) -> Split:
    """See ``Labelled.split``; what is no share is bool (n,), the rows of that set."""
    asked = {"test": test, "validation": validation}
    shares = {name: one for name, one in asked.items() if not isinstance(one, np.ndarray)}
    for name, share in shares.items():
        if not isinstance(share, Real) or not 0 <= share < 1:
            raise ValueError(f"`{name}` is {share!r}; give a share in [0, 1).")
    seed = whole(seed, "seed")
    if isinstance(test, np.ndarray):
        learned, tested = np.flatnonzero(~test), np.flatnonzero(test)
        how = "its official test set"
    else:
        rows, count = _shuffled(n, seed), int(n * (1 - test))
        learned, tested = rows[:count], rows[count:]
        how = f"test={test}"
    places = _shuffled(len(learned), seed)
    if isinstance(validation, np.ndarray):
        mixed, how = learned[places], f"{how} and its official validation set"
        split = Split(mixed[~validation[mixed]], mixed[validation[mixed]], tested)
    else:
        held, how = int(validation * len(learned)), f"{how} and validation={validation}"
        split = Split(learned[places[held:]], learned[places[:held]], tested)
    for name, share in {"train": 1.0, "test": 1.0, **shares}.items():
        if share > 0 and not len(getattr(split, name)):
            raise ValueError(
                f"splitting {n} examples with {how} leaves no {name} example. Use more data or"
                " other shares."
            )
    return split


def _shuffled(n: int, seed: int) -> np.ndarray:
    rows = np.arange(n)
    # int(): the text of numpy's integers differs, and the text is what is hashed
    np.random.RandomState(hashed(int(seed))).shuffle(rows)
    return rows
