"""What makes logits of a text's state, as the heads that language models are fine-tuned under.

Weights start normal with the deviation of the model's configuration, biases at 0, as transformers'
do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

Head = Callable[[Any, int], nn.Module]


class TwoLayers(nn.Module):
    """Dropout, a layer with its activation, dropout, and a linear layer.

    Args:
        before, after: shares that are dropped in front of the layer and behind it.
    """

    def __init__(
        self,
        width: int,
        classes: int,
        active: Callable[[Tensor], Tensor],
        before: float,
        after: float,
    ):
        super().__init__()
        self.active = active
        self.before, self.after = nn.Dropout(before), nn.Dropout(after)
        self.dense = nn.Linear(width, width)
        self.out = nn.Linear(width, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.after(self.active(self.dense(self.before(x)))))


def dropped_linear(*dropout: str) -> Head:
    """Dropout and a linear layer.

    Args:
        dropout: names of the configuration's shares; the first that is set counts.
    """

    def make(config: Any, classes: int) -> nn.Module:
        return _started(
            config,
            nn.Sequential(
                nn.Dropout(_share(config, dropout)), nn.Linear(config.hidden_size, classes)
            ),
        )

    return make


def dense_and_linear(active: Callable[[Tensor], Tensor], *dropout: str) -> Head:
    """Two layers with dropout before each, as RoBERTa's and BART's."""

    def make(config: Any, classes: int) -> nn.Module:
        share = _share(config, dropout)
        return _started(config, TwoLayers(config.hidden_size, classes, active, share, share))

    return make


def summary_and_linear(config: Any, classes: int) -> nn.Module:
    """XLNet's sequence summary (a layer with tanh, dropout behind it) and a linear layer."""
    return _started(
        config,
        TwoLayers(config.d_model, classes, torch.tanh, 0.0, config.summary_last_dropout),
    )


def linear_alone(config: Any, classes: int) -> nn.Module:
    """A linear layer without bias, as GPT-2's."""
    return _started(config, nn.Linear(config.hidden_size, classes, bias=False))


def _share(config: Any, names: tuple[str, ...]) -> float:
    for name in names:
        share = getattr(config, name, None)
        if isinstance(share, int | float):
            return float(share)
    return 0.0


def _started(config: Any, head: nn.Module) -> nn.Module:
    for layer in head.modules():
        if isinstance(layer, nn.Linear):
            start_linear(config, layer)
    return head


def start_linear(config: Any, layer: nn.Linear) -> None:
    """Random numbers for a layer, by torch's generator."""
    usual = getattr(config, "init_std", 0.02)
    nn.init.normal_(layer.weight, std=float(getattr(config, "initializer_range", usual)))
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
