"""Pictures as a value: what is taken of them, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from candidly.data.inputs import Pictures
from candidly.data.labels.building import from_arrays
from candidly.data.labels.labelled import Labelled

G = np.random.default_rng(0)
ROWS = np.array([4, 0, 4, 2])


@pytest.mark.parametrize(
    ("shape", "channels"), [((5, 6, 7), 1), ((5, 6, 7, 1), 1), ((5, 6, 7, 3), 3), ((5, 6, 7, 4), 3)]
)
def test_take_gives_channels_first_and_no_transparency(shape, channels):
    pixels = G.integers(0, 256, shape, dtype=np.uint8)
    pictures = Pictures(pixels)
    assert (len(pictures), pictures.shape) == (5, (channels, 6, 7))
    assert pictures.nbytes == pixels.nbytes
    taken = pictures.take(ROWS)
    assert (taken.shape, taken.dtype) == ((4, channels, 6, 7), np.uint8)
    assert taken.flags.c_contiguous
    for place, row in enumerate(ROWS):
        for c in range(channels):
            one = pixels[row] if pixels.ndim == 3 else pixels[row, :, :, c]
            assert np.array_equal(taken[place, c], one)


def test_pixels_are_not_copied_and_cannot_be_written_to(tmp_path):
    np.save(tmp_path / "pixels.npy", G.integers(0, 256, (5, 6, 7, 3), dtype=np.uint8))
    for mode in (None, "r"):
        pixels = np.load(tmp_path / "pixels.npy", mmap_mode=mode)
        data = Labelled(inputs=pixels, classes=("a", "b"))
        pictures = Pictures(data.inputs)
        assert np.shares_memory(pictures.by_row, pixels)
        assert not pictures.by_row.flags.writeable
        assert np.array_equal(pictures.take(ROWS), pixels[ROWS].transpose(0, 3, 1, 2))


@pytest.mark.parametrize(
    ("pixels", "words"),
    [
        (np.zeros((5, 6, 7, 3), np.float32), ("float32", "(255 * X).round()")),
        (np.zeros((5, 6, 7), np.uint16), ("uint16", "X / 257")),
        (np.zeros((5, 6, 7), bool), ("bool", "uint8")),
        (np.zeros((5, 3, 32, 32), np.uint8), ("(5, 3, 32, 32)", "X.transpose(0, 2, 3, 1)")),
    ],
)
def test_other_pixels_are_refused_with_what_to_write(pixels, words):
    for door in (Pictures, lambda pixels: from_arrays(pixels, [0, 1, 0, 1, 1])):
        with pytest.raises(ValueError, match="`inputs`") as caught:
            door(pixels)
        assert all(word in str(caught.value) for word in words)


def test_what_the_messages_say_to_write_works():
    halves = np.full((2, 3, 3), 0.5)
    pictures = Pictures(np.round(255 * halves).astype(np.uint8))
    assert np.unique(pictures.take(np.arange(2))) == 128
    deep = np.array([0, 257, 65535], np.uint16).reshape(3, 1, 1)
    narrow = Pictures((deep / 257).round().astype(np.uint8))
    assert narrow.take(np.arange(3)).ravel().tolist() == [0, 1, 255]
