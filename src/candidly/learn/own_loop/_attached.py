"""``attach``, and what it gives: a method in somebody's own training loop."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from ...ground.arrays import as_array, door
from ...ground.checks import check_range, checked_sets
from ...ground.numbers import whole
from ...ground.problem import Refusal
from ..algorithms import Algorithm, Stage, Updates, algorithm
from ..algorithms.weighted import WEIGHTED
from ..engine.batches import BatchRows, StackBatch
from ..engine.recipe import ADAM
from ..engine.stack import Member, Stack
from ..engine.start import hyper_parameters as as_seen
from ..engine.start import tables
from ..engine.suspicion import suspicion
from ..engine.train import (
    Watcher,
    end,
    enter,
    objective,
    shown,
    write_batch,
)
from ..engine.viewing import MethodViews
from ..engine.writing import move
from ..model import hyper_parameters
from ..nets import Flat, Module, made
from ._module import UsersModule, as_net, core, head_of, renewed, trained_of
from ._needs import Needs, needs_of
from ._optimiser import UsersMovers, multiplied, put_back
from ._processes import Processes
from ._rows import Inputs, UsersRows, UsersViews, ViewOf, rows_of

# Methods of which several small batches are one large one: those of WEIGHTED that do not divide by
# what they count in a batch.
ACCUMULATED = WEIGHTED - {"Forward", "L-W", "OP-W", "PC", "SCL-EXP", "SCL-NL"}
UNMOVED = 20  # updates in which nothing moves before that is an error


class UsersStack(Stack):
    """The engine's stack, of one trial, in somebody's own loop.

    Attributes:
        rows_seen: rows trained on; batches may differ in length.
    """

    def __init__(self, *args: Any, changed: Mapping[str, ViewOf] | None, **named: Any):
        self.changed, self.rows_seen = changed, 0
        self._stage_at = -1
        super().__init__(*args, **named)

    def _views(self) -> MethodViews:
        if self.changed is None:
            return MethodViews(self.algorithm, self.examples, self.recipe)
        return UsersViews(self.algorithm, self.examples, self.changed)

    def _movers(self) -> UsersMovers:
        return UsersMovers(self.flats, self.hyper)

    @property
    def stage(self) -> Stage:
        """The stage that the next update belongs to."""
        if self._stage_at != self.t:
            self._stage_at, self._stage = self.t, self.stages.at(self.t)
        return self._stage

    @property
    def seen(self) -> int:
        """Rows that the updates done have trained on, repetitions counted."""
        return self.rows_seen

    def count(self, rows: int) -> None:
        """An update is done, whose last batch had so many rows."""
        super().count(rows)
        self.rows_seen += rows
        self.B = int(self.hyper[0]["batch_size"])


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
    given = {"candidates": candidates, "given": labels, "truth": truth}
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


NAMES = {"candidates": "candidates", "given": "labels", "truth": "truth"}


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
        array = as_array(given[reads], name)
        if reads == "candidates":
            q = array.shape[-1] if q is None else q
            array = checked_sets(name, array, len(array), q, may_be_empty=False)
        else:
            if q is None:
                raise Refusal(
                    f"`{name}` alone do not say how many classes there are.", "give `classes`"
                )
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
    for name, values in method.parameters.items():
        array = {name: values(rows.q)}
        shapes, given = {name: array[name].shape}, partial(_same, array)
        flats[name] = Flat(shapes, {}, given, [seed], *where, 1, f"init {name}", trained=False)
    return flats


def _same(values: Mapping[str, np.ndarray], rng: np.random.Generator) -> Mapping[str, np.ndarray]:
    return values


class Attached:
    """A method in a training loop of somebody's own; ``attach`` makes it.

    Attributes:
        needs: what the method asks of the loop.
        updates: how many there will be.
    """

    def __init__(self, stack: UsersStack, needs: Needs, accumulate: int, repeats: bool):
        self.needs, self.updates = needs, stack.T
        self._stack, self._accumulate = stack, accumulate
        self._repeats, self._batch_size = repeats, stack.B
        self._movers: UsersMovers = stack.movers  # type: ignore[assignment]
        self._networks = [m for m in stack.modules.values() if isinstance(m, UsersModule)]
        users = {id(leaf) for leaf in self._networks[0].users[0].parameters()}
        leaves = (leaf for name in stack.flats for leaf in self._movers.leaves(name))
        self._beside = [leaf for leaf in leaves if id(leaf) not in users]
        self._watchers: list[Watcher] = []
        self._entered = -1
        self._done: list[tuple[list[StackBatch], Updates]] = []  # calls since the last step
        self._factors: list[Tensor] = []  # what each loss was multiplied by
        self._watched: object = None  # the stage in which it is, or was, watched what moves
        self._touched: set[int] = set()
        self._hooks: list[Any] = []
        self._stepped: set[int] = set()
        self._unmoved = 0
        self._rates: list[Any] = []
        self._processes = Processes()
        if self._processes.several:
            self._join()

    def __repr__(self) -> str:
        done, s = self._stack.t, self._stack
        return f"{s.algorithm.label} on {s.n} rows, {done} of {self.updates} updates done"

    # what a user reads

    @property
    def label(self) -> str:
        """The algorithm's name, with its variant."""
        return self._stack.algorithm.label

    @property
    def done(self) -> bool:
        """Whether all updates that were said are done."""
        return self._stack.t >= self.updates

    @property
    def epoch(self) -> int:
        """Epochs done."""
        return self._stack.epoch

    def predict(self, x: Tensor) -> Tensor:
        """Logits (m, classes) of inputs (m, ...), as the method predicts, without gradient.

        By its average, its second head or its centres where it has those; ``net(x)`` would be
        another thing there. Networks are evaluated, and left in the mode that they were in.
        """
        s = self._stack
        module, method = s.modules[s.algorithm.predicts], s.algorithm
        self._set_axes(x)
        with self._autocast_apart():
            copies = range(method.networks if method.averages else 1)
            each = [module.of_trial(0, x.to(s.device)[None], copy).logits[0] for copy in copies]
        return each[0] if len(each) == 1 else torch.stack(each).mean(0)

    @door
    def weights(self, ids: Any) -> Tensor:
        """How likely the method holds each class to be a row's: (m, classes) of rows ids (m,).

        Raises:
            ValueError: the method keeps no such table; ``table`` has what else it keeps.
        """
        if "weights" not in self._stack.rows:
            kept = ", ".join(self._stack.rows) or "nothing"
            raise Refusal(f"{self.label} keeps no weights of rows; of each row it keeps {kept}.")
        return self.table("weights")[torch.as_tensor(ids, device=self._stack.device)]

    def table(self, name: str) -> Tensor:
        """What the method keeps of every row under this name, (n, ...): a copy."""
        if name not in self._stack.rows:
            kept = ", ".join(self._stack.rows) or "nothing"
            raise Refusal(f"{self.label} keeps no {name!r} of rows; of each row it keeps {kept}.")
        return self._stack.rows[name][0].clone()

    def suspicion(self) -> np.ndarray:
        """How likely it is that each row's label is wrong, (n,): higher is likelier.

        By what the method keeps of rows, else by the loss of the label, for which ``inputs`` is
        needed. Only the order can be compared between methods.
        """
        with self._autocast_apart():
            return suspicion(self._stack, 0)

    def watch(self, watcher: Watcher) -> Any:
        """Have a watcher see every batch with its logits and features, such as ``Watch``."""
        self._watchers.append(watcher)
        return watcher

    # the optimiser

    def groups(self, weight_decay: float = 0.0) -> list[dict[str, Any]]:
        """An optimiser's parameter groups: all that some stage moves, of network and method.

        Args:
            weight_decay: of all but what the method wants to have none.
        """
        with_decay: list[Tensor] = []
        without: list[Tensor] = []
        seen: set[int] = set()
        for stage in self._stack.algorithm.stages:
            for name in self._movers.trained(stage):
                bare = name in stage.own and not stage.own[name].weight_decay
                for leaf in self._movers.leaves(name):
                    if id(leaf) not in seen:
                        seen.add(id(leaf))
                        (without if bare else with_decay).append(leaf)
        groups: list[dict[str, Any]] = [{"params": with_decay, "weight_decay": weight_decay}]
        return groups + ([{"params": without, "weight_decay": 0.0}] if without else [])

    def drive(self, optimizer: torch.optim.Optimizer) -> torch.optim.Optimizer:
        """Let the method change an optimiser as its stages ask: rates, moments, further ones."""
        if self._movers.optimizer is not None:
            raise Refusal(f"{self.label} drives an optimiser already; it takes one.")
        self._movers.optimizer = optimizer
        optimizer.register_step_pre_hook(self._before_step)
        optimizer.register_step_post_hook(self._behind_step)
        return optimizer

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> Any:
        """A hook: gradients are there, or come with a closure that the step is given."""
        closure = args[1] if len(args) > 1 else kwargs.get("closure")  # behind the optimiser itself
        if closure is None:
            self._ready_to_step(optimizer)
            return None

        def then_ready() -> Any:
            loss = closure()
            self._ready_to_step(optimizer)
            return loss

        if len(args) > 1:
            return (args[0], then_ready, *args[2:]), kwargs
        return args, {**kwargs, "closure": then_ready}

    def _ready_to_step(self, optimizer: Any) -> None:
        s = self._stack
        rate = self._movers.rate(s.stage)
        factor = float(torch.as_tensor(rate(s), dtype=torch.float64).flatten()[0]) if rate else 1.0
        self._movers.step_before(s.stage, factor)
        self._rates = multiplied(optimizer, factor) if rate else []

    def _behind_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if self._rates:
            put_back(optimizer, self._rates)
            self._rates = []

    # an update

    def __call__(self, x: Tensor | Mapping[str, Tensor], ids: Any) -> Tensor:
        """The loss of a batch, a number with gradient.

        Args:
            x: the rows' inputs (B, ...), or several views of them by name: ``plain``, ``weak``, and
                ``weak 1`` for a second draw.
            ids: int (B,), which of the n rows they are.

        Raises:
            ValueError: ids that cannot be, a step that was left out, more updates than were said.
        """
        s = self._stack
        self._check_call()
        given = dict(x) if isinstance(x, Mapping) else {"plain": x}
        ids, given = self._together(ids, given)
        self._begin(next(iter(given.values())))
        batches = self._batches(ids, given)
        if not self._done:
            for flat in s.flats.values():
                flat.begin(s.t)
            for leaf in self._beside:  # which net.zero_grad() does not know
                leaf.grad = None
        with self._autocast_apart():
            each, updates = objective(s, batches)
        loss = each.sum()
        if not loss.requires_grad:
            loss = loss.detach().requires_grad_()
        elif s.learned.learned:
            self._factors.append(torch.ones((), device=s.device))
            number = len(self._factors) - 1
            loss.register_hook(partial(self._told_factor, number))
        self._done.append((batches, updates))
        return loss

    def _told_factor(self, number: int, gradient: Tensor) -> None:
        self._factors[number] = gradient.detach()

    @torch.no_grad()
    def step(self) -> None:
        """The update is done: call it behind ``optimizer.step()``.

        Raises:
            ValueError: ``method`` was not called since the last step; the optimiser does not move
                all that is to be moved.
        """
        s = self._stack
        if not self._done:
            raise Refusal(
                "method.step() was called twice, or before method(x, ids); call it once behind "
                "each optimizer.step()."
            )
        self._check_moved()
        with self._autocast_apart():
            firsts = [batches[0] for batches, _ in self._done]
            seen = [shown(s, batch) for batch in firsts] if self._watchers else []
            for number, batch in enumerate(firsts):
                self._unscale(number, batch)
                move(s, batch)
            for batches, updates in self._done:
                write_batch(s, batches, updates)
            end(s, sum(batch.ids.shape[-1] for batch in firsts))
            for watcher in self._watchers:
                for batch in seen:
                    watcher(s, batch)
        self._done, self._factors = [], []
        if self._processes.several:
            for module in s.modules.values():
                self._processes.average(module.buffers.values())

    def _unscale(self, number: int, batch: StackBatch) -> None:
        """Gradients of learned rows without what the loss was multiplied by, as by a GradScaler.

        Rows whose gradient overflowed stay.
        """
        for name in self._stack.learned.learned:
            gradient = batch.grad_of(name)
            if gradient is not None:
                gradient.div_(self._factors[number] * self._accumulate)
                gradient.nan_to_num_(0, 0, 0)

    # what a call is made of

    def _check_call(self) -> None:
        if len(self._done) >= self._accumulate:
            raise Refusal(
                "method.step() was left out behind the last optimizer.step().",
                "call it there",
                "if gradients are to be accumulated, say so with `accumulate`",
            )
        if self.done:
            raise Refusal(
                f"all {self.updates} updates are done that `epochs` and `batches` make.",
                "say a larger number of `epochs`",
                "say `batches=len(loader)`",
            )
        if self.needs.optimizer and self._movers.optimizer is None:
            raise Refusal(
                f"{self.label} changes its optimiser while it trains: call method.drive(optimizer) "
                "before the loop."
            )
        if any(module.moved() for module in self._networks):
            raise Refusal(
                "the network was moved or cast behind attach, by .to(), .cuda() or .double().",
                "do that first, and attach it where it is",
            )

    def _together(self, ids: Any, given: Mapping[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
        """Checked ids int64 (B,), and inputs by view, of all processes."""
        s = self._stack
        ids = torch.as_tensor(ids)
        if ids.dim() != 1 or ids.is_floating_point() or ids.dtype == torch.bool:
            raise Refusal(
                f"`ids` is {ids.dtype} of shape {tuple(ids.shape)}; it has to be a whole number a "
                "row of the batch: have the data set return each row's number with its inputs."
            )
        rows = ids.shape[0]
        for view, x in given.items():
            if x.shape[0] != rows:
                raise Refusal(f"{view} has {len(x)} rows, and `ids` {rows}.")
        if self._processes.several:
            ids = self._processes.gathered(ids.to(s.device, torch.int64))
            given = {view: self._processes.gathered(x.to(s.device)) for view, x in given.items()}
        order = sorted(ids.tolist())
        if order and not 0 <= order[0] <= order[-1] < s.n:
            wrong = order[0] if order[0] < 0 else order[-1]
            raise Refusal(f"`ids` has {wrong}; there are {s.n} rows, 0 to {s.n - 1}.")
        chosen = callable(s.stage.samplers[0])
        if not (self._repeats or chosen) and len(set(order)) < len(order):
            twice = next(one for one, other in pairwise(order) if one == other)
            raise Refusal(
                f"row {twice} is in the batch more than once.",
                "if the sampler draws with replacement, or pads, say `repeats=True`",
            )
        if not len(order) or len(order) > self._batch_size * self._networks_apart():
            raise Refusal(
                f"the batch has {len(order)} rows, and `batch_size={self._batch_size}` was said."
            )
        return ids.to(s.device, torch.int64), dict(given)

    def _networks_apart(self) -> int:
        """How many networks have rows of their own in a batch."""
        return self._stack.algorithm.networks if callable(self._stack.stage.samplers[0]) else 1

    def _begin(self, x: Tensor) -> None:
        """Enter the stage of this update, where that is its first one, and watch what moves."""
        s = self._stack
        self._set_axes(x)
        self._enter()
        if self._watched is not s.stage:
            self._unwatch()
            self._watched = s.stage
            self._hooks = [register_optimizer_step_pre_hook(self._note_step)]
            for name in self._movers.trained(s.stage):
                for leaf in self._movers.leaves(name):
                    self._hooks.append(leaf.register_post_accumulate_grad_hook(self._note_leaf))

    def _note_step(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        self._stepped |= {id(leaf) for group in optimizer.param_groups for leaf in group["params"]}

    def _note_leaf(self, leaf: Tensor) -> None:
        self._touched.add(id(leaf))

    def _enter(self) -> None:
        s = self._stack
        if s.enters() and self._entered != s.t:
            self._entered = s.t
            with self._autocast_apart():
                enter(s)

    def _set_axes(self, x: Tensor) -> None:
        for module in self._networks:
            module.axes = x.dim() - 1 if x.dim() else 0

    def _check_moved(self) -> None:
        """Refuse an optimiser that leaves out what has a gradient, at a stage's first step."""
        if not self._hooks:
            return
        each = {
            f"{number} of {name}, {tuple(leaf.shape)}": leaf
            for name in self._movers.trained(self._stack.stage)
            for number, leaf in enumerate(self._movers.leaves(name))
            if id(leaf) in self._touched
        }
        still = [name for name, leaf in each.items() if id(leaf) not in self._stepped]
        if len(still) == len(each) and each:  # a GradScaler may leave out the first steps
            self._unmoved += 1
            if self._unmoved >= UNMOVED:
                raise Refusal(
                    f"no parameter has moved in {UNMOVED} updates: is optimizer.step() called, on "
                    "an optimiser of method.groups()?"
                )
            return
        if still:
            raise Refusal(
                f"the optimiser does not move {len(still)} of {len(each)} parameters that "
                f"{self.label} trains, such as {still[0]}.",
                "make it of method.groups() in place of net.parameters()",
            )
        self._unwatch()

    def _unwatch(self) -> None:
        for hook in self._hooks:
            hook.remove()
        self._hooks, self._unmoved = [], 0
        self._touched.clear()
        self._stepped.clear()

    def _batches(self, ids: Tensor, given: Mapping[str, Tensor]) -> list[StackBatch]:
        """The batches of the update: the loader's first, and what others the stage asks for."""
        s = self._stack
        samplers, chosen = s.stage.samplers, callable(s.stage.samplers[0])
        others: Sequence[StackBatch] = ()
        s.B = self._batch_size
        if chosen or len(samplers) > 1:
            first, *others = s.next_batches()
            if chosen and not torch.equal(first.ids.flatten(), ids):
                raise Refusal(
                    f"{self.label} chooses the rows of its batches itself at this stage.",
                    "use DataLoader(..., batch_sampler=method.batch_sampler()), and pass ids on as "
                    "they come",
                )
        shape = first.ids.shape if chosen else (1, len(ids))
        batch = self._batch(ids.view(shape), chosen or self._repeats)
        s.B = shape[-1]
        for key, x in given.items():
            view, _, which = key.partition(" ")
            x = x.to(s.device)
            batch.__dict__[f"view {view} {which or 0}"] = x.view(*shape, *x.shape[1:])
        if "plain" in given:
            batch.__dict__["x"] = batch.__dict__["view plain 0"]
        self._check_views(batch)
        return [batch, *(self._cut(other) for other in others)]

    def _batch(self, ids: Tensor, repeats: bool) -> StackBatch:
        flat = ids.flatten()
        rows = BatchRows(ids, flat, flat, lambda: flat.cpu())
        feed = self._stack.feed
        return StackBatch(rows, partial(feed.gather, self._stack), self._view, "0", repeats)

    def _view(self, name: str, which: int, batch: StackBatch) -> Tensor:
        """A view that the loader has not given."""
        s = self._stack
        if s.changed is None or name == "plain":
            return s.feed.change(s, name, which, batch)
        s.views.check(name)
        x = batch.x
        lead = batch.ids.dim()
        return s.changed[name](x.flatten(0, lead - 1)).view_as(x)

    def _check_views(self, batch: StackBatch) -> None:
        s = self._stack
        if s.changed is not None or not (self.needs.views or self.needs.views_of_others):
            return
        x = batch.__dict__.get("x")
        table = x is not None and x.dim() == batch.ids.dim() + 1 and x.is_floating_point()
        if table:
            return
        if self.needs.views_of_others:
            view = self.needs.views_of_others[0]
            raise Refusal(
                f"{self.label} asks for the view {view!r} of further rows, and these are no table.",
                "give functions of inputs with `views`",
            )
        keys = {
            view: f"view {view}" if " " in view else f"view {view} 0" for view in self.needs.views
        }
        missing = [view for view, key in keys.items() if key not in batch.__dict__]
        if missing:
            raise Refusal(
                f"{self.label} asks for the view {missing[0]!r} of inputs that are no table.",
                "give functions of inputs with `views`",
                "have the loader give {'plain': x, " + f"'{missing[0]}': ..." + "}",
            )

    def _cut(self, batch: StackBatch) -> StackBatch:
        """As many of a further batch's rows as the first one has."""
        s = self._stack
        if batch.ids.shape[-1] == s.B:
            return batch
        return s.feed.batch(s, batch.ids[..., : s.B].contiguous(), batch.name)

    def _autocast_apart(self) -> AbstractContextManager[None]:
        """Networks compute as the user's autocast says, and methods as in the engine."""
        kind = self._stack.device.type
        if not torch.is_autocast_enabled(kind):
            return nullcontext()
        return self._autocast_within(kind)

    @contextmanager
    def _autocast_within(self, kind: str) -> Iterator[None]:
        dtype = torch.get_autocast_dtype(kind)
        for module in self._networks:
            module.autocast = dtype
        try:
            with torch.autocast(kind, enabled=False):
                yield
        finally:
            for module in self._networks:
                module.autocast = None

    # batches of the method's own

    def batch_sampler(self) -> BatchSampler:
        """A ``DataLoader``'s ``batch_sampler``, for methods that choose the rows of their batches.

        Each pass over it ends with the epoch, or where a stage ends within one, so that workers
        never fetch rows that are chosen later: ``while not method.done: for x, ids in loader: ...``
        """
        return BatchSampler(self)

    # saving

    def state_dict(self) -> dict[str, Any]:
        """All that the method holds, the network's parameters among it; the optimiser's is yours.

        For ``torch.save``; ``torch.load`` reads it with ``weights_only=True``.
        """
        if self._done:
            raise Refusal("an update is under way; save behind method.step().")
        tensors = {name: tensor.clone() for name, tensor in self._tensors().items()}
        own = {name: each.state_dict() for name, each in self._movers.of_method.items()}
        return {
            "about": self._about(),
            "updates": self._stack.t,
            "rows": self._stack.rows_seen,
            "entered": self._entered,
            "tensors": tensors,
            "optimizers": own,
        }

    @door
    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state; before or behind the optimiser's own.

        Raises:
            ValueError: it is of another method, other rows, or another schedule.
        """
        if not isinstance(state, Mapping) or "about" not in state:
            raise Refusal("this is no state of an attached method; it is what state_dict() gives.")
        for what, value in self._about().items():
            if state["about"].get(what) != value:
                raise Refusal(
                    f"the state is of {what} {state['about'].get(what)}, and what is attached here "
                    f"has {what} {value}; attach the same before loading."
                )
        s, movers = self._stack, self._movers
        movers.keeps = True
        try:
            s.take_up_until(state["updates"])
            self._entered = state["entered"]
            if s.enters() and self._entered == s.t:
                s.take_up(s.stage)
        finally:
            movers.keeps = False
        s.rows_seen = state["rows"]
        for name, tensor in state["tensors"].items():
            kind, _, number = name.partition("/")
            if kind == "orders":
                s.feed.samplers.take(int(number), tensor)
        for name, tensor in self._tensors().items():
            tensor.copy_(state["tensors"][name])
        for name, own in state["optimizers"].items():
            movers.of_method[name].load_state_dict(own)
        for flat in s.flats.values():
            flat.forget()
        self._done, self._factors, self._watched = [], [], None
        self._unwatch()

    def _tensors(self) -> dict[str, Tensor]:
        return self._stack.changing()

    def _about(self) -> dict[str, Any]:
        s = self._stack
        return {
            "algorithm": s.algorithm.label,
            "version": s.algorithm.version,
            "rows": s.n,
            "classes": s.q,
            "updates": s.T,
            "batches of an epoch": s.E,
            "batch size": self._batch_size,
            "seed": s.seeds[0],
            "hyper-parameters": dict(sorted(s.hyper[0].items())),
            "parameters": [[name, list(shape)] for name, shape in s.net.shapes.items()],
        }

    # several processes

    def _join(self) -> None:
        s = self._stack
        self._processes.check_alike(self._about())
        self._processes.begin_alike(flat.flat for flat in s.flats.values())
        self._processes.begin_alike(
            b for module in s.modules.values() for b in module.buffers.values()
        )
        for module in self._networks:
            module.share = self._processes.share
            for leaf in module.of(""):
                trained = leaf.requires_grad  # at this stage
                leaf.requires_grad_().register_post_accumulate_grad_hook(
                    self._processes.average_gradient
                )
                leaf.requires_grad_(trained)


class BatchSampler:
    """The ids of a method's batches, until the epoch or the stage is over."""

    def __init__(self, method: Attached):
        self._method = method

    def __len__(self) -> int:
        s = self._method._stack
        return min((s.t // s.E + 1) * s.E, s.stages.end_of(s.t)) - s.t

    def __iter__(self) -> Iterator[list[int]]:
        method, s = self._method, self._method._stack
        if method._done:
            raise Refusal("an update is under way; call method.step() before the next batches.")
        if method.done:
            return
        method._enter()
        s.next_batches()  # which draws the epoch's rows
        for t in range(s.t, s.t + len(self)):
            ids = s.feed.rows_at(s, t).flatten()
            yield (method._processes.mine(ids) if method._processes.several else ids).tolist()
