"""Sets of k answers: closed forms against every choice of k."""

from itertools import chain, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.data.labels.votes import Votes, union, vaguest
from candidly.people.crowd import set_curve, some_answers, union_spread

import slow_crowd as slow

Q = 4
answers = st.lists(st.lists(st.integers(0, Q - 1), max_size=3, unique=True), min_size=1, max_size=5)


@given(st.lists(st.tuples(answers, st.integers(-1, Q - 1)), min_size=1, max_size=5))
@settings(max_examples=60)
def test_closed_forms_equal_enumeration(items):
    votes = Votes.from_rows(
        [
            (i, f"{i}/{j}", labels)
            for i, (said, _) in enumerate(items)
            for j, labels in enumerate(said)
        ]
    )
    truth = np.array([true for _, true in items])
    if (truth < 0).all():
        with pytest.raises(ValueError, match="no item has both answers and a known truth"):
            set_curve(votes, truth, Q)
        return
    found = set_curve(votes, truth, Q)
    for k, there, *values in zip(*found):
        mine = [
            slow.sets_of_k(said, k, true, Q) for said, true in items if true >= 0 and len(said) >= k
        ]
        assert there == len(mine)
        np.testing.assert_allclose(values, np.mean(mine, axis=0), atol=1e-12)


def test_all_answers_are_the_unions_of_votes():
    rng = np.random.default_rng(0)
    votes = Votes.from_rows(
        [(i, str(j), rng.permutation(Q)[: rng.integers(0, 4)]) for i in range(30) for j in range(3)]
    )
    truth = rng.integers(0, Q, 30)
    found = set_curve(votes, truth, Q)
    for name, sets in (("union", union), ("vaguest", vaguest)):
        whole = sets(votes, 30, Q, empty="none")
        assert getattr(found, f"{name}_noise")[-1] == (~whole[np.arange(30), truth]).mean()
        assert getattr(found, f"{name}_size")[-1] == pytest.approx(whole.sum() / 30)
    # and of two drawn ones, on average over draws
    noise = []
    for seed in range(200):
        two = union(some_answers(votes, 2, seed), 30, Q, empty="none")
        noise.append((~two[np.arange(30), truth]).mean())
    error = np.std(noise) / np.sqrt(200)
    assert np.mean(noise) == pytest.approx(found.union_noise[1], abs=4 * error)


def test_a_label_named_twice_lengthens_an_answer_and_is_held_once():
    votes = Votes.from_rows([(0, "a", [1]), (0, "b", [2, 2])])
    found = set_curve(votes, np.array([2]), 3)
    assert found.vaguest_noise.tolist() == [0.5, 0]
    assert found.vaguest_size.tolist() == [1, 1]


def test_some_answers_grow_and_keep_their_order():
    votes = Votes.from_rows([(i, f"{i}{j}", [j]) for j in range(4) for i in range(3) if j <= i + 1])
    before: set[str] = set()
    for k in range(1, 6):
        kept = some_answers(votes, k, seed=3)
        who = kept.annotator.tolist()
        assert before <= set(who)
        assert who == [name for name in votes.annotator if name in who]
        assert np.bincount(kept.item).tolist() == [min(k, 2), min(k, 3), min(k, 4)]
        before = set(who)
    assert some_answers(votes, 9) == votes
    assert some_answers(votes, 1, seed=1) != some_answers(votes, 1, seed=2)
    with pytest.raises(ValueError, match="k is 0, but must be a whole number of at least 1"):
        some_answers(votes, 0)


def test_the_spread_is_that_of_all_orders_of_all_items():
    said = [[[1], [0, 1], [2]], [[0], [0], [2, 3], [1]], [[], [3]]]
    truth = [1, 2, 3]
    votes = Votes.from_rows(
        [(i, str(j), labels) for i, answers in enumerate(said) for j, labels in enumerate(answers)]
    )
    found, curve = union_spread(votes, np.array(truth), Q), set_curve(votes, np.array(truth), Q)
    for k in range(1, 5):
        there = [i for i, answers in enumerate(said) if len(answers) >= k]
        noise = [
            np.mean([truth[i] not in chain(*order[:k]) for i, order in zip(there, orders)])
            for orders in product(*(permutations(said[i]) for i in there))
        ]
        assert found[k - 1] == pytest.approx(np.std(noise))
        assert curve.union_noise[k - 1] == pytest.approx(np.mean(noise))
    assert found[:2].min() > 0.1
    assert found[3] == 0
    unknown = union_spread(votes, np.array([1, -1, 3]), Q)
    assert len(unknown) == 3


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        ([0, 5], "`truth` has 0 to 5; there are 3 classes"),
        ([-1, 0], "no item has both answers"),
        ([], "`votes` has item 0 in answer 0, but there are 0 examples"),
    ],
)
def test_what_is_refused(truth, message):
    with pytest.raises(ValueError, match=message):
        set_curve(Votes.from_rows([(0, "a", [1])]), np.array(truth, int), 3)
    with pytest.raises(ValueError, match=message):
        union_spread(Votes.from_rows([(0, "a", [1])]), np.array(truth, int), 3)
