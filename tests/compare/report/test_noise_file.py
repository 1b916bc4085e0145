"""A transition matrix from a file: as it stands, or estimated from probabilities."""

import numpy as np
import pytest

from candidly.compare.report.noise_file import read_noise
from candidly.errors.amount import estimate
from candidly.errors.crossval import CrossValidated
from candidly.stats.criteria import confusion_counts, corrected_accuracy
from made_overlap import made


def saved(path, given, probs):
    n, q = probs.shape
    found = CrossValidated(
        probs=probs,
        folds=np.zeros(n, np.int64),
        classes=tuple("abcdefgh"[:q]),
        given=given,
        chosen="logistic",
        accuracies={"logistic": 0.5},
        ece=0.0,
        fold_ece=np.zeros(1),
        temperatures=np.ones((1, 1)),
    )
    found.save(path)
    return path


def test_a_matrix_of_numbers_is_known(tmp_path):
    known = np.array([[0.9, 0.1], [0.2, 0.8]])
    np.save(tmp_path / "t.npy", known)
    found = read_noise(tmp_path / "t.npy")
    assert (found.transition == known).all()
    assert found.ends is None


@pytest.mark.parametrize("rate", [0.1, 0.3])
def test_accuracies_corrected_by_it_are_those_on_true_labels(tmp_path, rate):
    logs, true, labels = made(4000, 4, rate, seed=2, scale=3)
    labels[:50] = -1
    probs = np.exp(logs)
    found = read_noise(saved(tmp_path / "p.npz", labels, probs))
    amount = estimate(labels, probs, unlabelled=True)
    assert np.allclose(found.transition, amount.transition)
    assert all(map(np.allclose, found.ends, amount.at_ends()))
    # of another model than the one whose probabilities are in the file
    rng = np.random.default_rng(0)
    predicted = np.where(rng.random(4000) < 0.2, rng.integers(4, size=4000), logs.argmax(1))
    met = confusion_counts(labels, predicted, 4)
    right = (predicted == true)[50:].mean()
    corrected = corrected_accuracy(met, found.transition).accuracy
    low, high = (corrected_accuracy(met, end).accuracy for end in found.ends)
    assert abs(corrected - right) < 0.025 < right - met.trace() / met.sum()
    assert low - 0.01 <= right <= high + 0.01


def test_of_labels_that_tell_nothing_it_says_why(tmp_path):
    logs, _, labels = made(60, 3, 0.1)
    place = saved(tmp_path / "p.npz", labels, np.exp(logs))
    with pytest.raises(ValueError, match="there are 60 labels, and below 100 nothing"):
        read_noise(place)
    with pytest.raises(ValueError, match="no given labels"):
        read_noise(saved(tmp_path / "q.npz", None, np.exp(logs)))
