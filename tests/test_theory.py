"""The theory of partial labels, by simulation: what holds, for which sets, and where it ends.

Inputs are drawn from a few atoms with a known posterior, labels from that, and candidate sets by
the package's processes. Expectations are compared at four standard errors of 200,000 examples, and
where a statement must fail it misses by far more.

Source: Wang et al., ICLR 2025: Proposition 1, Theorems 1 and 2, Equation 8.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from candidly.data.imperfect import flip, noise, uniform
from candidly.stats.criteria import (
    accuracy,
    accuracy_from_covering_rate,
    approximated_accuracy,
    covering_rate,
)

pytestmark = pytest.mark.slow  # simulations of what is proved

N, ATOMS, Q = 200_000, 12, 5

# 0 and 1 draw each other, everything draws 2, and label 4 never comes in wrongly
CLASS_RATES = np.full((Q, Q), 0.1)
CLASS_RATES[:, 2] = 0.6
CLASS_RATES[0, 1] = CLASS_RATES[1, 0] = 0.8
CLASS_RATES[:, 4] = 0
np.fill_diagonal(CLASS_RATES, 1)

# P(S | x, y) = C(x, S) 1[y in S], and the probability c of each wrong label
FAIR = {
    "uniform": (lambda y, seed: uniform(y, Q, seed), (2 ** (Q - 2) - 1) / (2 ** (Q - 1) - 1)),
    "flip": (lambda y, seed: flip(y, Q, 0.3, seed=seed), 0.3),
    "forced": (lambda y, seed: flip(y, Q, 0.3, force=True, seed=seed), 0.3 + 0.7**4 / 4),
}
UNFAIR = {
    "by class": lambda y, seed: flip(y, Q, CLASS_RATES, seed=seed),
    "noise": lambda y, seed: noise(flip(y, Q, 0.3, seed=seed), y, 0.2, seed=seed),
}
fair = pytest.mark.parametrize(("draw", "c"), FAIR.values(), ids=FAIR)
unfair = pytest.mark.parametrize("draw", UNFAIR.values(), ids=UNFAIR)


@dataclass(frozen=True)
class World:
    """Atoms with their posterior, and examples: an atom and a label each."""

    posterior: np.ndarray  # (m, q)
    x: np.ndarray  # (n,)
    y: np.ndarray  # (n,)


def make_world(posterior, seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, len(posterior), N)
    y = (rng.random((N, 1)) > posterior[x].cumsum(1)).sum(1).clip(max=Q - 1)
    return World(posterior, x, y)


@pytest.fixture(scope="module")
def world():
    return make_world(np.random.default_rng(0).dirichlet(np.ones(Q), ATOMS), seed=1)


@pytest.fixture(scope="module")
def predictors():
    """Logits (10, m, q) of classifiers that know nothing of any label."""
    return np.random.default_rng(2).normal(size=(10, ATOMS, Q))


def errors_from(samples, expected):
    """How many standard errors the mean of ``samples`` lies from ``expected``."""
    return (samples.mean() - expected) / (samples.std() / len(samples) ** 0.5)


def inside(candidates, predicted):
    return candidates[np.arange(N), predicted]


def shares(world, candidates):
    """Posterior of each label given that it is in the candidate set, by the fair rule: (n, q)."""
    kept = world.posterior[world.x] * candidates
    return kept / kept.sum(1, keepdims=True)


# 1: the covering rate exceeds the accuracy by the covered mistakes, exactly


@pytest.mark.parametrize(
    "draw",
    [FAIR["uniform"][0], FAIR["flip"][0], UNFAIR["by class"]],
    ids=["uniform", "flip", "by class"],
)
def test_covered_mistakes_are_the_gap(draw, world, predictors):
    candidates = draw(world.y, 3)
    logits = predictors[:3, world.x]
    gap = covering_rate(logits, candidates) - accuracy(logits, world.y)
    for k in range(3):
        predicted = logits[k].argmax(1)
        mistaken = predicted != world.y
        covered = inside(candidates, predicted)[mistaken].mean()
        assert gap[k] == pytest.approx(mistaken.mean() * covered, abs=1e-9)


# 2: and that is at most the ambiguity degree times the mistakes


@pytest.mark.parametrize("rate", [0.0, 0.2])
def test_the_gap_is_bounded_by_the_ambiguity_degree(rate, world, predictors):
    candidates = noise(UNFAIR["by class"](world.y, 4), world.y, rate, seed=5)
    logits = predictors[:, world.x]
    right = accuracy(logits, world.y)
    assert (covering_rate(logits, candidates) - right < 0.8 * (1 - right)).all()


def test_the_bound_is_reached_where_every_mistake_is_the_likeliest_one():
    world = make_world(np.array([[0.7, 0.3, 0, 0, 0], [0.4, 0.6, 0, 0, 0]]), seed=6)
    candidates = UNFAIR["by class"](world.y, 7)
    predicted = 1 - world.x  # wrong mostly, and with labels 0 and 1 alone
    excess = inside(candidates, predicted) * 1.0 - (predicted == world.y)
    bound = 0.8 * (predicted != world.y)
    assert abs(errors_from(excess - bound, 0)) < 4
    assert bound.mean() > 0.4


# 3: with one probability for every wrong label, the covering rate gives the accuracy


@fair
def test_the_covering_rate_gives_the_accuracy(draw, c, world, predictors):
    candidates = draw(world.y, 8)
    logits = predictors[:4, world.x]
    for k in range(4):
        predicted = logits[k].argmax(1)
        estimates = (inside(candidates, predicted) - c) / (1 - c)
        assert abs(errors_from(estimates - (predicted == world.y), 0)) < 4
    found = accuracy_from_covering_rate(covering_rate(logits, candidates), c, N)
    expected = world.posterior[np.arange(ATOMS), predictors[:4].argmax(-1)].mean(-1)
    assert (np.abs(found.accuracy - expected) < 4 * found.error).all()


@fair
def test_the_covering_rate_orders_as_the_accuracy_does(draw, c, world, predictors):
    logits = predictors[:, world.x]
    right = accuracy(logits, world.y)
    covered = covering_rate(logits, draw(world.y, 9))
    clearly = right[:, None] - right > 0.02  # more than sampling can turn around
    assert clearly.sum() > 25
    assert ((covered[:, None] - covered)[clearly] > 0).all()


def test_flips_by_class_can_turn_the_order_around():
    world = make_world(0.9 * np.eye(Q) + 0.02, seed=10)
    lookalikes = np.eye(Q)[[1, 0, 2, 3, 4]][world.x]  # mistakes 0 and 1, which cover each other
    strangers = np.eye(Q)[[0, 1, 4, 3, 4]][world.x]  # mistakes 2 for 4, which never covers it
    both = np.stack([lookalikes, strangers])
    worse, better = accuracy(both, world.y)
    assert better > worse + 0.15
    high, low = covering_rate(both, UNFAIR["by class"](world.y, 11))
    assert high > low + 0.1
    low, high = covering_rate(both, FAIR["flip"][0](world.y, 11))  # constant flips keep it
    assert high > low + 0.1


# 4: the lemma behind Theorem 2, for any loss, and the theorem


@fair
def test_the_risk_over_labels_is_the_weighted_risk_over_candidates(draw, c, world):
    weights = shares(world, draw(world.y, 12))
    rng = np.random.default_rng(13)
    for _ in range(5):
        losses = rng.standard_cauchy((ATOMS, Q)).clip(-20, 20)[world.x]
        over_labels = losses[np.arange(N), world.y]
        over_candidates = (weights * losses).sum(1)
        assert abs(errors_from(over_candidates - over_labels, 0)) < 4


@unfair
def test_which_fails_for_other_sets(draw, world):
    candidates = draw(world.y, 14)
    weights = shares(world, candidates)
    losses = np.random.default_rng(15).normal(size=(ATOMS, Q))[world.x]
    over_labels = losses[np.arange(N), world.y]
    assert abs(errors_from((weights * losses).sum(1) - over_labels, 0)) > 8


@fair
def test_the_share_of_any_prediction_is_its_posterior_at_every_input(draw, c, world, predictors):
    weights = shares(world, draw(world.y, 16))
    predicted = predictors[0].argmax(1)  # of each atom
    for atom in range(ATOMS):
        share = weights[world.x == atom, predicted[atom]]
        assert abs(errors_from(share, world.posterior[atom, predicted[atom]])) < 4


@fair
def test_approximated_accuracy_of_the_posterior_is_the_accuracy(draw, c, world):
    candidates = draw(world.y, 17)
    predicted = world.posterior.argmax(1)[world.x]
    share = shares(world, candidates)[np.arange(N), predicted]
    measured = approximated_accuracy(np.log(world.posterior)[world.x], candidates)
    assert measured == pytest.approx(share.mean())
    assert abs(errors_from(share - world.posterior.max(1)[world.x], 0)) < 4
    assert abs(errors_from(share - (predicted == world.y), 0)) < 4


@unfair
def test_and_not_for_other_sets(draw, world):
    candidates = draw(world.y, 18)
    measured = approximated_accuracy(np.log(world.posterior)[world.x], candidates)
    assert abs(measured - accuracy(world.posterior[world.x], world.y)) > 0.01


# 5: test_criteria.py. 6: noise


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_noise_takes_its_share_of_the_accuracy(rate, world, predictors):
    candidates = noise(flip(world.y, Q, 0.3, seed=19), world.y, rate, seed=20)
    logits = predictors[0, world.x]
    predicted = logits.argmax(1)
    right = predicted == world.y
    covered_mistakes = inside(candidates, predicted) & ~right
    kept = covering_rate(logits, candidates) - covered_mistakes.mean()
    assert kept == pytest.approx((right & inside(candidates, predicted)).mean())
    assert abs(errors_from((right & inside(candidates, predicted)) - (1 - rate) * right, 0)) < 4


# 7: predictions must not have seen the sets they are judged by


def test_predictions_fitted_to_the_sets_look_right(world):
    candidates = FAIR["flip"][0](world.y, 21)
    logits = np.random.default_rng(22).random((N, Q)) + candidates  # any candidate
    assert accuracy(logits, world.y) < 0.65
    assert covering_rate(logits, candidates) == 1
    assert accuracy_from_covering_rate(covering_rate(logits, candidates), 0.3, N).accuracy == 1
