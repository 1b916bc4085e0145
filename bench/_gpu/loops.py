"""Ways to train a module: a plain loop, a step on buffers that stay, and that as a CUDA graph."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from _gpu.where import Where

WARM_UP = 3  # updates before a graph is captured, as torch asks for


class Loop:
    """A module, an optimiser and batches that are on the device already.

    Args:
        forward: the module's, or what was compiled of it.
    """

    def __init__(
        self,
        where: Where,
        module: nn.Module,
        batches: list[tuple[Tensor, Tensor]],
        forward: Callable[[Tensor], Tensor] | None = None,
        capturable: bool = False,
    ):
        self.where, self.module, self.batches = where, module, batches
        self.forward = module if forward is None else forward
        how = {"fused": True, "capturable": capturable and where.cuda}
        self.optimiser = torch.optim.Adam(module.parameters(), lr=1e-3, weight_decay=1e-3, **how)
        self.t, self.loss = 0, torch.zeros(())

    def step(self, x: Tensor, y: Tensor) -> Tensor:
        self.optimiser.zero_grad(set_to_none=True)
        loss = cross_entropy(self.forward(x), y)
        loss.backward()
        self.optimiser.step()
        return loss.detach()

    def update(self) -> None:
        self.loss = self.step(*self.batches[self.t % len(self.batches)])
        self.t += 1


class Buffered(Loop):
    """The same updates, each from the same two buffers."""

    def __init__(self, *loop, **how):
        super().__init__(*loop, **how, capturable=True)
        self.x, self.y = (part.clone() for part in self.batches[0])

    def fill(self) -> None:
        for buffer, new in zip((self.x, self.y), self.batches[self.t % len(self.batches)]):
            buffer.copy_(new)
        self.t += 1

    def update(self) -> None:
        self.fill()
        self.loss = self.step(self.x, self.y)


class Graphed(Buffered):
    """A CUDA graph of such a step: one launch an update. Its first updates are plain ones."""

    def __init__(self, *loop, **how):
        super().__init__(*loop, **how)
        aside = torch.cuda.Stream(self.where.device)
        aside.wait_stream(torch.cuda.current_stream(self.where.device))
        with torch.cuda.stream(aside):
            for _ in range(WARM_UP):
                super().update()
        torch.cuda.current_stream(self.where.device).wait_stream(aside)
        self.optimiser.zero_grad(set_to_none=True)  # so that the graph has its own gradients
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.loss = self.step(self.x, self.y)

    def update(self) -> None:
        self.fill()
        self.graph.replay()


class Vmapped:
    """Trials of one module as one batched computation, each on its own batches."""

    def __init__(
        self, where: Where, modules: list[nn.Module], batches: list[tuple[Tensor, Tensor]]
    ):
        from torch.func import functional_call, grad_and_value, stack_module_state, vmap

        made, self.buffers = stack_module_state(modules)
        self.parameters = {name: tensor.detach() for name, tensor in made.items()}
        base, count = modules[0], len(modules)
        self.batches = [(x.expand(count, *x.shape), y.expand(count, *y.shape)) for x, y in batches]

        def loss(parameters, buffers, x, y):
            return cross_entropy(functional_call(base, (parameters, buffers), (x,)), y)

        self.call = vmap(grad_and_value(loss), randomness="different")
        self.leaves = [tensor.requires_grad_() for tensor in self.parameters.values()]
        self.optimiser = torch.optim.Adam(self.leaves, lr=1e-3, weight_decay=1e-3, fused=True)
        self.t, self.loss = 0, torch.zeros(())

    def update(self) -> None:
        x, y = self.batches[self.t % len(self.batches)]
        detached = {name: tensor.detach() for name, tensor in self.parameters.items()}
        grads, self.loss = self.call(detached, self.buffers, x, y)
        for name, leaf in self.parameters.items():
            leaf.grad = grads[name]
        self.optimiser.step()
        self.t += 1
