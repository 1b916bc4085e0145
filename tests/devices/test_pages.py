"""Every algorithm on a GPU: a short training in float64, beside the processor's."""

from __future__ import annotations

import pytest
import torch

from candidly.learn.contract.battery import BATCH, DATA, HIDDEN, STEPS
from learn.algorithms.battery import NAMES

from toys import advance, make_stack

DRAWN = ("VALEN",)  # from torch's generator, which is a device's own


@pytest.mark.gpu
@pytest.mark.parametrize("name", NAMES)
def test_an_algorithm_trains_as_on_the_processor(name):
    here, there = (
        advance(
            make_stack(DATA, name, (0, 1, 2), STEPS, torch.float64, BATCH, HIDDEN, device), STEPS
        )
        for device in ("cpu", "cuda")
    )
    assert there.diverged_at == here.diverged_at
    for what, expected in here.changing().items():
        found = there.changing()[what]
        assert found.device.type == ("cpu" if expected.dim() == 0 else "cuda"), what
        if not name.startswith(DRAWN):
            torch.testing.assert_close(
                found.cpu(), expected, rtol=1e-6, atol=1e-8, equal_nan=True, msg=what
            )
