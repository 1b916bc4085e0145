"""Table S2 of the label-error paper, and what follows from it, by candidly's own functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from candidly.compare.stability import Correlation, correlation, holm, mcnemar
from studies.label_errors.models import SIZES
from studies.label_errors.published import Model, models

OF = SIZES["cifar10"]  # pictures whose label was corrected
# by family and depth: ties of the first column of ranks stand in this order
RUN = (
    *("vgg11_bn", "vgg13_bn", "vgg16_bn", "vgg19_bn", "resnet18", "resnet34", "resnet50"),
    *("densenet121", "densenet161", "densenet169", "mobilenet_v2", "googlenet", "inception_v3"),
)
RANKED = ("original_top1", "corrected_top1", "original_top5", "corrected_top5")


@dataclass(frozen=True)
class Link:
    """How two lists of numbers go together.

    Attributes:
        models: how many there are.
        spearman, kendall: with p by permutations.
    """

    models: int
    spearman: Correlation
    kendall: Correlation


def table_s2() -> dict[str, Model]:
    return {row.name: row for row in models("cifar10")}


def link(x: Sequence[float], y: Sequence[float]) -> Link:
    one, other = np.asarray(x, float), np.asarray(y, float)
    return Link(len(one), correlation(one, other), correlation(one, other, "kendall"))


def published_ranks(rows: Mapping[str, Model]) -> dict[str, dict[str, int]]:
    """The four columns of ranks from the counts alone: each sorts the order of the one before.

    So models with equally many right answers have different ranks, by where they stood before.
    """
    order, ranks = list(RUN), {}
    for column in RANKED:
        order = sorted(order, key=lambda name: -rows[name].right[column])  # stable
        ranks[column] = {name: place for place, name in enumerate(order, 1)}
    return ranks


def paired_p(first: int, second: int, of: int = OF) -> tuple[float, float]:
    """Smallest and largest p of McNemar's exact test, over all ways the answers may overlap.

    Args:
        first, second: right answers of two models on the same ``of`` items.
    """
    more, fewer = max(first, second), min(first, second)
    only_fewer = np.arange(min(fewer, of - more) + 1)
    p = mcnemar(only_fewer + more - fewer, only_fewer)
    return float(p.min()), float(p.max())


def smallest_holm(right: Sequence[int], of: int = OF) -> float:
    """Smallest p of any pair after Holm's correction, in the overlaps that tell most apart."""
    pairs = [(a, b) for i, a in enumerate(right) for b in right[i + 1 :]]
    return float(holm(np.array([paired_p(a, b, of)[0] for a, b in pairs])).min())
