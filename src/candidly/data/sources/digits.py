"""Handwritten digits that come with scikit-learn, as a table and as pictures: truth alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...ground.seeds import draw
from ..labels.labelled import Labelled

STROKE = 16  # what the darkest pixel of a digit has
SCALE, SIDE = 2, 24  # a digit's pixels, and a picture's side, in pixels of the picture
NOISE = 32  # shades of the ground


def load_digits() -> Labelled:
    """1797 images of 8 x 8 pixels as a float64 table (1797, 64) of 0..16, and their truth."""
    from sklearn import datasets  # takes a second to import

    table, truth = datasets.load_digits(return_X_y=True)
    return Labelled(
        inputs=np.asarray(table, np.float64),
        truth=np.asarray(truth, np.int64),
        classes=tuple(str(digit) for digit in range(10)),
        source="digits",
    )


def load_scattered_digits() -> Labelled:
    """The same digits as colour pictures, uint8 (1797, 24, 24, 3), and their truth.

    Each is drawn twice as large, in a colour and at a place of its own, on noise that is darker or
    lighter than it: as a table of numbers they are hard to tell apart. The same every time.
    """
    digits = load_digits()
    strokes = np.asarray(digits.inputs).astype(np.int64).reshape(-1, 8, 8)
    strokes = strokes.repeat(SCALE, 1).repeat(SCALE, 2)
    n, size = strokes.shape[:2]
    rng = draw(0, "scattered digits")
    down, right = rng.integers(0, SIDE - size + 1, (2, n))
    ink = np.zeros((n, SIDE, SIDE), np.int64)
    for k in range(n):
        ink[k, down[k] : down[k] + size, right[k] : right[k] + size] = strokes[k]
    ground = rng.integers(0, 64, (n, 1, 1, 3)) + rng.integers(0, NOISE, (n, SIDE, SIDE, 3))
    colour = rng.integers(128, 256, (n, 1, 1, 3))
    ink = ink[..., None]
    pixels = (ground * (STROKE - ink) + colour * ink) // STROKE
    inverted = rng.integers(0, 2, n, dtype=bool)
    pixels[inverted] = 255 - pixels[inverted]
    return replace(digits, inputs=pixels.astype(np.uint8), source="scattered-digits")
