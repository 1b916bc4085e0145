"""Networks of candidly's own: the folds of a cross-validation, trained as one stack.

A stack's trials have equally many training rows, and folds need not have: a shorter one is filled
up with rows of its own that come twice, drawn at random. Without groups that is one row at most.
Folds that differ by more than a hundredth, as they may with groups, train in another stack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from ...data.labels.labelled import Labelled
from ...ground.checks import check_size
from ...ground.seeds import draw
from ...learn.algorithms import Algorithm, Setting, algorithm, common
from ...learn.engine.examples import (
    SCALINGS,
    Examples,
    make_examples,
    split_scaling,
    takes_tokens,
)
from ...learn.engine.recipe import recipe, unsuited_to
from ...learn.engine.stack import Member, Stack
from ...learn.engine.start import start
from ...learn.engine.texts import split_words
from ...learn.engine.train import one_thread, train
from ...learn.model import Model, fit, hyper_parameters, recipe_for, takes_pictures
from ...learn.nets import network as network_of
from ...learn.written.nets import default_net, pinned
from ...learn.written.seen import seen_as
from ._features import Views
from ._job import Fitted, Fold, Job, Learner, Network, Tell, parts

MOST_FILLED = 0.01  # of a member's rows
TOLD_EVERY = 50  # updates


def learner(network: Network, views: Views) -> Learner:
    """Trains a copy of the network on each fold, all folds together.

    Columns of different kinds are encoded by each fold's training rows, and lie in memory once for
    each fold.

    Raises:
        ValueError, KeyError: an unknown algorithm or hyper-parameter, or data it cannot learn from.
        FloatingPointError: training diverged.
    """
    page = algorithm(network.algorithm)
    if page.oracle:
        raise ValueError(f"{page.label} reads the truth; label errors are found without it.")
    if network.scaling not in SCALINGS:
        raise ValueError(f"scaling is {network.scaling!r}; use one of {', '.join(SCALINGS)}.")
    if network.steps < 1:
        raise ValueError(f"steps is {network.steps}; train for at least one update.")
    hyper_parameters(page, network.hyper)
    if network.recipe is not None and (problem := unsuited_to("cpu", recipe(network.recipe))):
        raise ValueError(problem)

    def learn(job: Job, tell: Tell) -> Iterator[Fitted]:
        data, usable = _readable(job.data, page)
        folds = parts(job, usable)
        held = _held(data, views, folds, page, network.net)
        examples = make_examples(held, page.reads, network.scaling, net=network.net)
        offsets = [0 if held.n == data.n else part.number * data.n for part in folds]
        kind = seen_as(held.kind, network.net)
        how = recipe_for(network.recipe, kind)
        shared = common(how.optimiser, kind)
        values = _values(page, network, min(len(part.train) for part in folds), shared)
        model = _start(page, network, values, job, examples.shape)
        members = [
            _member(job, held, examples, network, part, offset, values, model)
            for part, offset in zip(folds, offsets)
        ]
        text = _net(network, examples.shape)
        made = network_of(text, examples.shape, examples.q, examples.words, data.classes)
        done = 0.0
        for some in together(members):
            stack = start(
                page,
                made,
                examples,
                filled([members[k] for k in some]),
                network.steps,
                how,
            )
            if model is not None:
                _take_up(stack, model)
            for step in _trained(stack):
                tell(done + len(some) * step / network.steps)
            done += len(some)
            for place, k in enumerate(some):
                _check(stack, page, place, k, values)
                known = _shown(data, page, folds[k].train)
                if model is not None:
                    known |= np.isin(np.arange(examples.q), model.about["shown"])
                yield Fitted(folds[k], known, _asking(stack, place, offsets[k]))

    return learn


def _net(network: Network, shape: tuple[int, ...]) -> str:
    return default_net(shape) if network.net is None else network.net


def together(members: list[Member]) -> list[list[int]]:
    """Numbers of members that train as one stack: of nearly equally many rows, longest first."""
    order = sorted(range(len(members)), key=lambda k: (-len(members[k].rows), k))
    stacks: list[list[int]] = []
    for k in order:
        if stacks and len(members[k].rows) >= (1 - MOST_FILLED) * len(members[stacks[-1][0]].rows):
            stacks[-1].append(k)
        else:
            stacks.append([k])
    return stacks


def filled(members: list[Member]) -> list[Member]:
    """The members, each with as many rows as the longest."""
    longest = max(len(member.rows) for member in members)
    result = []
    for member in members:
        twice = draw(member.seed, "crossval.filled").permutation(member.rows)
        rows = np.concatenate([member.rows, twice[: longest - len(member.rows)]])
        result.append(replace(member, rows=rows))
    return result


def _readable(data: Labelled, page: Algorithm) -> tuple[Labelled, np.ndarray]:
    """Data without gaps in what the algorithm reads, and which rows it may learn from.

    The class that stands in a gap is never read: no member has such a row.
    """
    usable = np.ones(data.n, bool)
    if "given" in page.reads and data.given is not None:
        usable = data.given >= 0
        data = replace(data, given=np.where(usable, data.given, 0))
    return data, usable


def _held(
    data: Labelled, views: Views, folds: list[Fold], page: Algorithm, net: str | None
) -> Labelled:
    """The rows as pictures or numbers; where folds make different ones, one fold's below another's.

    A fold with fewer columns than another has zeros for the rest.
    """
    if views.named:
        return replace(data, inputs=views.dense(folds[0].train), features=None)
    if data.kind.array or takes_tokens(data.kind, net):
        return data
    if takes_pictures(data.kind, net):
        return replace(data, inputs=views.pixels)
    if data.kind != "columns":
        return replace(data, inputs=views.dense(folds[0].train), features=None)
    each = [views.dense(part.train) for part in folds]
    shape = len(each) * data.n, max(table.shape[1] for table in each)
    check_size("the encoded columns of all folds", shape, 4)
    inputs = np.zeros(shape, np.float32)
    for number, table in enumerate(each):
        inputs[number * data.n : (number + 1) * data.n, : table.shape[1]] = table
    labels: dict[str, Any] = {
        name: np.concatenate([getattr(data, name)] * len(each))
        for name in page.reads
        if getattr(data, name) is not None
    }
    return Labelled(inputs=inputs, classes=data.classes, source=data.source, **labels)


def _shown(data: Labelled, page: Algorithm, rows: np.ndarray) -> np.ndarray:
    """Classes that the algorithm was shown: bool (q,)."""
    if "candidates" in page.reads and data.candidates is not None:
        return data.candidates[rows].any(0)
    return np.isin(np.arange(data.q), data.given[rows])  # type: ignore[index]


def _values(
    page: Algorithm, network: Network, rows: int, shared: Mapping[str, Setting]
) -> dict[str, float]:
    values = hyper_parameters(page, network.hyper, shared=shared)
    while "batch_size" not in network.hyper and values["batch_size"] > max(rows, 1):
        values["batch_size"] = int(values["batch_size"]) // 2
    return values


def _member(
    job: Job,
    held: Labelled,
    examples: Examples,
    network: Network,
    part: Fold,
    offset: int,
    values: dict[str, float],
    model: Model | None,
) -> Member:
    rows = part.train + offset
    scaling = split_scaling(held, examples, rows, network.scaling)
    if model is not None:  # the network goes on seeing inputs as it has seen them
        shift, factor = model.scaling
        scaling = (shift - examples.centre) / examples.spread, factor * examples.spread
    known = split_words(examples.texts, rows)
    return Member(job.seed_of(part.number), rows, values, scaling, known)


def _trained(stack: Stack) -> Iterator[int]:
    with one_thread():
        yield from train(stack, range(TOLD_EVERY, stack.T, TOLD_EVERY))


def _check(stack: Stack, page: Algorithm, place: int, k: int, values: dict[str, float]) -> None:
    if stack.diverged_at[place] is not None:
        raise FloatingPointError(
            f"{page.label} diverged in fold {k} after {stack.diverged_at[place]} updates; lower "
            f"the learning rate (lr={float(values['lr']):g})."
        )


def _asking(stack: Stack, place: int, offset: int):
    def predict(rows: np.ndarray) -> np.ndarray:
        logits = stack.logits(place, torch.from_numpy(np.ascontiguousarray(rows + offset)))
        return logits.double().softmax(-1).cpu().numpy()

    return predict


# going on from elsewhere


def _start(
    page: Algorithm,
    network: Network,
    values: dict[str, float],
    job: Job,
    shape: tuple[int, ...],
) -> Model | None:
    """The model that every fold starts from; ``about["shown"]`` are the classes it has seen.

    Raises:
        ValueError: it does not fit the data, or the algorithm has several networks.
    """
    start = job.start
    if start is None:
        return None
    if page.networks > 1:
        raise ValueError(
            f"{page.label} trains {page.networks} networks that must differ, so it cannot go on "
            "from `start`; take another algorithm."
        )
    if not job.data.kind.array:
        raise ValueError(
            f"the data holds {job.data.kind}, of which every fold makes numbers of its own, so that"
            " a network cannot go on from `start`; give both as tables of numbers."
        )
    shown = list(range(job.data.q))
    if isinstance(start, Labelled):
        shown = np.flatnonzero(_shown(start, page, np.arange(start.n))).tolist()
        settings: dict[str, Any] = {"steps": network.steps, "scaling": network.scaling}
        settings |= {"net": network.net, "recipe": network.recipe}
        seed = job.seed_of(-1)
        start = fit(start, network.algorithm, seed=seed, **settings, **values)  # type: ignore[arg-type]
    if start.classes != job.data.classes:
        raise ValueError(
            f"`start` has the classes {', '.join(start.classes[:5])}, ... and the data "
            f"{', '.join(job.data.classes[:5])}, ...; they must be the same, in order."
        )
    if start.shape != shape:
        raise ValueError(f"`start` takes inputs {start.shape}, and those of the data are {shape}.")
    net = pinned(_net(network, shape))
    if start.about["net"] != net:
        raise ValueError(
            f"`start` has the network {start.about['net']}, and {net} is to go on from it; give "
            "both the same."
        )
    return Model(start.parameters, start.scaling, {**start.about, "shown": shown})


def _take_up(stack: Stack, model: Model) -> None:
    """Give every member the model's parameters and buffers."""
    with torch.no_grad():
        for name, leaf in {**stack.net.parameters, **stack.net.buffers}.items():
            leaf.copy_(torch.from_numpy(model.parameters[name]).expand_as(leaf))
    stack.net.forget()
