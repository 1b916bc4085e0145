"""Multi-label data: one question per tag, and the fold over tags."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from cleanlab import multilabel_classification as peer
from cleanlab.internal import multilabel_scorer

from candidly import errors

FILTERS = {
    "noise rate": "prune_by_noise_rate",
    "class": "prune_by_class",
    "both": "both",
    "confident": "confident_learning",
    "predicted": "predicted_neq_given",
}


def tagged(n=250, m=4, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    truth = rng.random((n, m)) < 0.4
    probs = np.clip(np.where(truth, rng.beta(5, 2, (n, m)), rng.beta(2, 5, (n, m))), 0, 1)
    return truth ^ (rng.random((n, m)) < 0.08), probs.astype(dtype)


def lists(tags):
    return [np.flatnonzero(row).tolist() for row in tags]


@pytest.mark.parametrize("by", FILTERS)
def test_the_peer_finds_the_same(by):
    tags, probs = tagged()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        each = peer.filter.find_multilabel_issues_per_class(
            lists(tags), probs, filter_by=FILTERS[by], n_jobs=1
        )
    found = errors.find_multilabel(tags, probs, by)
    np.testing.assert_array_equal(found.by_tag, each)
    np.testing.assert_array_equal(found.mask, each.any(1))
    assert 0 < found.mask.sum() < len(tags)
    assert found.indices.tolist() == sorted(
        np.flatnonzero(found.mask), key=lambda i: (found.scores[i], i)
    )


@pytest.mark.parametrize(("fold", "theirs"), [("moving average", None), ("softmin", "softmin")])
@pytest.mark.parametrize("by", ["self-confidence", "margin", "entropy"])
def test_the_peer_scores_alike(by, fold, theirs):
    tags, probs = tagged()
    probs = probs * 0.98 + 0.01
    names = {"margin": "normalized_margin", "entropy": "confidence_weighted_entropy"}
    kwargs = {"method": names.get(by, "self_confidence"), "adjust_pred_probs": False}
    scorer = multilabel_scorer.MultilabelScorer(
        multilabel_scorer.ClassLabelScorer.from_str(kwargs["method"]),
        *([multilabel_scorer.Aggregator("softmin")] if theirs else []),
    )
    expected = scorer(tags.astype(int), probs)
    np.testing.assert_allclose(errors.scores_multilabel(tags, probs, by, fold=fold), expected)


@pytest.mark.parametrize("alpha", [0, 0.3, 0.8, 1])
def test_the_fold_as_one_would_write_it_down(alpha):
    tags, probs = tagged(40, 6)
    own = np.where(tags, probs, 1 - probs)
    expected = []
    for row in -np.sort(-own, axis=1):
        s = row[0]
        for following in row[1:]:
            s = alpha * following + (1 - alpha) * s
        expected.append(s)
    np.testing.assert_allclose(errors.scores_multilabel(tags, probs, alpha=alpha), expected)


def test_softmin_by_hand():
    own = np.array([0.2, 0.7])
    weights = np.exp((1 - own) / 0.1)
    found = errors.scores_multilabel([[1, 1]], own[None], fold="softmin")
    np.testing.assert_allclose(found, [(own * weights).sum() / weights.sum()])
    found = errors.scores_multilabel([[1, 1]], own[None], fold="softmin", temperature=1e-4)
    np.testing.assert_allclose(found, [0.2])  # and no exponential overflows


def test_one_tag_is_its_own_score():
    tags, probs = tagged(30, 1)
    expected = np.where(tags, probs, 1 - probs)[:, 0]
    np.testing.assert_array_equal(errors.scores_multilabel(tags, probs), expected)


def test_blocks_files_and_float32(tmp_path, monkeypatch):
    tags, probs = tagged(dtype=np.float32)
    whole = errors.find_multilabel(tags, probs)
    np.save(tmp_path / "probs.npy", probs)
    monkeypatch.setattr("candidly.errors.confident._passes.BLOCK_BYTES", 4 * 4 * 13)
    monkeypatch.setattr("candidly.errors.confident._multilabel.AT_ONCE_BYTES", 250 * 4 * 3)
    found = errors.find_multilabel(tags.astype(int), tmp_path / "probs.npy")
    np.testing.assert_array_equal(found.by_tag, whole.by_tag)
    np.testing.assert_array_equal(found.indices, whole.indices)
    assert found.scores.dtype == np.float32


def test_tags_that_all_have_or_none_warn_once():
    tags, probs = tagged()
    tags[:, 1], tags[:, 3] = True, False
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = errors.find_multilabel(tags, probs)
    assert [str(w.message).split(": ")[1] for w in said] == ["1, 3."]
    assert not found.by_tag[:, [1, 3]].any()
    assert found.mask.any()


def test_what_is_refused():
    tags, probs = tagged()
    wrong = probs.copy()
    wrong[9, 2] = 1.2
    with pytest.raises(ValueError, match=r"is 1.2 at row 9, tag 2"):
        errors.find_multilabel(tags, wrong)
    wrong[9, 2] = np.nan
    with pytest.raises(ValueError, match="is nan at row 9, tag 2"):
        errors.scores_multilabel(tags, wrong)
    twos = tags.astype(int)
    twos[5, 1] = 2
    with pytest.raises(ValueError, match="`tags` is 2 at row 5, tag 1"):
        errors.scores_multilabel(twos, probs)
    with pytest.raises(ValueError, match=r"shape \(250, 3\); `probs` has \(250, 4\)"):
        errors.scores_multilabel(tags[:, :3], probs)
    with pytest.raises(KeyError, match="noise rate, class, both, confident, predicted"):
        errors.find_multilabel(tags, probs, "margin")
    with pytest.raises(ValueError, match="alpha is 2"):
        errors.scores_multilabel(tags, probs, alpha=2)
