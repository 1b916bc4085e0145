"""What does not fit in memory is refused before it is made."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from candidly.ground.device import free_bytes
from candidly.learn.algorithms import algorithm
from candidly.learn.engine._memory import check_fits
from candidly.learn.nets import mlp

from toys import stack_of

CPU = torch.device("cpu")


def test_a_network_larger_than_the_memory_is_refused_with_what_it_needs():
    net = mlp(10, 3, hidden=7)
    check_fits([net], 1, 128, torch.float32, CPU)
    wide = replace(net, shapes={"w": (10**9, 10**3)})
    with pytest.raises(ValueError, match=r"1,000,000,000,000 parameters need about 16,000\.0 GB"):
        check_fits([wide], 1, 128, torch.float32, CPU)
    with pytest.raises(ValueError, match="batch of 128"):
        check_fits([replace(net, bytes=10**12)], 1, 128, torch.float32, CPU)
    most = free_bytes("cpu") // 16 * 3 // 4
    with pytest.raises(ValueError, match="2 trials"):
        check_fits([replace(net, shapes={"w": (most,)})], 2, 1, torch.float32, CPU)


def test_a_stack_is_not_begun():
    page = algorithm("ce")
    big = replace(page, head=lambda net, classes, hyper: replace(net, bytes=10**14))
    with pytest.raises(ValueError, match="smaller batch_size"):
        stack_of(big)
