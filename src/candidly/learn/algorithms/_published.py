"""What published settings are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ._space import Number

REPRODUCTION = "the CIFAR-N reproduction"


@dataclass(frozen=True)
class Published:
    """How a method was trained where its numbers were published.

    Attributes:
        net: the network, by its name.
        recipe: optimiser, schedule, weight decay and views, by a name.
        epochs: the epochs of the whole training.
        batch_size, lr, weight_decay: the hyper-parameters that every algorithm has.
        hyper: the algorithm's own.
        source: where these come from.
        not_followed: what of it cannot be repeated here, or is not known; '' where all is.
    """

    net: str
    recipe: str
    epochs: int
    batch_size: int
    lr: float
    weight_decay: float
    hyper: Mapping[str, Number] = field(default_factory=dict)
    source: str = REPRODUCTION
    not_followed: str = ""

    def hyper_parameters(self) -> dict[str, Number]:
        """All hyper-parameters by name."""
        common = {"lr": self.lr, "weight_decay": self.weight_decay, "batch_size": self.batch_size}
        return {**common, **self.hyper}

    def updates(self, rows: int, batch_size: int | None = None) -> int:
        """How many updates the epochs are, for so many training rows.

        >>> PUBLISHED["ce", "cifar10n"].updates(50_000)
        39000
        """
        return self.epochs * max(rows // (self.batch_size if batch_size is None else batch_size), 1)
