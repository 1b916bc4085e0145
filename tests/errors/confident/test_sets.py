"""Candidate sets in place of a given label."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from candidly import errors

from noisy_labels import noisy


def singletons(given, m):
    return np.eye(m, dtype=bool)[given]


def partial(n=300, m=5, seed=0, dtype=np.float64):
    """Candidate sets, of which some lack the prediction, and probabilities."""
    given, probs = noisy(n, m, seed, dtype)
    rng = np.random.default_rng(seed + 1)
    return singletons(given, m) | (rng.random((n, m)) < 0.25), probs


def test_by_hand():
    sets = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]], bool)
    probs = np.array([[0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.9, 0.05, 0.05], [0.2, 0.3, 0.5]])
    found = errors.scores(sets, probs, "self-confidence")
    np.testing.assert_allclose(found, [0.8, 0.2, 0.1, 1.0])
    found = errors.scores(sets, probs, "margin")
    np.testing.assert_allclose(found, [(0.6 + 1) / 2, (-0.6 + 1) / 2, (-0.8 + 1) / 2, 1])
    # class 0: 0.6 with weight 3/4, 0.1 with 1/2, 0.2 with 1/5; and so on
    expected = [
        (0.6 * 0.75 + 0.1 * 0.5 + 0.2 * 0.2) / 1.45,
        (0.2 * 0.25 + 0.05 * 0.5 + 0.3 * 0.3) / 1.05,
        (0.1 * 0.5 + 0.05 * 0.5 + 0.5 * 0.5) / 1.5,
    ]
    np.testing.assert_allclose(errors.thresholds(sets, probs), expected)
    assert errors.find(sets, probs, "predicted").indices.tolist() == [2, 1]
    assert errors.find(sets, probs, "confident").indices.tolist() == [2, 1]
    assert errors.find(sets, probs, "self-confidence", count=1).indices.tolist() == [2]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("collisions", ["global", "masked"])
def test_one_candidate_each_is_a_given_label(dtype, collisions):
    given, probs = noisy(500, 6, dtype=dtype)
    given[0], probs[0] = 2, np.eye(6)[1]  # no mass inside
    probs[1] = 0.5 * np.eye(6)[given[1]] + 0.5 * np.eye(6)[(given[1] + 1) % 6]  # a tie
    sets = errors.examine(given, probs, collisions=collisions), singletons(given, 6)
    labels, sets = sets[0], errors.find(sets[1], probs, "margin", collisions=collisions).evidence
    for name in ("predicted", "own", "other", "guess", "near_tie", "labelled", "disagreements"):
        np.testing.assert_array_equal(getattr(sets, name), getattr(labels, name), err_msg=name)
    np.testing.assert_allclose(sets.thresholds, labels.thresholds, rtol=1e-6)
    for by in ("margin", "self-confidence", "predicted", "confident"):
        a, b = errors.find(labels, by=by), errors.find(sets, by=by)
        np.testing.assert_array_equal(a.indices, b.indices)
    for by in ("margin", "self-confidence", "entropy"):
        np.testing.assert_array_equal(errors.scores(labels, by=by), errors.scores(sets, by=by))


@pytest.mark.parametrize("collisions", ["global", "masked"])
def test_as_one_would_write_it_down(collisions):
    sets, probs = partial()
    n = len(probs)
    mass = np.array([probs[i, sets[i]].sum() for i in range(n)])
    weight = sets * probs / mass[:, None]
    thresholds = (weight * probs).sum(0) / weight.sum(0)
    np.testing.assert_allclose(errors.thresholds(sets, probs), thresholds)
    guess = []
    for p in probs:
        confident = np.flatnonzero(p >= thresholds - 1e-6)
        if len(confident) > 1:
            confident = (
                [p.argmax()] if collisions == "global" else confident[[p[confident].argmax()]]
            )
        guess.append(confident[0] if len(confident) else -1)
    found = errors.find(sets, probs, "confident", collisions=collisions)
    np.testing.assert_array_equal(found.evidence.guess, guess)
    raised = (probs + 1e-6 * sets).argmax(1)
    expected = [g >= 0 and not sets[i, g] and not sets[i, raised[i]] for i, g in enumerate(guess)]
    np.testing.assert_array_equal(found.mask, expected)
    assert 0 < sum(expected) < n
    lowest = np.argsort(mass, kind="stable")[: sum(expected)]
    by_mass = errors.find(sets, probs, "self-confidence", rank="self-confidence")
    if collisions == "global":
        np.testing.assert_array_equal(by_mass.indices, lowest)
    outside = np.where(sets, -np.inf, probs).max(1)
    outside[sets.all(1)] = 0
    np.testing.assert_allclose(errors.scores(sets, probs), (mass - outside + 1) / 2)


def test_a_set_of_all_classes_is_beyond_doubt():
    sets, probs = partial()
    sets[::3] = True
    for by in ("predicted", "confident"):
        assert not errors.find(sets, probs, by).mask[::3].any()
    np.testing.assert_allclose(errors.scores(sets, probs)[::3], 1)


def test_relabelling_the_classes_changes_nothing():
    sets, probs = partial()
    order = np.random.default_rng(3).permutation(5)
    for by in ("margin", "self-confidence", "entropy"):
        a, b = errors.scores(sets, probs, by), errors.scores(sets[:, order], probs[:, order], by)
        np.testing.assert_allclose(a, b)
    a, b = (
        errors.find(sets, probs, "confident"),
        errors.find(sets[:, order], probs[:, order], "confident"),
    )
    np.testing.assert_array_equal(a.mask, b.mask)


def test_blocks_threads_files_and_tensors_change_nothing(tmp_path, monkeypatch):
    import torch

    sets, probs = partial()
    whole = errors.find(sets, probs, "confident")
    np.save(tmp_path / "sets.npy", sets)
    np.save(tmp_path / "probs.npy", probs)
    monkeypatch.setattr("candidly.errors.confident._passes.BLOCK_BYTES", 5 * 8 * 17)
    for given, where in (
        (sets, probs),
        (tmp_path / "sets.npy", tmp_path / "probs.npy"),
        (torch.tensor(sets), torch.tensor(probs)),
    ):
        for workers in (1, 2):
            found = errors.find(given, where, "confident", workers=workers)
            np.testing.assert_array_equal(found.indices, whole.indices)
            np.testing.assert_allclose(found.evidence.thresholds, whole.evidence.thresholds)


def test_rows_without_candidates():
    sets, probs = partial()
    sets[4] = False
    with pytest.raises(ValueError, match=r"no candidate at row 4.*unlabelled=True"):
        errors.scores(sets, probs)
    found = errors.scores(sets, probs, unlabelled=True)
    assert np.flatnonzero(np.isnan(found)).tolist() == [4]
    for by in ("margin", "self-confidence", "predicted", "confident"):
        assert not errors.find(sets, probs, by, unlabelled=True).mask[4]


def test_what_sets_cannot_say():
    sets, probs = partial()
    for by in ("noise rate", "class", "both"):
        with pytest.raises(ValueError, match="choose margin, self-confidence, predicted, confid"):
            errors.find(sets, probs, by)
    with pytest.raises(ValueError, match="no calibrated joint"):
        errors.find(sets, probs, "margin", count="calibrated")
    evidence = errors.find(sets, probs, "margin").evidence
    for ask in (errors.joint, errors.counts, errors.health, errors.corrected, errors.prior):
        for given in (sets, evidence):
            with pytest.raises(ValueError, match="candidate sets, and they have no counts"):
                ask(given, probs)
    with pytest.raises(ValueError, match="candidate sets"):
        errors.scores(sets, probs, adjust=True)


def test_sets_are_checked():
    sets, probs = partial()
    with pytest.raises(ValueError, match=r"shape \(299, 5\); `probs` has \(300, 5\)"):
        errors.scores(sets[:-1], probs)
    with pytest.raises(ValueError, match=r"`given` has shape \(300, 5\)"):
        errors.scores(sets.astype(int), probs)  # numbers could be anything
    wrong = probs.copy()
    wrong[8, 0] = np.nan
    with pytest.raises(ValueError, match="NaN or infinity at row 8"):
        errors.scores(sets, wrong)


def test_a_class_that_is_never_a_candidate_is_never_guessed():
    sets, probs = partial()
    sets[:, 3] = False
    sets[~sets.any(1), 0] = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = errors.find(sets, probs, "confident")
    assert found.evidence.thresholds[3] == 2
    assert (found.evidence.guess[found.evidence.predicted != 3] != 3).all()


@pytest.mark.parametrize(("lead", "near"), [(5e-7, True), (1e-4, False)])
def test_a_near_tie_is_not_flagged(lead, near):
    probs = np.array([[0.4, 0.2, 0.4 + lead], [0.1, 0.1, 0.8], [0.3, 0.6, 0.1]])
    probs[0] /= probs[0].sum()
    sets = np.array([[1, 1, 0], [0, 0, 1], [1, 1, 0]], bool)
    found = errors.find(sets, probs, "predicted")
    assert found.evidence.near_tie[0] == near
    assert found.mask.tolist() == [not near, False, False]


def test_a_class_whose_candidates_have_no_mass_is_not_confident_at_nothing():
    probs = np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.1, 0.0, 0.9]])
    sets = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 1]], bool)
    found = errors.thresholds(sets, probs)
    np.testing.assert_allclose(found, [2e-6, 1, 0.9])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "workers is 0"),
        ({"thresholds": [0.5, np.nan]}, "nan for class 1"),
        ({"collisions": "both"}, "choose global or masked"),
        ({"classes": ["a"]}, "1 names"),
    ],
)
def test_options_are_checked_as_for_labels(options, message):
    probs = np.array([[0.9, 0.1], [0.2, 0.8]])
    for given in (np.eye(2, dtype=bool), np.array([0, 1])):
        with pytest.raises(ValueError, match=message):
            errors.find(given, probs, "predicted", **options)
