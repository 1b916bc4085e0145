"""Training the networks of a scale: a file each, with what it predicts and how it was trained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch

from candidly import Labelled, sources
from candidly.algorithms import algorithm
from candidly.cli._progress import clock, reading
from candidly.engine import recipe as recipes
from candidly.engine.examples import Examples, make_examples, split_scaling
from candidly.engine.stack import Member
from candidly.engine.start import start
from candidly.engine.train import one_thread
from candidly.engine.train import train as updates
from candidly.nets import Net, network
from candidly.storage import read_arrays, write_arrays

from .models import CIFAR10, Scale

PAGE = "ce"  # cross-entropy on the label as given
TOLD_EVERY = 20  # updates


@dataclass(frozen=True)
class Made:
    """What one network predicts.

    Attributes:
        predicted: uint8 (10000,), classes of the test pictures.
        about: how it was trained, as JSON values.
    """

    predicted: np.ndarray
    about: dict[str, Any]


@dataclass(frozen=True)
class Pictures:
    """CIFAR-10 in the folder ``data``; read when it is first needed."""

    data: Path
    device: str = "cpu"

    @cached_property
    def whole(self) -> Labelled:
        """All pictures; those of the official test part have no label to learn from."""
        read = sources.load("cifar10", root=self.data, download=False)
        return replace(read, given=np.where(read.official_test, -1, read.truth), truth=None)

    @cached_property
    def examples(self) -> Examples:
        return make_examples(self.whole, algorithm(PAGE).reads, device=self.device, official=True)

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Training and test rows."""
        test = self.whole.official_test
        return np.flatnonzero(~test), np.flatnonzero(test)


def train(
    scale: Scale,
    pictures: Pictures,
    labels: np.ndarray,
    cache: Path,
    names: Iterable[str] | None = None,
) -> dict[str, Made]:
    """What the networks predict, by name; one whose file is in ``cache`` is not trained again.

    Args:
        labels: int (10000,), of the test pictures, to say how many are predicted.
        cache: a folder for one scale; a file of another training is trained anew.
        names: of the networks; by default all of the scale.
    """
    names = list(scale.nets if names is None else names)
    cache.mkdir(parents=True, exist_ok=True)
    found = {name: _kept(cache / f"{name}.npz", scale.training(name)) for name in names}
    missing = {name: network(scale.nets[name], *CIFAR10) for name in names if found[name] is None}
    done, total = 0, sum(net.macs for net in missing.values())
    with reading("training", "trained") as watch:
        for name, net in missing.items():

            def say(share: float, before: int = done, macs: int = net.macs) -> None:
                watch(round(before + share * macs), total)

            made = _trained(scale.training(name), net, pictures, labels, say)
            write_arrays(cache / f"{name}.npz", {"predicted": made.predicted}, made.about)
            found[name], done = made, done + net.macs
            right, took = made.about["accuracy"], clock(made.about["seconds"])
            print(f"{name}: {right:.2%}, {took} of training", flush=True)
    return {name: made for name, made in found.items() if made is not None}


def _kept(path: Path, training: Mapping[str, Any]) -> Made | None:
    """What was predicted before, where it was trained in this very way."""
    try:
        arrays, about = read_arrays(path)
    except FileNotFoundError:
        return None
    same = about is not None and all(about.get(key) == value for key, value in training.items())
    return Made(arrays["predicted"], about) if same and about is not None else None


def _trained(
    training: Mapping[str, Any],
    net: Net,
    pictures: Pictures,
    labels: np.ndarray,
    watch: Callable[[float], None],
) -> Made:
    """One network, trained by candidly's engine as a trial of its own."""
    steps, (rows, test) = training["steps"], pictures.rows
    examples = pictures.examples
    hyper = {name: training[name] for name in ("lr", "weight_decay", "batch_size")}
    scaling = split_scaling(pictures.whole, examples, rows, "train")
    member = Member(training["seed"], rows, hyper, scaling)
    how = recipes.recipe(training["recipe"])
    stack = start(algorithm(PAGE), net, examples, [member], steps, how)
    with one_thread():
        for done in updates(stack, range(TOLD_EVERY, steps, TOLD_EVERY)):
            watch(done / steps)
        logits = stack.logits(0, torch.from_numpy(test)).cpu().numpy()
    if stack.diverged_at[0] is not None:
        raise FloatingPointError(f"{training['net']} diverged; lower its rate, lr={hyper['lr']:g}.")
    predicted = logits.argmax(1).astype(np.uint8)
    return Made(
        predicted,
        {
            **training,
            "parameters": sum(int(np.prod(shape)) for shape in net.shapes.values()),
            "multiply_adds": net.macs,
            "device": pictures.device,
            "accuracy": float(np.mean(predicted == labels)),
            "seconds": round(stack.seconds, 1),
        },
    )
