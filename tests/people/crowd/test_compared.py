"""What is claimed where few items have two answers, or none: no more than these tell."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.data.labels.votes import Votes
from candidly.people.crowd import Answers, consensus, more_answers, opinion_pool, set_consensus
from candidly.people.crowd._ways import METHODS, WITHOUT_MODEL
from candidly.people.crowd.answer_sets.summary import set_lines


def made(rng, n, people, twice, each=2, classes=4):
    """Truth and answers: ``each`` about the first ``twice`` items, one about every other."""
    right = rng.uniform(0.5, 0.95, people)
    truth, rows = rng.integers(0, classes, n), []
    for i in range(n):
        for a in rng.permutation(people)[: each if i < twice else 1]:
            wrong = (truth[i] + rng.integers(1, classes)) % classes
            rows.append((i, f"p{a}", truth[i] if rng.random() < right[a] else wrong))
    item, who, said = zip(*rows)
    names = np.array(who)
    return truth, Answers.from_columns(np.array(item), names, np.array(said), classes=classes)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 99), st.integers(1, 6), st.integers(3, 40))
def test_without_two_answers_about_an_item_nothing_is_claimed(seed, people, n):
    _, answers = made(np.random.default_rng(seed), n, people, twice=0)
    with pytest.warns(UserWarning, match="No item has answers of two annotators"):
        found = consensus(answers)
    assert found.compared == 0
    assert np.isnan(found.claim).all()
    with pytest.raises(ValueError, match="cannot be told: no item has answers of two"):
        more_answers(found, 0.9)


@pytest.mark.parametrize("by", sorted({*METHODS} - {"crowdlab"}))
def test_every_way_warns(by):
    _, answers = made(np.random.default_rng(0), 30, 3, twice=4)
    with pytest.warns(UserWarning, match="Only 4 of 30 items have answers of two"):
        consensus(answers, by)


def test_a_model_is_a_second_answer_and_a_known_label_tells():
    rng = np.random.default_rng(1)
    truth, answers = made(rng, 60, 2, twice=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "crowdlab" not in WITHOUT_MODEL
        beside = opinion_pool(answers, np.full((60, 4), 0.1) + 0.6 * np.eye(4)[truth])
        known = opinion_pool(answers, known=np.where(np.arange(60) < 30, truth, -1))
    assert beside.compared == 60
    assert known.compared == 30
    assert not np.isnan([*beside.claim, *known.claim]).any()


@pytest.mark.parametrize("twice", [5, 20, 80])
def test_the_interval_is_as_wide_as_the_items_that_tell_make_it(twice):
    held = []
    for seed in range(20):
        truth, answers = made(np.random.default_rng(seed), 200, 3, twice)
        found = opinion_pool(answers)
        assert found.compared == twice
        held.append(found.claim.low <= (found.labels == truth).mean() <= found.claim.high)
    assert np.mean(held) >= 0.85


def test_sets_of_labels_that_one_person_gave_alone_tell_nothing():
    votes = Votes.from_rows([(i, "ann", [i % 3, (i + 1) % 3]) for i in range(30)])
    with pytest.warns(UserWarning, match="No item has answers of two annotators"):
        found = set_consensus(votes, 30, 3)
    assert found.compared == 0
    told = " ".join(set_lines(found, votes, 0.95))
    assert "how often an answer holds the true class cannot be told" in told
    assert "1.000" not in told
