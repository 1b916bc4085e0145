"""What answers say together as rows with weights: nothing is lost but what is improbable."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import candidly
from candidly import crowd
from candidly.data import Votes


@st.composite
def consensuses(draw):
    """Of single answers by two rules, or of sets; some items nobody answered."""
    n, q, people = draw(st.integers(2, 12)), draw(st.integers(2, 5)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    said = [
        (item, f"person {who}", int(rng.integers(q)))
        for item in range(n)
        for who in range(people)
        if rng.random() < 0.7
    ] or [(0, "person 0", 0)]
    if draw(st.booleans()):
        sets = [(item, who, {label, int(rng.integers(q))}) for item, who, label in said]
        return crowd.set_consensus(Votes.from_rows([(i, w, sorted(s)) for i, w, s in sets]), n, q)
    by = draw(st.sampled_from(["majority", "one-coin"]))
    answers = crowd.Answers.from_columns(*map(list, zip(*said)), classes=q)
    return crowd.consensus(answers, by)


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(consensuses(), st.sampled_from([0, 0.01, 0.3, 1]), st.integers(0, 9))
def test_cross_entropy_of_the_rows_is_that_of_the_posterior(found, least, seed):
    rows = crowd.weighted_rows(found, least)
    known = found.labels >= 0
    assert set(rows.items.tolist()) == set(np.flatnonzero(known).tolist())
    assert (rows.weights > 0).all()
    kept = np.zeros(found.posterior.shape)
    kept[rows.items, rows.labels] = rows.weights
    assert (kept[known, found.labels[known]] > 0).all()
    np.testing.assert_allclose(kept[known].sum(1), 1)
    # what is left is in the proportions of the posterior, and what is gone was improbable
    some = kept > 0
    chances = np.where(some, found.posterior, 0)
    np.testing.assert_allclose(kept[known], (chances / chances.sum(1, keepdims=True))[known])
    assert (found.posterior[known][~some[known]] < max(least, 1e-300)).all()
    if least == 0:
        scores = np.random.default_rng(seed).normal(size=found.posterior.shape)
        logs = scores - np.logaddexp.reduce(scores, 1)[:, None]
        loss = -(rows.weights * logs[rows.items, rows.labels]).sum()
        np.testing.assert_allclose(loss, -(found.posterior * logs)[known].sum())


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_network_learns_the_doubt():
    """Of items that half of all people call b, it learns a half; from the majority's label less."""
    said = [
        (item, f"person {who}", int(item % 2 and who < 2)) for item in range(60) for who in range(4)
    ]
    answers = crowd.Answers.from_columns(*map(list, zip(*said)), classes=2)
    found = crowd.majority(answers)
    rows = crowd.weighted_rows(found)
    x = (np.arange(60) % 2)[:, None].astype(np.float32)
    how = {"net": "linear", "steps": 400, "batch_size": 30, "lr": 0.1}
    soft = candidly.fit((x[rows.items], rows.labels), "ce", sample_weight=rows.weights, **how)
    share = soft.predict_proba(x)[1, 1]
    assert share == pytest.approx(found.posterior[1, 1], abs=0.1)


def test_what_is_no_consensus_or_no_probability_is_refused():
    answers = crowd.Answers.from_columns([0, 0], ["a", "b"], [0, 1], classes=2)
    found = crowd.majority(answers)
    for wrong in (-0.1, 1.5, "much", None):
        with pytest.raises(ValueError, match="`least` is"):
            crowd.weighted_rows(found, wrong)
    with pytest.raises(ValueError, match=r"consensus is a ndarray; make it with crowd\.consensus"):
        crowd.weighted_rows(np.eye(2))
