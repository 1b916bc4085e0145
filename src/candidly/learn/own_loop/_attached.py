"""What ``attach`` gives: a method in somebody's own training loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...ground.arrays import door
from ...ground.problem import Refusal
from ..algorithms import Updates
from ..engine.batches import StackBatch
from ..engine.suspicion import suspicion
from ..engine.train import Watcher, end, enter, objective, shown, write_batch
from ..engine.writing import move
from ._batches import UsersBatches
from ._module import UsersModule
from ._moved import WhatMoves
from ._needs import Needs
from ._optimiser import UsersMovers, multiplied, put_back
from ._processes import Processes
from ._stack import UsersStack


class Attached:
    """A method in a training loop of somebody's own; ``attach`` makes it.

    Attributes:
        needs: what the method asks of the loop.
        updates: how many there will be.
    """

    def __init__(self, stack: UsersStack, needs: Needs, accumulate: int, repeats: bool):
        self.needs, self.updates = needs, stack.T
        self._stack, self._accumulate = stack, accumulate
        self._movers: UsersMovers = stack.movers  # type: ignore[assignment]
        self._networks = [m for m in stack.modules.values() if isinstance(m, UsersModule)]
        users = {id(leaf) for leaf in self._networks[0].users[0].parameters()}
        leaves = (leaf for name in stack.flats for leaf in self._movers.leaves(name))
        self._beside = [leaf for leaf in leaves if id(leaf) not in users]
        self._watchers: list[Watcher] = []
        self._entered = -1
        self._done: list[tuple[list[StackBatch], Updates]] = []  # calls since the last step
        self._factors: list[Tensor] = []  # what each loss was multiplied by
        self._moves = WhatMoves()
        self._rates: list[Any] = []
        self._processes = Processes()
        self._batches = UsersBatches(stack, needs, repeats, self._processes)
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
        return self._stack.rows["weights"][0, torch.as_tensor(ids, device=self._stack.device)]

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
            weight_decay: of all but what the method wants to have none. What has a learning rate
                of its own, such as ``lr_t``, has it in its group.
        """
        found: dict[tuple[bool, str], list[Tensor]] = {(False, "lr"): []}
        seen: set[int] = set()
        for stage in self._stack.algorithm.stages:
            for name in self._movers.trained(stage):
                how = stage.own.get(name)
                kind = how is not None and not how.weight_decay, "lr" if how is None else how.lr
                for leaf in self._movers.leaves(name):
                    if id(leaf) not in seen:
                        seen.add(id(leaf))
                        found.setdefault(kind, []).append(leaf)
        values = self._stack.hyper[0]
        return [
            {"params": leaves, "weight_decay": 0.0 if bare else weight_decay}
            | ({} if lr == "lr" else {"lr": float(values[lr])})
            for (bare, lr), leaves in found.items()
        ]

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
        ids, given = self._batches.together(ids, given)
        self._begin(next(iter(given.values())))
        batches = self._batches.of_update(ids, given)
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
        self._moves.check(self.label)
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

    def _begin(self, x: Tensor) -> None:
        """Enter the stage of this update, where that is its first one, and watch what moves."""
        s = self._stack
        self._set_axes(x)
        self._enter()
        if self._moves.stage is not s.stage:
            leaves = {
                f"{number} of {name}, {tuple(leaf.shape)}": leaf
                for name in self._movers.trained(s.stage)
                for number, leaf in enumerate(self._movers.leaves(name))
            }
            self._moves.begin(s.stage, leaves)

    def _enter(self) -> None:
        s = self._stack
        if s.enters() and self._entered != s.t:
            self._entered = s.t
            with self._autocast_apart():
                enter(s)

    def _set_axes(self, x: Tensor) -> None:
        for module in self._networks:
            module.axes = x.dim() - 1 if x.dim() else 0

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
        self._done, self._factors = [], []
        self._moves.stop()

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
            "batch size": self._batches.size,
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
