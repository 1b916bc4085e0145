"""One training, and what is measured of it."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

import candidly
from candidly import Labelled
from candidly.data import Votes
from candidly.people.crowd import Answers, against_people, consensus, weighted_rows
from studies.kit.by_rows import packed

from .cases import CONSENSUS, SOFT, TRUTH, Case, Made


def answers_of(votes: Votes, classes: int) -> Answers:
    names = sorted(set(votes.annotator))
    place = {name: number for number, name in enumerate(names)}
    who = np.array([place[name] for name in votes.annotator])
    return Answers.from_columns(votes.item, who, votes.labels, classes=classes)


@lru_cache
def learned_by(made: Made, way: str) -> tuple[Labelled, str, np.ndarray | None]:
    """What is learned from, the algorithm, and the rows' weights."""
    data = made.learned
    assert data.votes is not None
    if way in CONSENSUS:
        labels = np.asarray(consensus(answers_of(data.votes, data.q), way).labels)
        return replace(data, votes=None, given=labels), "ce", None
    if way in SOFT:
        rows = weighted_rows(consensus(answers_of(data.votes, data.q), SOFT[way]))
        inputs = np.asarray(data.inputs)[rows.items]
        return candidly.from_arrays(inputs, rows.labels, classes=data.q), "ce", rows.weights
    return data, "supervised-oracle" if way == TRUTH else way, None


@lru_cache
def people_of(made: Made) -> Answers:
    assert made.people is not None
    return answers_of(made.people, made.learned.q)


def trained(made: Made, case: Case, way: str, seed: int) -> dict[str, Any]:
    """Train, and measure on the rows that are scored.

    Returns:
        ``labels``, the share of labels that are right where there is one a row; ``right``, the
        accuracy, and ``rows``, which rows that are, a bit a row in base 64; ``loss``, the log loss
        in nats; and of people's shares ``people``, their
        cross-entropy in nats, ``divergence`` in bits, and ``doubt``, the correlation of entropies.
    """
    warnings.simplefilter("ignore")
    learned, algorithm, weights = learned_by(made, way)
    found: dict[str, Any] = {}
    if learned.given is not None and learned.truth is not None:
        found["labels"] = float((learned.given == learned.truth).mean())
    how = {"net": case.net, "steps": case.steps, "batch_size": case.batch}
    model = candidly.fit(learned, algorithm, seed=seed, sample_weight=weights, **how)
    scored = candidly.from_arrays(made.inputs, truth=made.truth, classes=made.learned.q)
    logits = model.predict_logits(scored)
    probs = np.exp(logits - logits.max(1, keepdims=True))
    probs /= probs.sum(1, keepdims=True)
    mine = probs[np.arange(len(probs)), made.truth]
    right = logits.argmax(1) == made.truth
    found["right"] = float(right.mean())
    found["rows"] = packed(right)
    found["loss"] = float(-np.log(np.maximum(mine, 1e-12)).mean())
    if made.people is not None:
        told = against_people(people_of(made), probs.astype(np.float64))
        found["people"] = float(told.cross_entropy)
        found["divergence"] = float(told.jensen_shannon)
        found["doubt"] = float(told.entropy_correlation)
    return found
