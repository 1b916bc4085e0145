"""Of a mean the jackknife is Student's interval; of agreement it covers with few items, too."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from candidly.people.crowd import Answers, krippendorff
from candidly.people.validation import fleiss, gwet
from candidly.stats.jackknife import jackknife


@given(st.lists(st.floats(-0.1, 0.1), min_size=2, max_size=20), st.floats(0.5, 0.99))
def test_of_a_mean_it_is_students_interval(values, level):
    found = np.array([*values, 0.2])  # so that not all are alike
    n = len(found)
    left_out = (found.sum() - found) / (n - 1)
    low, high = jackknife(found.mean(), left_out, np.ones(n, int), level)
    half = t.ppf((1 + level) / 2, n - 1) * found.std(ddof=1) / n**0.5
    assert low == pytest.approx(max(found.mean() - half, -1))
    assert high == pytest.approx(min(found.mean() + half, 1))


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3).filter(any), min_size=1, max_size=12))
def test_the_ends_of_agreement_are_possible_or_not_said(rows):
    counts = np.array(rows)
    said = [np.repeat(np.arange(3), row) for row in counts]
    items = np.repeat(np.arange(len(said)), counts.sum(1))
    people = np.concatenate([np.arange(len(row)) for row in said])
    answers = Answers.from_columns(items, people.astype(str), np.concatenate(said), classes=3)
    for found in (fleiss(counts), gwet(counts), krippendorff(answers)):
        alike = len(np.unique(counts[counts.sum(1) > 1], axis=0)) < 2
        if np.isnan(found.low):
            assert np.isnan(found.high)
        else:
            assert not alike or (counts.sum(1) < 2).any()
            assert -1 <= found.low <= found.value + 1e-9
            assert found.value - 1e-9 <= found.high <= 1


def _said(rng, n):
    truth = rng.integers(0, 3, n)
    return np.where(rng.random((n, 3)) < 0.8, truth[:, None], rng.integers(0, 3, (n, 3)))


@pytest.mark.parametrize("n", [6, 20])
def test_it_holds_the_agreement_of_all_items_as_often_as_it_says(n):
    rng = np.random.default_rng(n)
    wanted = krippendorff(Answers.from_matrix(_said(rng, 20_000))).value
    found = [krippendorff(Answers.from_matrix(_said(rng, n), classes=3)) for _ in range(400)]
    told = [one for one in found if not np.isnan(one.low)]
    assert len(told) > 340
    assert 0.92 < np.mean([one.low <= wanted <= one.high for one in told]) < 0.98
