"""Training for detectors: candidly's network and loop, on given labels alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from ...data.labels.labelled import Labelled
from ...ground.seeds import hashed
from ...learn.algorithms import Algorithm, algorithm, common, configuration
from ...learn.engine.examples import Examples, make_examples, split_scaling
from ...learn.engine.recipe import default_recipe, unsuited, unsuited_to
from ...learn.engine.recipe import recipe as recipe_named
from ...learn.engine.stack import Member, Stack
from ...learn.engine.start import start
from ...learn.engine.texts import split_words
from ...learn.engine.train import Watcher, train
from ...learn.nets import network
from ...learn.written.nets import default_net
from ...learn.written.seen import seen_as

BATCH = 128  # at most


def batch_size(n: int) -> int:
    """Rows of a batch: at most ``BATCH``, and so that an epoch leaves out as few as it can.

    >>> batch_size(1797), batch_size(100)
    (119, 100)
    """
    return n // -(-n // BATCH)


def examples_of(data: Labelled, net: str | None = None) -> Examples:
    """Inputs, standardised over all rows, or as the network takes texts, and given labels."""
    return make_examples(data, ("given",), net=net)


def seeds_of(name: str, seed: int, count: int) -> list[int]:
    """Trial seeds for ``count`` trainings of one purpose."""
    return [hashed("detectors", name, seed, k) for k in range(count)]


def trained(
    examples: Examples,
    rows: Sequence[np.ndarray],
    seeds: Sequence[int],
    epochs: int,
    watchers: Sequence[Watcher] = (),
    *,
    page: Algorithm | None = None,
    scale_by: Labelled | None = None,
    net: str | None = None,
    recipe: str | None = None,
) -> Stack:
    """Networks trained as one stack, a seed and equally many rows for each.

    Args:
        page: the algorithm; by default cross-entropy. Its default hyper-parameters are taken.
        scale_by: standardise each training's inputs by its own rows of these data, and not by all.
        net, recipe: as ``fit`` takes them; by default what suits the inputs.

    Raises:
        ValueError, KeyError: no such network or recipe, or one that does not suit the inputs.
        FloatingPointError: one of them diverged.
    """
    page = algorithm("ce") if page is None else page
    kind = seen_as("texts", net) if examples.words is not None else examples.kind
    how = default_recipe(kind) if recipe is None else recipe_named(recipe)
    if problem := unsuited(how, kind) or unsuited_to(examples.device.type, how):
        raise ValueError(problem)
    hyper = configuration(page.settings(common(how.optimiser, kind)), 0, 0) | {
        "batch_size": batch_size(len(rows[0]))
    }
    members = [
        Member(
            seed,
            mine,
            hyper,
            None if scale_by is None else split_scaling(scale_by, examples, mine, "train"),
            split_words(examples.texts, mine),
        )
        for seed, mine in zip(seeds, rows)
    ]
    steps = epochs * (len(rows[0]) // int(hyper["batch_size"]))
    text = default_net(examples.shape) if net is None else net
    made = network(text, examples.shape, examples.q, examples.words)
    stack = start(page, made, examples, members, steps, how)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # as fit does: a second one gains little on such networks
    try:
        for _ in train(stack, (steps,), watchers):
            pass
    finally:
        torch.set_num_threads(threads)
    if any(at is not None for at in stack.diverged_at):
        raise FloatingPointError(
            f"training for a detector diverged (lr={float(hyper['lr']):g}); are the inputs of a "
            "sensible scale?"
        )
    return stack
