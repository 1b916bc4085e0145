"""Dawid-Skene: against loops, by its own likelihood, and on answers made from known rates."""

import numpy as np
import pytest

from candidly.people.crowd import Answers, dawid_skene, majority

import slow_crowd as slow
from simulated_crowd import as_rows, matrices, probs_for, simulated


@pytest.mark.parametrize("one_coin", [False, True])
@pytest.mark.parametrize("with_model", [False, True])
@pytest.mark.parametrize(("m", "alpha"), [(2, 0.01), (3, 0.0), (4, 0.5)])
def test_equal_to_loops(one_coin, with_model, m, alpha):
    for seed in range(3):
        truth, answers = simulated(12, matrices(5, m, seed), 3, seed)
        answers = Answers.from_columns(*zip(*as_rows(answers)), items=14, classes=m)
        probs = probs_for(np.append(truth, [0, 1]), m, seed) if with_model else None
        posterior, prior, rates, likelihoods = slow.dawid_skene(
            as_rows(answers), 14, m, alpha, 6, one_coin, probs
        )
        found = dawid_skene(answers, one_coin, alpha, probs, rounds=6)
        rounds = len(found.log_likelihood)
        np.testing.assert_allclose(found.log_likelihood, likelihoods[:rounds], rtol=1e-10)
        if rounds < 6:
            continue  # it has converged; the loops have not been told to stop
        np.testing.assert_allclose(found.posterior, posterior, atol=1e-10)
        np.testing.assert_allclose(found.prior, prior, atol=1e-10)
        expected = np.array([rates[j] for j in answers.annotators])
        if one_coin:
            assert found.confusion is None
            np.testing.assert_allclose(found.annotator_quality, expected[:, 0, 0], atol=1e-10)
        else:
            np.testing.assert_allclose(found.confusion, expected, atol=1e-10)
            np.testing.assert_allclose(
                found.annotator_quality,
                [sum(prior[k] * rates[j][k][k] for k in range(m)) for j in answers.annotators],
                atol=1e-10,
            )
        if with_model and not one_coin:
            np.testing.assert_allclose(found.model_confusion, rates["model"], atol=1e-10)
        if with_model and one_coin:
            assert found.model_quality == pytest.approx(rates["model"][0][0], abs=1e-10)
        unasked = [12, 13]
        assert (found.labels[unasked] == -1).all() == (not with_model)


@pytest.mark.parametrize("one_coin", [False, True])
@pytest.mark.parametrize("with_model", [False, True])
def test_the_likelihood_never_falls_without_smoothing(one_coin, with_model):
    for seed in range(8):
        m = 2 + seed % 4
        truth, answers = simulated(60, matrices(9, m, seed, (0.0, 0.7)), 4, seed)
        probs = probs_for(truth, m) if with_model else None
        found = dawid_skene(answers, one_coin, alpha=0, probs=probs)
        gains = np.diff(found.log_likelihood)
        assert (gains >= -1e-9 * np.abs(found.log_likelihood[:-1])).all()
        assert len(gains) > 1


def test_it_stops_when_the_gain_is_small():
    _, answers = simulated(200, matrices(9, 3), 4)
    found = dawid_skene(answers)
    gains = np.abs(np.diff(found.log_likelihood) / found.log_likelihood[:-1])
    assert found.converged
    assert gains[-1] <= 1e-6
    assert (gains[:-1] > 1e-6).all()
    cut = dawid_skene(answers, rounds=2)
    assert not cut.converged
    assert len(cut.log_likelihood) == 2
    seen = []
    dawid_skene(answers, watch=lambda done, all_of_them: seen.append((done, all_of_them)))
    assert seen[0] == (1, 200)
    assert seen[-1] == (200, 200)
    assert len(seen) == len(found.log_likelihood)


def test_known_confusions_are_recovered():
    rates = matrices(6, 3, seed=3, right=(0.4, 0.8))
    prior = np.array([0.5, 0.3, 0.2])
    truth, answers = simulated(6000, rates, 6, prior=prior)
    found = dawid_skene(answers)
    # some 1200 answers in a row of the rarest class: a standard deviation is at most 0.015
    assert np.abs(found.confusion - rates).max() < 0.06
    assert np.abs(found.prior - prior).max() < 0.03
    np.testing.assert_allclose(
        found.annotator_quality, np.einsum("jkk,k->j", rates, prior), atol=0.04
    )
    # as good as knowing the rates
    log = np.log(rates)[answers.annotator, :, answers.label]
    best = np.log(prior) + np.array([np.bincount(answers.item, log[:, k]) for k in range(3)]).T
    bayes = (best.argmax(1) == truth).mean()
    assert (found.labels == truth).mean() > bayes - 0.01
    assert (found.labels == truth).mean() > (majority(answers).labels == truth).mean() + 0.02


def test_one_coin_recovers_accuracies_from_few_answers():
    accuracy = np.linspace(0.35, 0.95, 40)
    rates = np.array([a * np.eye(4) + (1 - a) / 3 * (1 - np.eye(4)) for a in accuracy])
    truth, answers = simulated(2000, rates, 3)
    found = dawid_skene(answers, one_coin=True)
    order = [int(name) for name in answers.annotators]
    assert np.corrcoef(found.annotator_quality, accuracy[order])[0, 1] > 0.95
    right = (found.labels == truth).mean()
    assert right > (majority(answers).labels == truth).mean() + 0.03
    assert right > (dawid_skene(answers).labels == truth).mean()  # 150 answers: few for 4 x 4


def test_a_liar_is_believed_the_other_way_round():
    truth = np.arange(60) % 2
    item = np.repeat(np.arange(60), 4)
    label = np.stack([truth, truth, truth, 1 - truth], 1).ravel()
    found = dawid_skene(Answers.from_columns(item, list("abcz") * 60, label))
    assert np.array_equal(found.labels, truth)
    np.testing.assert_allclose(found.confusion[3], [[0, 1], [1, 0]], atol=0.01)
    assert found.annotator_quality[3] < 0.01


@pytest.mark.parametrize("one_coin", [False, True])
@pytest.mark.parametrize("alpha", [0, 0.01])
def test_edges_are_defined(one_coin, alpha):
    def labels(rows, n, m=3):
        found = dawid_skene(Answers.from_columns(*zip(*rows), items=n, classes=m), one_coin, alpha)
        assert np.isfinite(found.posterior).all()
        assert np.isfinite(found.log_likelihood).all()
        np.testing.assert_allclose(found.posterior.sum(1), 1)
        return found

    single = labels([(i, i % 2, i % 3) for i in range(5)], 5)
    assert (single.labels >= 0).all()
    same = labels([(i, j, i % 2) for i in range(6) for j in range(3)], 7)  # 2 is never said
    assert same.labels.tolist() == [0, 1] * 3 + [-1]
    assert same.prior[2] == 0
    np.testing.assert_allclose(same.posterior[6], same.prior)
    if not one_coin:
        np.testing.assert_allclose(same.confusion[:, 2], 1 / 3)
    apart = labels([(0, "a", 0), (0, "b", 0), (1, "c", 1)], 2)  # c shares no item
    assert apart.labels[0] == 0
    assert apart.labels[1] >= 0  # c may be right, or one who always says 1
    two = labels([(0, "a", 0), (0, "b", 0), (1, "a", 1), (1, "b", 1)], 2, m=2)
    assert two.labels.tolist() == [0, 1]


def test_a_model_speaks_where_nobody_does():
    truth, answers = simulated(400, matrices(8, 3), 3)
    answers = Answers.from_columns(*zip(*as_rows(answers)), items=500, classes=3)
    rest = np.arange(100) % 3
    probs = probs_for(np.append(truth, rest), 3)
    alone, together = dawid_skene(answers), dawid_skene(answers, probs=probs)
    assert (alone.labels[400:] == -1).all()
    assert (together.labels[400:] == rest).mean() > 0.7
    assert (together.labels[:400] == truth).mean() > (alone.labels[:400] == truth).mean()
    share = (probs.argmax(1) == np.append(truth, rest)).mean()
    assert 0.5 < together.model_quality < share


def test_the_established_library_says_the_same():
    crowdkit = pytest.importorskip("crowdkit.aggregation", reason="crowd-kit is not installed")
    import pandas as pd

    answers = simulated(300, matrices(8, 3), 4, seed=5)[1]
    ours = dawid_skene(answers, alpha=0, rounds=7)
    done = len(ours.log_likelihood)
    table = {"task": answers.item, "worker": answers.annotator, "label": answers.label}
    theirs = crowdkit.DawidSkene(n_iter=done, tol=0).fit(pd.DataFrame(table))
    found = theirs.probas_.sort_index()[range(3)].to_numpy()
    np.testing.assert_allclose(ours.posterior, found, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1}, "`alpha` is -1; it is a number of answers"),
        ({"alpha": float("nan")}, "`alpha` is nan"),
        ({"rounds": 0}, "rounds is 0, but must be a whole number of at least 1"),
        ({"probs": np.ones((1, 2))}, r"`probs` has shape \(1, 2\); 2 items and 2 classes need"),
    ],
)
def test_what_is_refused(options, message):
    answers = Answers.from_columns([0, 1], ["a", "a"], [0, 1])
    with pytest.raises(ValueError, match=message):
        dawid_skene(answers, **options)


def test_matrices_that_do_not_fit_are_refused_before_they_are_made():
    n = 3000
    answers = Answers.from_columns(range(n), range(n), range(n), classes=n)
    with pytest.raises(ValueError, match=r"3000 matrices of 3000 x 3000 take 216\.0 GB.*one_coin"):
        dawid_skene(answers)
