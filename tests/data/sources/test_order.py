"""Matching pictures to a reference: against trying all pairs; copies, strangers, twins."""

import io

import numpy as np
import pytest
from PIL import Image

from candidly.data.sources import match_order
from candidly.data.sources.order import part_means, squared_gaps


def natural(n, seed=0, side=32):
    """Smooth pictures in colour, as JPEG is made for."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 256, (n, 6, 6, 3), dtype=np.uint8)
    return np.stack([np.asarray(Image.fromarray(one).resize((side, side))) for one in small])


def encoded(picture, quality):
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "jpeg", quality=quality)
    return np.asarray(Image.open(file))


@pytest.mark.parametrize("quality", [None, 95, 50])
def test_the_places_of_a_shuffled_copy(quality):
    reference = natural(600)
    order = np.random.default_rng(1).permutation(600)
    pictures = reference[order]
    if quality:
        pictures = np.stack([encoded(one, quality) for one in pictures])
        assert (pictures != reference[order]).any((1, 2, 3)).all()
    seen = []
    places = match_order(pictures, reference, lambda *done: seen.append(done))
    assert np.array_equal(places, order)
    assert places.dtype == np.int64
    assert seen == [(0, 600), (256, 600), (512, 600)]


@pytest.mark.parametrize("shape", [(7, 9), (4, 4, 1), (5, 13, 3)])
def test_it_is_the_nearest_of_all_pairs(shape):
    rng = np.random.default_rng(0)
    reference = rng.integers(90, 130, (300, *shape), dtype=np.uint8)  # alike, so that it is close
    pictures = np.clip(reference[:200] + rng.normal(0, 6, (200, *shape)), 0, 255).astype(np.uint8)
    gaps = pictures[:, None].astype(float) - reference[None]
    squares = (gaps**2).reshape(200, 300, -1).sum(2)
    nearest = np.sort(squares, 1)
    clear = nearest[:, 1] > 1.2 * nearest[:, 0]
    one_each = np.bincount(squares.argmin(1), minlength=300)[squares.argmin(1)] == 1
    asked = clear & one_each
    assert asked.sum() > 20
    assert np.array_equal(match_order(pictures[asked], reference), squares.argmin(1)[asked])


def test_descriptors_are_no_further_apart_than_pictures():
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, 256, (2, 50, 9, 13, 3), dtype=np.uint8)
    far = ((one.astype(float) - other) ** 2).sum((1, 2, 3))
    assert squared_gaps(one, other, np.arange(50), np.arange(50)) == pytest.approx(far)
    bound = ((part_means(one) - part_means(other)) ** 2).sum(1)
    assert (bound <= far * (1 + 1e-6)).all()
    flat = [np.full((1, 9, 13, 3), level, np.uint8) for level in (100, 110)]
    whole = ((part_means(flat[0]) - part_means(flat[1])) ** 2).sum()
    assert whole == pytest.approx(100 * 9 * 13 * 3, rel=1e-5)  # where it is equal
    square = np.arange(64, dtype=np.uint8).reshape(1, 8, 8)
    corner = part_means(square)[0, 0]
    assert corner == pytest.approx(2 * (np.mean([0, 1, 8, 9]) - 127.5))


def test_strangers_are_refused():
    reference = natural(40)
    pictures = reference[:10].copy()
    pictures[7] = natural(1, seed=9)
    with pytest.raises(ValueError, match=r"picture 7 is like none of the reference: the nearest"):
        match_order(pictures, reference)
    pictures[7] = np.clip(reference[7] + 40.0, 0, 255)  # brighter
    with pytest.raises(ValueError, match="picture 7 is like none"):
        match_order(pictures, reference)
    assert match_order(pictures, reference, worst=45.0).tolist() == list(range(10))


def test_twins_are_refused():
    reference = natural(40)
    twins = reference.copy()
    twins[31] = twins[4]
    with pytest.raises(ValueError, match=r"picture 0 is equally like 2 of the reference, at 4, 31"):
        match_order(twins[4:10], twins)
    again = reference[[5, 6, 5]]
    with pytest.raises(ValueError, match=r"pictures 0 and 2 have the same place in .*, 5"):
        match_order(again, reference)
    nearly = twins.copy()
    nearly[31, 0, 0, 0] ^= 1  # a grey level in one pixel
    assert match_order(nearly[[31, 4]], nearly).tolist() == [31, 4]
    noisy = nearly[[4]].copy()
    noisy[0, ::2] += 3
    with pytest.raises(ValueError, match="equally like 2"):
        match_order(noisy, nearly)


def black(*shape):
    return np.zeros(shape, np.uint8)


@pytest.mark.parametrize(
    ("pictures", "reference", "message"),
    [
        (np.zeros((2, 8, 8)), black(2, 8, 8), r"`pictures` is float64 \(2, 8, 8\)"),
        (black(2, 8, 8), black(2, 64), r"`reference` is uint8 \(2, 64\)"),
        (black(0, 8, 8), black(2, 8, 8), r"`pictures` is uint8 \(0, 8, 8\)"),
        (black(2, 8, 8), black(2, 8, 9), "only pictures of one size"),
        (black(2, 3, 8), black(2, 3, 8), "too small to tell"),
    ],
)
def test_other_arrays_are_refused(pictures, reference, message):
    with pytest.raises(ValueError, match=message):
        match_order(pictures, reference)
