"""Rows that judge what did not learn from them: how many, and which are predicted right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...data.labels.labelled import Labelled, given_to_candidates
from ..classifiers import is_classifier
from ._fit import method_named

SHARE = 0.2  # of the rows to learn from, which judge
FEWEST = 20  # rows that are enough to judge on


def judged(data: Labelled, seed: int) -> tuple[Labelled, Labelled]:
    """Rows to learn from, and rows that judge: the official validation set, else a fifth."""
    own = data.official_validation
    if own is not None and own.any():
        return data[~own], _as_true(data[own])
    split = data.split(seed, test=0.0, validation=SHARE)
    return data[split.train], data[split.validation]


def _as_true(seen: Labelled) -> Labelled:
    """Rows of a validation set, judged by their true labels where these are known of all."""
    if seen.truth is None or (seen.truth < 0).any():
        return seen
    sets = None if seen.candidates is None else given_to_candidates(seen.truth, seen.q)
    given = None if seen.given is None else seen.truth
    return replace(seen, given=given, candidates=sets)


def to_learn_from(data: Labelled) -> Labelled:
    """All rows but those of an official validation set."""
    own = data.official_validation
    return data if own is None or not own.any() else data[~own]


def enough(data: Labelled, seed: int) -> bool:
    """Whether so many rows leave enough that judge."""
    return judged(data, seed)[1].n >= FEWEST


def check_enough(data: Labelled, seen: Labelled, option: str) -> None:
    """Refuse to judge on too few rows.

    Args:
        data: rows to learn from. seen: those of them that judge. option: which asks for it.

    Raises:
        ValueError: fewer than 20.
    """
    if seen.n < FEWEST:
        raise ValueError(
            f"{data.source or 'the data'}: of {data.n} rows {seen.n} are there to compare on, and"
            f" {FEWEST} are the fewest. Leave `{option}` out, or give more rows."
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
