"""The views of pictures one picture at a time with Pillow, as a careful loader makes them.

What ``candidly.learn.views`` is compared with: by its tests pixel by pixel, by ``views.py`` in
time. What
is random comes from the same random words, so that both sides make the same view of a picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageOps
from PIL.Image import Resampling, Transform

from candidly.learn.views.policies import AUTOAUGMENT

Draw = Callable[[int], Sequence[int]]  # block -> the picture's four random words, below 2**32
Operation = Callable[[Image.Image, float], Image.Image]

MEAN = np.array((0.4922, 0.4832, 0.4486), np.float32)[:, None, None]
STD = np.array((0.2456, 0.2419, 0.2605), np.float32)[:, None, None]
TRIES = 10  # of a random part; a view's own blocks of words begin behind them
BLOCKS = 16  # that a view draws, at most


def unit(word: int) -> float:
    return word * 2.0**-32


def between(word: int, low: float, high: float) -> float:
    return low + (high - low) * unit(word)


def below(word: int, number: int) -> int:
    return word * number >> 32


def picture(pixels: np.ndarray) -> Image.Image:
    """Of uint8 (H, W, C), with one channel or three."""
    return Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)


def numbers(image: Image.Image) -> np.ndarray:
    """To tensor and normalised: new float32 (C, H, W)."""
    pixels = np.asarray(image)
    planes = pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)
    found = planes.astype(np.float32, order="C")
    found /= 255
    found -= MEAN
    found /= STD
    return found


def affine(image: Image.Image, matrix: tuple[float, ...]) -> Image.Image:
    """Nearest pixel, black coming in."""
    return image.transform(image.size, Transform.AFFINE, matrix, Resampling.NEAREST)


OPERATIONS: Mapping[str, Operation] = {
    "auto-contrast": lambda image, _: ImageOps.autocontrast(image),
    "brightness": lambda image, value: ImageEnhance.Brightness(image).enhance(value),
    "color": lambda image, value: ImageEnhance.Color(image).enhance(value),
    "contrast": lambda image, value: ImageEnhance.Contrast(image).enhance(value),
    "equalize": lambda image, _: ImageOps.equalize(image),
    "identity": lambda image, _: image,
    "invert": lambda image, _: ImageOps.invert(image),
    "posterize": lambda image, value: ImageOps.posterize(image, int(value)),
    "rotate": lambda image, value: image.rotate(value),
    "sharpness": lambda image, value: ImageEnhance.Sharpness(image).enhance(value),
    "shear-x": lambda image, value: affine(image, (1, value, 0, 0, 1, 0)),
    "shear-y": lambda image, value: affine(image, (1, 0, 0, value, 1, 0)),
    "solarize": lambda image, value: ImageOps.solarize(image, value),
    "translate-x": lambda image, value: affine(image, (1, 0, value * image.width, 0, 1, 0)),
    "translate-y": lambda image, value: affine(image, (1, 0, 0, 0, 1, value * image.height)),
}


def mirrored(image: Image.Image, which: bool = True) -> Image.Image:
    return ImageOps.mirror(image) if which else image


def padded_crop(image: Image.Image, top: int, left: int) -> Image.Image:
    """A window of the picture's size from it with an eighth of each side of black around it."""
    wide, high = image.size
    padded = ImageOps.expand(image, (wide // 8, high // 8))
    return padded.crop((left, top, left + wide, top + high))


def resized_crop(image: Image.Image, top: int, left: int, high: int, wide: int) -> Image.Image:
    part = image.crop((left, top, left + wide, top + high))
    return part.resize(image.size, Resampling.BILINEAR)


def random_part(wide: int, high: int, draw: Draw) -> tuple[int, int, int, int]:
    """A fifth to all of the area, sides as 3 to 4 up to 4 to 3: top, left, height, width."""
    for block in range(TRIES):
        size, shape, y, x = draw(block)
        area = wide * high * between(size, 0.2, 1)
        ratio = math.exp(between(shape, math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= wide and 0 < h <= high:
            return below(y, high - h + 1), below(x, wide - w + 1), h, w
    w, h = min(wide, round(high * 4 / 3)), min(high, round(wide * 4 / 3))
    return (high - h) // 2, (wide - w) // 2, h, w


def hole(image: Image.Image, words: Sequence[int]) -> Image.Image:
    """A copy with a black square of half the shorter side about a pixel, clipped."""
    y, x = below(words[0], image.height), below(words[1], image.width)
    half = min(image.size) // 4
    image = image.copy()
    image.paste(0, (x - half, y - half, x + half, y + half))
    return image


def grey_square(image: Image.Image, words: Sequence[int]) -> Image.Image:
    """A copy with a grey square of up to half the width about a point, clipped."""
    half = between(words[0], 0, 0.5) * image.width / 2
    x, y = unit(words[1]) * image.width, unit(words[2]) * image.height
    image = image.copy()
    image.paste(grey(image), tuple(map(round, (x - half, y - half, x + half, y + half))))
    return image


def grey_square_plench(image: Image.Image, words: Sequence[int]) -> Image.Image:
    """The same as the benchmark's program has it: moved inwards at the left and at the top."""
    side = between(words[0], 0, 0.5) * image.width
    if not side:
        return image
    x = int(max(0, between(words[1], image.width, 1) - side / 2))
    y = int(max(0, between(words[2], image.height, 1) - side / 2))
    image = image.copy()
    ImageDraw.Draw(image).rectangle(
        (x, y, int(min(image.width, x + side)), int(min(image.height, y + side))), grey(image)
    )
    return image


def grey(image: Image.Image) -> int | tuple[int, ...]:
    return (125, 123, 114) if image.mode == "RGB" else 123


def plain(image: Image.Image, draw: Draw) -> Image.Image:
    return image


def weak(image: Image.Image, draw: Draw) -> Image.Image:
    """Mirrored half of the time, padded with black, and cropped."""
    y, x, mirror, _ = draw(0)
    wide, high = image.size
    top, left = below(y, 2 * (high // 8) + 1), below(x, 2 * (wide // 8) + 1)
    return padded_crop(mirrored(image, mirror >> 31 == 1), top, left)


def distill(image: Image.Image, draw: Draw) -> Image.Image:
    """A random part, mirrored half of the time, with a black square."""
    words = draw(TRIES)
    image = resized_crop(image, *random_part(*image.size, draw))
    return hole(mirrored(image, words[0] >> 31 == 1), words[1:])


RANDAUGMENT = (
    ("auto-contrast", 0, 0),
    ("brightness", 0.05, 0.95),
    ("color", 0.05, 0.95),
    ("contrast", 0.05, 0.95),
    ("equalize", 0, 0),
    ("identity", 0, 0),
    ("posterize", 4, 8),
    ("rotate", -30, 30),
    ("sharpness", 0.05, 0.95),
    ("shear-x", -0.3, 0.3),
    ("shear-y", -0.3, 0.3),
    ("solarize", 0, 256),
    ("translate-x", -0.3, 0.3),
    ("translate-y", -0.3, 0.3),
)
FIRST, TIMES = TRIES + 1, 3


def strong(image: Image.Image, draw: Draw) -> Image.Image:
    """A random part, mirrored half of the time, three operations, and a grey square."""
    return grey_square(three_operations(image, draw, 8), draw(FIRST + TIMES))


def strong_plench(image: Image.Image, draw: Draw) -> Image.Image:
    return grey_square_plench(three_operations(image, draw, 7), draw(FIRST + TIMES))


def three_operations(image: Image.Image, draw: Draw, most_bits: int) -> Image.Image:
    image = resized_crop(image, *random_part(*image.size, draw))
    image = mirrored(image, draw(TRIES)[0] >> 31 == 1)
    for block in range(FIRST, FIRST + TIMES):
        which, _, magnitude, _ = draw(block)
        name, low, high = RANDAUGMENT[below(which, len(RANDAUGMENT))]
        if name == "posterize":
            value: float = low + below(magnitude, most_bits - low + 1)
        else:
            value = between(magnitude, low, high)
        image = OPERATIONS[name](image, value)
    return image


def autoaugment(image: Image.Image, draw: Draw) -> Image.Image:
    """The weak view and one of 25 pairs of operations, each done with a probability of its own."""
    image = weak(image, draw)
    pair = AUTOAUGMENT[below(draw(FIRST)[0], len(AUTOAUGMENT))]
    for block, one in enumerate(pair, FIRST):
        _, chance, magnitude, _ = draw(block)
        if unit(chance) < one.probability:
            if one.either:
                value = one.high if magnitude >> 31 else one.low
            else:
                value = between(magnitude, one.low, one.high)
            image = OPERATIONS[one.name](image, value)
    return image
