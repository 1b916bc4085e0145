"""``Pictures``: pixels of one size, a picture for each example."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...ground.arrays import door
from ...ground.checks import read_only

ALPHA = 4  # channels of which the last is transparency


@dataclass(frozen=True, eq=False)
class Pictures:
    """Pixels as they lie in memory or in a mapped file; what is taken of them comes channels first.

    Attributes:
        pixels: uint8 (n, h, w) or (n, h, w, c), read-only, as in ``Labelled.inputs``. Of 4 channels
            the last, which is transparency, is left out of everything.

    Raises:
        ValueError: other pixels, or channels that come first; says what to write.
    """

    pixels: np.ndarray

    def __post_init__(self) -> None:
        check_pixels(self.pixels)
        object.__setattr__(self, "pixels", read_only(self.pixels))

    def __len__(self) -> int:
        return len(self.pixels)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of one picture: channels, height, width."""
        high, wide = self.pixels.shape[1:3]
        return self.by_row.shape[3], high, wide

    @property
    def nbytes(self) -> int:
        """Of all pixels."""
        return self.pixels.nbytes

    @property
    def by_row(self) -> np.ndarray:
        """The pixels that count: uint8 (n, h, w, C), a view."""
        pixels = self.pixels[..., None] if self.pixels.ndim == 3 else self.pixels
        return pixels[..., : ALPHA - 1] if pixels.shape[3] == ALPHA else pixels

    @door
    def take(self, rows: np.ndarray) -> np.ndarray:
        """New uint8 (m, C, h, w) of some rows, int64 (m,)."""
        return np.ascontiguousarray(self.by_row[rows].transpose(0, 3, 1, 2))


def check_pixels(pixels: np.ndarray) -> None:
    """Refuse what is no pixels of pictures with channels last.

    Raises:
        ValueError: says what to write instead.
    """
    if pixels.dtype != np.uint8:
        raise ValueError(
            f"`inputs` is {pixels.dtype} of shape {pixels.shape}; pictures are uint8 images, 0 to "
            "255. Write (255 * X).round().astype('uint8') for numbers from 0 to 1, and "
            "(X / 257).round().astype('uint8') for 16 bits."
        )
    if pixels.ndim not in (3, 4):
        raise ValueError(
            f"`inputs` is uint8 of shape {pixels.shape}; pictures are (n, h, w) or (n, h, w, c)."
        )
    if pixels.ndim == 4 and pixels.shape[3] > ALPHA and pixels.shape[1] in (1, 3, ALPHA):
        raise ValueError(
            f"`inputs` has shape {pixels.shape}: channels come last here, as in (n, h, w, 3). "
            "Write X.transpose(0, 2, 3, 1)."
        )
