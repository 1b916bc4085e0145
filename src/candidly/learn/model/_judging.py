"""Rows that judge what did not learn from them: how many, and which are predicted right."""

from __future__ import annotations

import numpy as np

from ...data.labels.labelled import Labelled
from ..classifiers import is_classifier
from ._fit import method_named

SHARE = 0.2  # of the rows to learn from, which judge
FEWEST = 20  # rows that are enough to judge on


def enough(data: Labelled, seed: int) -> bool:
    """Whether so many rows to learn from leave enough that judge."""
    return len(data.split(seed, test=0.0, validation=SHARE).validation) >= FEWEST


def check_enough(data: Labelled, seen: Labelled, option: str) -> None:
    """Refuse to judge on too few rows.

    Args:
        data: rows to learn from. seen: those of them that judge. option: which asks for it.

    Raises:
        ValueError: fewer than 20.
    """
    if seen.n < FEWEST:
        raise ValueError(
            f"{data.source or 'the data'}: {data.n} rows to learn from leave {seen.n} to compare"
            f" on, and {FEWEST} are the fewest. Leave `{option}` out, or give more rows."
        )


def reads(name: str) -> tuple[str, ...]:
    """The labels that an algorithm or a classifier learns from."""
    return ("given",) if is_classifier(name) else tuple(method_named(name).reads)


def rights_of(predicted: np.ndarray, data: Labelled, sets: bool) -> np.ndarray:
    """Where a candidate, or the given label, is predicted: bool (n,)."""
    if sets or data.given is None:  # an oracle reads neither
        assert data.candidates is not None
        return data.candidates[np.arange(data.n), predicted]
    return predicted == data.given
