"""Views: the inputs of a batch, changed a little, as a page asks for them by name.

Tables have no flips and crops; what there is for vectors is noise on every feature, in the units of
the inputs that the network sees, whose standard deviation is 1 where they are standardised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


def gaussian_noise(x: Tensor, rng: np.random.Generator, deviation: float) -> Tensor:
    """Normal noise of that standard deviation on every feature: (..., d) -> (..., d)."""
    # drawn in float64 whatever the dtype, so that both draw the same
    noise = torch.from_numpy(rng.standard_normal(x.shape))
    return x + deviation * noise.to(x)


@dataclass(frozen=True)
class View:
    """One way to change inputs.

    Attributes:
        change: (inputs (..., d), generator, strength) -> inputs of the same shape.
        strength: a number, or the name of the hyper-parameter that it is.
    """

    change: Callable[[Tensor, np.random.Generator, float], Tensor]
    strength: float | str

    def __call__(
        self, x: Tensor, rng: np.random.Generator, hyper: Mapping[str, float | int]
    ) -> Tensor:
        """One trial's inputs as this view sees them: (..., d) -> (..., d)."""
        strength = hyper[self.strength] if isinstance(self.strength, str) else self.strength
        return self.change(x, rng, strength)
