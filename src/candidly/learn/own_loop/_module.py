"""The user's network as a module that methods train: called as it is, its numbers seen flat.

A method may ask for a network's parameters as one tensor, to average, copy or renew them. So the
parameters of a user's ``nn.Module`` become views of one flat tensor; they stay the same objects,
which optimisers, ``torch.compile`` and ``DistributedDataParallel`` know.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ...ground.problem import Refusal
from ..nets import Buffer, Flat, Module, Net, State, made

Share = Callable[[Callable[[Tensor], tuple[Tensor, ...]], Tensor], tuple[Tensor, ...]]
FORWARD_BYTES = 64_000_000  # see ``engine.forward``


def core(module: nn.Module) -> nn.Module:
    """The module within what compiles it or spreads it over processes."""
    if isinstance(module, nn.parallel.DistributedDataParallel):
        return core(module.module)
    compiled = getattr(module, "_orig_mod", None)
    return core(compiled) if isinstance(compiled, nn.Module) else module


def alone(module: nn.Module) -> nn.Module:
    """The module without what spreads it over processes, which ``_processes`` does otherwise."""
    wrapped = isinstance(module, nn.parallel.DistributedDataParallel)
    return alone(module.module) if wrapped else module  # type: ignore[arg-type]


def trained_of(module: nn.Module) -> dict[str, nn.Parameter]:
    """What is trained of a module, by name; one with several names, by the first."""
    return {name: p for name, p in core(module).named_parameters() if p.requires_grad}


def head_of(module: nn.Module, asked: str | None) -> str | None:
    """The name of the layer that makes logits of features; None where there is none.

    Raises:
        ValueError: there is no part of the name that was asked for.
    """
    parts = dict(core(module).named_modules())
    if asked is None:
        linear = [name for name, part in parts.items() if isinstance(part, nn.Linear)]
        return linear[-1] if linear else None
    if asked not in parts:
        known = ", ".join(name for name in parts if name) or "none"
        raise Refusal(f"the network has no part `head={asked!r}`; its parts: {known}.")
    return asked


def renewed(module: nn.Module) -> nn.Module:
    """A copy that starts from other random numbers, by every layer's ``reset_parameters``.

    Raises:
        ValueError: a layer with parameters of its own has no such method.
    """
    fresh = copy.deepcopy(core(module)).cpu().float()
    for name, part in fresh.named_modules():
        own = [p for p in part.parameters(recurse=False) if p.requires_grad]
        if hasattr(part, "reset_parameters"):
            if own or any(True for _ in part.buffers(recurse=False)):
                part.reset_parameters()
        elif own:
            raise Refusal(
                f"a further network of the same kind is needed, and {type(part).__name__} "
                f"({name or 'the network'}) cannot be started anew.",
                "give `make`, a function that returns a new network at every call",
                "give that layer a method reset_parameters",
            )
    return fresh


class _Start:
    """What networks start from: the first as the user's is, every other one as ``make`` has it."""

    def __init__(self, given: Mapping[str, np.ndarray], make: Callable[[], nn.Module]):
        self.given: Mapping[str, np.ndarray] | None = given
        self.names, self.make = list(given), make

    def __call__(self, rng: np.random.Generator) -> Mapping[str, np.ndarray]:
        seed = int(rng.integers(2**63))
        if self.given is not None:
            values, self.given = self.given, None
            return values
        found = _tensors(made(self.make, seed))
        if missing := [name for name in self.names if name not in found]:
            raise Refusal(
                f"`make` returned a network without {missing[0]!r}, which the attached one has.",
                "have it make networks of the same shape",
            )
        return {name: found[name].detach().numpy() for name in self.names}


def _tensors(module: nn.Module) -> dict[str, Tensor]:
    return {**dict(module.named_parameters()), **dict(module.named_buffers())}


def as_net(
    net: nn.Module,
    make: Callable[[], nn.Module],
    head: str | None,
    shape: tuple[int, ...],
    batch: int,
) -> Net:
    """The user's network as a value, on which methods put heads and beside which they put others.

    Args:
        make: () -> a new network.
        head: the layer that makes logits of features.
        shape: of one input; () where that is not known.
        batch: rows of a batch; predictions are made of four times as many at once.
    """
    trained, inside = trained_of(net), partial(_inside, head)
    buffers = dict(core(net).named_buffers())
    order = sorted(trained, key=inside)  # the trunk's first
    start = {name: t.detach().cpu().numpy().copy() for name, t in {**trained, **buffers}.items()}
    start = {name: start[name] for name in (*order, *buffers)}
    last = core(net).get_submodule(head) if head is not None else None
    late = getattr(core(net), "late", None)  # as ``from_torch`` has it
    from_late = [at for at, name in enumerate(order) if name.startswith(f"{late}.")]
    parts = {
        "trunk": tuple(name for name in order if not inside(name)),
        "head": tuple(name for name in order if inside(name)),
        "late": tuple(order[from_late[0] :]) if from_late else (),
    }
    return Net(
        shape=shape,
        width=getattr(last, "in_features", 0),
        shapes={name: tuple(trained[name].shape) for name in order},
        init=_Start(start, make),
        trunk=_features,
        heads={"head": _logits},
        parts={part: names for part, names in parts.items() if names},
        buffers={name: Buffer(tuple(b.shape), b.dtype) for name, b in buffers.items()},
        plain=tuple(name for name in order if trained[name].dim() <= 1),
        random=_draws(net),
        bytes=FORWARD_BYTES // (4 * batch),
        together=False,
    )


def _inside(head: str | None, name: str) -> bool:
    return head is not None and (not head or name.startswith(f"{head}."))


def _draws(net: nn.Module) -> bool:
    """Whether a layer drops something in training, so that no answer comes twice."""
    rates = (getattr(part, "p", 0) for part in net.modules() if "Dropout" in type(part).__name__)
    others = (getattr(part, "dropout", 0) for part in net.modules())
    return any(isinstance(rate, float) and rate > 0 for rate in (*rates, *others))


def _features(state: State, x: Tensor) -> Tensor:
    """Features of every network's inputs, (copies, B, ...) -> (copies, B, h)."""
    ones: Any = state.trials()
    return ones[0].owner.features(ones, x)


def _logits(state: State, features: Tensor) -> Tensor:
    """Logits of features: those that came with them, or what the networks' heads make of others."""
    ones: Any = state.trials()
    return ones[0].owner.logits(ones, features)


class _One:
    """One of a user's networks at a call: trained or evaluated, and left in the mode it was in."""

    precision = seed = None

    def __init__(self, owner: UsersModule, module: nn.Module, training: bool, moves: bool):
        self.owner, self.module, self.training, self.moves = owner, module, training, moves

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (B, q) and features (B, h) of inputs (B, ...)."""
        owner = self.owner
        modes, kept = [], []
        if self.module.training != self.training:  # each part's own: some may be frozen
            modes = [(part, part.training) for part in core(self.module).modules()]
            self.module.train(self.training)
        if self.training and not self.moves and owner.buffers:
            for part in core(self.module).modules():  # writing them back would spoil backward
                kept += [
                    (part, name, old) for name, old in part._buffers.items() if old is not None
                ]
            for part, name, old in kept:
                part._buffers[name] = old.clone()
        owner.caught = None
        try:
            if owner.autocast is None:
                out = self.module(x)
            else:
                with torch.autocast(x.device.type, owner.autocast):
                    out = self.module(x)
        finally:
            for part, name, old in kept:
                part._buffers[name] = old
            for part, mode in modes:
                part.training = mode
        return owner.checked(out, x)

    def head(self, features: Tensor) -> Tensor:
        """Logits (B, q) of features (B, h)."""
        assert self.owner.head_name is not None
        found: Tensor = core(self.module).get_submodule(self.owner.head_name)(features)
        return found


class UsersModule(Module):
    """Networks of the user's kind: the user's own, or as many as a method has side by side.

    Attributes:
        users: the modules, whose trained parameters and buffers view ``flat`` and ``buffers``.
        own: their parameters and those that the method put on them, by name, of each.
        autocast: what the user's loop computes networks in; None: as they are.
        share: who else computes a part of each batch; None: nobody.
        axes: of one input.
    """

    def __init__(
        self,
        made_net: Net,
        users: Sequence[nn.Module],
        seed: int,
        where: tuple[torch.dtype, torch.device],
        name: str,
        moves_always: bool,
        head: str | None,
        classes: int,
    ):
        self.users, self.head_name, self.classes = [alone(u) for u in users], head, classes
        self.autocast: torch.dtype | None = None
        self.share: Share | None = None
        self.axes = len(made_net.shape)
        self.caught: Tensor | None = None
        self._last: tuple[Tensor, int, Tensor] | None = None
        super().__init__(
            made_net, [seed], *where, len(self.users), name, False, moves_always=moves_always
        )
        self.own = [self._tied(number, user) for number, user in enumerate(self.users)]
        self.parameters: Any = _Together(self.own)
        ends = [own[name] for own in self.own for name in (next(iter(own)), next(reversed(own)))]
        self._places = [(leaf, leaf.data_ptr()) for leaf in ends]
        for user in self.users:
            if head is not None:
                core(user).get_submodule(head).register_forward_pre_hook(self._catch)

    def _catch(self, part: nn.Module, given: tuple[Any, ...]) -> None:
        self.caught = given[0] if given else None

    def _tied(self, number: int, user: nn.Module) -> dict[str, nn.Parameter]:
        """A network's parameters by name, made views of its row."""
        theirs, own = dict(core(user).named_parameters()), {}
        for name, shape in self.shapes.items():
            view = self.each[number, self.place(name)].view(shape)
            own[name] = theirs[name] if name in theirs else nn.Parameter(view)
            own[name].data = view
        for name, buffer in self.buffers.items():
            path, _, leaf = name.rpartition(".")
            core(user).get_submodule(path)._buffers[leaf] = buffer[number]
        return own

    def of(self, part: str) -> list[nn.Parameter]:
        """Every network's parameters of a part; '' for all."""
        names = self.parts[part] if part else self.shapes
        return [own[name] for own in self.own for name in names]

    def moved(self) -> bool:
        """Whether the user has put a network elsewhere, so that ``flat`` is not its numbers."""
        return any(leaf.data_ptr() != there for leaf, there in self._places)

    def _own_axes(self, x: Tensor) -> int:
        return self.axes

    @property
    def _numbers(self) -> range:
        return range(len(self.users))

    def _training(self) -> State:
        moves = torch.is_grad_enabled() or self.moves_always
        return State(self.parameters, lambda: [self._one(i, True, moves) for i in self._numbers])

    def _one(self, number: int, training: bool, moves: bool) -> Any:
        return _One(self, self.users[number], training, moves)

    def begin(self, t: int) -> None:
        super().begin(t)
        self._last = None

    def forget(self) -> None:
        super().forget()
        self._last = None

    # what the functions of ``as_net`` ask

    def features(self, ones: Sequence[_One], x: Tensor) -> Tensor:
        """Features of inputs (copies, B, ...); their logits are kept until they are asked for."""
        each = [
            one(rows) if self.share is None or not one.training else self.share(one, rows)
            for one, rows in zip(ones, x, strict=True)
        ]
        logits, features = (_stacked(parts) for parts in zip(*each))
        self._last = features, features._version, logits
        return features

    def logits(self, ones: Sequence[_One], features: Tensor) -> Tensor:
        """Logits (copies, B, q) of features (copies, B, h)."""
        if self._last is not None:
            seen, version, logits = self._last
            same = seen.data_ptr() == features.data_ptr() and seen.shape == features.shape
            graph = seen.requires_grad == features.requires_grad
            graph &= logits.requires_grad or not torch.is_grad_enabled()
            if same and graph and features._version == version:
                return logits
        return _stacked([one.head(rows) for one, rows in zip(ones, features, strict=True)])

    def checked(self, out: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        """What a network returned, as logits (B, q) and features (B, h) of its parameters' dtype.

        Raises:
            ValueError: it is something else.
        """
        out = getattr(out, "logits", out)
        if not isinstance(out, Tensor):
            raise Refusal(
                f"the network returned a {type(out).__name__}; logits ({len(x)}, {self.classes}) "
                "are needed.",
                "put a module around it that returns its logits alone",
            )
        if out.shape != (len(x), self.classes):
            raise Refusal(
                f"the network returned {tuple(out.shape)} for a batch of {len(x)} rows; "
                f"({len(x)}, {self.classes}) is needed, one logit for each of "
                f"`classes={self.classes}`."
            )
        dtype, features = self.flat.dtype, self.caught
        self.caught = None
        if features is None or features.dim() != 2 or len(features) != len(x):
            features = out  # whoever needs features has asked for a head: ``_needs``
        return out.to(dtype), features.to(dtype)


class _Together(Mapping[str, Tensor]):
    """Parameters (copies, *shape) by name, made of those of each network when asked for."""

    def __init__(self, own: Sequence[Mapping[str, Tensor]]):
        self.own = own

    def __getitem__(self, name: str) -> Tensor:
        return _stacked([own[name] for own in self.own])

    def __iter__(self) -> Iterator[str]:
        return iter(self.own[0])

    def __len__(self) -> int:
        return len(self.own[0])


def _stacked(parts: Sequence[Tensor]) -> Tensor:
    return parts[0][None] if len(parts) == 1 else torch.stack(list(parts))


def parameters_of(flat: Flat, part: str) -> list[Tensor]:
    """The leaves of a network, of a part of it, or beside networks."""
    if isinstance(flat, UsersModule):
        return list(flat.of(part))
    return [flat.parameters[name] for name in (flat.parts[part] if part else flat.shapes)]
