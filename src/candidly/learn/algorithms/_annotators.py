"""What annotators answered, as a batch has it, and what a method keeps of each of them."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Answered(NamedTuple):
    """The answers about each row, at most R of them; a place without an answer holds zeros.

    Attributes:
        who: int64 (..., B, R), the annotator's number.
        said: int64 (..., B, R), the class.
        there: bool (..., B, R), whether the place holds an answer.
    """

    who: Tensor
    said: Tensor
    there: Tensor


def answered(votes: Tensor) -> Answered:
    """Votes as a batch has them, int64 (..., B, R, 2) with -1 where there is none, taken apart."""
    who, said = votes.unbind(-1)
    return Answered(who.clamp_min(0), said.clamp_min(0), who >= 0)


def mean_of_answers(values: Tensor, there: Tensor) -> Tensor:
    """The mean over a batch's answers: (..., B, R), bool (..., B, R) -> (...)."""
    count = there.sum((-2, -1)).clamp_min(1)
    return values.masked_fill(~there, 0).sum((-2, -1)) / count


def mean_of_rows(values: Tensor, there: Tensor) -> Tensor:
    """The mean over a batch's rows of each row's mean: (..., B, R), bool (..., B, R) -> (...)."""
    by_row = values.masked_fill(~there, 0).sum(-1) / there.sum(-1).clamp_min(1)
    return by_row.mean(-1)


def products(left: Tensor, right: Tensor) -> Tensor:
    """Matrix products, a trial at a time, so that its bits do not depend on its neighbours."""
    return torch.stack([one @ other for one, other in zip(left, right)])


def entries(table: Tensor, at: Tensor) -> Tensor:
    """Each trial's entries at these places: (K, N, ...), int64 (K, ...) -> (K, ..., ...)."""
    trials, size = table.shape[:2]
    first = size * torch.arange(trials, device=table.device)
    places = (at + first.view(-1, *[1] * (at.dim() - 1))).flatten()
    return table.flatten(0, 1).index_select(0, places).view(*at.shape, *table.shape[2:])
