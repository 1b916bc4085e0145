"""The opinion pool: against plain loops, on simulated crowds, and at its edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.people.crowd import (
    Answers,
    consensus,
    dawid_skene,
    majority,
    more_answers,
    opinion_pool,
    pool_beside,
)
from candidly.people.crowd.dependence._fit import fit, fit_tempered
from candidly.people.crowd.dependence._known_items import calibrated
from candidly.people.crowd.dependence._pool import _pools

from simulated_crowd import crowd, matrices, probs_for, simulated


def by_loops(answers, temperature, probs, rounds=100):
    """Prior, rates [annotator][label, true] and posterior, from the description in ``_fit``."""
    n, m, number = answers.n, answers.m, len(answers.annotators)
    posterior = answers.counts.astype(float) + (0 if probs is None else probs)
    posterior /= posterior.sum(1, keepdims=True)
    for _ in range(rounds):
        prior = posterior.sum(0) / posterior.sum()
        said = np.zeros((number, m, m))
        for i, j, label in zip(answers.item, answers.annotator, answers.label):
            said[j, label] += posterior[i]
        common = said.sum(0) + 0.01
        common /= common.sum(0)
        rates = np.array([(one + 4 * common) / (one.sum(0) + 4) for one in said])
        logs = np.tile(np.log(prior), (n, 1))
        if probs is not None:
            told = probs.T @ posterior
            told = (told + 4 * common) / (told.sum(0) + 4)
            logs += probs @ np.log(told) / temperature
        for i, j, label in zip(answers.item, answers.annotator, answers.label):
            logs[i] += np.log(rates[j, label]) / temperature
        posterior = np.exp(logs - logs.max(1, keepdims=True))
        posterior /= posterior.sum(1, keepdims=True)
    return prior, rates, posterior


@pytest.mark.parametrize("temperature", [1.0, 2.5])
@pytest.mark.parametrize("with_model", [False, True])
def test_the_fit_is_that_of_loops(temperature, with_model, monkeypatch):
    from candidly.people.crowd.dependence import _fit

    monkeypatch.setattr(_fit, "GAIN", -1.0)  # all rounds
    monkeypatch.setattr(_fit, "ROUNDS", 30)
    truth, answers = simulated(40, matrices(5, 3, 2), 3, 2)
    probs = probs_for(truth, 3) if with_model else None
    found = fit(answers, probs, temperature)
    prior, rates, posterior = by_loops(answers, temperature, probs, 30)
    np.testing.assert_allclose(found.posterior, posterior, atol=1e-9)
    np.testing.assert_allclose(found.rates, rates, atol=1e-9)
    np.testing.assert_allclose(found.prior, prior, atol=1e-9)


@pytest.mark.parametrize("with_model", [False, True])
def test_the_pools_are_those_of_loops(with_model):
    truth, answers = simulated(50, matrices(6, 3, 4), 4, 4)
    probs = probs_for(truth, 3) if with_model else None
    fitted = fit(answers, probs)
    single, votes = _pools(fitted, probs)

    def says(rates, label):
        joint = fitted.prior * rates[label]
        return joint / joint.sum()

    def tells(rates):
        often = [float((fitted.prior * rates[label]).sum()) for label in range(3)]
        gains = [
            sum(p * np.log(p / q) for p, q in zip(says(rates, label), fitted.prior))
            for label in range(3)
        ]
        return float(np.dot(often, gains))

    for i in range(answers.n):
        pool, vote, weight = np.zeros(3), np.zeros(3), 0.0
        for a in np.flatnonzero(answers.item == i).tolist():
            rates = fitted.rates[answers.annotator[a]]
            pool += tells(rates) * says(rates, answers.label[a])
            vote[np.argmax(rates[answers.label[a]])] += tells(rates)
            weight += tells(rates)
        if probs is not None:
            rates = fitted.model_rates
            pool += tells(rates) * sum(probs[i, k] * says(rates, k) for k in range(3))
            for label in range(3):
                vote[np.argmax(rates[label])] += tells(rates) * probs[i, label]
            weight += tells(rates)
        np.testing.assert_allclose(single[i], pool / weight, atol=1e-10)
        np.testing.assert_allclose(votes[i], vote / weight, atol=1e-10)


def test_the_temperature_foretells_answers_best():
    """No other temperature of a grid gives the answers a higher score from the others."""
    from candidly.people.crowd.dependence._kernels import held_out_score

    _, answers = crowd(2, n=400, difficulty=1.5)
    found = fit_tempered(fit(answers))
    assert 1.2 < found.temperature < 20
    best = held_out_score(found.said, found.known, found.logs, found.temperature)[0]
    for other in np.exp(np.linspace(0, 3, 40)):
        assert held_out_score(found.said, found.known, found.logs, float(other))[0] < best + 1e-3


def test_a_held_out_answer_is_foretold_by_bayes_rule():
    from candidly.people.crowd.dependence._kernels import held_out_score

    _, answers = simulated(20, matrices(4, 3, 7), 3, 7)
    fitted = fit(answers)
    scores = []
    for a in range(len(answers)):
        mine = fitted.prior.copy()
        for b in np.flatnonzero(answers.item == answers.item[a]).tolist():
            if b != a:
                mine *= fitted.rates[answers.annotator[b], answers.label[b]] ** (1 / 1.7)
        mine /= mine.sum()
        scores.append(np.log(mine @ fitted.rates[answers.annotator[a], answers.label[a]]))
    found, number = held_out_score(fitted.said, fitted.known, fitted.logs, 1.7)
    assert number == len(answers)
    assert found == pytest.approx(np.mean(scores), abs=1e-10)


def test_where_errors_depend_less_is_claimed_and_the_interval_holds_what_is_right():
    """With items that are difficult for everyone Dawid and Skene's model claims too much."""
    for seed in range(4):
        truth, answers = crowd(seed, n=800, number=12, difficulty=2.0)
        pool, usual = opinion_pool(answers), dawid_skene(answers)
        right = (pool.labels == truth).mean()
        assert pool.shared.dependent
        assert not pool.independent
        assert usual.quality.mean() > right + 0.02
        assert pool.claim.low <= right <= pool.claim.high
        assert pool.claim.right < usual.quality.mean()


def test_an_independent_crowd_keeps_what_independence_claims():
    truth, answers = crowd(5, n=600, number=6)
    pool = opinion_pool(answers)
    assert pool.independent
    np.testing.assert_array_equal(pool.posterior, fit(answers).posterior)
    assert pool.correlation == 0
    assert abs(pool.claim.right - (pool.labels == truth).mean()) < 0.02
    few = np.random.default_rng(0).random(len(answers)) < 0.5
    rows = (answers.item[few], answers.annotator[few].astype(str), answers.label[few])
    assert not opinion_pool(Answers.from_columns(*rows, items=600, classes=4)).independent


def test_who_swaps_two_classes_is_understood():
    truth, answers = crowd(2, n=600, number=5)
    swapped = np.array([1, 0, 2, 3])
    label = np.where(answers.annotator == 0, swapped[answers.label], answers.label)
    columns = answers.item, answers.annotator.astype(str), label
    pool = opinion_pool(Answers.from_columns(*columns, classes=4))
    assert (pool.labels == truth).mean() > (majority(pool.answers).labels == truth).mean() + 0.01
    mine = answers.annotator == 0
    rows = answers.item[mine & (answers.label < 2)]
    assert (pool.votes[rows].argmax(1) == truth[rows]).mean() > 0.9


def test_a_copy_of_an_annotator_makes_no_claim_larger():
    _, answers = crowd(1, n=700, number=7, difficulty=1.0)
    matrix = np.full((answers.n, 7), -1)
    matrix[answers.item, answers.annotator] = answers.label
    plain = opinion_pool(answers)
    doubled = opinion_pool(Answers.from_matrix(np.hstack([matrix, matrix[:, :1]]), 4))
    assert ("0", "7") in doubled.shared.voices
    assert doubled.claim.right == pytest.approx(plain.claim.right, abs=0.01)
    assert (doubled.labels == plain.labels).mean() > 0.99
    assert dict(zip(doubled.answers.annotators, doubled.weights))["7"] == 0.5


def test_the_posterior_is_the_mean_of_the_three_pools():
    _, answers = crowd(2, n=800, number=10, difficulty=2.5)
    pool = opinion_pool(answers)
    np.testing.assert_allclose(pool.posterior, (pool.product + pool.single + pool.votes) / 3)
    assert pool.claim.right == pytest.approx(pool.quality.mean())
    assert pool_beside(pool) is pool
    beside = pool_beside(majority(answers))
    np.testing.assert_array_equal(beside.posterior, pool.posterior)


def test_known_items_set_the_claim_right():
    """The answers look alike whatever is true: only known items tell how often they are wrong."""
    rng = np.random.default_rng(0)
    for share in (0.6, 0.8):
        posterior = rng.dirichlet((8, 1, 1), 4000)
        labels = posterior.argmax(1)
        truth = np.where(rng.random(4000) < share, labels, (labels + 1) % 3)
        known = np.where(np.arange(4000) < 300, truth, -1)
        made, calibration = calibrated(posterior, labels, known)
        assert abs(made[300:].max(1).mean() - share) < 0.06
        np.testing.assert_allclose(made.sum(1), 1)
        assert calibration.items == 300
        assert calibration.right == (truth == labels)[:300].sum()
    # what the other classes have is shared out as before
    k = int(np.argmax(labels == 0))
    assert made[k, 1] / made[k, 2] == pytest.approx(posterior[k, 1] / posterior[k, 2])


def test_calibration_is_the_largest_of_likelihood_and_prior():
    from scipy.optimize import minimize

    rng = np.random.default_rng(3)
    posterior = rng.dirichlet((3, 1), 80)
    labels = posterior.argmax(1)
    known = np.where(rng.random(80) < 0.7, labels, 1 - labels)
    x = np.log(posterior.max(1) / posterior.min(1))
    right = known == labels

    def loss(at):
        p = 1 / (1 + np.exp(-(at[0] + at[1] * x)))
        return -np.log(np.where(right, p, 1 - p)).sum() + at[0] ** 2 / 2 + 2 * (at[1] - 1) ** 2

    best = minimize(loss, (0.3, 0.8), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9})
    _, found = calibrated(posterior, labels, known)
    assert (found.offset, found.slope) == pytest.approx(tuple(best.x), abs=1e-3)


def test_known_items_are_refused_where_they_are_none():
    _, answers = crowd(0, n=50)
    with pytest.raises(ValueError, match="`known` is int64 of shape"):
        opinion_pool(answers, known=np.zeros(3, int))
    with pytest.raises(ValueError, match=r"must lie in -1\.\.3"):
        opinion_pool(answers, known=np.full(50, 9))
    nothing = opinion_pool(answers, known=np.full(50, -1))
    assert nothing.calibration is None
    assert consensus(answers, known=np.zeros(50, int)).calibration.items == 50


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 6), st.integers(1, 12), st.integers(2, 4), st.integers(0, 10**6), st.booleans()
)
def test_any_answers_have_a_sound_pool(number, n, m, seed, with_model):
    rng = np.random.default_rng(seed)
    said = np.where(rng.random((n, number)) < 0.7, rng.integers(0, m, (n, number)), -1)
    said[0, 0] = 0
    answers = Answers.from_matrix(said, classes=m)
    probs = rng.dirichlet(np.ones(m), n) if with_model else None
    pool = opinion_pool(answers, probs)
    np.testing.assert_allclose(pool.posterior.sum(1), 1, atol=1e-9)
    assert (pool.posterior >= 0).all()
    there = (answers.per_item > 0) | with_model
    assert ((pool.labels >= 0) == there).all()
    if pool.compared:
        assert 0 <= pool.claim.low <= pool.claim.right <= pool.claim.high <= 1
    else:
        assert np.isnan(pool.claim).all()
    assert ((pool.annotator_quality >= 0) & (pool.annotator_quality <= 1)).all()
    assert 1 - 1e-9 <= pool.shared.effective <= pool.shared.per_item + 1e-9
    assert len(pool.weights) == len(answers.annotators)


def test_all_agree_one_annotator_and_answers_that_are_repeated():
    agree = opinion_pool(Answers.from_matrix(np.repeat([[0], [1], [2]], 5, 1).repeat(20, 0)))
    assert agree.claim.right > 0.9
    assert (agree.labels == np.repeat([0, 1, 2], 20)).all()
    one = opinion_pool(Answers.from_matrix(np.array([[0], [1], [1]])))
    assert one.labels.tolist() == [0, 1, 1]
    again = Answers.from_columns([0, 0, 1, 1], ["a", "a", "a", "b"], [0, 0, 1, 1], repeats=True)
    assert opinion_pool(again).labels.tolist() == [0, 1]


def test_what_would_not_fit_is_refused_and_left_out_beside_another_way(monkeypatch):
    from candidly.people.crowd.consensus_document import crowd_document
    from candidly.people.crowd.consensus_summary import consensus_lines
    from candidly.people.crowd.dependence import _pool

    _, answers = crowd(0, n=40, number=3)
    monkeypatch.setattr(_pool, "LARGEST_BYTES", 100)
    with pytest.raises(ValueError, match="too many for an opinion pool"):
        opinion_pool(answers)
    found = majority(answers)
    assert pool_beside(found) is None
    assert "too many annotators" in " ".join(consensus_lines(found, "majority", None))
    page = crowd_document(found, by="majority").page()
    assert "Errors that annotators share" not in page


def test_more_answers_of_a_pool_allow_for_what_is_shared():
    _, answers = crowd(4, n=600, number=10, difficulty=2.0)
    pool = opinion_pool(answers)
    told = more_answers(pool, 0.97, draws=40)
    assert told.now_low <= pool.claim.right <= told.now_high
    usual = more_answers(dawid_skene(answers), 0.97, draws=40)
    assert usual.now > told.now
    assert "repeat earlier ones" in str(told)
    independent = opinion_pool(crowd(6, n=300, number=5)[1])
    assert "independently of one another" in str(more_answers(independent, 0.99, draws=10))
