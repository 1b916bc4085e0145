"""What a task's trials start from: their examples, their splits and their stack."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ...data.labels.labelled import Labelled, Split
from ...learn.algorithms import Algorithm, algorithm
from ...learn.engine.examples import (
    Examples,
    make_examples,
    split_scaling,
    takes_tokens,
    with_oracle_twins,
)
from ...learn.engine.recipe import recipe
from ...learn.engine.stack import Member, Stack
from ...learn.engine.start import start
from ...learn.engine.texts import split_words
from ...learn.nets import network
from .trial import Trial

MOST_KEPT = 2  # examples that a process keeps for its next task

_kept: OrderedDict[tuple[object, ...], tuple[Labelled, Examples]] = OrderedDict()


@dataclass(frozen=True)
class Built:
    """A stack, and the rows that each of its trials is judged on.

    Attributes:
        validation: int64 (K, m), none where the trials are trained on them.
        test: int64 (K, m).
    """

    stack: Stack
    validation: Tensor
    test: Tensor


def build(data: Labelled, trials: Sequence[Trial], device: str) -> Built:
    """A fresh stack of these trials, which have in common what a stack's must."""
    first = trials[0]
    method = algorithm(first.algorithm, first.variant)
    seen = data if method.oracle else data.blind()
    examples = _examples(method, data, first, device)
    split_of = _splits(data)
    splits = [split_of(trial) for trial in trials]
    twins = np.zeros(0, dtype=np.int64)  # rows that come a second time, with their true label
    if first.mode == "train-oracle":
        twins = np.unique(np.concatenate([split.validation for split in splits]))
        examples = with_oracle_twins(examples, data, twins)
    members = [_member(seen, examples, trial, split, twins) for trial, split in zip(trials, splits)]
    net = network(first.net, examples.shape, examples.q, examples.words, data.classes)
    judged = None if first.mode == "tune" else 0
    return Built(
        start(method, net, examples, members, first.steps, recipe(first.recipe)),
        _stacked([split.validation[:judged] for split in splits]),
        _stacked([split.test for split in splits]),
    )


def _examples(method: Algorithm, data: Labelled, trial: Trial, device: str) -> Examples:
    """The examples of a data set, made once for all tasks that read the same of it."""
    official = trial.test_set == "official"
    tokens = trial.net if takes_tokens(data.kind, trial.net) else ""
    key = (trial.data, method.reads, trial.scaling, trial.dtype, device, official, tokens)
    if key not in _kept or _kept[key][0] is not data:
        alike = (made for its, (of, made) in _kept.items() if of is data and _alike(its, key))
        like = next(alike, None)
        _kept.pop(key, None)
        while len(_kept) >= MOST_KEPT:
            _kept.popitem(last=False)
        seen, dtype = data if method.oracle else data.blind(), getattr(torch, trial.dtype)
        where = torch.device(device)
        how = trial.scaling, dtype, where, official, like, trial.net
        made = make_examples(seen, method.reads, *how)
        _kept[key] = data, made
    _kept.move_to_end(key)
    return _kept[key][1]


def _alike(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Whether examples of two keys have the same inputs, whatever labels they read."""
    return (one[0], *one[2:5], one[6]) == (other[0], *other[2:5], other[6])


def _splits(data: Labelled) -> Callable[[Trial], Split]:
    """Splits by trial, each made once."""
    made: dict[tuple[object, ...], Split] = {}

    def split_of(trial: Trial) -> Split:
        key = (trial.split, trial.test, trial.validation, trial.test_set)
        if key not in made:
            official = trial.test_set == "official"
            made[key] = data.split(trial.split, trial.test, trial.validation, official=official)
        return made[key]

    return split_of


def _member(
    data: Labelled, examples: Examples, trial: Trial, split: Split, twins: np.ndarray
) -> Member:
    rows = trained = split.train
    if len(twins):
        rows = np.concatenate([rows, data.n + np.searchsorted(twins, split.validation)])
        trained = np.concatenate([trained, split.validation])
    return Member(
        seed=trial.seed,
        rows=rows,
        hyper=trial.hyper,
        scaling=split_scaling(data, examples, trained, trial.scaling),
        words=split_words(examples.texts, trained),
    )


def _stacked(rows: Sequence[np.ndarray]) -> Tensor:
    return torch.from_numpy(np.stack(rows))
