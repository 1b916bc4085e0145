"""Krippendorff's alpha: his own example, pairs counted one by one, and Fleiss' kappa."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from candidly.people.crowd import Answers, krippendorff
from candidly.people.validation import fleiss

# Krippendorff, "Computing Krippendorff's alpha-reliability", 2011: four observers, twelve units
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
]


def example():
    rows = [
        (unit, f"observer {j}", str(value))
        for j, values in enumerate(OBSERVERS)
        for unit, value in enumerate(values)
        if value
    ]
    return Answers.from_columns(*zip(*rows))


@pytest.mark.parametrize(
    ("scale", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_it_is_that_of_the_published_example(scale, value):
    order = list("12345") if scale == "ordinal" else None
    found = krippendorff(example(), scale, order)
    assert found.value == pytest.approx(value, abs=5e-4)
    assert found.items == 11  # one unit has one value
    assert found.low < found.value < found.high


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 4), st.integers(2, 10), st.integers(2, 4), st.integers(0, 10**6))
def test_it_is_that_of_pairs_counted_one_by_one(number, n, m, seed):
    rng = np.random.default_rng(seed)
    said = np.where(rng.random((n, number)) < 0.8, rng.integers(0, m, (n, number)), -1)
    said[0] = 0
    answers = Answers.from_matrix(said, classes=m)
    rows = [[int(v) for v in row if v >= 0] for row in said]
    rows = [row for row in rows if len(row) > 1]
    everything = [v for row in rows for v in row]
    size = len(everything)
    observed = sum(
        sum((a - b) ** 2 for a, b in itertools.permutations(row, 2)) / (len(row) - 1)
        for row in rows
    )
    expected = sum((a - b) ** 2 for a, b in itertools.permutations(everything, 2)) / (size - 1)
    found = krippendorff(answers, "interval")
    assert found.observed == pytest.approx(observed / size)
    assert found.expected == pytest.approx(expected / size)
    if expected:
        assert found.value == pytest.approx(1 - observed / expected)
    else:
        assert np.isnan(found.value)


def test_with_many_items_of_equal_numbers_it_is_near_kappa():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 3000)
    said = np.where(rng.random((3000, 4)) < 0.7, truth[:, None], rng.integers(0, 3, (3000, 4)))
    answers = Answers.from_matrix(said)
    alpha, kappa = krippendorff(answers), fleiss(answers.counts)
    assert alpha.value == pytest.approx(kappa.value, abs=1e-3)
    assert (alpha.low, alpha.high) == pytest.approx((kappa.low, kappa.high), abs=1e-3)


def test_the_jackknife_leaves_out_items_one_by_one():
    answers = example()
    said = np.full((12, 4), -1)
    said[answers.item, answers.annotator] = answers.label
    values = []
    for gone in range(12):
        kept = np.delete(said, gone, 0)
        if (said[gone] >= 0).sum() > 1:
            values.append(krippendorff(Answers.from_matrix(kept, classes=5)).value)
    found = krippendorff(answers)
    error = np.sqrt(10 / 11 * ((np.array(values) - np.mean(values)) ** 2).sum())
    ten = t.ppf(0.975, 10)  # eleven items have two answers
    assert found.value - found.low == pytest.approx(ten * error, rel=1e-6)
    assert found.high == pytest.approx(min(found.value + ten * error, 1.0))


def test_what_has_no_order_or_no_numbers_is_refused():
    names = Answers.from_columns([0, 0, 1, 1], list("abab"), ["low", "high", "low", "mid"])
    with pytest.raises(ValueError, match="ordinal labels need an order"):
        krippendorff(names, "ordinal")
    with pytest.raises(ValueError, match="name each of high, low, mid once"):
        krippendorff(names, "ordinal", ["low", "high"])
    with pytest.raises(ValueError, match="the class 'high' is no number"):
        krippendorff(names, "interval")
    with pytest.raises(ValueError, match="`order` is of ordinal labels"):
        krippendorff(names, "nominal", ["low", "mid", "high"])
    with pytest.raises(ValueError, match="`scale` is 'ratio'"):
        krippendorff(names, "ratio")
    assert krippendorff(names, "ordinal", ["low", "mid", "high"]).items == 2


def test_one_answer_an_item_and_one_label_have_no_alpha():
    single = Answers.from_columns([0, 1], ["a", "b"], [0, 1])
    assert np.isnan(krippendorff(single).value)
    same = Answers.from_columns([0, 0, 1, 1], list("abab"), [0, 0, 0, 0], classes=2)
    assert np.isnan(krippendorff(same).value)
