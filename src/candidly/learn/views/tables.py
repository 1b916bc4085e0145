"""Views of tables: vectors have no crops or colours, what there is for them is noise.

The benchmark gives all views of a row the row itself (Wang et al., ICLR 2025); so does a method
here that asks for no noise.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

TABLES = ("plain", "weak", "strong", "distill")  # names that a table's views may have


def gaussian_noise(x: Tensor, rng: np.random.Generator, deviation: float) -> Tensor:
    """Normal noise of that standard deviation on every feature: (..., d) -> (..., d)."""
    # drawn in float64 whatever the dtype, so that both draw the same
    noise = torch.from_numpy(rng.standard_normal(x.shape))
    return x + deviation * noise.to(x)
