"""A module's numbers, handed out in the order in which a definition says that they are used."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from candidly.learn.nets._catalogue import bare


def module_of(monkeypatch, make: Callable, shape, classes: int, numbers=True, **options):
    """The module that a network of the catalogue is made of, with its numbers or without."""
    with monkeypatch.context() as patch:
        made = (lambda new, *_: new()) if numbers else (lambda new, *_: bare(new))
        patch.setattr("candidly.learn.nets._catalogue.from_torch", made)
        return make(shape, classes, **options)


def count(module: nn.Module) -> tuple[int, int]:
    """Parameters with and without the head."""
    sizes = {name: p.numel() for name, p in module.named_parameters()}
    head = sum(size for name, size in sizes.items() if name.startswith("head."))
    return sum(sizes.values()), sum(sizes.values()) - head


class InOrder:
    """Convolutions, norms and linear layers on a module's numbers, the next ones at each call."""

    def __init__(self, module: nn.Module):
        self.parameters = list(module.parameters())
        self.running = [
            b.clone() for name, b in module.named_buffers() if not name.endswith("tracked")
        ]
        self.training, self.moved = module.training, 0

    def conv(self, x: Tensor, channels: int, stride=1, padding=0, groups=1) -> Tensor:
        weight = self.parameters.pop(0)
        assert weight.shape[:2] == (channels, x.shape[1] // groups)
        return F.conv2d(x, weight, None, stride, padding, 1, groups)

    def norm(self, x: Tensor, eps: float = 1e-5) -> Tensor:
        weight, bias = self.parameters.pop(0), self.parameters.pop(0)
        mean, variance = self.running[self.moved : self.moved + 2]
        self.moved += 2
        return F.batch_norm(x, mean, variance, weight, bias, self.training, 0.1, eps)

    def head(self, x: Tensor) -> Tensor:
        return F.linear(x.mean((2, 3)), self.parameters.pop(0), self.parameters.pop(0))


def check_forward(module: nn.Module, define: Callable[[InOrder, Tensor], Tensor], shape) -> None:
    """A module is its definition, in evaluation and in training, running statistics included."""
    torch.manual_seed(0)
    module.double()
    for name, tensor in module.state_dict().items():  # norms that do something
        if not name.endswith("tracked"):
            tensor.add_(0.1 * torch.rand_like(tensor))
    x = torch.randn(3, *shape, dtype=torch.float64)
    for training in (False, True):
        module.train(training)
        reader = InOrder(module)
        torch.manual_seed(1)
        expected = define(reader, x)
        torch.manual_seed(1)
        torch.testing.assert_close(module(x), expected)
        kept = [b for name, b in module.named_buffers() if not name.endswith("tracked")]
        torch.testing.assert_close(kept, reader.running)
        assert not reader.parameters
        assert reader.moved == len(kept)
        assert expected.std() > 1e-3  # a network that says something of its inputs
