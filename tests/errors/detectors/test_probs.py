"""Detectors of probabilities, against loops over the text."""

from __future__ import annotations

import math

import numpy as np
import pytest

from candidly import detectors, errors

from noisy_labels import noisy

GIVEN, PROBS = noisy(300, 4)


def slow(i):
    """(prediction, own, largest of the others) of a row."""
    p = PROBS[i].tolist()
    others = [v for j, v in enumerate(p) if j != GIVEN[i]]
    return p.index(max(p)), p[GIVEN[i]], max(others)


def test_retag():
    found = detectors.retag(GIVEN, PROBS)
    for i in range(len(GIVEN)):
        predicted, own, other = slow(i)
        assert found.flagged[i] == (predicted != GIVEN[i])
        assert found.score[i] == pytest.approx(max(0.0, other - own))
    assert 0 < found.flagged.sum() == found.estimated < len(GIVEN)


def test_loss():
    found = detectors.loss(GIVEN, PROBS)
    assert found.flagged is None
    np.testing.assert_allclose(found.score, [-math.log(slow(i)[1]) for i in range(len(GIVEN))])
    assert detectors.loss(np.array([0, 1]), np.array([[0.0, 1.0], [0.0, 1.0]])).score.tolist() == [
        np.inf,
        0.0,
    ]


@pytest.mark.parametrize("by", ["confidence", "entropy"])
def test_mistakenness(by):
    score = detectors.mistakenness(GIVEN, PROBS, by=by).score
    for i in range(len(GIVEN)):
        sure = max(PROBS[i])
        if by == "entropy":
            sure = math.exp(sum(p * math.log(p) for p in PROBS[i] if p > 0))
        sign = 1 if slow(i)[0] != GIVEN[i] else -1
        assert score[i] == pytest.approx((sign * sure + 1) / 2)


def test_mistakenness_by_hand():
    probs = np.array([[1.0, 0.0], [1.0, 0.0], [0.5, 0.5]])
    assert detectors.mistakenness([0, 1, 1], probs).score.tolist() == [0.0, 1.0, 0.75]
    assert detectors.mistakenness([0, 1, 1], probs, by="entropy").score == pytest.approx(
        [0.0, 1.0, 0.75]
    )


@pytest.mark.parametrize("by", ["noise rate", "class", "both", "confident", "margin"])
def test_confident_learning_is_find(by):
    found = detectors.confident_learning(GIVEN, PROBS, by)
    evidence = errors.examine(GIVEN, PROBS)
    np.testing.assert_array_equal(found.flagged, errors.find(evidence, by=by).mask)
    own = PROBS[np.arange(len(GIVEN)), GIVEN]
    others = np.where(np.eye(4, dtype=bool)[GIVEN], -1, PROBS).max(1)
    np.testing.assert_allclose(found.score, (1 - own + others) / 2)
    assert found.estimated == errors.counts(evidence).expected
    # the margin's own order: the most suspicious first
    order = errors.find(evidence, by="margin", count=len(GIVEN)).indices
    np.testing.assert_array_equal(found.indices, order)


def test_one_reading_serves_all():
    evidence = errors.examine(GIVEN, PROBS)
    for ask in (detectors.retag, detectors.loss, detectors.mistakenness):
        np.testing.assert_array_equal(ask(evidence).score, ask(GIVEN, PROBS).score)


def test_an_unknown_sureness_is_named():
    with pytest.raises(KeyError, match="did you mean 'entropy'"):
        detectors.mistakenness(GIVEN, PROBS, by="entrop")


def test_rank_average_is_the_mean_of_sorted_places():
    scores = [np.array([3.0, 1.0, 2.0, 2.0]), np.array([np.inf, 0.0, 0.0, 0.0])]
    found = detectors.rank_average([detectors.Detection(score) for score in scores])
    # ranks by hand: 4, 1, 2.5, 2.5 and 4, 2, 2, 2
    np.testing.assert_allclose(found.score * 4, [4, 1.5, 2.25, 2.25])
    assert found.flagged is None


def test_rank_average_refuses_what_does_not_belong_together():
    one = detectors.Detection(np.zeros(3))
    with pytest.raises(ValueError, match="nothing to average"):
        detectors.rank_average([])
    with pytest.raises(ValueError, match="detection 1 is of other examples"):
        detectors.rank_average([one, detectors.Detection(np.zeros(2))])
    named = [detectors.Detection(np.zeros(3), ids=np.array(ids)) for ids in ([1, 2, 3], [3, 2, 1])]
    with pytest.raises(ValueError, match="other examples"):
        detectors.rank_average(named)
