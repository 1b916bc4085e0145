"""Metrics against scikit-learn, hand cases, and the published example."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from candidly.data.labels.building import from_arrays
from candidly.errors.detectors import BUDGETS, Detection, judge
from candidly.errors.detectors._judge import found_in, wrong_labels

from needs import real_files


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_rankings_are_those_of_scikit_learn(data):
    n = data.draw(st.integers(2, 40))
    score = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)), float)
    wrong = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    flagged = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    found = judge(Detection(score, flagged), wrong)
    if wrong.any():
        assert found.average_precision == pytest.approx(
            metrics.average_precision_score(wrong, score)
        )
        assert found.recall == pytest.approx(metrics.recall_score(wrong, flagged))
        assert found.f1 == pytest.approx(metrics.f1_score(wrong, flagged, zero_division=0.0))
    if wrong.any() and not wrong.all():
        assert found.roc_auc == pytest.approx(metrics.roc_auc_score(wrong, score))
    if flagged.any():
        assert found.precision == pytest.approx(metrics.precision_score(wrong, flagged))


def test_equal_scores_count_as_their_mean_over_all_orders():
    score, wrong = np.array([2.0, 1, 1, 1, 0]), np.array([1, 0, 1, 1, 0], bool)
    for count in range(6):
        every = [wrong[[0, *order, 4]][:count].sum() for order in itertools.permutations((1, 2, 3))]
        assert found_in(score, wrong, count) == pytest.approx(np.mean(every))


def test_budgets_by_hand():
    # 40 examples: budgets of 1, 2, 5 and 10 % are 1, 1, 2 and 4 of them
    score = -np.arange(40.0)
    wrong = np.isin(np.arange(40), [0, 3, 4, 39])
    found = judge(Detection(score), wrong)
    assert dict(zip(BUDGETS, found.found)) == {0.01: 0.25, 0.02: 0.25, 0.05: 0.25, 0.1: 0.5}
    assert found.precision_at_wrong == 0.5
    assert (found.flagged, found.precision, found.recall, found.f1) == (None,) * 4
    assert found.estimated is None
    assert found.values()["found in 10%"] == 0.5


@pytest.mark.parametrize(
    ("flagged", "wrong", "expected"),
    [  # precision, recall, F1
        ([1, 1, 0, 0], [1, 0, 1, 0], (0.5, 0.5, 0.5)),
        ([0, 0, 0, 1], [1, 0, 1, 0], (0.0, 0.0, 0.0)),
        ([0, 0, 0, 0], [1, 0, 1, 0], (None, 0.0, 0.0)),
        ([0, 0, 0, 0], [0, 0, 0, 0], (None, None, 1.0)),
        ([0, 1, 0, 0], [0, 0, 0, 0], (0.0, None, 0.0)),
        ([1, 1, 1, 1], [1, 1, 1, 1], (1.0, 1.0, 1.0)),
    ],
)
def test_the_edges_of_f1(flagged, wrong, expected):
    flagged, wrong = np.array(flagged, bool), np.array(wrong, bool)
    found = judge(Detection(flagged.astype(float), flagged), wrong)
    assert (found.precision, found.recall, found.f1) == expected
    assert found.estimated == flagged.sum()


def test_without_a_wrong_label_no_ranking_is_better_than_another():
    found = judge(Detection(np.arange(5.0)), np.zeros(5, bool))
    assert found.average_precision is found.roc_auc is found.precision_at_wrong is None
    assert found.found == (None,) * 4
    assert judge(Detection(np.arange(5.0)), np.ones(5, bool)).roc_auc is None


@pytest.mark.parametrize("rate", [0.0901, 0.1723, 0.4021])
def test_flagging_everything(rate):
    wrong = np.arange(10_000) < rate * 10_000
    found = judge(Detection(np.zeros(10_000), np.ones(10_000, bool)), wrong)
    assert found.f1 == pytest.approx(2 * rate / (1 + rate))
    assert found.average_precision == pytest.approx(rate)
    assert (found.roc_auc, found.recall) == (0.5, 1.0)


def test_infinite_scores_are_the_highest():
    found = judge(Detection(np.array([np.inf, 3.0, np.inf])), np.array([True, False, True]))
    assert found.average_precision == found.roc_auc == 1.0


def test_ids_decide_what_belongs_together():
    wrong = np.arange(100) % 3 == 0
    order = np.random.default_rng(0).permutation(100)
    shuffled = Detection(wrong[order].astype(float), wrong[order], ids=order)
    assert judge(shuffled, wrong, np.arange(100)).f1 == 1.0
    assert judge(shuffled, wrong, np.arange(100)).average_precision == 1.0
    assert judge(shuffled, wrong).f1 < 0.6  # without names: read in the wrong order
    with pytest.raises(ValueError, match="no example 100"):
        judge(shuffled, wrong, np.arange(1, 101))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Detection(np.zeros((2, 2))), "one number per example"),
        (lambda: Detection(np.array([0.0, np.nan])), "NaN at row 1"),
        (lambda: Detection(np.zeros(2), np.zeros(2)), "not bool"),
        (lambda: Detection(np.zeros(2), np.zeros(3, bool)), "not bool"),
        (lambda: Detection(np.zeros(2), ids=np.array([1, 1])), "each once"),
        (lambda: judge(Detection(np.zeros(2)), np.zeros(3, bool)), "2 examples"),
        (lambda: judge(Detection(np.zeros(2)), np.zeros(2)), "give bool"),
        (lambda: wrong_labels(from_arrays(np.eye(2), given=[0, 1])), "no `truth`"),
        (lambda: wrong_labels(from_arrays(np.eye(2), given=[0, None], truth=[0, 1])), "at row 1"),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@real_files
def test_the_published_worked_example():
    with np.load(Path(os.environ["CANDIDLY_DATA"]) / "cifar_n" / "CIFAR-10_human.npz") as file:
        wrong = file["worse_label"] != file["clean_label"]
    flagged = wrong & (np.arange(50_000) < 25_000)
    found = judge(Detection(flagged.astype(float), flagged), wrong)
    assert found.recall == pytest.approx(0.5045264623955432, abs=1e-15)
    assert found.f1 == pytest.approx(0.6706780837769035, abs=1e-15)
    assert found.precision == 1.0
    # in another order than the truth's, a perfect detector looks poor
    order = np.random.default_rng(0).permutation(50_000)
    lost = judge(Detection(wrong[order].astype(float), wrong[order]), wrong)
    assert lost.f1 == pytest.approx(0.40, abs=0.01)
