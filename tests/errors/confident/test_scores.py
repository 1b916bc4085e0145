"""Scores against hand-worked cases, slow NumPy and the established tool where both agree."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from cleanlab import rank as peer

from candidly import errors
from candidly.errors.confident import _ensemble

import slow_errors as slow
from noisy_labels import noisy

PEERS = {
    "margin": "normalized_margin",
    "self-confidence": "self_confidence",
    "entropy": "confidence_weighted_entropy",
}


def slow_score(p, y, by):
    rest = [v for j, v in enumerate(p) if j != y]
    if by == "margin":
        return (p[y] - max(rest) + 1) / 2
    if by == "self-confidence":
        return p[y]
    u = -sum(v * math.log(v) for v in p if v > 0) / math.log(len(p))
    if p[y] == 0:
        return 0.0
    u /= p[y]
    return math.log1p(u) / u if u > 1e-15 else 1.0


@pytest.mark.parametrize("by", PEERS)
@pytest.mark.parametrize(
    ("n", "m", "dtype"), [(300, 2, np.float64), (300, 10, np.float64), (50, 1000, np.float64),
                          (300, 10, np.float32), (300, 7, np.float16)]
)  # fmt: skip
def test_as_one_would_write_it_down(by, n, m, dtype):
    given, probs = noisy(n, m, dtype=np.float64)
    probs = probs.astype(dtype)
    exact = probs.astype(np.float64)
    slow = [slow_score(p, y, by) for p, y in zip(exact.tolist(), given.tolist())]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows of float16 sum to 1 roughly
        found = errors.scores(given, probs, by)
    tolerance = 1e-13 if dtype == np.float64 else 2e-6
    np.testing.assert_allclose(found, slow, atol=tolerance, rtol=0)
    assert found.dtype == (np.float64 if dtype == np.float64 else np.float32)


@pytest.mark.parametrize("by", PEERS)
@pytest.mark.parametrize("m", [2, 3, 40])
def test_the_peer_agrees_where_nothing_is_clipped(by, m):
    given, probs = noisy(500, m, seed=m)
    theirs = peer.get_label_quality_scores(given, probs, method=PEERS[by])
    ours = errors.scores(given, probs, by)
    own = probs[np.arange(500), given]
    entropy = -(probs * np.log(np.maximum(probs, 1e-300))).sum(1) / np.log(m)
    usual = (own >= 1e-6) & (entropy / np.maximum(own, 1e-300) >= 1e-6)
    assert usual.mean() > 0.8
    np.testing.assert_allclose(ours[usual], theirs[usual], atol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_entropy_at_its_limits(dtype):
    tiny = 1e-12
    probs = np.array([[1, 0, 0], [0, 1, 0], [tiny, 1 - tiny, 0], [0, 0.5, 0.5]], dtype)
    found = errors.scores(np.zeros(4, int), probs, "entropy")
    assert found[0] == 1  # certain, and the label agrees
    assert found[1] == 0  # certain, and it does not
    assert found[3] == 0
    if dtype == np.float64:
        assert found[2] == pytest.approx(slow_score(probs[2].tolist(), 0, "entropy"), rel=1e-6)
    rng = np.random.default_rng(0)
    given, probs = noisy(300, 4, dtype=dtype, sharpness=0.02)
    found = errors.scores(given, probs, "entropy")
    assert ((found >= 0) & (found <= 1)).all()
    sure = probs[rng.permutation(300)].max(1) > 0  # nothing is NaN, at any sharpness
    assert sure.all()


def test_entropy_of_the_smallest_numbers():
    smallest = np.nextafter(0, 1)
    probs = np.array([[1.0, smallest], [1 - 1e-16, 1e-16], [smallest, 1.0]])
    found = errors.scores([0, 0, 0], probs, "entropy")
    assert found[0] == 1
    assert found[1] == pytest.approx(1)
    u = -math.log(smallest) / math.log(2)  # what is left of the entropy over p_y
    assert found[2] == pytest.approx(math.log1p(u) / u, rel=0.05)


@pytest.mark.parametrize("by", PEERS)
def test_evidence_and_blocks_and_threads_change_nothing(by, monkeypatch):
    given, probs = noisy(1000, 6)
    whole = errors.scores(given, probs, by)
    np.testing.assert_array_equal(errors.scores(errors.examine(given, probs), by=by), whole)
    monkeypatch.setattr("candidly.errors.confident._passes.BLOCK_BYTES", 6 * 8 * 37)
    for workers in (1, 2):
        np.testing.assert_array_equal(errors.scores(given, probs, by, workers=workers), whole)
    chunks = iter([probs[:300], probs[300:]])
    np.testing.assert_array_equal(errors.scores(given, chunks, by), whole)
    np.testing.assert_array_equal(errors.scores(given, np.asfortranarray(probs), by), whole)


@pytest.mark.parametrize("by", PEERS)
def test_unlabelled_rows_have_no_score(by):
    given, probs = noisy(50, 4)
    whole = errors.scores(given, probs, by)
    given[[3, 40]] = -1
    found = errors.scores(given, probs, by, unlabelled=True)
    assert np.flatnonzero(np.isnan(found)).tolist() == [3, 40]
    np.testing.assert_array_equal(np.delete(found, [3, 40]), np.delete(whole, [3, 40]))
    again = errors.scores(errors.examine(given, probs, unlabelled=True), by=by)
    np.testing.assert_array_equal(found, again)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("by", PEERS)
def test_scores_check_what_they_read(by, dtype):
    given, probs = noisy(50, 4)
    probs = probs.astype(dtype)
    for row, says in (
        ([0.2, 0.3, np.nan, 0.5], "NaN or infinity at row 7"),
        ([np.inf, 0.0, 0.0, 0.0], "NaN or infinity at row 7"),
        ([1.5, -0.5, 0.0, 0.0], "outside .* at row 7"),  # which sums to 1
    ):
        wrong = probs.copy()
        wrong[7] = row
        with pytest.raises(ValueError, match=says):
            errors.scores(given, wrong, by)
    wrong = probs.copy()
    wrong[[7, 9]] *= 0.9
    with pytest.raises(ValueError, match=r"row 7 of .* sums to 0.9, and 2 in all"):
        errors.scores(given, wrong, by)
    repaired = errors.scores(given, wrong, by, normalise=True)
    np.testing.assert_allclose(repaired, errors.scores(given, probs, by), atol=1e-6)
    with pytest.raises(ValueError, match="`given` has label 4 at row 0"):
        errors.scores(np.full(50, 4), probs, by)
    slightly = probs.copy()
    slightly[0] *= 1.0005
    with pytest.warns(UserWarning, match="sum to 1 up to 0.0005"):
        errors.scores(given, slightly, by)


def test_an_unknown_score_is_named():
    with pytest.raises(KeyError, match="did you mean 'entropy'"):
        errors.scores(*noisy(50, 4), "entropie")


def test_scores_stay_within_bounds_at_the_slack():
    probs = np.array([[1 + 5e-7, -5e-7], [-5e-7, 1 + 5e-7]])
    for by in PEERS:
        assert errors.scores([0, 0], probs, by).tolist() == [1, 0]


# adjusted


def test_adjusted_by_hand():
    probs = np.array([[0.9, 0.1], [0.5, 0.5]])
    found = errors.adjusted([0, 1], probs)  # thresholds 0.9 and 0.5: class 1 is lifted by 0.4
    np.testing.assert_allclose(found, [[0.9 / 1.4, 0.5 / 1.4], [0.5 / 1.4, 0.9 / 1.4]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_adjusted_scores_are_those_of_adjusted_probabilities(dtype):
    given, probs = noisy(300, 6, dtype=dtype)
    changed = errors.adjusted(given, probs)
    assert changed.dtype == dtype
    for by in ("margin", "self-confidence"):
        found = errors.scores(given, probs, by, adjust=True)
        np.testing.assert_allclose(found, errors.scores(given, changed, by), atol=1e-6)
        theirs = peer.get_label_quality_scores(
            given, probs, method=PEERS[by], adjust_pred_probs=True
        )
        np.testing.assert_allclose(found, theirs, atol=1e-6)
    with pytest.raises(ValueError, match="no entropy score"):
        errors.scores(given, probs, "entropy", adjust=True)


def test_adjusting_is_kept_from_classes_that_nobody_was_given():
    given, probs = noisy(300, 6)
    given[given >= 3] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, thresholds = errors.adjusted(given, probs), errors.thresholds(given, probs)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(1), 1)
    highest = thresholds[:3].max()
    lifted = probs - np.where(thresholds == 2, highest, thresholds) + highest
    np.testing.assert_allclose(found, lifted / lifted.sum(1, keepdims=True), atol=1e-15)


# ensembles


def three_models():
    given, probs = noisy(400, 4)
    rng = np.random.default_rng(1)
    models = []
    for share in (0.0, 0.5, 0.9):
        models.append((1 - share) * probs + share * rng.dirichlet(np.ones(4), 400))
    return given, models


@pytest.mark.parametrize("by", PEERS)
@pytest.mark.parametrize(
    ("weights", "theirs"),
    [("equal", "uniform"), ("accuracy", "accuracy"), ("log loss", "log_loss_search")],
)
def test_the_peer_weighs_alike(by, weights, theirs):
    given, models = three_models()
    models = [np.maximum(p, 1e-4) for p in models]
    models = [p / p.sum(1, keepdims=True) for p in models]
    expected = peer.get_label_quality_ensemble_scores(
        given, models, method=PEERS[by], weight_ensemble_members_by=theirs, verbose=False
    )
    found = errors.ensemble_scores(given, models, by, weights=weights)
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_ensemble_weights_as_one_would_write_them_down():
    given, models = three_models()
    evidences = [errors.examine(given, p) for p in models]
    rows = np.arange(len(given))

    def loss(p):
        p = np.maximum(p, 1e-6)
        return -np.log((p / p.sum(1, keepdims=True))[rows, given]).mean()

    tried = []
    for t in _ensemble.TEMPERATURES:
        w = np.array([math.exp(-t * loss(p)) for p in models])
        w /= w.sum()
        average = sum(a * p for a, p in zip(w, models))
        tried.append((-np.log(np.maximum(average[rows, given], 2.2e-16)).mean(), w))
    best = min(range(8), key=lambda k: tried[k][0])  # the first of equals
    found = _ensemble.ensemble_weights(evidences, "log loss")
    np.testing.assert_allclose(found, tried[best][1], rtol=1e-9)
    assert 0 < best < 8  # neither end would tell the temperatures apart from a constant
    right = np.array([(p.argmax(1) == given).mean() for p in models])
    np.testing.assert_allclose(
        _ensemble.ensemble_weights(evidences, "accuracy"), right / right.sum()
    )


@pytest.mark.parametrize("seed", range(8))
def test_models_that_rule_labels_out_are_weighed_as_the_peer_does(seed):
    # the best model says 0 of one label. Were the average floored at 1e-6, that would cost 14 nats,
    # less than to dilute all other rows, and T = 200 would pick this model alone
    rng = np.random.default_rng(seed)
    given = rng.integers(0, 4, 1000)
    sharp = np.eye(4)[np.where(np.arange(1000) < 1, (given + 1) % 4, given)]
    soft = slow.softmax(rng.normal(size=(1000, 4)) + 3 * np.eye(4)[given])
    weak = rng.dirichlet(np.ones(4), 1000)
    models = [soft, weak, 0.97 * sharp + 0.03 * np.roll(sharp, 1, axis=1)]
    found = errors.ensemble_scores(given, models, "self-confidence", weights="log loss")
    expected = peer.get_label_quality_ensemble_scores(
        given, models, method="self_confidence", weight_ensemble_members_by="log_loss_search",
        verbose=False,
    )  # fmt: skip
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    weights = _ensemble.ensemble_weights([errors.examine(given, p) for p in models], "log loss")
    assert weights.max() < 1 - 1e-6


def test_of_equal_temperatures_the_first_wins():
    given, probs = noisy(100, 3)
    evidence = errors.examine(given, probs)
    np.testing.assert_array_equal(
        _ensemble.ensemble_weights([evidence] * 2, "log loss"), [0.5, 0.5]
    )


def test_a_model_beyond_all_measure_does_not_break_the_weights():
    given = np.zeros(50, int)
    wrong = np.tile([0.0, 1.0], (50, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("error", RuntimeWarning)  # such as 0 / 0
        found = errors.ensemble_scores(given, [wrong, wrong], weights="log loss")
    assert np.isfinite(found).all()
    with (
        pytest.raises(ValueError, match="no model predicts any"),
        pytest.warns(UserWarning, match="same class"),
    ):
        errors.ensemble_scores(given, [wrong, wrong], weights="accuracy")


def test_numbers_as_weights_are_checked_and_divided_by_their_sum():
    given, models = three_models()
    each = [errors.scores(given, p) for p in models]
    found = errors.ensemble_scores(given, models, weights=[2, 0, 6])
    np.testing.assert_allclose(found, 0.25 * each[0] + 0.75 * each[2])
    for bad in ([1, -1, 1], [0, 0, 0], [np.nan, 1, 1], [1, 1]):
        with pytest.raises(ValueError, match="`weights`"):
            errors.ensemble_scores(given, models, weights=bad)
    with pytest.raises(ValueError, match="choose equal, accuracy, log loss"):
        errors.ensemble_scores(given, models, weights="accurate")
    with pytest.raises(TypeError, match="list of the models"):
        errors.ensemble_scores(given, models[0])


# corrected


def test_corrected_by_hand():
    given = np.array([0, 0, 0, 1])
    probs = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.25, 0.75]])
    # counts [[2, 1], [0, 1]]: V = (2/3, 1), N = (1, 1/2), so that the factors are 2/3 and 2
    np.testing.assert_array_equal(errors.confident_joint(given, probs), [[2, 1], [0, 1]])
    found = errors.corrected(given, probs)
    np.testing.assert_allclose(found[3], [0.25 * 2 / 3 / (0.25 * 2 / 3 + 1.5), 0.9])
    np.testing.assert_allclose(found.sum(1), 1)


def test_corrected_leaves_clean_labels_and_absent_classes_alone():
    given, probs = np.arange(4) % 3, np.eye(3)[np.arange(4) % 3] * 0.85 + 0.05
    for consistent in (False, True):
        np.testing.assert_allclose(errors.corrected(given, probs, consistent=consistent), probs)
    wider = np.hstack([probs * 0.9, np.full((4, 1), 0.1)])
    with pytest.warns(UserWarning, match="can never be proposed: 3"):
        np.testing.assert_allclose(errors.corrected(given, wider), wider)
