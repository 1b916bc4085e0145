"""A consensus of answers that are sets: against brute force, Dawid and Skene, and simulations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.data.labels.votes import Votes
from candidly.people.crowd import set_consensus
from candidly.people.crowd.answer_sets import _consensus as module
from candidly.people.crowd.answer_sets._consensus import _likelihoods, _told

from needs import real_files


def told(rows, q, denied=None, ranked=None):
    return _told(Votes.from_rows(rows), q, denied, ranked)


def probability(kind, labels, true, a, m):
    """Of an answer by its description, for one true class, without any of the code's formulas."""
    if kind == "rank":
        left, found = set(range(m)), 1.0
        for label in labels:
            weights = {k: a if k == true else (1 - a) / (m - 1) for k in left}
            found *= weights[label] / sum(weights.values())
            left.remove(label)
        return found
    said = set(range(m)) - set(labels) if kind == "deny" else set(labels)
    if len(said) == m:
        return 1.0
    alike = [set(some) for some in itertools.combinations(range(m), len(said))]
    mine = sum((true in some) == (true in said) for some in alike)
    return (a if true in said else 1 - a) / mine


@pytest.mark.parametrize("m", [2, 3, 4])
def test_the_likelihood_is_that_of_the_description_and_sums_to_1(m):
    a = 0.73
    for size in range(1, m + 1):
        everything = list(itertools.combinations(range(m), size))
        said = told([(0, "ann", some) for some in everything], m)
        found = np.exp(_likelihoods(said, np.array([a])))
        for row, some in zip(found, everything):
            for true in range(m):
                assert row[true] == pytest.approx(probability("hold", some, true, a, m))
        np.testing.assert_allclose(found.sum(0), 1 if size < m else len(everything))
        orders = list(itertools.permutations(range(m), size))
        said = told([(0, "ann", some) for some in orders], m, ranked=np.ones(len(orders), bool))
        found = np.exp(_likelihoods(said, np.array([a])))
        np.testing.assert_allclose(found.sum(0), 1)
        for row, some in zip(found, orders):
            for true in range(m):
                assert row[true] == pytest.approx(probability("rank", some, true, a, m))


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 4), st.integers(0, 10**6))
def test_the_posterior_is_that_of_brute_force(m, seed):
    """By the prior and accuracies found, over all true classes, at a temperature of 1."""
    rng = np.random.default_rng(seed)
    rows, kinds = [], []
    for i in range(6):
        for who in range(rng.integers(1, 4)):
            kind = ("hold", "deny", "rank")[rng.integers(3)]
            size = int(rng.integers(1, m if kind == "deny" else m + 1))
            rows.append((i, str(who), rng.permutation(m)[:size].tolist()))
            kinds.append(kind)
    flags = {kind: np.array([one == kind for one in kinds]) for kind in ("deny", "rank")}
    said = told(rows, m, flags["deny"], flags["rank"])
    found = module._fitted(said, module._shares(said, 6, m), 1.0, 50)
    for i in range(6):
        p = found.prior.copy()
        for (item, who, labels), kind in zip(rows, kinds):
            if item == i:
                a = found.accuracy[found.annotators.index(who)]
                p *= [probability(kind, labels, true, a, m) for true in range(m)]
        np.testing.assert_allclose(found.posterior[i], p / p.sum(), atol=1e-9)


def test_with_single_labels_it_is_one_coin_with_drawn_accuracies():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 80)
    rows = [
        (i, str(j), [int(truth[i] if rng.random() < 0.7 else rng.integers(3))])
        for i in range(80)
        for j in range(4)
    ]
    said = told(rows, 3)
    found = module._fitted(said, module._shares(said, 80, 3), 1.0, 40)
    posterior = np.zeros((80, 3))
    for i, _, (label,) in rows:
        posterior[i, label] += 1 / 4
    for _ in found.log_likelihood:
        prior = posterior.mean(0)
        right = np.zeros(4)
        for i, who, (label,) in rows:
            right[int(who)] += posterior[i, label]
        a = (right + 4 * right.sum() / 320) / 84
        logs = np.tile(np.log(prior), (80, 1))
        for i, who, (label,) in rows:
            each = np.full(3, np.log((1 - a[int(who)]) / 2))
            each[label] = np.log(a[int(who)])
            logs[i] += each
        posterior = np.exp(logs)
        posterior /= posterior.sum(1, keepdims=True)
    np.testing.assert_allclose(found.posterior, posterior, atol=1e-9)


def test_the_likelihood_of_rankings_does_not_fall(monkeypatch):
    monkeypatch.setattr(module, "STRENGTH", 0.0)
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 5, 60)
    rows = []
    for i, true in enumerate(truth):
        for who in range(3):
            weights = np.where(np.arange(5) == true, 0.7, 0.075)
            order = rng.choice(5, 3, replace=False, p=weights)
            rows.append((i, str(who), order.tolist()))
    said = told(rows, 5, ranked=np.ones(len(rows), bool))
    found = module._fitted(said, module._shares(said, 60, 5), 1.0, 60)
    assert (np.diff(found.log_likelihood) >= -1e-7).all()
    assert found.accuracy.mean() == pytest.approx(0.7, abs=0.08)


def sets_of_people(seed, n=800, m=8, number=12, each=4):
    """Sets that hold the truth as often as their annotator's accuracy, and other classes at random;
    one annotator names anything."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, m, n)
    accuracy = np.append(rng.uniform(0.8, 0.98, number - 1), 0.3)
    rows = []
    for i, true in enumerate(truth.tolist()):
        for who in rng.choice(number, each, replace=False).tolist():
            size = int(rng.integers(1, 5))
            others = rng.permutation([k for k in range(m) if k != true]).tolist()
            right = rng.random() < accuracy[who]
            rows.append((i, str(who), [true, *others[: size - 1]] if right else others[:size]))
    return truth, accuracy, Votes.from_rows(rows)


def test_accuracies_labels_and_candidate_sets_are_found():
    truth, accuracy, votes = sets_of_people(0)
    found = set_consensus(votes, 800, 8)
    assert found.converged
    order = [int(name) for name in found.annotators]
    np.testing.assert_allclose(found.accuracy, accuracy[order], atol=0.09)
    right = (found.labels == truth).mean()
    assert right > 0.87
    assert found.posterior.max(1).mean() == pytest.approx(right, abs=0.02)
    for mass in (0.8, 0.95, 0.99):
        sets = found.candidates(mass)
        assert sets[np.arange(800), truth].mean() > mass - 0.02
    union = np.zeros((800, 8), bool)
    union[np.repeat(votes.item, np.diff(votes.offsets)), votes.labels] = True
    assert sets.sum() < 0.6 * union.sum()


def test_a_denial_is_the_set_of_all_others():
    _, _, votes = sets_of_people(1, n=100)
    left = [(i, who, [k for k in range(8) if k not in labels]) for i, who, labels in votes.rows()]
    found = set_consensus(votes, 100, 8)
    other = set_consensus(Votes.from_rows(left), 100, 8, denied=np.ones(len(left), bool))
    np.testing.assert_array_equal(found.posterior, other.posterior)


def test_candidates_are_the_smallest_sets_of_that_mass():
    _, _, votes = sets_of_people(2, n=60)
    found = set_consensus(votes, 62, 8)
    for mass in (0.3, 0.9, 1.0):
        sets = found.candidates(mass)
        for row in range(60):
            held = np.sort(found.posterior[row])[::-1].cumsum()
            assert sets[row].sum() == np.argmax(held >= mass - 1e-9) + 1 or mass == 1.0
            assert found.posterior[row, sets[row]].sum() >= mass - 1e-9
        assert sets[60:].all()  # nobody answered
    assert found.labels[60:].tolist() == [-1, -1]
    with pytest.raises(ValueError, match="`mass` is 0"):
        found.candidates(0)


def test_what_says_nothing_is_left_out_or_refused():
    rows = [(0, "ann", [0]), (0, "bob", []), (1, "ann", [1, 0]), (1, "bob", [0, 1])]
    with pytest.warns(UserWarning, match="1 of 4 answers leave no class and are left out, such as"):
        found = set_consensus(Votes.from_rows(rows), 2, 2)
    assert found.labels[0] == 0
    with pytest.raises(ValueError, match="no answer says anything"):
        set_consensus(Votes.from_rows(rows[1:2]), 1, 2)
    flags = np.array([True, False, False, False])
    with pytest.raises(ValueError, match="both `denied` and `ranked`"):
        set_consensus(Votes.from_rows(rows), 2, 2, flags, flags)
    with pytest.raises(ValueError, match="`ranked` is int64 of shape"):
        set_consensus(Votes.from_rows(rows), 2, 2, ranked=np.zeros(4, int))
    with pytest.raises(ValueError, match="answer 0 ranks a label twice"):
        set_consensus(Votes.from_rows([(0, "a", [1, 1])]), 1, 2, ranked=np.array([True]))


@real_files
def test_cifar10s_sets_hold_what_they_say():
    """With all six answers a picture, sets of 95 % lack the truth in about one of twenty."""
    from candidly import load

    data = load("cifar10s")
    data = data[~data.official_test]
    found = set_consensus(data.votes, data.n, data.q)
    sets = found.candidates(0.95)
    assert 0.02 < (~sets[np.arange(data.n), data.truth]).mean() < 0.07
    assert sets.sum(1).mean() < 1.6
