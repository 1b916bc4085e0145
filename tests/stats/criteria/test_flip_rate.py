"""The rate of wrong labels and the accuracy without a truth, and when they are doubted."""

import doctest
import warnings

import numpy as np
import pytest
import torch
from scipy import stats

from candidly import criteria
from candidly.data.imperfect import flip, instance, uniform
from candidly.data.sources import load
from candidly.stats.criteria import (
    FlipRate,
    _flip_rate,
    accuracy_from_covering_rate,
    constant_flip_rate,
)
from candidly.stats.criteria._flip_rate import _rare_label, _size_law, _sizes_doubt


def alarms(make, runs):
    """Share of runs in which a label, and in which the sizes, raise a doubt."""
    found = []
    for seed in range(runs):
        sets = make(seed)
        rate = constant_flip_rate(sets).rate
        sizes = _sizes_doubt(sets.sum(1) - 1, sets.shape[1], rate)
        found.append((_rare_label(sets, rate) != "", sizes != ""))
    return np.mean(found, 0)


def half_never_true(n, q):
    return np.arange(n) % max(1, q // 2)


@pytest.mark.parametrize("module", [criteria, _flip_rate])
def test_examples_in_docstrings(module):
    names = {"np": np, "torch": torch}
    assert doctest.testmod(module, extraglobs=names).failed == 0


# the rate


@pytest.mark.parametrize(("q", "c"), [(2, 0.3), (5, 0.02), (10, 0.5), (40, 0.9)])
def test_rate_and_error_over_many_draws(q, c):
    found = [constant_flip_rate(flip(half_never_true(400, q), q, c, seed=s)) for s in range(200)]
    rates = np.array([each.rate for each in found])
    assert abs(rates.mean() - c) < 4 * rates.std() / 200**0.5
    # a standard deviation from 200 values is known to 5 %
    assert np.mean([each.error for each in found]) == pytest.approx(rates.std(), rel=0.2)
    exact = (c * (1 - c) / (400 * (q - 1))) ** 0.5
    assert np.mean([each.error for each in found]) == pytest.approx(exact, rel=0.05)


def test_uniform_sets_have_their_rate():
    found = constant_flip_rate(uniform(np.arange(50_000) % 10, 10))
    assert abs(found.rate - 255 / 511) < 4 * found.error


@pytest.mark.parametrize("as_kind", [np.asarray, torch.as_tensor, np.ndarray.tolist])
def test_by_hand(as_kind):
    sets = np.array([[1, 1, 0, 0], [0, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 1]])
    found = constant_flip_rate(as_kind(sets))
    assert found.rate == pytest.approx(3 / 4 / 3)
    assert found.error == pytest.approx(np.std([1, 0, 2, 0], ddof=1) / 2 / 3)


@pytest.mark.parametrize(
    ("sets", "rate"), [(np.eye(5), 0), (np.ones((5, 5)), 1), (1 - np.eye(5), 3 / 4)]
)
def test_sets_that_do_not_vary(sets, rate):
    # the last is one complementary label each: sizes as large as sets that are not full can be
    assert constant_flip_rate(np.tile(sets, (40, 1))) == FlipRate(rate, 0.0, "")


# false alarms


@pytest.mark.parametrize("c", [0.02, 0.3, 0.9])
@pytest.mark.parametrize(("n", "q"), [(50, 3), (500, 10), (300, 40), (200, 2)])
def test_constant_flips_are_seldom_doubted(n, q, c):
    # at most 1 %: more than 6 of 120 would come once in a thousand such tests
    rates = alarms(lambda seed: flip(half_never_true(n, q), q, c, seed=seed), 120)
    assert rates.sum() <= 6 / 120


@pytest.mark.parametrize(("n", "q"), [(2000, 3), (2000, 4), (2000, 5), (3000, 10)])
def test_uniform_sets_are_seldom_doubted(n, q):
    assert alarms(lambda seed: uniform(half_never_true(n, q), q, seed), 60).sum() <= 4 / 60


@pytest.mark.parametrize(
    ("n", "q", "c"),
    [
        (400, 10, 0.1),
        pytest.param(400, 10, 0.8, marks=pytest.mark.slow),
        pytest.param(1000, 4, 0.3, marks=pytest.mark.slow),
    ],
)
def test_the_test_of_sizes_has_the_level_it_says(n, q, c, monkeypatch):
    monkeypatch.setattr(_flip_rate, "LEVEL", 0.4)  # half of it is for the sizes
    _, sizes = alarms(lambda seed: flip(half_never_true(n, q), q, c, seed=seed), 400)
    assert abs(sizes - 0.2) < 4 * (0.2 * 0.8 / 400) ** 0.5


def test_one_coincidence_among_few_flips_is_no_doubt():
    # four wrong labels in all; two of them in one set come by chance every seventeenth time
    _, sizes = alarms(lambda seed: flip(half_never_true(100, 5), 5, 0.01, seed=seed), 300)
    assert sizes < 0.02


def test_the_size_law_is_the_binomial_up_to_its_largest_value():
    full = stats.binom.pmf(np.arange(7), 6, 0.4)
    assert np.allclose(_size_law(6, 6, 2.4), full)
    cut = full[:6] / full[:6].sum()
    assert np.allclose(_size_law(6, 5, cut @ np.arange(6)), cut)
    sets = uniform(np.zeros(100_000, int), 5)
    shares = np.bincount(sets.sum(1) - 1) / len(sets)
    assert np.allclose(_size_law(4, 3, shares @ np.arange(4)), shares, atol=0.01)


def test_the_rare_label_bound_is_on_the_safe_side():
    """Hoeffding's inequality, against the exact law of the sum, by convolution."""
    wrong = np.random.default_rng(0).binomial(9, 0.3, 200)
    law = np.ones(1)
    for chance in wrong / 9:
        law = np.convolve(law, [1 - chance, chance])
    exact = law.cumsum()[: int(wrong.sum() / 9)]
    bound = stats.binom.cdf(np.arange(len(exact)), 200, wrong.mean() / 9)
    assert (exact <= bound + 1e-12).all()
    assert (bound[40:] < 2 * exact[40:] + 0.01).all()  # and not far from it


# power


def by_class(pairs, base=0.1, high=0.8, q=10):
    rates = np.full((q, q), base)
    for a, b in pairs:
        rates[a, b] = rates[b, a] = high
    np.fill_diagonal(rates, 1)
    return rates


def test_labels_that_never_come_in_wrongly_are_noticed():
    rates = np.full((10, 10), 0.3)
    rates[:, 7] = 0
    np.fill_diagonal(rates, 1)
    rare, _ = alarms(lambda seed: flip(np.arange(300) % 10, 10, rates, seed=seed), 20)
    assert rare == 1
    doubt = constant_flip_rate(flip(np.arange(300) % 10, 10, rates)).doubt
    assert doubt.startswith("flips are not constant: label 7 is in 0.1 of the candidate sets")


def test_pairs_of_classes_that_draw_each_other_are_noticed():
    rates = by_class([(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)])
    _, sizes = alarms(lambda seed: flip(np.arange(500) % 10, 10, rates, seed=seed), 20)
    assert sizes == 1
    doubt = constant_flip_rate(flip(np.arange(500) % 10, 10, rates)).doubt
    assert doubt.startswith("flips are not constant: set sizes have variance 0.")


def test_classes_of_different_ambiguity_are_noticed():
    rates = np.repeat(np.linspace(0.1, 0.5, 10)[:, None], 10, 1)
    np.fill_diagonal(rates, 1)
    _, sizes = alarms(lambda seed: flip(np.arange(500) % 10, 10, rates, seed=seed), 20)
    assert sizes == 1


def test_one_pair_among_many_is_not_noticed():
    # said in the documentation: no doubt is no proof
    rates = by_class([(4, 9)])
    assert alarms(lambda seed: flip(np.arange(1000) % 10, 10, rates, seed=seed), 20).sum() <= 0.2


@pytest.mark.parametrize(("rate", "noticed"), [(0.1, True), (0.5, True), (0.3, False)])
def test_instance_dependent_sets_are_noticed_at_some_rates(rate, noticed):
    # labels that differ make sizes vary less and examples that differ more; near 0.3 they balance
    digits = load("digits")
    sets = instance(digits.inputs, digits.truth, 10, rate)
    assert (constant_flip_rate(sets).doubt != "") == noticed


def test_a_forced_wrong_label_is_noticed_though_its_rate_is_right():
    truth = np.arange(2000) % 10
    found = constant_flip_rate(flip(truth, 10, 0.05, force=True))
    assert abs(found.rate - (0.05 + 0.95**9 / 9)) < 4 * found.error
    assert "set sizes have variance" in found.doubt


# the accuracy


def test_accuracy_by_hand_for_numbers_arrays_and_tensors():
    for rates in ([0.5, 0.75, 1.0], np.array([0.5, 0.75, 1.0]), torch.tensor([0.5, 0.75, 1.0])):
        found = accuracy_from_covering_rate(rates, 0.5, n=100)
        assert np.allclose(found.accuracy, [0, 0.5, 1])
        assert np.allclose(found.error, [0.1, (0.75 * 0.25) ** 0.5 / 5, 0])
        assert isinstance(found.accuracy, torch.Tensor) == isinstance(rates, torch.Tensor)
    single = accuracy_from_covering_rate(1, FlipRate(0.2, 0.1), n=3)
    assert (single.accuracy, single.error) == (1, 0)
    assert np.isnan(accuracy_from_covering_rate(np.nan, 0.5, 10).accuracy)


@pytest.mark.slow
@pytest.mark.parametrize("same", [False, True], ids=["other sets", "the same sets"])
def test_error_over_many_draws(same):
    n, q, c, right = 300, 3, 0.4, 0.2  # the error of c is a quarter of the variance
    rng = np.random.default_rng(0)
    estimates, errors = [], []
    for seed in range(1500):
        truth = np.arange(n) % q
        predicted = np.where(rng.random(n) < right, truth, (truth + 1) % q)
        sets = flip(truth, q, c, seed=2 * seed)
        judged = sets if same else flip(truth, q, c, seed=2 * seed + 1)
        covered = covering(judged, predicted)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one of a hundred is doubted
            found = accuracy_from_covering_rate(covered, constant_flip_rate(sets), n)
        estimates.append(found.accuracy)
        errors.append(found.error)
    spread = np.std(estimates)
    assert abs(np.mean(estimates) - right) < 4 * spread / 1500**0.5
    if same:  # the two errors pull the same way, which the formula leaves out
        assert 1.2 * spread < np.mean(errors) < 1.5 * spread
    else:
        assert np.mean(errors) == pytest.approx(spread, rel=0.06)


def covering(sets, predicted):
    return sets[np.arange(len(sets)), predicted].mean()


def test_a_doubt_is_passed_on():
    doubted = FlipRate(0.3, 0.01, "flips are not constant: so it seems.")
    with pytest.warns(UserWarning, match="the accuracy may be far off: flips are not constant"):
        accuracy_from_covering_rate(0.5, doubted, 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        accuracy_from_covering_rate(0.5, FlipRate(0.3, 0.01), 10)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 1.0, 10), r"`flip_rate` is 1.0; it must be in \[0, 1\)"),
        ((0.5, -0.1, 10), "`flip_rate` is -0.1"),
        ((0.5, float("nan"), 10), "`flip_rate` is nan"),
        ((50, 0.1, 10), r"`covering_rate` spans 50.0..50.0; a share lies in \[0, 1\]"),
        ((np.array([0.5, -0.5]), 0.1, 10), r"`covering_rate` spans -0.5..0.5"),
        ((0.5, 0.1, 0), "`n` is 0"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        accuracy_from_covering_rate(*arguments)


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (np.ones(4), r"shape \(4,\)"),
        (np.ones((1, 4)), r"shape \(1, 4\)"),
        (np.ones((4, 1)), r"shape \(4, 1\)"),
        (np.array([[1, 0], [0, 0]]), "row 1 is empty"),
    ],
)
def test_bad_sets_are_named(sets, message):
    with pytest.raises(ValueError, match=message):
        constant_flip_rate(sets)
