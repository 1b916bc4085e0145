"""Views on a device are the processor's, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from candidly.ground.seeds import words
from candidly.learn.views import PICTURES

from needs import DEVICES

SHAPES = [(3, 32, 32), (1, 28, 28), (3, 16, 24)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_view_is_the_processors_to_the_last_bit(device, name, shape):
    m = 24 if device == "cpu" else 256
    g = torch.Generator().manual_seed(1)
    pixels = torch.randint(0, 256, (m, *shape), dtype=torch.uint8, generator=g)
    seeds, rows = np.full(m, 7), np.arange(m)

    def draw(block):
        return words(seeds, "a view", 3, rows, block)

    there = pixels.to(device)
    found = PICTURES[name](there, draw)
    assert (found.dtype, found.device) == (torch.uint8, there.device)
    assert torch.equal(found.cpu(), PICTURES[name](pixels, draw))
    assert torch.equal(there.cpu(), pixels)  # as they were
