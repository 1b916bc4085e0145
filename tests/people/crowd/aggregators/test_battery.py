"""What every way to a consensus has to hold; each aggregator against its peer or plain loops."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.people.crowd import (
    METHODS,
    Answers,
    consensus,
    glad,
    ibcc,
    kos,
    mace,
    wawa,
    zero_based_skill,
)

from simulated_crowd import crowd, matrices, simulated

EVERY = pytest.mark.parametrize("by", sorted(METHODS))
UNORDERED = pytest.mark.parametrize("by", sorted({*METHODS} - {"ordinal"}))


def made(answers, by):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # labels that nobody gave, one answer an item
        return consensus(answers, by)


@EVERY
@settings(max_examples=8, deadline=None)
@given(st.integers(2, 5), st.integers(2, 12), st.integers(2, 4), st.integers(0, 10**6))
def test_what_is_given_is_sound(by, number, n, m, seed):
    rng = np.random.default_rng(seed)
    said = np.where(rng.random((n, number)) < 0.7, rng.integers(0, m, (n, number)), -1)
    said[0, :2] = 0  # one item has two answers
    answers = Answers.from_matrix(said, classes=m)
    found = made(answers, by)
    answered = answers.per_item > 0
    np.testing.assert_allclose(found.posterior.sum(1), 1, atol=1e-9)
    assert (found.posterior >= 0).all()
    assert ((found.labels >= 0) == answered).all()
    assert found.annotator_quality.shape == found.weights.shape == (len(answers.annotators),)
    assert ((found.annotator_quality >= 0) & (found.annotator_quality <= 1)).all()


@EVERY
def test_where_all_agree_so_does_the_consensus(by):
    said = np.repeat(np.tile([0, 1, 2], 10)[:, None], 4, 1)
    found = made(Answers.from_matrix(said), by)
    assert found.labels.tolist() == said[:, 0].tolist()


@UNORDERED
def test_other_names_of_classes_change_names_alone(by):
    """Classes in another order give the same posterior in that order."""
    _, answers = crowd(3, n=150, number=5, m=3)
    order = np.array([2, 0, 1])
    mixed = Answers.from_columns(
        answers.item, answers.annotator.astype(str), order[answers.label], classes=3
    )
    first, second = made(answers, by), made(mixed, by)
    np.testing.assert_allclose(first.posterior, second.posterior[:, order], atol=1e-5)


@EVERY
def test_the_order_of_annotators_changes_nothing(by):
    _, answers = crowd(4, n=150, number=5, m=3)
    matrix = np.full((answers.n, 5), -1)
    matrix[answers.item, answers.annotator] = answers.label
    order = np.array([3, 1, 4, 0, 2])
    first = made(Answers.from_matrix(matrix, 3), by)
    second = made(Answers.from_matrix(matrix[:, order], 3), by)
    np.testing.assert_allclose(first.posterior, second.posterior, atol=1e-5)
    np.testing.assert_allclose(first.annotator_quality[order], second.annotator_quality, atol=1e-4)


@EVERY
def test_a_good_crowd_is_understood_and_a_guesser_is_seen(by):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 400)
    right = rng.random((400, 6)) < np.array([0.9, 0.85, 0.8, 0.8, 0.75, 0.0])
    said = np.where(right, truth[:, None], rng.integers(0, 3, (400, 6)))
    found = made(Answers.from_matrix(said), by)
    assert (found.labels == truth).mean() > 0.93
    assert found.annotator_quality.argmin() == 5


def test_a_model_is_refused_where_it_has_no_part():
    _, answers = crowd(0, n=30, number=3, m=3)
    with pytest.raises(ValueError, match="glad is made of answers alone"):
        consensus(answers, "glad", np.full((30, 3), 1 / 3))


def ordered(answers):
    """Long columns for crowd-kit, with names that sort as numbers do."""
    import pandas as pd

    return pd.DataFrame(
        {
            "task": [f"{i:04}" for i in answers.item],
            "worker": [f"{j:03}" for j in answers.annotator],
            "label": [f"{k}" for k in answers.label],
        }
    )


def of_peer(table, answers):
    """A peer's probabilities in the order of items and classes."""
    names = [f"{k}" for k in range(answers.m)]
    return table.reindex(columns=names).fillna(0.0).sort_index().to_numpy()


def peer(name):
    module = pytest.importorskip(
        "crowdkit.aggregation.classification", reason="crowd-kit is not installed"
    )
    return getattr(module, name)


def weighted(fitted, answers):
    """A peer's majority by the skills that it found: its last step fails with scikit-learn 1.7."""
    return peer("MajorityVote")().fit_predict_proba(ordered(answers), fitted.skills_)


def test_wawa_is_that_of_crowd_kit():
    for seed in range(4):
        _, answers = simulated(120, matrices(7, 2, seed), 5, seed)  # no ties, whose rules differ
        theirs = weighted(peer("Wawa")().fit(ordered(answers)), answers)
        np.testing.assert_allclose(wawa(answers).posterior, of_peer(theirs, answers), atol=1e-9)


def test_zero_based_skill_is_that_of_crowd_kit():
    for seed in range(4):
        _, answers = simulated(120, matrices(7, 2 + seed % 3, seed), 5, seed)
        theirs = weighted(peer("ZeroBasedSkill")().fit(ordered(answers)), answers)
        np.testing.assert_allclose(
            zero_based_skill(answers).posterior, of_peer(theirs, answers), atol=1e-9
        )


def test_a_gold_majority_is_that_of_crowd_kit():
    import pandas as pd

    truth, answers = simulated(120, matrices(7, 3, 5), 5, 5)
    known = np.where(np.arange(120) < 60, truth, -1)
    gold = pd.Series([f"{k}" for k in truth[:60]], index=[f"{i:04}" for i in range(60)])
    theirs = weighted(peer("GoldMajorityVote")().fit(ordered(answers), gold), answers)
    np.testing.assert_allclose(wawa(answers, known).posterior, of_peer(theirs, answers), atol=1e-9)


def test_mace_is_that_of_crowd_kit_from_the_same_start():
    """It begins at random: nearly none of it, as here. It numbers labels and annotators as they
    come, and adds up in the order of their names: here that is the same order."""
    for seed in range(3):
        _, answers = crowd(seed, n=100, number=6, m=3)
        _, first = np.unique(answers.label, return_index=True)
        label = np.argsort(np.argsort(first))[answers.label]
        answers = Answers.from_columns(
            answers.item, answers.annotator.astype(str), label, classes=3
        )
        theirs = peer("MACE")(n_restarts=1, default_noise=-1 + 1e-12, n_iter=50)
        found = of_peer(theirs.fit_predict_proba(ordered(answers)), answers)
        np.testing.assert_allclose(mace(answers).posterior, found, atol=1e-6)


def test_glad_is_that_of_crowd_kit_where_that_has_converged():
    _, answers = simulated(60, matrices(6, 2, 1, (0.7, 0.9)), 5, 1)
    theirs = peer("GLAD")(n_iter=200, tol=-1, m_step_max_iter=500, m_step_tol=1e-10)
    found = of_peer(theirs.fit_predict_proba(ordered(answers)), answers)
    np.testing.assert_allclose(glad(answers, rounds=500).posterior, found, atol=2e-3)


def test_kos_is_that_of_the_paper():
    """Two classes, by loops over the messages of equations (1) and (2)."""
    rng = np.random.default_rng(0)
    said = np.where(rng.random((30, 6)) < 0.5, rng.integers(0, 2, (30, 6)), -1)
    a = np.where(said < 0, 0.0, 2.0 * said - 1)
    y = np.where(said < 0, 0.0, 1.0)
    for _ in range(7):
        x = np.zeros_like(y)
        for i, j in zip(*np.nonzero(a)):
            x[i, j] = sum(a[i, other] * y[i, other] for other in range(6) if other != j)
        new = np.zeros_like(y)
        for i, j in zip(*np.nonzero(a)):
            new[i, j] = sum(a[other, j] * x[other, j] for other in range(30) if other != i)
        y = new / np.sqrt((new**2).sum())
    score = (a * y).sum(1)
    found = made(Answers.from_matrix(said, 2), "kos")
    short = kos(Answers.from_matrix(said, 2), rounds=7)
    margin = short.posterior[:, 1] - short.posterior[:, 0]
    size = np.abs(a * y).sum(1)
    there = size > 1e-12
    np.testing.assert_allclose(margin[there], (score / np.where(there, size, 1))[there], atol=1e-9)
    assert (found.labels >= 0).sum() == (said >= 0).any(1).sum()


def test_kos_gives_the_labels_of_crowd_kit():
    """It begins at random around 1; after a hundred rounds no sum of messages knows its start."""
    for seed in range(3):
        _, answers = simulated(120, matrices(7, 2, seed), 5, seed)
        theirs = peer("KOS")(n_iter=100, random_state=0).fit_predict(ordered(answers))
        assert kos(answers).labels.tolist() == theirs.sort_index().astype(int).tolist()


def test_kos_turns_the_votes_of_who_says_the_opposite():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 300)
    right = rng.random((300, 5)) < np.array([0.9, 0.85, 0.8, 0.1, 0.1])
    found = kos(Answers.from_matrix(np.where(right, truth[:, None], 1 - truth[:, None])))
    assert (found.labels == truth).mean() > 0.94
    assert (found.weights[3:] < 0).all()


def test_a_step_of_ibcc_is_that_of_loops():
    from scipy.special import digamma

    _, answers = simulated(30, matrices(4, 3, 2), 3, 2)
    p = answers.counts / answers.counts.sum(1, keepdims=True)
    for _ in range(8):
        counts = np.ones((4, 3, 3)) + np.eye(3)
        for i, j, label in zip(answers.item, answers.annotator, answers.label):
            counts[j, :, label] += p[i]
        shares = p.sum(0) + 1
        logs = np.tile(digamma(shares) - digamma(shares.sum()), (30, 1))
        for i, j, label in zip(answers.item, answers.annotator, answers.label):
            for k in range(3):
                logs[i, k] += digamma(counts[j, k, label]) - digamma(counts[j, k].sum())
        p = np.exp(logs - logs.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
    np.testing.assert_allclose(ibcc(answers, rounds=8).posterior, p, atol=1e-10)


def test_a_step_of_mace_is_that_of_loops():
    from scipy.special import digamma

    _, answers = simulated(25, matrices(4, 3, 3), 3, 3)
    knows, habit = np.full((4, 2), 0.5), np.full((4, 3), 1 / 3)

    def posterior():
        p = np.ones((25, 3))
        for i, j, label in zip(answers.item, answers.annotator, answers.label):
            for k in range(3):
                p[i, k] *= knows[j, 0] * habit[j, label] + knows[j, 1] * (k == label)
        return p / p.sum(1, keepdims=True)

    for _ in range(6):
        p = posterior()
        counts, said = np.full((4, 2), 0.5), np.full((4, 3), 10.0)
        for i, j, label in zip(answers.item, answers.annotator, answers.label):
            knew = p[i, label] * knows[j, 1] / (knows[j, 0] * habit[j, label] + knows[j, 1])
            counts[j] += 1 - knew, knew
            said[j, label] += 1 - knew
        knows = np.exp(digamma(counts) - digamma(counts.sum(1, keepdims=True)))
        habit = np.exp(digamma(said) - digamma(said.sum(1, keepdims=True)))
    np.testing.assert_allclose(mace(answers, rounds=6).posterior, posterior(), atol=1e-10)


def test_the_gradient_of_glad_is_that_of_its_loss(monkeypatch):
    import scipy.optimize

    _, answers = simulated(20, matrices(4, 3, 4), 3, 4)
    seen = []

    def checked(loss, at, jac, method):
        rng = np.random.default_rng(0)
        place = at + rng.normal(0, 0.3, len(at))
        _, slope = loss(place)
        step = 1e-5
        for k in range(len(at)):
            moved = np.eye(len(at))[k] * step
            seen.append(slope[k] - (loss(place + moved)[0] - loss(place - moved)[0]) / (2 * step))
        return real(loss, at, jac=jac, method=method)

    real = scipy.optimize.minimize
    monkeypatch.setattr(scipy.optimize, "minimize", checked)
    glad(answers, rounds=1)
    assert len(seen) == 24
    assert np.abs(seen).max() < 1e-6
