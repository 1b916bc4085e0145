"""Weights of rows: a row of weight 2 is two rows, of every algorithm that takes weights."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from candidly import fit, from_arrays
from candidly.data import Votes
from candidly.ground.problem import Refusal
from candidly.learn.algorithms import ALGORITHMS, algorithm
from candidly.learn.algorithms.weighted import WEIGHTED
from candidly.learn.model import load_model, row_weights

ROOT = Path(__file__).parents[3]
HOW = {"seed": 0, "scaling": "none", "net": "mlp:8", "lr": 0.003}
LABELS = [
    f"{name}:{variant}"
    for name in sorted(WEIGHTED)
    for variant in ("fixed", "plench")
    if variant == "fixed" or algorithm(name, variant) is not algorithm(name)
]


def made(seed=0, n=24, q=3):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % q
    x = (rng.normal(size=(n, 4)) + truth[:, None]).astype(np.float32)
    given = np.where(rng.random(n) < 0.3, (truth + 1) % q, truth)
    member = np.eye(q, dtype=bool)[truth] | (rng.random((n, q)) < 0.3)
    member[member.all(1)] = np.eye(q, dtype=bool)[truth[member.all(1)]]
    weights = rng.integers(1, 4, n)
    said = [rng.integers(0, q, 1 + i % 3).tolist() for i in range(n)]

    def of(rows):
        rows = np.asarray(rows)
        votes = Votes.from_rows(
            (place, f"a{k}", [y]) for place, row in enumerate(rows) for k, y in enumerate(said[row])
        )
        labels = {"candidates": member[rows], "given": given[rows], "truth": truth[rows]}
        return from_arrays(x[rows], votes=votes, **labels)

    return of, x, weights


@pytest.mark.parametrize("label", LABELS)
def test_a_row_of_weight_two_is_two_rows(label):
    of, x, weights = made()
    each, repeated = np.arange(len(x)), np.repeat(np.arange(len(x)), weights)
    how = HOW | {"steps": 15}
    weighted = fit(of(each), label, sample_weight=weights, batch_size=len(each), **how)
    twice = fit(of(repeated), label, batch_size=len(repeated), **how)
    plain = fit(of(each), label, batch_size=len(each), **how)
    np.testing.assert_allclose(weighted.predict_proba(x), twice.predict_proba(x), atol=2e-4)
    assert abs(plain.predict_proba(x) - twice.predict_proba(x)).max() > 1e-3


def test_names_are_those_of_algorithms():
    assert ALGORITHMS.keys() >= WEIGHTED


@pytest.mark.parametrize("name", ["ce", "PRODEN"])
def test_in_batches_each_row_has_its_own_weight(name):
    of, x, _ = made()
    weights = np.where(np.arange(len(x)) % 2, 1.0, 1e-9)
    data = of(np.arange(len(x)))
    other = np.where(weights < 1, (data.given + 1) % 3, data.given)
    changed = from_arrays(
        x,
        given=other,
        candidates=np.where((weights < 1)[:, None], np.eye(3, dtype=bool)[other], data.candidates),
        truth=data.truth,
    )
    how = HOW | {"steps": 30, "batch_size": 4, "sample_weight": weights}
    one, two = (fit(some, name, **how).predict_proba(x) for some in (data, changed))
    np.testing.assert_allclose(one, two, atol=1e-4)
    del how["sample_weight"]
    one, two = (fit(some, name, **how).predict_proba(x) for some in (data, changed))
    assert abs(one - two).max() > 1e-3


def test_equal_weights_are_none_and_their_scale_does_not_matter():
    of, x, weights = made()
    data = of(np.arange(len(x)))
    how = HOW | {"steps": 30, "batch_size": 8}
    plain = fit(data, "ce", **how)
    for same in (np.ones(len(x)), np.full(len(x), 0.3), 7):
        np.testing.assert_array_equal(
            fit(data, "ce", sample_weight=same, **how).predict_proba(x), plain.predict_proba(x)
        )
    one = fit(data, "ce", sample_weight=weights, **how).predict_proba(x)
    four = fit(data, "ce", sample_weight=4.0 * weights, **how).predict_proba(x)
    np.testing.assert_array_equal(one, four)


def test_huge_and_tiny_weights_are_as_good_as_others():
    of, x, weights = made()
    data = of(np.arange(len(x)))
    how = HOW | {"steps": 10, "batch_size": 8}
    one = fit(data, "ce", sample_weight=weights, **how).predict_proba(x)
    for scale in (2.0**1020, 2.0**-1000):
        same = fit(data, "ce", sample_weight=weights * scale, **how)
        np.testing.assert_array_equal(same.predict_proba(x), one)


def test_a_weighted_model_is_saved_and_loaded(tmp_path):
    of, x, weights = made()
    model = fit(of(np.arange(len(x))), "ce", sample_weight=weights, **HOW, steps=10, batch_size=8)
    model.save(tmp_path / "m.safetensors")
    loaded = load_model(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(loaded.predict_proba(x), model.predict_proba(x))


def test_the_documentation_names_those_that_take_weights():
    page = (ROOT / "docs" / "estimators.md").read_text().partition("## Weights")[2]
    named = page.partition("Such are")[2].partition("Methods that")[0]
    assert set(re.findall(r"`([^`]+)`", named)) == WEIGHTED - {"supervised-oracle"}


def test_rows_of_weight_zero_are_not_there():
    of, x, weights = made()
    weights = weights * (np.arange(len(x)) % 3 > 0)
    left = weights.nonzero()[0]
    how = HOW | {"steps": 30, "batch_size": 8, "scaling": "train"}
    one = fit(of(np.arange(len(x))), "ce", sample_weight=weights, **how)
    two = fit(of(left), "ce", sample_weight=weights[left], **how)
    np.testing.assert_array_equal(one.predict_proba(x), two.predict_proba(x))


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (np.ones(3), r"sample_weight.shape == \(3,\), expected \(24,\)"),
        (np.ones((24, 1)), "one number for each row"),
        (np.r_[np.ones(23), -1], "-1 in row 23"),
        (np.r_[np.nan, np.ones(23)], "nan in row 0"),
        (np.r_[np.inf, np.ones(23)], "inf in row 0"),
        (np.zeros(24), "every row has weight zero"),
        (["a"] * 24, "is a number for each row"),
    ],
)
def test_what_is_no_weight_is_refused(weights, said):
    with pytest.raises(ValueError, match=said):
        row_weights(weights, 24)


@pytest.mark.parametrize("name", ["mixup", "GA", "co-teaching", "PiCO"])
def test_an_algorithm_whose_loss_is_no_mean_over_rows_takes_none(name):
    of, x, weights = made()
    with pytest.raises(Refusal, match=f"{name} takes no weights") as refused:
        fit(of(np.arange(len(x))), name, sample_weight=weights, steps=5)
    assert "PRODEN" in str(refused.value.problem.remedy)
