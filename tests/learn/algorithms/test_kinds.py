"""Every algorithm on every kind of input at sizes that coincide, and on data that any learns."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from candidly.learn import spread
from candidly.learn.contract import kinds
from learn.algorithms.battery import NAMES

SOME = ("CC", "PRODEN", "ce", "mixup", "co-teaching", "supervised-oracle")
# what these released programs do with small data; docs/defects.md
NOTHING_LEARNED = ("EXP:plench", "MCL-MSE:plench")
DIVERGES = ("EXP:plench",)
EVERY = [
    name if name in SOME else pytest.param(name, marks=pytest.mark.slow)
    for name in dict.fromkeys((*SOME, *NAMES))
]


@pytest.mark.parametrize("kind", kinds.KINDS)
@pytest.mark.parametrize("name", EVERY)
def test_where_sizes_coincide_no_trial_mixes_with_another(name, kind):
    if kinds.refuses(name, kind):
        assert (name.partition(":")[0], kind) == ("VALEN", "texts")  # rebuilds its inputs
    elif name not in DIVERGES:
        kinds.check_kind(name, kind)


@pytest.mark.parametrize("name", EVERY)
def test_what_any_method_learns_is_learned(name):
    if name in NOTHING_LEARNED:
        with pytest.raises(AssertionError, match="by chance"):
            kinds.check_sane(SimpleNamespace(name=name))
    else:
        kinds.check_sane(SimpleNamespace(name=name))


@pytest.mark.parametrize("like", [(3, 4, 5), (3, 4, 2, 6, 6), (3, 4)])
def test_a_share_is_spread_over_the_axes_that_it_lacks(like):
    values = torch.ones(like)
    for share in (torch.tensor([1.0, 2.0, 3.0]), torch.tensor([[1.0], [2.0], [3.0]])):
        mixed = spread(share, like=values) * values
        assert mixed.shape == like
        assert torch.equal(mixed.flatten(1).amax(1), torch.tensor([1.0, 2.0, 3.0]))
    by_row = torch.arange(12.0).view(3, 4)
    assert torch.equal((spread(by_row, values) * values).reshape(3, 4, -1).mean(-1), by_row)
    for wrong in (torch.ones(4), torch.ones(2, 1), torch.ones(3, 4, 5, 6, 6, 6)):
        with pytest.raises(ValueError, match="must begin with its axes"):
            spread(wrong, values)
