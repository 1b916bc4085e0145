"""Sets that depend on the instance: the rate, the construction, and what decides a set."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from candidly.data.imperfect import apply, canonical, instance
from candidly.data.imperfect.instance import _held_out_log_probs, likeness, scaled
from candidly.data.labels.building import from_arrays


@pytest.fixture(scope="module")
def blobs():
    """Six classes around a circle, so that a class is most like its two neighbours."""
    rng = np.random.default_rng(0)
    truth = np.arange(3000) % 6
    angle = truth * np.pi / 3
    centres = 2 * np.stack([np.cos(angle), np.sin(angle)], 1)
    return centres + rng.normal(size=centres.shape), truth


def wrong_of(truth, q):
    return np.arange(q) != truth[:, None]


@pytest.mark.parametrize("rate", [0.0, 0.02, 0.3, 0.7, 0.97, 1.0])
def test_the_rate_is_the_one_asked_for(rate, blobs):
    inputs, truth = blobs
    wrong = wrong_of(truth, 6)
    chances = scaled(likeness(inputs, truth, 6), truth, rate)
    assert chances[wrong].mean() == pytest.approx(rate)
    assert chances.min() >= 0
    assert chances.max() <= 1
    drawn = instance(inputs, truth, 6, rate, seed=3)
    error = np.sqrt((chances * (1 - chances))[wrong].sum()) / wrong.sum()
    assert abs(drawn[wrong].mean() - rate) <= 4 * error + 1e-12
    assert drawn[np.arange(len(truth)), truth].all()


@pytest.mark.parametrize("rate", [0.001, 0.2, 0.6, 0.95])
def test_the_scale_is_the_one_that_a_search_finds(rate):
    rng = np.random.default_rng(1)
    likenesses = np.maximum(rng.random((50, 7)) ** 8, 1e-9)
    truth = rng.integers(0, 7, 50)
    wrong = wrong_of(truth, 7)
    log_scale = brentq(lambda s: np.minimum(1, np.exp(s) * likenesses[wrong]).mean() - rate, -9, 25)
    expected = np.where(wrong, np.minimum(1, np.exp(log_scale) * likenesses), 1)
    assert np.allclose(scaled(likenesses, truth, rate), expected, atol=1e-9)


def test_the_published_construction_is_scale_one(blobs):
    inputs, truth = blobs
    wrong = wrong_of(truth, 6)
    likenesses = likeness(inputs, truth, 6)
    assert np.allclose(np.where(wrong, likenesses, 0).max(1), 1)
    published = likenesses[wrong].mean()
    assert np.allclose(scaled(likenesses, truth, published), likenesses, atol=1e-9)


def test_likeness_is_of_a_classifier_that_has_not_seen_the_example():
    # the truth is a coin: a tree or a neighbour would find its own label again, and a fitted
    # classifier with as many columns as rows would separate the classes; one that has not seen
    # the example finds the true class no likelier than another
    rng = np.random.default_rng(2)
    truth = np.arange(300) % 3
    inputs = rng.normal(size=(300, 60))
    found = _held_out_log_probs(inputs, truth, 3, seed=0).argmax(1) == truth
    assert abs(found.mean() - 1 / 3) < 4 * np.sqrt(2 / 9 / 300)


def test_the_instance_decides(blobs):
    """Rows of one class lean to the neighbour on whose side they lie."""
    inputs, truth = blobs
    drawn = np.mean([instance(inputs, truth, 6, 0.2, seed) for seed in range(8)], 0)
    zero = truth == 0  # around (2, 0): class 1 lies above, class 5 below
    above = zero & (inputs[:, 1] > 0.5)
    below = zero & (inputs[:, 1] < -0.5)
    assert drawn[above, 1].mean() > drawn[above, 5].mean() + 0.4
    assert drawn[below, 5].mean() > drawn[below, 1].mean() + 0.4
    assert drawn[zero, 3].mean() < 0.05  # opposite


def test_rows_are_not_exchangeable(blobs):
    """Within a class, inputs and sets belong together: shuffled, they no longer agree."""
    inputs, truth = blobs
    rows = np.flatnonzero(truth == 2)
    chances = scaled(likeness(inputs, truth, 6), truth, 0.3)
    drawn = instance(inputs, truth, 6, 0.3)
    shuffled = np.random.default_rng(0).permutation(rows)
    own = np.abs(drawn[rows] - chances[rows]).mean()
    assert own < 0.6 * np.abs(drawn[shuffled] - chances[rows]).mean()


def test_the_seed_decides_the_draws(blobs):
    inputs, truth = blobs
    assert np.array_equal(instance(inputs, truth, 6, 0.3, 1), instance(inputs, truth, 6, 0.3, 1))
    assert not np.array_equal(
        instance(inputs, truth, 6, 0.3, 1), instance(inputs, truth, 6, 0.3, 2)
    )


def test_classes_with_few_or_no_examples(blobs):
    inputs, truth = blobs
    truth = np.where(truth > 1, 0, truth)  # q = 6, of which 4 and 5 never occur
    truth[:3] = [2, 3, 3]
    chances = scaled(likeness(inputs, truth, 6), truth, 0.5)
    assert np.isfinite(chances).all()
    assert chances[wrong_of(truth, 6)].mean() == pytest.approx(0.5)
    drawn = instance(inputs, truth, 6, 0.9)
    assert drawn[:, 4].mean() < drawn[truth != 1, 1].mean()  # the unknown come in last
    assert instance(inputs, truth, 6, 1.0).all()


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_hardly_any_examples(n):
    truth = np.arange(n) % 2
    inputs = np.arange(n * 100.0).reshape(n, 100)
    assert instance(inputs, truth, 4, 1.0).sum() == 4 * n
    assert instance(inputs, truth, 4, 0.0).sum() == n


def test_one_class_alone_leaves_wrong_labels_alike():
    chances = scaled(likeness(np.eye(4), np.zeros(4, int), 3), np.zeros(4, int), 0.4)
    assert np.allclose(chances, [1, 0.4, 0.4])


def test_two_classes_leave_constant_flips(blobs):
    inputs, truth = blobs
    truth = truth % 2
    chances = scaled(likeness(inputs, truth, 2), truth, 0.3)
    assert np.allclose(chances[wrong_of(truth, 2)], 0.3)


def test_images_are_flattened():
    truth = np.arange(300) % 3
    images = np.zeros((300, 9, 9, 3), np.uint8)
    noise = np.random.default_rng(0).integers(0, 120, images.shape)
    images += noise.astype(np.uint8)
    images[np.arange(300), truth, truth] += 60  # 243 columns: condensed first
    flat = images.reshape(300, -1)
    made = instance(images, truth, 3, 0.4)
    assert np.array_equal(made, instance(flat, truth, 3, 0.4))
    data = from_arrays(images, truth=truth, source="squares")
    text = "instance:rate=0.4,seed=0"
    assert np.array_equal(apply(data, text).candidates, made)
    assert canonical("Instance:rate=.4") == text


@pytest.mark.parametrize(
    ("inputs", "rate", "message"),
    [
        (np.zeros((2, 1)), 1.5, r"`rate` is 1.5; it must be in \[0, 1\]"),
        (np.zeros((2, 1)), float("nan"), "`rate` is nan"),
        (np.zeros((3, 1)), 0.5, r"shape \(3, 1\), but `truth` has 2 rows"),
        (np.zeros(2), 0.5, r"shape \(2,\)"),
        (np.array([[0.0], [np.inf]]), 0.5, "NaN or infinity at row 1"),
        (np.array(["a", "b"], object), 0.5, "made from numbers: give a table or images"),
    ],
)
def test_mistakes_are_named(inputs, rate, message):
    with pytest.raises(ValueError, match=message):
        instance(inputs, np.array([0, 1]), 2, rate)


def test_texts_and_media_are_refused():
    for inputs in (["a text", "another"], [Path("a.png"), Path("b.png")]):
        data = from_arrays(inputs, truth=[0, 1])
        with pytest.raises(ValueError, match="give a table or images"):
            apply(data, "instance:rate=0.3")
