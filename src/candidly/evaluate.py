"""Every criterion from one forward pass. The only part of a sweep that reads the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from . import criteria
from .labelled import Labelled, given_to_candidates
from .train import Stack

VALIDATION = ("CR", "AA", "AA:plench", "OA")
TEST = ("top1", "top5", "balanced")

Measured = tuple[dict[str, float | None], dict[str, float | None]]


@dataclass(frozen=True)
class OracleView:
    """What the held-out rows of one data set are measured against: tensors on the host."""

    candidates: Tensor  # bool (n, q); the given label alone where there are no candidate sets
    truth: Tensor  # int64 (n,), -1 where unknown


def oracle_view(data: Labelled) -> OracleView:
    """The labels that measuring needs, the truth among them."""
    candidates = data.candidates
    if candidates is None and data.given is not None:
        candidates = given_to_candidates(data.given, data.q)
    if candidates is None:  # only the truth: every class stays possible, and CR says nothing
        candidates = np.ones((data.n, data.q), dtype=bool)
    truth = np.full(data.n, -1) if data.truth is None else data.truth
    return OracleView(torch.tensor(candidates), torch.tensor(truth, dtype=torch.int64))


def oracle_measure(
    stack: Stack, k: int, view: OracleView, validation: Tensor, test: Tensor
) -> Measured:
    """Validation criteria and test metrics of trial ``k``, each in [0, 1].

    Args:
        validation, test: int64 row numbers in the shared examples.

    Returns:
        two mappings; every value is None once the trial has diverged, which non-finite logits
        here make it.
    """
    logits = stack.logits(k, torch.cat([validation, test])).cpu()
    if stack.diverged_at[k] is None and not bool(logits.isfinite().all()):
        stack.bury(torch.arange(stack.K, device=stack.device) == k)
    if stack.diverged_at[k] is not None:
        return dict.fromkeys(VALIDATION), dict.fromkeys(TEST)
    held, unseen = logits.split([len(validation), len(test)])
    sets, labels = view.candidates[validation], view.truth[validation]
    truth = view.truth[test]
    on_validation = {
        "CR": criteria._covering_rate(held, sets),
        "AA": criteria._approximated_accuracy(held, sets),
        "AA:plench": criteria._approximated_accuracy_plench(held, sets),
        "OA": criteria._accuracy(held, labels),
    }
    on_test = {
        "top1": criteria._accuracy(unseen, truth),
        "top5": criteria._top_k_accuracy(unseen, truth),
        "balanced": criteria._balanced_accuracy(unseen, truth),
    }
    return _numbers(on_validation), _numbers(on_test)


def _numbers(values: dict[str, Tensor]) -> dict[str, float | None]:
    numbers = {name: float(value) for name, value in values.items()}
    return {name: None if np.isnan(value) else value for name, value in numbers.items()}
