"""Descriptors of pictures: beside a slow loop, and as light and size change."""

from __future__ import annotations

import math

import numpy as np
import pytest

from candidly.data.inputs.pictures import GRID, ORIENTATIONS, descriptors

G = np.random.default_rng(0)


def slow_histograms(picture):
    """Directions of one grey picture by cells, pixel by pixel: (7, 7, 8), not normalised."""
    high, wide = picture.shape
    grey = picture.astype(float) / 255
    cells = np.zeros((GRID, GRID, ORIENTATIONS))
    for y in range(high):
        for x in range(wide):
            dx = grey[y, min(x + 1, wide - 1)] - grey[y, max(x - 1, 0)]
            dy = grey[min(y + 1, high - 1), x] - grey[max(y - 1, 0), x]
            at = math.degrees(math.atan2(dy, dx)) % 180 / (180 / ORIENTATIONS)
            for b, share in ((int(at), 1 - at % 1), (int(at) + 1, at % 1)):
                for i in range(GRID):
                    for j in range(GRID):
                        near = max(0, 1 - abs((y + 0.5) * GRID / high - 0.5 - i))
                        near *= max(0, 1 - abs((x + 0.5) * GRID / wide - 0.5 - j))
                        cells[i, j, b % ORIENTATIONS] += math.hypot(dx, dy) * share * near
    return cells


def test_directions_are_those_of_the_slow_loop():
    picture = G.integers(0, 256, (14, 11), dtype=np.uint8)
    cells = slow_histograms(picture)
    wanted = np.zeros_like(cells)
    for i in range(GRID):
        for j in range(GRID):
            around = cells[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2]
            wanted[i, j] = np.sqrt(cells[i, j] / (np.linalg.norm(around) + 1e-2))
    found = descriptors(picture[None])[0, : cells.size]
    np.testing.assert_allclose(found, wanted.ravel(), atol=1e-4)


def test_brightness_is_the_mean_of_cells():
    flat = np.full((1, 16, 16, 3), [10, 100, 200], np.uint8)
    found = descriptors(flat)[0]
    np.testing.assert_allclose(
        found[-48:].reshape(16, 3), np.tile([10, 100, 200], (16, 1)) / 255, rtol=1e-5
    )
    assert (found[:-48] == 0).all()


@pytest.mark.parametrize(
    ("shape", "d"), [((9, 8), 408), ((9, 8, 1), 408), ((40, 70, 3), 440), ((5, 5, 4), 440)]
)
def test_shapes_and_range(shape, d):
    pictures = G.integers(0, 256, (3, *shape), dtype=np.uint8)
    told = []
    found = descriptors(pictures, lambda *both: told.append(both))
    assert found.shape == (3, d)
    assert found.dtype == np.float32
    assert found.min() >= 0
    assert found.max() <= 1
    assert told == [(3, 3)]
    np.testing.assert_allclose(descriptors(pictures[1:2])[0], found[1], atol=1e-6)
    assert descriptors(pictures[:0]).shape == (0, d)


def test_a_larger_copy_is_nearly_the_same():
    small = G.integers(0, 256, (1, 32, 32), dtype=np.uint8)
    large = small.repeat(3, 1).repeat(2, 2)
    np.testing.assert_allclose(descriptors(large), descriptors(small), atol=1e-4)
