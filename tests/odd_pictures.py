"""Small files of every odd kind, each with the pixels that everybody is to see."""

from __future__ import annotations

import numpy as np
from PIL import Image

HIGH, WIDE = 6, 8


def colour(seed=0, high=HIGH, wide=WIDE):
    return np.random.default_rng(seed).integers(0, 256, (high, wide, 3), dtype=np.uint8)


def upright(pixels, orientation):
    """By the definition of EXIF: where the stored row 0 and column 0 are on the picture."""
    turned = pixels.swapaxes(0, 1)
    return {
        1: pixels,
        2: pixels[:, ::-1],
        3: pixels[::-1, ::-1],
        4: pixels[::-1],
        5: turned,
        6: turned[:, ::-1],
        7: turned[::-1, ::-1],
        8: turned[::-1],
    }[orientation]


def exif(orientation):
    found = Image.Exif()
    found[0x0112] = orientation
    return found.tobytes()


def turned(path, orientation, **how):
    Image.fromarray(colour()).save(path, exif=exif(orientation), **how)
    return upright(colour(), orientation)


def of_array(path, array, expected):
    Image.fromarray(array).save(path)
    return np.asarray(expected, np.uint8)


def cmyk(path):
    """Without black, and so exact: red is what cyan is not."""
    ink = np.dstack([255 - colour(), np.zeros((HIGH, WIDE), np.uint8)])
    Image.fromarray(ink, "CMYK").save(path)
    return colour()


def palette(path):
    few = colour()[:1, :4].repeat(HIGH, 0).repeat(2, 1)
    picture = Image.fromarray(few).quantize(4)
    picture.save(path)
    return few


def clear_palette(path):
    """Two colours, of which the second is transparent."""
    numbers = np.indices((HIGH, WIDE)).sum(0) % 2
    picture = Image.fromarray(numbers.astype(np.uint8), "P")
    picture.putpalette([10, 20, 30, 40, 50, 60])
    picture.save(path, transparency=1)
    return np.array([[10, 20, 30], [255, 255, 255]], np.uint8)[numbers]


def half_clear(path):
    alpha = np.tile(np.array([0, 255], np.uint8), (HIGH, WIDE // 2))
    Image.fromarray(np.dstack([colour(), alpha])).save(path)
    return np.where(alpha[..., None] == 255, colour(), 255).astype(np.uint8)


def grey_and_clear(path):
    alpha = np.tile(np.array([0, 255], np.uint8), (HIGH, WIDE // 2))
    grey = colour()[..., 0]
    Image.fromarray(np.dstack([grey, alpha]), "LA").save(path)
    return np.where(alpha == 255, grey, 255).astype(np.uint8)


def moving(path, **how):
    frames = [Image.fromarray(np.full((HIGH, WIDE), level, np.uint8)) for level in (40, 250)]
    frames[0].save(path, save_all=True, append_images=frames[1:], **how)
    return np.full((HIGH, WIDE), 40, np.uint8)


SIXTEEN = np.array([[0, 128, 129, 257, 32896, 65535]], np.uint16)
ODD = {  # by name of a file, what writes it and returns its pixels
    **{f"turned-{k}.png": lambda path, k=k: turned(path, k) for k in range(2, 9)},
    **{f"turned-{k}.tif": lambda path, k=k: turned(path, k) for k in (3, 6)},
    **{f"turned-{k}.webp": lambda path, k=k: turned(path, k, lossless=True) for k in (5, 8)},
    "sixteen.png": lambda path: of_array(path, SIXTEEN, [[0, 0, 1, 1, 128, 255]]),
    "sixteen.tif": lambda path: of_array(path, SIXTEEN, [[0, 0, 1, 1, 128, 255]]),
    "thirty-two.tif": lambda path: of_array(
        path, np.array([[-100, 0, 100, 400]], np.int32), [[0, 51, 102, 255]]
    ),
    "unit.tif": lambda path: of_array(
        path, np.array([[0, 0.2, 0.5, 0.6]], np.float32), [[0, 51, 128, 153]]
    ),
    "float.tif": lambda path: of_array(
        path, np.array([[-1, np.nan, 4, np.inf, 1.5]], np.float32), [[0, 0, 255, 0, 128]]
    ),
    "constant.tif": lambda path: of_array(path, np.full((2, 2), 7e9, np.float32), [[0, 0], [0, 0]]),
    "cmyk.tif": cmyk,
    "palette.png": palette,
    "clear-palette.png": clear_palette,
    "clear.gif": clear_palette,
    "half-clear.png": half_clear,
    "half-clear.webp": lambda path: _lossless(path),
    "grey-clear.png": grey_and_clear,
    "moving.gif": lambda path: moving(path)[..., None].repeat(3, 2),
    "moving.png": moving,
    "pages.tif": moving,
    "bits.png": lambda path: of_array(
        path, np.array([[True, False], [False, True]]), [[255, 0], [0, 255]]
    ),
}


def _lossless(path):
    alpha = np.tile(np.array([0, 255], np.uint8), (HIGH, WIDE // 2))
    Image.fromarray(np.dstack([colour(), alpha])).save(path, lossless=True)
    return np.where(alpha[..., None] == 255, colour(), 255).astype(np.uint8)
