"""K trials' copies of one network: parameters, buffers, and what they say of a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from ...ground.seeds import draw
from ._flat import Flat
from ._net import Net, Output, Part
from ._state import One, State


class Module(Flat):
    """The parameters and buffers of K trials of ``copies`` networks each.

    Called, it trains: batches are normalised by themselves, and what is dropped is dropped;
    ``of_trial`` evaluates. Running statistics move in calls in which gradients are recorded.

    Args:
        moves_always: running statistics move in every call.
        precision: what operations round to on the way; None: not at all.
        mix_at: where texts are mixed: ``pooled``, their features, or ``embeddings``.

    Attributes:
        buffers: (K * copies, *shape) by name.
        t: updates done, of which the random numbers in a call depend.
    """

    def __init__(
        self,
        net: Net,
        seeds: Sequence[int],
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
        copies: int = 1,
        name: str = "init",
        trained: bool = True,
        moves_always: bool = False,
        precision: torch.dtype | None = None,
        mix_at: str = "pooled",
    ):
        self.net, self.name, self.moves_always, self.precision = net, name, moves_always, precision
        self.mix_at = mix_at
        self.buffers = {
            buffer: torch.zeros(
                (len(seeds) * copies, *about.shape),
                dtype=dtype if about.dtype.is_floating_point else about.dtype,
                device=device,
            )
            for buffer, about in net.buffers.items()
        }
        super().__init__(
            net.shapes, net.parts, net.init, seeds, dtype, device, copies, name, trained
        )
        self.plain = net.plain
        self.t, self._calls = 0, 0
        self._dead: set[int] = set()
        self._said: dict[int, tuple[Tensor, Output]] = {}  # by the id of the inputs

    def _started(self, number: int, values: Mapping[str, np.ndarray]) -> None:
        for name, buffer in self.buffers.items():
            buffer[number] = torch.from_numpy(np.asarray(values[name])).to(buffer)

    # what methods may ask

    def __call__(self, x: Tensor) -> Output:
        """Logits and features of inputs (K, B, ...): (K, B, .), or (K, copies, B, .) of several.

        Of several, each may have inputs of its own, (K, copies, B, ...). Asked again of the same
        tensor before the parameters have moved, it says the same again, unless it is random.
        """
        said = self.said(x)
        if said is None or _lacks_gradient(said) or self.net.random:
            features = self.trunk(x)
            said = Output(self.head(features), features)
            self._said[id(x)] = x, said
        if torch.is_grad_enabled():
            return said
        return Output(said.logits.detach(), said.features.detach())

    def mixed(self, x: Tensor, mix: Callable[[Tensor], Tensor]) -> Output:
        """What it says of rows that are mixed with others.

        Numbers and pictures are mixed as the network sees them; texts are mixed at ``mix_at``.

        Args:
            x: inputs (K, B, ...), or (K, copies, B, ...).
            mix: values (K, B, ...) or (K, copies, B, ...), whatever axes follow -> the same shape.

        Raises:
            ValueError: the network's embeddings cannot be mixed.
        """
        if self.net.words is None:
            return self(mix(x))
        if self.mix_at == "embeddings":
            return self(mix(self._embedded(x)))
        features = mix(self.trunk(x))
        return Output(self.head(features), features)

    def _embedded(self, x: Tensor) -> Tensor:
        if self.net.embed is None:
            raise ValueError(
                "mix_at=embeddings needs a network whose embeddings can be mixed, and this one's "
                "cannot. Use mix_at=pooled."
            )
        return self._apart(self.net.embed(self._training(), self._together(x, 1)))

    def said(self, x: Tensor) -> Output | None:
        """What it answered last when called with this tensor in this update; None if it was not."""
        _, answer = self._said.get(id(x), (x, None))
        return answer

    def answers(self) -> list[Output]:
        """All that it has said since the parameters moved last."""
        return [said for _, said in self._said.values()]

    def trunk(self, x: Tensor) -> Tensor:
        """Features alone; arguments and shapes as when called."""
        return self._apart(
            self._rounded(self.net.trunk, self._training(), self._together(x, self._own_axes(x)))
        )

    def head(self, features: Tensor, name: str = "head") -> Tensor:
        """What a head makes of features as ``trunk`` gives them; by default logits."""
        return self._apart(
            self._rounded(self.net.heads[name], self._training(), self._together(features, 1))
        )

    def _rounded(self, call: Part, state: State, x: Tensor) -> Tensor:
        """``call``'s output, of the parameters' dtype whatever its operations round to."""
        if self.precision is None or not self.net.together:  # one by one: see ``each``
            return call(state, x)
        with torch.autocast(x.device.type, self.precision):
            return call(state, x).to(self.flat.dtype)

    def _own_axes(self, x: Tensor) -> int:
        """Axes of one input, which are two where texts come as embeddings."""
        embedded = self.net.words is not None and x.is_floating_point()
        return len(self.net.shape) + embedded

    def _together(self, x: Tensor, own: int) -> Tensor:
        """(K, B, ...) or (K, copies, B, ...), ``own`` axes behind B -> (K * copies, B, ...)."""
        if self.copies == 1:
            return x
        if x.dim() == own + 2:
            x = x[:, None].expand(-1, self.copies, *x.shape[1:])
        return x.flatten(0, 1)

    def _apart(self, y: Tensor) -> Tensor:
        return y if self.copies == 1 else y.unflatten(0, (len(self.seeds), self.copies))

    # the networks one by one

    @cached_property
    def _own(self) -> list[dict[str, Tensor]]:
        """Each network's leaves, of the same numbers as ``parameters``."""
        return [self._leaves(number) for number in range(len(self.seeds) * self.copies)]

    @cached_property
    def _own_buffers(self) -> list[dict[str, Tensor]]:
        return [
            {name: buffer[number] for name, buffer in self.buffers.items()}
            for number in range(len(self._own))
        ]

    def _training(self) -> State:
        moves = torch.is_grad_enabled() or self.moves_always

        def trials() -> list[One | None]:
            self._calls += 1
            return [
                None if number // self.copies in self._dead else self._one(number, True, moves)
                for number in range(len(self._own))
            ]

        return State(self.parameters, trials)

    def _one(self, number: int, training: bool, moves: bool) -> One:
        buffers = self._own_buffers[number]
        if training and not moves:
            buffers = {name: buffer.clone() for name, buffer in buffers.items()}
        seed = None
        if training and self.net.random:
            trial, copy = divmod(number, self.copies)
            generator = draw(self.seeds[trial], f"{self.name} call {self._calls} {copy}", self.t)
            seed = int(generator.integers(2**63))
        return One(self._own[number], buffers, training, moves, seed, self.precision)

    def of_trial(self, k: int, x: Tensor, copy: int = 0) -> Output:
        """What one network of trial ``k`` predicts for inputs (1, n, ...), without gradient."""
        with torch.no_grad():
            i = k * self.copies + copy
            mine = {name: leaf[i : i + 1] for name, leaf in self.parameters.items()}
            dead = k in self._dead
            state = State(mine, lambda: [None if dead else self._one(i, False, False)])
            features = self._rounded(self.net.trunk, state, x)
            return Output(self._rounded(self.net.heads["head"], state, features), features)

    # what the loop says

    def begin(self, t: int) -> None:
        """An update begins, behind ``t`` others: calls are counted anew."""
        super().begin(t)
        self._said.clear()
        self.t, self._calls = t, 0

    def forget(self) -> None:
        """The parameters have moved: what was said before no longer holds."""
        self._said.clear()

    def bury(self, k: int) -> None:
        """Make everything of trial ``k`` zeros, and call it no more."""
        self.forget()
        super().bury(k)
        self._dead.add(k)
        for buffer in self.buffers.values():
            buffer.view(len(self.seeds), self.copies, *buffer.shape[1:])[k] = 0

    def rest(self, dead: Sequence[int]) -> None:
        """Call these trials no more, as those of a saved state that were buried in it."""
        self._dead = set(dead)


def _lacks_gradient(output: Output) -> bool:
    return torch.is_grad_enabled() and not output.logits.requires_grad
