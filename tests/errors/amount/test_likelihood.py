"""The likelihood beside one written from its formula, and what must not change it."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.stats import chi2

from candidly.errors.amount._interval import interval
from candidly.errors.amount._likelihood import Likelihood, Rows, evaluate, look
from candidly.errors.amount._moves import (
    EVENLY,
    INTO,
    OUT_OF,
    PAIR,
    Move,
    matrix,
    share_moved,
    slopes,
)
from candidly.errors.amount._search import _choice, _promising, search
from candidly.errors.amount._softmax import room, softmax
from made_overlap import made


def slowly(logs, labels, weights, t, b, transition):
    """Σ w log Σ_k h_k T[k, s], row by row."""
    total = 0.0
    for row, s, w in zip(logs, labels, weights):
        h = np.exp(t * row + b)
        h /= h.sum()
        total += w * np.log(sum(h[k] * transition[k, s] for k in range(len(h))))
    return total


def fast(logs, labels, weights, t, b, transition):
    q = logs.shape[1]
    by_b, by_likely, sums = np.zeros(q), np.zeros((q, q)), np.empty(2)
    likely = np.ascontiguousarray(transition.T)
    evaluate(logs, labels, weights, t, b, likely, *room(q), by_b, by_likely, sums)
    return sums[0], sums[1], by_b, by_likely.T


@settings(max_examples=40)
@given(st.lists(st.floats(-800, 800), min_size=1, max_size=9))
def test_softmax_is_the_softmax(logits):
    h, bits, powers = room(len(logits))
    h[:] = logits
    softmax(h, bits, powers)
    x = np.array(logits, np.longdouble)
    wanted = np.exp(x - x.max())
    wanted /= wanted.sum()
    assert np.allclose(h, wanted.astype(float), rtol=1e-13, atol=1e-290)


@settings(max_examples=25)
@given(st.integers(2, 5), st.integers(0, 1000), st.floats(0.3, 3))
def test_it_is_the_formula_and_its_slopes(q, seed, t):
    rng = np.random.default_rng(seed)
    logs, _, labels = made(30, q, 0.2, seed)
    weights, b = rng.random(30), rng.normal(size=q)
    transition = rng.dirichlet(np.ones(q), q) * 0.4 + 0.6 * np.eye(q)
    value, by_t, by_b, by_entries = fast(logs, labels, weights, t, b, transition)
    assert value == pytest.approx(slowly(logs, labels, weights, t, b, transition))

    def of(v):
        entries = v[1 + q :].reshape(q, q)
        return slowly(logs, labels, weights, v[0], v[1 : 1 + q], entries)

    at = np.concatenate([[t], b, transition.ravel()])
    slope = approx_fprime(at, of, 1e-6)
    assert np.allclose(
        np.concatenate([[by_t], by_b, by_entries.ravel()]), slope, rtol=2e-3, atol=1e-3
    )


@pytest.mark.parametrize("q", [2, 3, 6])
def test_moves_take_mass_off_the_diagonal(q):
    rng = np.random.default_rng(q)
    moves = [Move(EVENLY), Move(OUT_OF, 1), Move(INTO, 0), Move(PAIR, 0, 1)]
    shares = rng.random(4) * 0.1
    transition = matrix(moves, shares, q)
    assert np.allclose(transition.sum(1), 1)
    prior = rng.dirichlet(np.ones(q))
    moved = sum(share * share_moved(move, prior) for move, share in zip(moves, shares))
    assert prior @ (1 - np.diag(transition)) == pytest.approx(moved)
    weight = rng.normal(size=(q, q))
    slope = approx_fprime(shares, lambda x: float((weight * matrix(moves, x, q)).sum()), 1e-7)
    assert np.allclose(slopes(moves, weight), slope, atol=1e-5)


def test_a_chance_is_bayes_rule():
    logs, _, labels = made(50, 3)
    t, b = 1.3, np.array([0.1, -0.2, 0.0])
    transition = matrix([Move(EVENLY), Move(PAIR, 0, 2)], np.array([0.1, 0.05]), 3)
    chance, right, mass = np.empty(50), np.empty(50), np.zeros(3)
    likely = np.ascontiguousarray(transition.T)
    look(logs, labels, np.ones(50), t, b, likely, *room(3), chance, right, mass)
    for row, s, said, sure in zip(logs, labels, chance, right):
        h = np.exp(t * row + b)
        h /= h.sum()
        joint = {k: h[k] * transition[k, s] for k in range(3)}
        assert said == pytest.approx(1 - joint[s] / sum(joint.values()))
        assert sure == pytest.approx(joint[row.argmax()] / sum(joint.values()))
    assert mass.sum() == pytest.approx(50)


def test_the_maximum_is_no_lower_than_that_of_a_grid():
    logs, _, labels = made(400, 3, 0.15)
    likelihood = Likelihood(Rows(logs, labels, np.ones(400)))
    fit = likelihood.fit((Move(EVENLY),))
    grid = [
        slowly(logs, labels, np.ones(400), t, np.zeros(3), matrix([Move(EVENLY)], [w], 3))
        for t, w in itertools.product((0.8, 1.0, 1.2), (0.05, 0.1, 0.15, 0.2))
    ]
    assert fit.loglik >= max(grid)
    assert fit.moved[0] == pytest.approx(0.15, abs=0.06)


def test_a_row_that_counts_twice_is_two_rows():
    logs, _, labels = made(300, 3)
    twice = np.arange(300) < 100
    weighed = Likelihood(Rows(logs, labels, 1.0 + twice)).fit((Move(EVENLY),))
    rows = np.concatenate([np.arange(300), np.flatnonzero(twice)])
    doubled = Likelihood(Rows(logs[rows], labels[rows], np.ones(len(rows)))).fit((Move(EVENLY),))
    assert weighed.loglik == pytest.approx(doubled.loglik)
    assert weighed.moved == pytest.approx(doubled.moved, abs=1e-4)


@pytest.mark.parametrize("rate", [0.0, 0.1])
def test_the_ends_are_where_the_profile_has_dropped(rate):
    logs, _, labels = made(1500, 3, rate, seed=3, scale=4)
    likelihood = Likelihood(Rows(logs, labels, np.ones(1500)))
    fit = likelihood.fit((Move(EVENLY),))
    low, high = interval(likelihood, fit)
    assert low <= fit.wrong <= high
    drop = chi2.ppf(0.95, 1) / 2

    def profile(share):
        """The maximum with that share of errors, over temperatures."""
        best = -np.inf
        for t in np.linspace(0.5, 1.6, 23) * fit.t:
            transition = matrix([Move(EVENLY)], [share], 3)
            best = max(best, slowly(logs, labels, np.ones(1500), t, fit.b, transition))
        return best

    top = profile(fit.moved[0])
    for end in (low, high):
        if end > 0:
            # b stays: the profile with it free lies higher, so its ends lie further out
            assert top - profile(end) >= 0.7 * drop
    if rate == 0:
        assert low == 0


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 99), st.sampled_from([0.0, 0.05, 0.5]), st.sampled_from([1.0, 30.0, 1000.0]))
def test_the_ends_are_shares_however_far_labels_are_spread(seed, rate, spread):
    logs, _, labels = made(200, 3, rate, seed=seed, scale=4)
    likelihood = Likelihood(Rows(logs, labels, np.ones(200)))
    fit = likelihood.fit((Move(EVENLY),))
    low, high = interval(likelihood, fit, spread)
    assert 0 <= low <= fit.wrong + 1e-6
    assert fit.wrong - 1e-6 <= high <= 1


def test_errors_of_one_class_are_found_as_such():
    logs, true, labels = made(6000, 4, 0.0, scale=5)
    rng = np.random.default_rng(1)
    hit = (true == 2) & (rng.random(6000) < 0.3)
    labels = np.where(hit, (true + rng.integers(1, 4, 6000)) % 4, labels).astype(np.int64)
    likelihood = Likelihood(Rows(logs, labels, np.ones(6000)))
    even = likelihood.fit((Move(EVENLY),))
    assert _promising(likelihood, even) == [Move(OUT_OF, 2)]
    assert Move(OUT_OF, 2) in search(likelihood).best.moves


@pytest.mark.parametrize("q", [3, 7])
def test_every_move_has_a_number(q):
    every = {_choice(number, q) for number in range(2 * q + q * (q - 1))}
    singles = {Move(kind, a) for kind in (OUT_OF, INTO) for a in range(q)}
    assert every == singles | {Move(PAIR, a, b) for a, b in itertools.permutations(range(q), 2)}
