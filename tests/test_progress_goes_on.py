"""Who is told of progress is told a share of the work that never falls, at every door."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import candidly
from candidly import crowd, errors
from candidly.compare.benchmarking import prepare
from candidly.compare.sweep.settings import make_settings
from candidly.people.crowd import CrowdRead
from learn.encoders.packages import use_random

rng = np.random.default_rng(5)
Y = np.arange(120) % 3
TABLE = rng.normal(size=(120, 4)).astype(np.float32) + np.eye(3, 4, dtype=np.float32)[Y] * 3
PICTURES = rng.integers(0, 120, (60, 16, 16, 3), dtype=np.uint8)
PICTURES[::2, :6] += 100
LOOKS = np.arange(60) % 2
NAME = "efficientnet-lite0"
NETWORK = {"net": "mlp:4", "batch_size": 8}


def _data(**labels):
    return candidly.from_arrays(TABLE, **({"given": Y, "truth": Y} | labels))


def _many():
    """So many rows that a process tells of several parts of them."""
    rows = np.random.default_rng(6).normal(size=(6_000, 3)).astype(np.float32)
    return candidly.from_arrays(rows, truth=np.arange(6_000) % 4)


def _answers():
    said = [(item, f"person {who}", int(Y[item])) for item in range(40) for who in range(4)]
    return crowd.Answers.from_columns(*map(list, zip(*said)), classes=3)


DOORS = {
    "fit, a network": lambda watch: candidly.fit(_data(), "ce", steps=300, watch=watch, **NETWORK),
    "fit, blend": lambda watch: candidly.fit(_data(), "blend", watch=watch),
    "fit, an encoder": lambda watch: candidly.fit(
        (PICTURES, LOOKS), "ce", encoder=NAME, steps=200, batch_size=8, watch=watch
    ),
    "fit, the usual encoder": lambda watch: candidly.fit((PICTURES, LOOKS), watch=watch),
    "fit_and_measure, early stopping": lambda watch: candidly.fit_and_measure(
        _data(), "ce", steps="auto", watch=watch, **NETWORK
    ),
    "fit_and_measure, several": lambda watch: candidly.fit_and_measure(
        _data(), "logistic", against=["blend", "ce"], steps=200, net="mlp:4", watch=watch
    ),
    "fit_and_measure, the usual encoder": lambda watch: candidly.fit_and_measure(
        candidly.from_arrays(PICTURES, LOOKS), watch=watch
    ),
    "features": lambda watch: candidly.features(PICTURES, NAME, watch=watch),
    "apply": lambda watch: candidly.imperfect.apply(_data(given=None), "lookalike:rate=0.2", watch),
    "apply, several processes": lambda watch: candidly.imperfect.apply(
        _many(), "lookalike:rate=0.2,classes=0-1+lookalike:rate=0.2,classes=2-3", watch
    ),
    "prepare, several data sets": lambda watch: prepare(
        make_settings(datasets=("a", "b"), algorithms=("ce",), labels="lookalike:rate=0.2"),
        own={"a": _many(), "b": _many()},
        watch=watch,
    ),
    "cross_validate, a network": lambda watch: errors.cross_validate(
        "ce", _data(), folds=2, watch=watch
    ),
    "cross_validate, an encoder": lambda watch: errors.cross_validate(
        "logistic", (PICTURES, LOOKS), encoder=NAME, watch=watch
    ),
    "check": lambda watch: candidly.check(candidly.from_arrays(PICTURES, LOOKS), watch=watch),
    "compare_noises": lambda watch: candidly.detectors.compare_noises(
        _data(), ("none", "symmetric:rate=0.2"), 2, ["loss", "aum"], epochs=2, watch=watch
    ),
    "compare_noises, an encoder": lambda watch: candidly.detectors.compare_noises(
        candidly.from_arrays(PICTURES, LOOKS, truth=LOOKS),
        detectors=["loss"],
        encoder=NAME,
        watch=watch,
    ),
    "check, blend": lambda watch: candidly.check(
        _data(truth=None), classifier="blend", watch=watch
    ),
    "cross_validate, several": lambda watch: errors.cross_validate(
        ["logistic", "knn"], _data(), watch=watch
    ),
    "examine": lambda watch: errors.examine(Y, np.full((120, 3), 1 / 3), watch=watch),
    "more_answers": lambda watch: crowd.more_answers(
        crowd.consensus(_answers()), 0.99, watch=watch
    ),
    "opinion_pool": lambda watch: crowd.opinion_pool(_answers(), watch=watch),
    "consensus": lambda watch: crowd.consensus(_answers(), watch=watch),
    "settle": lambda watch: crowd.settle(CrowdRead(_answers()), reach=0.9, watch=watch),
}


@pytest.mark.parametrize("door", DOORS)
def test_what_is_told_of_progress_is_a_share_that_never_falls(door, monkeypatch):
    use_random(monkeypatch)
    told = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        DOORS[door](lambda done, total: told.append((done, total)))
    assert told
    assert all(0 <= done <= total for done, total in told)
    shares = [done / total for done, total in told if total]
    assert shares == sorted(shares)
