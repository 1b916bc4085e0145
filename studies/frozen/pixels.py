"""Gains on a frozen encoder's vectors beside those of the same methods trained from pixels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from candidly.stats.rank_correlation import Correlation, correlation

from .numbers import AHEAD, BEHIND, Against

Accuracies = Mapping[str, float]  # by algorithm, NaN where a run diverged


@dataclass(frozen=True)
class Beside:
    """A label set of both.

    Attributes:
        algorithms: that both have. tau: between the gains.
        shown: algorithms that are shown to be ahead or behind on the vectors; alike: those of them
            that gain or lose from pixels, too.
    """

    label_set: str
    algorithms: int
    tau: Correlation
    shown: int
    alike: int


def beside_pixels(
    found: Mapping[tuple[str, str], Against], pixels: Mapping[str, Accuracies], base: str
) -> list[Beside]:
    """How alike the gains are, by label set.

    Args:
        found: by label set and algorithm, on the frozen encoder.
        pixels: selected accuracies by label set, trained from pixels.
        base: what both gain on.
    """
    told = []
    for label_set, there in pixels.items():
        pairs = [
            (one.gain.difference or 0.0, there[name] - there[base], one.verdict)
            for (where, name), one in found.items()
            if where == label_set and not np.isnan(there.get(name, np.nan) - there[base])
        ]
        tau = correlation(*(np.array([pair[k] for pair in pairs]) for k in (0, 1)), by="kendall")
        shown = [(here, far) for here, far, said in pairs if said in (AHEAD, BEHIND)]
        alike = sum(here * far > 0 for here, far in shown)
        told.append(Beside(label_set, len(pairs), tau, len(shown), alike))
    return told
