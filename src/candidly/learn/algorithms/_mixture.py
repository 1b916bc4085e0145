"""Two Gaussians on one axis: which losses are small."""

from __future__ import annotations

import math

import torch
from torch import Tensor

ITERATIONS, TOLERANCE = 10, 1e-2  # of the mean log-likelihood, in nats
FLOOR = 5e-4  # added to a variance


def clean_probability(losses: Tensor) -> Tensor:
    """The posterior of the component with the smaller mean: float (n,) -> float64 (n,), in [0, 1].

    The losses go to [0, 1] by their minimum and maximum; two Gaussians are fitted by EM from the
    best clustering in two, at most 10 iterations, with a floor of 5e-4 under the variances, as
    scikit-learn's ``GaussianMixture`` does it. Equal losses tell nothing apart: 1 for all.
    """
    x = losses.double()
    low, high = x.min(), x.max()
    if not bool(low < high < math.inf):
        return torch.ones_like(x)
    x = (x - low) / (high - low)
    shares = two_means(x)
    before = -math.inf
    for _ in range(ITERATIONS):
        fitted = _fit(x, shares)
        joint = _log_joint(x, *fitted)
        likelihood = float(joint.logsumexp(0).mean())
        shares = joint.softmax(0)
        if abs(likelihood - before) < TOLERANCE:
            break
        before = likelihood
    weights, means, variances = _fit(x, shares)
    return _log_joint(x, weights, means, variances).softmax(0)[int(means.argmin())]


def two_means(x: Tensor) -> Tensor:
    """The best clustering in two by squared distance: (n,) -> memberships (2, n), 0 or 1.

    On one axis it is a cut; the lower cluster comes first. Not all of ``x`` may be equal.
    """
    ordered, n = x.sort().values, len(x)
    below = torch.arange(1, n, device=x.device)
    sums = ordered.cumsum(0)[:-1]
    apart = sums / below - (ordered.sum() - sums) / (n - below)
    cut = int((below * (n - below) * apart.square()).argmax())
    lower = x <= ordered[cut]
    return torch.stack([lower, ~lower]).to(x)


def _fit(x: Tensor, shares: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Weights, means and variances, (2,) each."""
    total = shares.sum(1) + 10 * torch.finfo(x.dtype).eps
    means = shares @ x / total
    variances = (shares * (x - means[:, None]).square()).sum(1) / total + FLOOR
    return total / total.sum(), means, variances


def _log_joint(x: Tensor, weights: Tensor, means: Tensor, variances: Tensor) -> Tensor:
    squares = (x - means[:, None]).square() / variances[:, None]
    return weights.log()[:, None] - (squares + (2 * math.pi * variances).log()[:, None]) / 2
