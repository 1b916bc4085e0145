"""One batch over several processes, with the numbers of one: networks are shared out, nothing else.

Every process has the whole method, its tables and its clock. At an update each brings its rows; all
are gathered, in the order of ranks, and every process computes the method on the whole batch. Only
what a network makes of a batch is computed in parts, of which each process takes one, and the parts
are gathered too. So what rows do to each other (mixing, ranking, pairs, queues, tables) needs no
rule of its own.

Gradients of networks are averaged over processes as soon as they are there, and so the gradient of
what a process has computed of a part is multiplied by their number. A network may be wrapped in
``DistributedDataParallel`` or not: its own averaging expects that what a forward pass returns is
what the loss is made of, and does not take part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from ...ground.problem import Refusal


class Processes:
    """The processes that train together; ``size`` 1 where there is one."""

    def __init__(self) -> None:
        self.size, self.rank = 1, 0
        if dist.is_available() and dist.is_initialized():
            self.size, self.rank = dist.get_world_size(), dist.get_rank()

    @property
    def several(self) -> bool:
        return self.size > 1

    def mine(self, rows: Tensor) -> Tensor:
        """This process's part of rows (m, ...)."""
        return rows.tensor_split(self.size)[self.rank]

    def gathered(self, rows: Tensor) -> Tensor:
        """Everybody's rows (m, ...), in the order of ranks; of any numbers, without gradient."""
        sizes = [torch.zeros(1, dtype=torch.int64, device=rows.device) for _ in range(self.size)]
        dist.all_gather(sizes, torch.tensor([len(rows)], device=rows.device))
        return _gathered(rows, [int(size) for size in sizes])

    def share(
        self, call: Callable[[Tensor], tuple[Tensor, ...]], rows: Tensor
    ) -> tuple[Tensor, ...]:
        """What ``call`` makes of rows (m, ...), computed in parts; everybody has all of it."""
        if len(rows) < self.size:
            return call(rows)
        sizes = [len(part) for part in rows.tensor_split(self.size)]
        start = sum(sizes[: self.rank])
        return tuple(_Parts.apply(part, sizes, start, self.size) for part in call(self.mine(rows)))

    def average(self, tensors: Iterable[Tensor]) -> None:
        """Replace floating tensors by their mean over processes, in place."""
        some = [tensor for tensor in tensors if tensor.is_floating_point() and tensor.numel()]
        if not some:
            return
        flat = torch.cat([tensor.detach().flatten() for tensor in some])
        dist.all_reduce(flat)
        flat /= self.size
        for tensor, part in zip(some, flat.split([tensor.numel() for tensor in some])):
            tensor.detach().copy_(part.view_as(tensor))

    def average_gradient(self, leaf: Tensor) -> None:
        """A hook behind the accumulation of a leaf's gradient."""
        dist.all_reduce(leaf.grad)
        assert leaf.grad is not None
        leaf.grad /= self.size

    def begin_alike(self, tensors: Iterable[Tensor]) -> None:
        """Have every process begin with the first one's numbers."""
        for tensor in tensors:
            dist.broadcast(tensor.detach(), 0)

    def check_alike(self, what: Any) -> None:
        """Raises ValueError where the processes attach different things."""
        every: list[Any] = [None] * self.size
        dist.all_gather_object(every, what)
        for rank, other in enumerate(every):
            if other != every[0]:
                raise Refusal(
                    f"process {rank} attaches {other}, and process 0 {every[0]}; all have to "
                    "attach the same method to the same rows."
                )


class _Parts(torch.autograd.Function):
    """Everybody's parts, one after the other; each process's gradient is of its own part."""

    @staticmethod
    def forward(ctx: Any, part: Tensor, sizes: list[int], start: int, world: int) -> Tensor:
        ctx.start, ctx.length, ctx.world = start, len(part), world
        return _gathered(part, sizes)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        return grads[0].narrow(0, ctx.start, ctx.length) * ctx.world, None, None, None


def _gathered(part: Tensor, sizes: Sequence[int]) -> Tensor:
    most = max(sizes)
    padded = part.detach().new_zeros((most, *part.shape[1:]))
    padded[: len(part)] = part.detach()
    every = [torch.empty_like(padded) for _ in sizes]
    dist.all_gather(every, padded)
    return torch.cat([one[:size] for one, size in zip(every, sizes)])
