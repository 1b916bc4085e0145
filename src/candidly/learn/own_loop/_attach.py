"""``attach``: a method for somebody's network and rows, or a sentence on what is missing."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ...data.labels.kinds import nothing_told
from ...data.labels.votes import Votes, padded
from ...ground.arrays import as_array, door
from ...ground.checks import check_range, checked_sets
from ...ground.numbers import whole
from ...ground.problem import Refusal
from ..algorithms import Algorithm, algorithm
from ..algorithms.weighted import WEIGHTED
from ..engine.recipe import ADAM
from ..engine.stack import Member
from ..engine.start import hyper_parameters as as_seen
from ..engine.start import tables
from ..model import hyper_parameters
from ..nets import Flat, Module, made
from ._attached import Attached
from ._module import UsersModule, as_net, core, head_of, renewed, trained_of
from ._needs import Needs, needs_of
from ._rows import Inputs, UsersRows, ViewOf, rows_of
from ._stack import UsersStack

# Methods of which several small batches are one large one: those of WEIGHTED that do not divide by
# what they count in a batch.
ACCUMULATED = WEIGHTED - {"Forward", "L-W", "OP-W", "PC", "SCL-EXP", "SCL-NL"}


@door
def attach(
    name: str | Algorithm,
    net: nn.Module,
    *,
    epochs: int,
    batch_size: int,
    candidates: Any = None,
    labels: Any = None,
    truth: Any = None,
    votes: Votes | None = None,
    classes: int | None = None,
    batches: int | None = None,
    inputs: Inputs | Any = None,
    views: Mapping[str, ViewOf] | None = None,
    head: str | None = None,
    make: Callable[[], nn.Module] | None = None,
    accumulate: int = 1,
    repeats: bool = False,
    seed: int = 0,
    **hyper: float,
) -> Attached:
    """An algorithm in a training loop of your own, on your network.

    In the loop, ``loss = method(x, ids)``, ``loss.backward()``, ``optimizer.step()``,
    ``optimizer.zero_grad()`` and ``method.step()``; ``ids`` says which rows the batch holds. What
    the algorithm needs besides is asked for here: ``needs_of``, and a table in the documentation.

    Args:
        name: a name of ``ALGORITHMS``, with a variant after a colon if need be, or one of its
            values.
        net: any module that returns logits (B, classes), in float32, where it is to be trained.
        epochs: how many passes over the rows there will be.
        batch_size: rows of a whole batch, over all processes.
        candidates: bool (n, classes), each row's candidate set, for algorithms that learn from
            these.
        labels: int (n,) in 0..classes-1, each row's label, for the others.
        truth: int (n,), each row's true label, for oracles alone.
        votes: answers about rows 0..n-1, for algorithms that learn from several annotators.
        classes: how many; not needed with ``candidates``.
        batches: of an epoch, ``len(loader)``; by default n / batch_size, rounded up, as a
            ``DataLoader`` has it whose last batch may be shorter.
        inputs: ids int64 (m,) -> their inputs (m, ...) as the network takes them, or all inputs
            (n, ...), for algorithms that ask for other rows than the batch's.
        views: by name, inputs (m, ...) -> inputs changed at random. A loader may give them too:
            ``method({"plain": x, "weak": ..., "strong": ...}, ids)``. Tables need none.
        head: the layer that makes logits of features, such as ``fc``; by default the last
            ``nn.Linear``.
        make: () -> a new network, for algorithms that train several or start anew; by default a
            copy whose layers' ``reset_parameters`` are called.
        accumulate: batches of an update: calls of ``method`` and of ``backward`` before each step,
            of losses that you divide by that number.
        repeats: a row may be in a batch more than once, as a sampler with replacement has it.
        seed: of everything random in the method.
        hyper: hyper-parameters in place of the algorithm's defaults.

    Raises:
        ValueError: what the algorithm needs is missing, or something cannot be; the message says
            what to give.
    """
    method = algorithm(name) if isinstance(name, str) else name
    epochs = whole(epochs, "epochs", low=1)
    batch_size = whole(batch_size, "batch_size", low=1)
    accumulate, seed = whole(accumulate, "accumulate", low=1), whole(seed, "seed", low=0)
    where = _where(net)
    given = {"candidates": candidates, "given": labels, "votes": votes, "truth": truth}
    read, q = _labels(method, given, classes, where[1])
    n = len(next(iter(read.values())))
    needs = needs_of(method)
    _check_needs(method, needs, inputs, accumulate, batch_size, n)
    updates = _updates(method, needs, n, batch_size, batches, accumulate)
    values = hyper_parameters(method, hyper) | {"batch_size": batch_size}
    head = head_of(net, head)
    if needs.head and head is None:
        raise Refusal(
            f"{method.label} needs the network's features, and no layer of it is an nn.Linear.",
            "name the layer that makes logits of them with `head`",
        )
    rows = rows_of(read, q, where[0], inputs, views is not None)
    if views is not None and (missing := set(method.views) - views.keys()):
        raise Refusal(
            f"{method.label} asks for the view {min(missing)!r}, and `views` has "
            f"{', '.join(views) or 'none'}.",
        )
    member = Member(seed, np.arange(n), values)
    index = torch.arange(n, device=where[1])[None]
    if make is None and needs.networks:
        make = partial(renewed, copy.deepcopy(core(net)))  # before anything is hooked into it
    flats = _flats(method, net, rows, member, head, make or partial(renewed, net))
    stack = UsersStack(
        method,
        rows,
        [member],
        epochs * updates,
        flats,
        index,
        None,
        as_seen(method, [member], rows),
        tables(method, [member], rows, index),
        ADAM,
        changed=views,
        epoch=updates,
    )
    return Attached(stack, needs, accumulate, repeats)


def _where(net: nn.Module) -> tuple[torch.dtype, torch.device]:
    """The dtype and the device of what is trained of a network."""
    if not isinstance(net, nn.Module):
        raise Refusal(f"`net` is a {type(net).__name__}; give a torch.nn.Module.")
    trained = trained_of(net)
    if not trained:
        raise Refusal("`net` has no parameter that is trained (requires_grad).")
    first = next(iter(trained.values()))
    for name, parameter in trained.items():
        if parameter.dtype not in (torch.float32, torch.float64):
            raise Refusal(
                f"the network's {name} is {parameter.dtype}; its parameters have to be float32.",
                "keep them in float32 and compute in less within torch.autocast",
            )
        if (parameter.dtype, parameter.device) != (first.dtype, first.device):
            raise Refusal(
                f"the network's {name} is {parameter.dtype} on {parameter.device}, and its first "
                f"parameter {first.dtype} on {first.device}; they have to be alike.",
            )
    return first.dtype, first.device


NAMES = {"candidates": "candidates", "given": "labels", "votes": "votes", "truth": "truth"}


NO_CLASSES = "`{}` alone do not say how many classes there are."


def _answers(votes: Votes, q: int) -> np.ndarray:
    """Answers as training takes them, int64 (n, R, 2); each row has one.

    Raises:
        ValueError: a row without an answer, an answer that is no single label.
    """
    if not isinstance(votes, Votes) or not len(votes):
        raise Refusal("`votes` holds no answers; make them with candidly.data.Votes.from_rows().")
    n = 1 + int(votes.item.max())
    table = padded(votes, n, q)
    if (table[:, 0, 0] < 0).any():
        raise Refusal(f"`votes` has no answer about row {int((table[:, 0, 0] < 0).argmax())}.")
    return table


def _labels(
    method: Algorithm, given: Mapping[str, Any], classes: int | None, device: torch.device
) -> tuple[dict[str, Tensor], int]:
    """The labels that the method reads, by its names for them, and how many classes there are."""
    found: dict[str, Tensor] = {}
    q = None if classes is None else whole(classes, "classes", low=1)
    for reads in method.reads:
        name = NAMES[reads]
        if given[reads] is None:
            raise Refusal(f"{method.label} learns from `{name}`, and none are given.")
        if reads == "votes":
            if q is None:
                raise Refusal(NO_CLASSES.format(name), "give `classes`")
            found[reads] = torch.tensor(_answers(given[reads], q), device=device)
            continue
        array = as_array(given[reads], name)
        if reads == "candidates":
            q = array.shape[-1] if q is None else q
            array = checked_sets(name, array, len(array), q, may_be_empty=False)
            if nothing := nothing_told(array, f"`{name}`"):
                raise Refusal(nothing, "use labels that leave some classes out")
        else:
            if q is None:
                raise Refusal(NO_CLASSES.format(name), "give `classes`")
            if array.ndim != 1 or array.dtype.kind not in "iu":
                raise Refusal(
                    f"`{name}` is {array.dtype} of shape {array.shape}; it has to be one whole "
                    "number a row."
                )
            check_range(name, array, q, 0)
            array = array.astype(np.int64)
        found[reads] = torch.tensor(array, device=device)
    assert q is not None
    if len({len(labels) for labels in found.values()}) > 1:
        raise Refusal(f"{' and '.join(NAMES[name] for name in found)} are of different lengths.")
    return found, q


def _check_needs(
    method: Algorithm, needs: Needs, inputs: Any, accumulate: int, batch: int, n: int
) -> None:
    if n < batch:
        raise Refusal(f"{n} rows are fewer than a batch, `batch_size={batch}`.")
    if needs.inputs and inputs is None:
        raise Refusal(
            f"{method.label} asks for other rows than those of the batch.",
            "give `inputs`, a function of ids int64 (m,) that returns their inputs (m, ...)",
        )
    if accumulate > 1 and method.name not in ACCUMULATED:
        raise Refusal(
            f"{method.label} compares the rows of a batch with each other, or counts them, so that "
            f"{accumulate} small batches are not one large one; `accumulate=1` is needed.",
            "use larger batches",
            f"take one of {', '.join(sorted(ACCUMULATED))}, for which it is exact",
        )


def _updates(
    method: Algorithm, needs: Needs, n: int, batch: int, batches: int | None, accumulate: int
) -> int:
    """Updates of an epoch."""
    if batches is None:  # a method that chooses its rows has whole batches alone
        batches = n // batch if needs.sampler else -(-n // batch)
    batches = whole(batches, "batches", low=1)
    if needs.sampler and batches > n // batch:
        raise Refusal(
            f"{method.label} chooses its rows, and an epoch of it has {n // batch} whole batches "
            f"of {batch}; `batches={batches}` are more.",
            "leave `batches` out",
        )
    return -(-batches // accumulate)


def _flats(
    method: Algorithm,
    net: nn.Module,
    rows: UsersRows,
    member: Member,
    head: str | None,
    make: Callable[[], nn.Module],
) -> dict[str, Flat]:
    """The method's networks, of which the first is the user's, and its parameters beside them."""
    batch = int(member.hyper["batch_size"])
    where, seed = (rows.dtype, rows.device), member.seed
    shape: tuple[int, ...] = ()
    if rows.source is not None:
        shape = tuple(rows.take(torch.zeros(1, dtype=torch.int64, device=rows.device)).shape[1:])
    value = as_net(net, make, head, shape, batch)
    always = method.statistics == "always"
    flats: dict[str, Flat] = {}
    for name, made_net in method.networks_on(value, rows.q, member.hyper).items():
        init = "init" if name == "net" else f"init {name}"
        if made_net.trunk is not value.trunk:
            flats[name] = Module(
                made_net, [seed], *where, method.networks, init, trained=False, moves_always=always
            )
            continue
        users = [
            net if name == "net" and number == 0 else made(make, seed).to(where[1], where[0])
            for number in range(method.networks)
        ]
        flats[name] = UsersModule(made_net, users, seed, where, init, always, head, rows.q)
    for name, array in method.parameters_on(rows.labels, rows.q).items():
        shapes, given = {name: array.shape}, partial(_same, {name: array})
        flats[name] = Flat(shapes, {}, given, [seed], *where, 1, f"init {name}", trained=False)
    return flats


def _same(values: Mapping[str, np.ndarray], rng: np.random.Generator) -> Mapping[str, np.ndarray]:
    return values
