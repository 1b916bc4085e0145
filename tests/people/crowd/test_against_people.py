"""Probabilities beside people's answers: by scipy, by hand, and at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy, spearmanr

from candidly.people.crowd import Answers, against_people


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 30), st.integers(2, 5), st.integers(0, 10**6))
def test_each_number_is_that_of_scipy(n, m, seed):
    rng = np.random.default_rng(seed)
    said = rng.integers(0, m, (n, 4))
    answers = Answers.from_matrix(said, classes=m)
    p = rng.dirichlet(np.ones(m), n)
    q = answers.counts / 4
    found = against_people(answers, p)
    assert found.items == n
    assert found.entropy == pytest.approx(entropy(q, axis=1).mean())
    assert found.cross_entropy == pytest.approx((entropy(q, p, axis=1) + entropy(q, axis=1)).mean())
    js = [jensenshannon(one, other, base=2) ** 2 for one, other in zip(p, q)]
    assert found.jensen_shannon == pytest.approx(np.mean(js), abs=1e-9)
    if np.ptp(entropy(q, axis=1)) > 1e-9:
        rank = spearmanr(entropy(p, axis=1), entropy(q, axis=1))[0]
        assert found.entropy_correlation == pytest.approx(rank, abs=1e-6)
    best = p.argmax(1)
    assert found.chosen == pytest.approx(np.mean([q[i, best[i]] for i in range(n)]))
    error = 0.0
    for k in range(15):
        mine = [i for i in range(n) if min(int(p[i, best[i]] * 15), 14) == k]
        if mine:
            claims, shares = p[mine, best[mine]], q[mine, best[mine]]
            error += abs(claims.mean() - shares.mean()) * len(mine) / n
    assert found.calibration == pytest.approx(error)


def test_people_themselves_are_the_best_model():
    rng = np.random.default_rng(0)
    answers = Answers.from_matrix(rng.integers(0, 3, (50, 5)), classes=3)
    found = against_people(answers, answers.counts / 5)
    assert found.cross_entropy == pytest.approx(found.entropy)
    assert found.jensen_shannon == pytest.approx(0, abs=1e-12)
    assert found.entropy_correlation == pytest.approx(1)
    assert found.calibration == pytest.approx(0, abs=1e-12)


def test_items_of_one_answer_take_no_part_and_sure_models_are_finite():
    answers = Answers.from_columns([0, 0, 1], ["a", "b", "a"], [0, 1, 1])
    found = against_people(answers, [[1.0, 0.0], [0.0, 1.0]])
    assert found.items == 1
    assert np.isfinite(found.cross_entropy)
    assert np.isnan(found.entropy_correlation)
    assert found.jensen_shannon == pytest.approx(0.3112781, abs=1e-6)  # of (1, 0) and (1/2, 1/2)
    with pytest.raises(ValueError, match="no item has two answers"):
        against_people(Answers.from_columns([0, 1], ["a", "b"], [0, 1]), [[1, 0.0], [0, 1.0]])
    with pytest.raises(ValueError, match="`probs` has shape"):
        against_people(answers, [[1.0, 0.0]])
