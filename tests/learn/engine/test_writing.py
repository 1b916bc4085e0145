"""What pages return may lie on the processor, whatever device it is written to."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from candidly.learn.algorithms import Slots
from candidly.learn.engine.writing import write

K, B, N = 3, 2, 5


def stack_on(device, everyone):
    """As much of a stack as writing looks at, on a device that holds no numbers."""
    return SimpleNamespace(
        K=K,
        algorithm=SimpleNamespace(name="made"),
        alive=torch.ones(K, dtype=torch.bool, device=device),
        everyone=everyone,
        rows={"weights": torch.zeros(K, N, 4, device=device)},
        memory={
            "rate": torch.zeros(K, 1, device=device),
            "queue": torch.zeros(K, 7, device=device),
        },
        modules={},
    )


@pytest.mark.parametrize("everyone", [True, False])
@pytest.mark.parametrize(
    "updates",
    [
        {"rate": torch.ones(K, dtype=torch.float64)},
        {"queue": Slots(torch.tensor([1, 4]), torch.ones(K, 2))},
        {"weights": torch.ones(K, B, 4)},
    ],
    ids=lambda updates: next(iter(updates)),
)
def test_values_from_the_processor_are_written_on_another_device(updates, everyone):
    stack = stack_on("meta", everyone)
    batch = SimpleNamespace(
        ids=torch.zeros(K, B, dtype=torch.long, device="meta"),
        table_rows=torch.zeros(K * B, dtype=torch.long, device="meta"),
        latest=lambda values: values,
    )
    before = {**stack.rows, **stack.memory}
    write(stack, updates, batch)
    assert all({**stack.rows, **stack.memory}[name] is old for name, old in before.items())
