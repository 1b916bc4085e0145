"""Views of pictures on the device: pictures a second, and their share of an update."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import torch

from _bench import Claim, at_most
from _gpu.where import SIDE, Where, picture_stack, random_pictures
from candidly.ground.seeds import words
from candidly.learn.engine.train import update
from candidly.learn.views import PICTURES

SHARE = 0.15  # of an update, at most


def measure(where: Where) -> Iterator[Claim | str]:
    """Every view that pictures have, alone and in an update of ResNet-32."""
    batch = where.sized(128, 8)
    g = torch.Generator().manual_seed(0)
    pixels = torch.randint(0, 256, (batch, 3, SIDE, SIDE), dtype=torch.uint8, generator=g)
    pixels = pixels.to(where.device)
    seeds, rows, names = np.zeros(batch, np.int64), np.arange(batch), [*PICTURES]

    def draw(block):
        return words(seeds, "view", 0, rows, block)

    works = {name: partial(PICTURES[name], pixels, draw) for name in names if name != "plain"}
    seconds = where.medians(works, 20, 5)
    for name, each in seconds.items():
        yield Claim(f"{name}: pictures a second, batches of {batch}", batch / each)
    net, data = where.sized("resnet32", "cnn"), random_pictures(where.sized(5000, 60))
    updates = {
        name: partial(update, picture_stack(where, data, net, batch, recipe=f"adam:views={name}"))
        for name in names
    }
    times = where.medians(updates, 20, 5)
    yield Claim(f"{net}, batch {batch}: plain, ms an update", 1e3 * times["plain"])
    for name in names:
        if name == "plain":
            continue
        share = (times[name] - times["plain"]) / times[name]
        label = f"{net}, batch {batch}: share of an update that {name} takes"
        yield Claim(label, share) if where.quick else at_most(label, share, SHARE)
