"""TF32 and bfloat16 beside float32: time, and accuracy after a few hundred updates."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from statistics import mean

import torch

from _bench import Claim, at_most
from _gpu.where import Where, picture_stack, random_pictures
from candidly.learn.engine.train import update

APART = 2.0  # points of accuracy, between means over the trials
TRIALS = 3


def pictures(where: Where):
    """Their name and they: CIFAR-10 where CANDIDLY_DATA has it, else patterns beneath noise."""
    if os.environ.get("CANDIDLY_DATA") and not where.quick:
        from candidly.data.sources import load

        try:
            return "CIFAR-10", load("cifar10")
        except (FileNotFoundError, ImportError, OSError):
            pass
    return "patterns in noise", random_pictures(where.sized(12_000, 200), learnable=True)


def accuracy(stack, data) -> float:
    """% of right predictions for test rows, mean over the trials."""
    found = []
    for k in range(stack.K):
        rows = torch.from_numpy(data.split(k).test)
        guess = stack.logits(k, rows).argmax(1).cpu()
        found.append(float((guess == torch.from_numpy(data.truth)[rows]).float().mean()))
    return 100 * mean(found)


def measure(where: Where) -> Iterator[Claim | str]:
    """Three trials of ResNet-32 in each precision, on the same rows in the same order."""
    name, data = pictures(where)
    net, batch, updates = where.sized(("resnet32", 128, 300), ("cnn", 8, 3))
    ways = ["float32", "tf32", "bfloat16"] if where.cuda else ["float32", "bfloat16"]
    if not where.cuda:
        yield "tf32 is a GPU's rounding: a CPU has none."
    stacks, right = {}, {}
    for way in ways:
        how = f"adam:precision={way}"
        stack = picture_stack(where, data, net, batch, where.sized(TRIALS, 2), how)
        for _ in range(updates):
            update(stack)
        stacks[way], right[way] = stack, accuracy(stack, data)
        yield Claim(f"{name}, {net}, {updates} updates of {batch}: {way}, %", right[way])
    seconds = where.medians({way: partial(update, s) for way, s in stacks.items()}, 10, 5)
    for way in ways:
        yield Claim(
            f"{net}, batch {batch}: {way}, ms per trial", 1e3 * seconds[way] / stacks[way].K
        )
    for way in ways[1:]:
        faster = seconds["float32"] / seconds[way]
        yield Claim(f"{net}, batch {batch}: {way}, times faster than float32", faster)
        apart, label = (
            abs(right[way] - right["float32"]),
            f"{way}: accuracy beside float32's, points",
        )
        yield Claim(label, apart) if where.quick else at_most(label, apart, APART)
