"""Training the networks of a scale: a file each, with what it predicts and how it was trained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from candidly import Labelled, sources
from candidly.cli._progress import clock, reading
from candidly.data.labels.storage import read_arrays, write_arrays
from candidly.learn.algorithms import algorithm
from candidly.learn.engine import recipe as recipes
from candidly.learn.engine.examples import Examples, make_examples, split_scaling
from candidly.learn.engine.stack import Member
from candidly.learn.engine.start import start
from candidly.learn.engine.train import one_thread
from candidly.learn.engine.train import train as updates
from candidly.learn.nets import Net, network

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
    """What is trained on.

    Attributes:
        whole: all pictures; those of the official test part have no label to learn from.
        examples: the same for the engine, on a device.
        rows, test: int64 (n,), of the training and the test pictures.
    """

    whole: Labelled
    examples: Examples
    rows: np.ndarray
    test: np.ndarray


def read_pictures(data: Path, device: str = "cpu") -> Pictures:
    """CIFAR-10 from the folder ``data``, in its official split."""
    return as_pictures(sources.load("cifar10", root=data, download=False), device)


def as_pictures(read: Labelled, device: str = "cpu") -> Pictures:
    test = read.official_test
    whole = replace(read, given=np.where(test, -1, read.truth), truth=None)
    examples = make_examples(whole, algorithm(PAGE).reads, device=device, official=True)
    return Pictures(whole, examples, np.flatnonzero(~test), np.flatnonzero(test))


def train(
    scale: Scale,
    read: Callable[[], Pictures],
    labels: np.ndarray,
    cache: Path,
    names: Iterable[str] | None = None,
) -> dict[str, Made]:
    """What the networks predict, by name; one whose file is in ``cache`` is not trained again.

    Args:
        read: gives the pictures, if any network is still to be trained.
        labels: int (10000,), of the test pictures, to say how many are predicted.
        cache: a folder for one scale; a file of another training is trained anew.
        names: of the networks; by default all of the scale.
    """
    names = list(scale.nets if names is None else names)
    cache.mkdir(parents=True, exist_ok=True)
    found = {name: _kept(cache / f"{name}.npz", scale.training(name)) for name in names}
    missing = {name: network(scale.nets[name], *CIFAR10) for name in names if found[name] is None}
    pictures = read() if missing else None
    done, total = 0, sum(net.macs for net in missing.values())
    with reading("training", "trained") as watch:
        for name, net in missing.items():

            def say(share: float, before: int = done, macs: int = net.macs) -> None:
                watch(round(before + share * macs), total)

            assert pictures is not None
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
    steps, examples, rows = training["steps"], pictures.examples, pictures.rows
    hyper = {name: training[name] for name in ("lr", "weight_decay", "batch_size")}
    scaling = split_scaling(pictures.whole, examples, rows, "train")
    member = Member(training["seed"], rows, hyper, scaling)
    how = recipes.recipe(training["recipe"])
    stack = start(algorithm(PAGE), net, examples, [member], steps, how)
    with one_thread():
        for done in updates(stack, range(TOLD_EVERY, steps, TOLD_EVERY)):
            watch(done / steps)
        logits = stack.logits(0, torch.from_numpy(pictures.test)).cpu().numpy()
    if stack.diverged_at[0] is not None:
        raise FloatingPointError(f"{training['net']} diverged; lower its rate, lr={hyper['lr']:g}.")
    predicted = logits.argmax(1).astype(np.uint8)
    return Made(
        predicted,
        {
            **training,
            "parameters": sum(int(np.prod(shape)) for shape in net.shapes.values()),
            "multiply_adds": net.macs,
            "device": examples.device.type,
            "accuracy": float(np.mean(predicted == labels)),
            "seconds": round(stack.seconds, 1),
        },
    )
