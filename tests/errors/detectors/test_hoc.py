"""The transition matrix from agreement: against whole tensors, differences, and a simulation."""

from __future__ import annotations

import numpy as np
import pytest

from candidly import detectors
from candidly.errors.detectors import _hoc


def random_model(q, seed):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(q), q), rng.dirichlet(np.ones(q))


def counted(first, second, third):
    labels, counts = np.unique(np.stack([first, second, third], 1), axis=0, return_counts=True)
    return _hoc.Triples(labels, counts / len(first))


def whole_misfit(transition, prior, triples, q):
    """Every one of the q + q² + q³ differences."""
    c3 = np.zeros((q, q, q))
    c3[tuple(triples.labels.T)] = triples.share
    c2, c1 = c3.sum(2), c3.sum((1, 2))
    t, p = transition, prior
    return sum(
        ((model - data) ** 2).sum()
        for model, data in (
            (np.einsum("i,ij->j", p, t), c1),
            (np.einsum("i,ij,il->jl", p, t, t), c2),
            (np.einsum("i,ij,il,is->jls", p, t, t, t), c3),
        )
    )


@pytest.mark.parametrize("q", [2, 3, 5])
def test_the_misfit_is_that_of_the_whole_tensors(q):
    triples = counted(*np.random.default_rng(q).integers(0, q, (3, 50)))
    transition, prior = random_model(q, q)
    value, by_transition, by_prior = _hoc.misfit(transition, prior, triples)
    assert value == pytest.approx(whole_misfit(transition, prior, triples, q), abs=1e-14)
    step = 1e-6
    for i in range(q):
        for place, slope in (((i, (i + 1) % q), by_transition), ((i,), by_prior)):
            ends = []
            for sign in (1, -1):
                moved = [transition.copy(), prior.copy()]
                moved[len(place) == 1][place] += sign * step
                ends.append(whole_misfit(*moved, triples, q))
            assert slope[place] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-7)


def test_the_true_matrix_is_found_again():
    rng = np.random.default_rng(0)
    transition = np.array([[0.7, 0.2, 0.1], [0.05, 0.9, 0.05], [0.3, 0.1, 0.6]])
    prior = np.array([0.5, 0.3, 0.2])
    truth = rng.choice(3, 60_000, p=prior)
    cumulated = transition.cumsum(1)[truth]
    labels = [(rng.random((len(truth), 1)) > cumulated).sum(1) for _ in range(3)]
    found = detectors.estimate_transition(*labels, 3)
    np.testing.assert_allclose(found.transition, transition, atol=0.02)
    np.testing.assert_allclose(found.prior, prior, atol=0.02)
    assert found.misfit < 1e-4
    np.testing.assert_allclose(found.transition.sum(1), 1)


def test_clean_labels_and_a_class_nobody_has():
    truth = np.repeat([0, 1], 50)
    found = detectors.estimate_transition(truth, truth, truth, 3)
    np.testing.assert_allclose(found.transition[:2, :2], np.eye(2), atol=0.02)
    assert found.prior[2] < 0.01


def test_one_class():
    found = detectors.estimate_transition(*[np.zeros(9, np.int64)] * 3, 2)
    assert found.transition[0, 0] == pytest.approx(1, abs=0.02)
