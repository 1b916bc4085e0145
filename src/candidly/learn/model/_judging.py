"""Rows that judge what did not learn from them: how many, and which are predicted right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...data.labels.labelled import Labelled, given_to_candidates
from ...data.labels.votes import times_named, votes_for
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
    votes = None if seen.votes is None else votes_for(seen.truth)
    return replace(seen, given=given, candidates=sets, votes=votes)


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


# labels that are learned from, in words
READ = {
    "candidates": "candidate sets",
    "given": "one label a row",
    "votes": "people's answers",
    "truth": "true labels",
}


def kind_read(name: str) -> str:
    """Which labels decide what an algorithm or a classifier learns, of ``READ``."""
    return next(labels for labels in READ if labels in reads(name))


def rights_of(predicted: np.ndarray, data: Labelled, by: str) -> np.ndarray:
    """Where the prediction agrees with labels: bool (n,).

    With a candidate, with the given label, or with an answer that no other one outnumbers.

    Args:
        by: which labels, of ``READ``; an oracle's are any that are there.
    """
    if by == "truth":
        by = next(name for name in READ if getattr(data, name) is not None)
    rows = np.arange(data.n)
    if by == "votes":
        assert data.votes is not None
        counts = times_named(data.votes, data.n, data.q)
        return (counts[rows, predicted] == counts.max(1)) & counts.any(1)
    if by == "candidates":
        assert data.candidates is not None
        return data.candidates[rows, predicted]
    return predicted == getattr(data, by)
