"""What the criteria must be by theory: bounds, identities and expectations.

Atoms with a known posterior, labels drawn from it, candidate sets drawn around the labels: compared
at four standard errors, or summed over all candidate sets. Proposition and theorems are those of
Wang et al., ICLR 2025.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from candidly.criteria import accuracy, approximated_accuracy, covering_rate
from candidly.imperfect import flip, noise, uniform

N, ATOMS, Q = 200_000, 12, 5


@settings(max_examples=100, deadline=None)
@given(
    logits=hnp.arrays(np.float32, (1, 6), elements=st.floats(-200, 200, width=32)),
    row=hnp.arrays(bool, 6).filter(lambda row: row.any()),
)
def test_each_example_lies_between_its_bounds(logits, row):
    candidates = row[None]
    for as_kind in (np.asarray, torch.as_tensor):
        cr = float(covering_rate(as_kind(logits), as_kind(candidates)))
        aa = float(approximated_accuracy(as_kind(logits), as_kind(candidates)))
        assert cr / row.sum() <= aa <= cr


@pytest.fixture
def logits():
    return np.random.default_rng(0).normal(size=(50, 7)).astype(np.float32)


@pytest.mark.parametrize("measure", [covering_rate, approximated_accuracy])
def test_single_candidates_give_the_accuracy(measure, logits):
    labels = np.arange(50) % 7
    single = np.eye(7, dtype=bool)[labels]
    assert measure(logits, single) == pytest.approx(accuracy(logits, labels))


@pytest.mark.parametrize("kind", [np.asarray, torch.as_tensor], ids=["numpy", "torch"])
def test_full_candidates_give_one_and_the_confidence(logits, kind):
    full = kind(np.ones((50, 7), dtype=bool))
    probs = torch.as_tensor(logits).softmax(-1)
    assert float(covering_rate(kind(logits), full)) == 1
    confidence = float(probs.amax(-1).mean())
    assert float(approximated_accuracy(kind(logits), full)) == pytest.approx(confidence)


# expectations


def draws(seed):
    """Generator, posterior of each atom, and of N examples the atom and the label."""
    rng = np.random.default_rng(seed)
    posterior = rng.dirichlet(np.ones(Q), ATOMS)
    x = rng.integers(0, ATOMS, N)
    y = (rng.random((N, 1)) > posterior[x].cumsum(1)).sum(1).clip(max=Q - 1)
    return rng, posterior, x, y


def one_hot(predicted):
    """Logits of a classifier that predicts so."""
    return np.eye(Q)[predicted]


def covered(predicted, candidates):
    return candidates[np.arange(len(predicted)), predicted]


def within_four_errors(samples, expected):
    return abs(samples.mean() - expected) < 4 * samples.std() / len(samples) ** 0.5


# how often a wrong label is a candidate: the benchmark's formulas, at five classes
CONSTANT = {
    "uniform": (lambda y: uniform(y, Q, seed=1), 7 / 15),
    "flip": (lambda y: flip(y, Q, 0.3, seed=1), 0.3),
    "flip, at least one": (
        lambda y: flip(y, Q, 0.3, force=True, seed=1),
        0.3 + 0.7**4 / 4,
    ),
}


@pytest.mark.parametrize("process", CONSTANT)
def test_covering_rate_exceeds_accuracy_by_the_covered_mistakes(process):
    # the identity, which is exact, and theorem 1 where wrong labels enter at one rate c
    rng, _, x, y = draws(1)
    make, c = CONSTANT[process]
    candidates = make(y)
    logits = rng.normal(size=(ATOMS, Q))[x]
    predicted = logits.argmax(1)
    inside = covered(predicted, candidates)
    gap = covering_rate(logits, candidates) - accuracy(logits, y)
    assert gap == pytest.approx(((predicted != y) & inside).mean(), abs=1e-9)
    assert within_four_errors((inside - c) / (1 - c) - (predicted == y), 0)


BY_CLASS = np.full((Q, Q), 0.1)  # label 1 is a candidate of class 0 far more often than others
BY_CLASS[0, 1] = 0.8
np.fill_diagonal(BY_CLASS, 1)


@pytest.mark.parametrize("noise_rate", [0.0, 0.2])
@pytest.mark.parametrize("worst", [True, False])
def test_proposition_1_bounds_the_gap_by_the_ambiguity_degree(worst, noise_rate):
    rng, _, _, y = draws(2)
    wrong = (y + rng.integers(1, Q, N)) % Q
    if worst:  # every mistake is the most frequent false candidate of its class
        y, wrong = np.zeros_like(y), np.ones_like(y)
    predicted = np.where(rng.random(N) < 0.6, y, wrong)
    candidates = flip(y, Q, BY_CLASS, seed=3)
    if noise_rate:
        candidates = noise(candidates, y, noise_rate, seed=4)
    excess = covered(predicted, candidates) * 1.0 - (predicted == y)
    bound = (predicted != y).mean() * 0.8  # (1 - accuracy) times the ambiguity degree
    assert excess.mean() < bound + 4 * excess.std() / N**0.5
    assert within_four_errors(excess, bound) == (worst and not noise_rate)  # it is tight


def test_theorem_1_fails_where_the_rate_depends_on_the_class():
    # the worse classifier, whose mistakes are frequent candidates, has the higher covering rate
    y = np.arange(N) % Q
    candidates = flip(y, Q, BY_CLASS, seed=5)
    better = np.where(y == 1, 2, y)  # wrong on a class whose wrong labels are rare candidates
    worse = np.where(y == 0, 1, y)
    worse[:1000] = (y[:1000] + 1) % Q
    assert accuracy(one_hot(better), y) > accuracy(one_hot(worse), y)
    assert covering_rate(one_hot(better), candidates) < covering_rate(one_hot(worse), candidates)


def test_noise_takes_its_rate_off_the_covering_rate_of_what_is_right():
    rng, _, _, y = draws(6)
    predicted = np.where(rng.random(N) < 0.6, y, (y + rng.integers(1, Q, N)) % Q)
    candidates = noise(flip(y, Q, 0.3, seed=7), y, 0.25, seed=8)
    inside, right = covered(predicted, candidates), predicted == y
    assert within_four_errors(inside - 0.75 * right - (inside & ~right), 0)


def test_approximated_accuracy_of_the_true_posterior_is_the_accuracy():
    # theorem 2 by simulation
    _, posterior, x, y = draws(9)
    candidates = flip(y, Q, 0.3, seed=10)
    logits = np.log(posterior)[x]
    masked = posterior[x] * candidates
    predicted = logits.argmax(1)
    share = covered(predicted, masked) / masked.sum(1)
    assert approximated_accuracy(logits, candidates) == pytest.approx(share.mean())
    assert within_four_errors(share - (predicted == y), 0)


@pytest.mark.parametrize("process", ["uniform", "flip"])
def test_theorem_2_summed_over_every_candidate_set(process):
    # P(S | x) = C(S) * the posterior's mass in S; then AA's expectation is the largest posterior
    posterior = np.random.default_rng(11).dirichlet(np.ones(Q))
    sets = np.array([row for row in itertools.product([False, True], repeat=Q) if any(row)])
    size = sets.sum(1)
    if process == "uniform":
        weight = (size < Q) / (2 ** (Q - 1) - 1)
    else:
        weight = 0.3 ** (size - 1) * 0.7 ** (Q - size)
    chance = weight * (sets * posterior).sum(1)
    assert chance.sum() == pytest.approx(1)
    aa = [approximated_accuracy(np.log(posterior)[None], row[None]) for row in sets]
    assert np.dot(chance, aa) == pytest.approx(posterior.max())
