"""Whether models that are good on original labels are bad on corrected ones: Tables S1 and S2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import kendalltau, rankdata

from candidly.ground import seeds

from .published import Model, models

SIZES = {"imagenet": 1405, "cifar10": 18}  # examples of the correctable set, as published
DRAWS = 50_000  # permutations; the standard error of p = 0.05 is 0.001
WHOLE = {  # right answers on the whole test set, by the original labels: published accuracies
    "imagenet": (50_000, {"resnet50": 38_065, "resnet18": 34_880}),  # 76.13 and 69.76 %
    "cifar10": (10_000, {"vgg19_bn": 9_395, "vgg11_bn": 9_239}),  # 93.95 and 92.39 %
}
BENIGN = {"imagenet": 47_114, "cifar10": 9_946}  # the appendix's cleaned set; all but 54 errors
SMALL = ("alexnet", "squeezenet1_0", "squeezenet1_1")
GROUPS: dict[str, tuple[str, Callable[[Model], bool]]] = {
    "ImageNet, all": ("imagenet", lambda m: True),
    "ImageNet, PyTorch": ("imagenet", lambda m: m.platform == "PyTorch"),
    "ImageNet, Keras": ("imagenet", lambda m: m.platform == "Keras"),
    "ImageNet, without AlexNet and SqueezeNets": ("imagenet", lambda m: m.name not in SMALL),
    "CIFAR-10, all": ("cifar10", lambda m: True),
}


def measure_models(draws: int = DRAWS) -> dict[str, Any]:
    """Correlations, the internal checks, and two pairs of models, from the exact counts."""
    return {
        "draws": draws,
        "correlations": {
            name: correlation([m for m in models(which) if wanted(m)], draws)
            for name, (which, wanted) in GROUPS.items()
        },
        "checks": {which: checks(models(which), size) for which, size in SIZES.items()},
        "resnet": least_favourable("imagenet", "resnet18", "resnet50"),
        "vgg": least_favourable("cifar10", "vgg11_bn", "vgg19_bn"),
        "crossings": [
            crossing("imagenet", "resnet50", "resnet18"),
            crossing("cifar10", "vgg19_bn", "vgg11_bn"),
        ],
    }


def correlation(chosen: Sequence[Model], draws: int) -> dict[str, Any]:
    """Spearman and Kendall of right answers on original against corrected labels (top-1)."""
    x, y = (np.array([m.right[c] for m in chosen]) for c in ("original_top1", "corrected_top1"))
    rho, tau = spearman(x, y), float(kendalltau(x, y).statistic)
    p_rho, p_tau = permutation_p(x, y, draws)
    return {"models": len(chosen), "spearman": rho, "p": p_rho, "kendall": tau, "kendall p": p_tau}


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Correlation of ranks; ties share the mean of their ranks."""
    a, b = (_standard(rankdata(values)) for values in (x, y))
    return float(a @ b)


def permutation_p(x: np.ndarray, y: np.ndarray, draws: int) -> tuple[float, float]:
    """Two-sided p of Spearman and of Kendall, as corrected counts are dealt to models at random.

    (1 + permutations at least as far from 0) / (1 + draws).
    """
    rng = seeds.draw(0, "permutations of models")
    a, b = (_standard(rankdata(values)) for values in (x, y))
    signs = np.sign(x[:, None] - x[None, :]).astype(np.float32)
    others = np.sign(y[:, None] - y[None, :]).astype(np.float32)
    observed = np.array([abs(a @ b), abs((signs * others).sum())]) - 1e-9
    beyond = np.zeros(2)
    for start in range(0, draws, 2000):
        orders = rng.permuted(np.tile(np.arange(len(x)), (min(2000, draws - start), 1)), axis=1)
        beyond[0] += (np.abs(b[orders] @ a) >= observed[0]).sum()
        shuffled = others[orders[:, :, None], orders[:, None, :]]
        beyond[1] += (np.abs((shuffled * signs).sum((1, 2))) >= observed[1]).sum()
    p = (1 + beyond) / (1 + draws)
    return float(p[0]), float(p[1])


def competition_ranks(right: Sequence[int]) -> list[str]:
    """Ranks from the most right answers on, 1, 2=, 2=, 4.

    >>> competition_ranks([5, 9, 5, 1])
    ['2=', '1', '2=', '4']
    """
    return [
        f"{1 + sum(other > mine for other in right)}{'=' if right.count(mine) > 1 else ''}"
        for mine in right
    ]


def checks(rows: Sequence[Model], size: int) -> dict[str, Any]:
    """Whether a table agrees with itself."""
    values = [(m.right[c], m.percent[c]) for m in rows for c in m.right]
    return {
        "models": len(rows),
        "accuracies": len(values),
        "rounded from the counts": sum(abs(100 * r / size - p) <= 0.0051 for r, p in values),
        "rank columns in order": sum(_in_order(rows, column) for column in rows[0].right),
        "largest sum": max(
            (m.right["original_top1"] + m.right["corrected_top1"]) / size for m in rows
        ),
    }


def least_favourable(which: str, first: str, second: str) -> dict[str, Any]:
    """Two models on corrected labels, in the pairing that tells them apart least.

    Only the totals are published. If their wrong answers share no example, as many as possible
    are answered differently, and z of the paired difference is smallest. If they share as many as
    they can, p of the exact test is the smallest that can be.
    """
    by_name = {m.name: m for m in models(which) if m.platform == "PyTorch"}
    a, b = (by_name[name].right["corrected_top1"] for name in (first, second))
    size = SIZES[which]
    most = min(2 * size - a - b, a + b)
    return {
        "right": [a, b],
        "of": size,
        "least z": (a - b) / most**0.5,
        "least p": min(1.0, 2 * 0.5 ** (a - b)),
    }


def crossing(which: str, ahead: str, behind: str) -> dict[str, Any]:
    """At which share of correctable examples the model that is behind passes the other.

    A test set has a share N of correctable examples, the others are benign. Of the benign examples
    the leader has u more right, of the correctable ones, by corrected labels, v fewer: they tie at
    N = u / (u + v). On whole sets the difference is published; what it is on examples that are
    neither is not, and lies between all of them and none for either model: hence low and high.
    """
    by_name = {m.name: m for m in models(which) if m.platform == "PyTorch"}
    first, second = by_name[ahead], by_name[behind]
    size, right = WHOLE[which]
    counted, benign = SIZES[which], BENIGN[which]
    original = first.right["original_top1"] - second.right["original_top1"]
    others = size - counted - benign
    v = (second.right["corrected_top1"] - first.right["corrected_top1"]) / counted
    shares = []
    for more in (0, others, -others):  # of the others the leader has so many more right
        u = (right[ahead] - right[behind] - original - more) / benign
        shares.append(u / (u + v))
    return {
        "set": which,
        "ahead": ahead,
        "behind": behind,
        "share": shares[0],
        "low": min(shares),
        "high": max(shares),
        "of": counted,
    }


def _in_order(rows: Sequence[Model], column: str) -> bool:
    """A better rank never has fewer right answers."""
    by_rank = sorted(rows, key=lambda m: m.rank[column])
    right = [m.right[column] for m in by_rank]
    ranks = [m.rank[column] for m in by_rank]
    return right == sorted(right, reverse=True) and ranks == list(range(1, len(rows) + 1))


def _standard(values: np.ndarray) -> np.ndarray:
    centred = values - values.mean()
    return centred / np.sqrt((centred**2).sum())
