"""A fused kernel for each trial beside operations that are broadcast over the stack."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import torch

from _bench import Claim
from _gpu.where import Where
from candidly.learn.engine.optim import FUSED_AT_MOST, SGD, Adam, AdamW

PARAMETERS = (10_000, 62_000, 466_000)  # of a trial: small tables, usual ones, ResNet-32
TRIALS = (1, 2, 4, 8, 16, 32, 100)


def measure(where: Where) -> Iterator[Claim | str]:
    """Broadcast time over fused time by trials and parameters; where fused stops paying."""
    for kind in (Adam, AdamW, SGD):
        best = []
        for size in where.sized(PARAMETERS, (1000,)):
            faster = 0
            for trials in where.sized(TRIALS, (1, 3)):
                flat, grad = torch.randn(2, trials, size, device=where.device)
                alive = torch.ones(trials, dtype=torch.bool, device=where.device)
                works = {}
                for fused in (True, False):
                    made = kind(flat, grad, [1e-3] * trials, [1e-3] * trials, fused=fused)
                    works[fused] = partial(made.update, alive, not where.cuda)
                seconds = where.medians(works, 20, 5)
                ratio = seconds[False] / seconds[True]
                name = f"{kind.__name__}, {trials} trials of {size:,}"
                yield Claim(f"{name}: fused, µs", 1e6 * seconds[True])
                yield Claim(f"{name}: broadcast over fused", ratio)
                faster = trials if ratio >= 1 and faster >= 0 else -abs(faster)
            best.append(abs(faster))
            yield Claim(f"{kind.__name__}, {size:,} parameters: fused pays up to, trials", best[-1])
        asked = FUSED_AT_MOST["cuda"][kind.kernel]
        yield f"{kind.__name__}: FUSED_AT_MOST says {asked}; measured {min(best)} to {max(best)}."
