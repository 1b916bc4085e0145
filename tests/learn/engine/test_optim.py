from functools import partial
from types import SimpleNamespace

import pytest
import torch

from candidly.learn.engine import optim
from candidly.learn.engine.optim import FUSED_AT_MOST, OPTIMISERS, SGD, Adam, AdamW, can_fuse
from candidly.learn.engine.recipe import RECIPES

LR = [1e-3, 3e-3, 1e-2]
DECAY = [0.0, 1e-3, 0.1]


@pytest.mark.parametrize("ours", [Adam, AdamW])
@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_every_trial_is_torchs_adam(ours, fused, dtype):
    g = torch.Generator().manual_seed(0)
    start = torch.randn(3, 50, generator=g, dtype=dtype)
    flat, grad = start.clone(), torch.zeros(3, 50, dtype=dtype)
    adam = ours(flat, grad, LR, DECAY, fused=fused)
    assert adam.fused is fused
    torchs = {Adam: torch.optim.Adam, AdamW: torch.optim.AdamW}[ours]
    theirs = [torch.nn.Parameter(row.clone()) for row in start]
    optimisers = [torchs([p], lr=lr, weight_decay=w) for p, lr, w in zip(theirs, LR, DECAY)]
    everyone = torch.ones(3, dtype=torch.bool)
    for _ in range(40):
        grad.copy_(torch.randn(3, 50, generator=g, dtype=dtype))
        for p, row, optimiser in zip(theirs, grad, optimisers):
            p.grad = row.clone()
            optimiser.step()
        adam.update(everyone, True)
    tolerance = 1e-5 if dtype == torch.float32 else 1e-12
    torch.testing.assert_close(
        flat, torch.stack([p.detach() for p in theirs]), rtol=tolerance, atol=tolerance
    )


@pytest.mark.parametrize("fused", [True, False])
def test_dead_trials_do_not_move(fused):
    flat, grad = torch.ones(3, 8), torch.ones(3, 8)
    grad[1] = torch.nan
    adam = Adam(flat, grad, LR, DECAY, fused=fused)
    adam.update(torch.tensor([True, False, True]), False)
    assert flat[1].eq(1).all()
    assert adam.tensors["mean"][1].eq(0).all()
    assert adam.tensors["square"][1].eq(0).all()
    assert flat[[0, 2]].ne(1).all()
    assert flat.isfinite().all()


class Stacked:
    """Parameters of so many trials on a device that need not be there."""

    def __init__(self, trials, device):
        self.trials, self.device = trials, SimpleNamespace(type=device)

    def __len__(self):
        return self.trials


def test_the_default_is_what_the_device_is_good_at(monkeypatch):
    for kernel, ours in (("_fused_adam_", Adam), ("_fused_adamw_", AdamW), ("_fused_sgd_", SGD)):
        assert ours.kernel == kernel
        most = FUSED_AT_MOST["cuda"][kernel]
        assert 0 < most < 100
        assert can_fuse(Stacked(most, "cuda"), kernel)
        assert not can_fuse(Stacked(most + 1, "cuda"), kernel)
        assert can_fuse(Stacked(10**6, "cuda"), kernel, apart=True)  # alone as in any stack
        assert not can_fuse(Stacked(1, "mps"), kernel, apart=True)
    for apart in (True, False):  # on a CPU as ever: numbers of tables that were made stand
        assert can_fuse(Stacked(10**6, "cpu"), "_fused_adam_", apart)
        assert can_fuse(Stacked(10**6, "cpu"), "_fused_adamw_", apart)
        assert not can_fuse(Stacked(1, "cpu"), "_fused_sgd_", apart)
    monkeypatch.delattr(torch, "_fused_adam_")
    assert not can_fuse(Stacked(1, "cpu"), "_fused_adam_")
    assert not can_fuse(Stacked(1, "cuda"), "_fused_adam_")


def test_an_optimiser_takes_the_way_that_the_rule_says(monkeypatch):
    asked = []
    monkeypatch.setattr(optim, "can_fuse", lambda *how: asked.append(how[1:]) or True)
    flat = torch.zeros(2, 5)
    assert Adam(flat, flat, LR[:2], DECAY[:2], None, (), True).fused
    assert SGD(flat, flat, LR[:2], DECAY[:2], nesterov=True).fused
    assert asked == [("_fused_adam_", True), ("_fused_sgd_", False)]


@pytest.mark.parametrize("ours", [Adam, AdamW, SGD, partial(SGD, momentum=0.0)])
def test_flags_on_the_device_stop_the_dead_as_the_host_does(ours):
    """What an accelerator does, on the host: the kernel reads the flags, and count goes on."""
    g = torch.Generator().manual_seed(0)
    start, grad = torch.randn(2, 3, 50, generator=g)
    grad[1] = torch.nan
    made = []
    for masked in (True, False):
        one = ours(start.clone(), grad, LR, DECAY, [slice(3, 40)], [slice(5, 9)], fused=True)
        one.masked = masked
        for alive in ([True, False, True], [True, False, True], [False, False, True]):
            one.update(torch.tensor(alive), False, [1.0, 1.0, 0.5])
        made.append([one.flat, *one.tensors.values()])
    for some, others in zip(*made):
        assert torch.equal(some, others)
    assert torch.equal(made[0][0][1], start[1])
    assert all(tensor.isfinite().all() for tensor in made[0])
    assert not torch.equal(made[0][0][0], start[0])


def test_the_kernel_reads_the_count_where_the_parameters_are():
    """A copy of the count, as an accelerator has it, makes the same steps, and is restored."""
    start, grad = torch.randn(2, 3, 50, generator=torch.Generator().manual_seed(0))
    own, copied = (Adam(start.clone(), grad, LR, DECAY, fused=True) for _ in range(2))
    assert own.steps is own.count
    copied.steps.copy_(torch.tensor(0.0))
    copied.count = copied.count.clone()
    for t in range(4):
        for one in (own, copied):
            if t == 2:  # as after a checkpoint
                one.count.fill_(7)
            one.update(torch.ones(3, dtype=torch.bool), True)
    assert copied.steps == own.steps == copied.count == 9
    assert torch.equal(own.flat, copied.flat)


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("everyone", [True, False])
def test_sgd_is_torchs_with_momentum_and_spares_the_dead(everyone, fused):
    g = torch.Generator().manual_seed(0)
    start = torch.randn(3, 50, generator=g, dtype=torch.float64)
    flat, grad = start.clone(), torch.zeros(3, 50, dtype=torch.float64)
    sgd = SGD(flat, grad, LR, DECAY, fused=fused)
    assert sgd.fused is fused
    theirs = [torch.nn.Parameter(row.clone()) for row in start]
    optimisers = [
        torch.optim.SGD([p], lr=lr, momentum=0.9, weight_decay=w)
        for p, lr, w in zip(theirs, LR, DECAY)
    ]
    alive = torch.tensor([True, everyone, True])
    for _ in range(20):
        new = torch.randn(3, 50, generator=g, dtype=torch.float64)
        grad.copy_(new)
        sgd.update(alive, everyone)
        for p, row, optimiser in zip(theirs, new, optimisers):
            p.grad = row.clone()
            optimiser.step()
    for k in range(3):
        expected = theirs[k].detach() if alive[k] else start[k]
        torch.testing.assert_close(flat[k], expected)
        assert bool(sgd.tensors["momentum"][k].any()) == bool(alive[k])


@pytest.mark.parametrize("fused", [True, False])
def test_slices_are_optimisers_of_their_own_and_factors_scale_the_rate(fused):
    g = torch.Generator().manual_seed(0)
    start = torch.randn(3, 50, generator=g, dtype=torch.float64)
    grad = torch.randn(3, 50, generator=g, dtype=torch.float64)
    factors = [1.0, 0.5, 0.0]
    everyone = torch.ones(3, dtype=torch.bool)
    for made in (partial(one, fused=fused) for one in (Adam, AdamW, SGD)):
        flat, whole = start.clone(), start.clone()
        parts = made(flat, grad, LR, DECAY, [slice(3, 10), slice(20, 41)])
        all_of_it = made(whole, grad, LR, DECAY)
        slower = made(start.clone(), grad, [a * f for a, f in zip(LR, factors)], DECAY)
        for _ in range(4):
            parts.update(everyone, True, factors)
            all_of_it.update(everyone, True, factors)
            slower.update(everyone, True)
        inside = torch.zeros(50, dtype=torch.bool)
        inside[3:10] = inside[20:41] = True
        assert torch.equal(flat[:, ~inside], start[:, ~inside])
        torch.testing.assert_close(flat[:, inside], whole[:, inside])
        torch.testing.assert_close(whole, slower.flat)


TORCHS = {
    "adam": (partial(Adam, fused=True), torch.optim.Adam),
    "adam, broadcast": (partial(Adam, fused=False), torch.optim.Adam),
    "adamw": (partial(AdamW, fused=True), torch.optim.AdamW),
    "adamw, broadcast": (partial(AdamW, fused=False), torch.optim.AdamW),
    "sgd": (partial(SGD, fused=True), partial(torch.optim.SGD, momentum=0.9)),
    "sgd, broadcast": (partial(SGD, fused=False), partial(torch.optim.SGD, momentum=0.9)),
    "sgd without momentum": (partial(SGD, momentum=0.0, fused=True), torch.optim.SGD),
    "sgd without momentum, broadcast": (
        partial(SGD, momentum=0.0, fused=False),
        torch.optim.SGD,
    ),
    "sgd, nesterov": (
        partial(SGD, momentum=0.7, nesterov=True, fused=True),
        partial(torch.optim.SGD, momentum=0.7, nesterov=True),
    ),
    "sgd, nesterov, broadcast": (
        partial(SGD, momentum=0.7, nesterov=True, fused=False),
        partial(torch.optim.SGD, momentum=0.7, nesterov=True),
    ),
}
PLAIN = [slice(0, 4), slice(30, 36), slice(36, 40), slice(47, 50)]
MOVED = {"all": None, "some": [slice(2, 20), slice(33, 49)]}


@pytest.mark.parametrize("everyone", [True, False])
@pytest.mark.parametrize("moved", MOVED)
@pytest.mark.parametrize(("ours", "torchs"), TORCHS.values(), ids=TORCHS)
def test_plain_columns_are_a_group_of_torchs_without_weight_decay(ours, torchs, moved, everyone):
    g = torch.Generator().manual_seed(0)
    start = torch.randn(3, 50, generator=g, dtype=torch.float64)
    flat, grad = start.clone(), torch.zeros(3, 50, dtype=torch.float64)
    decay = [0.0, 0.3, 0.1]
    optimiser = ours(flat, grad, LR, decay, MOVED[moved], PLAIN)
    is_plain, is_moved = torch.zeros(2, 50, dtype=torch.bool)
    for some in PLAIN:
        is_plain[some] = True
    for some in MOVED[moved] or [slice(None)]:
        is_moved[some] = True
    groups = is_moved & ~is_plain, is_moved & is_plain
    theirs = [[torch.nn.Parameter(row[columns]) for columns in groups] for row in start]
    others = [
        torchs([{"params": [a], "weight_decay": w}, {"params": [b], "weight_decay": 0.0}], lr=lr)
        for (a, b), lr, w in zip(theirs, LR, decay)
    ]
    alive = torch.tensor([True, everyone, True])
    factors = [1.0, 0.5, 0.1]
    for other, factor in zip(others, factors):
        for group in other.param_groups:
            group["lr"] *= factor
    for _ in range(30):
        new = torch.randn(3, 50, generator=g, dtype=torch.float64)
        grad.copy_(new)
        optimiser.update(alive, everyone, factors)
        for parameters, row, other in zip(theirs, new, others):
            for parameter, columns in zip(parameters, groups):
                parameter.grad = row[columns].clone()
            other.step()
    for k in range(3):
        expected = start[k].clone()
        for parameter, columns in zip(theirs[k], groups) if alive[k] else ():
            expected[columns] = parameter.detach()
        torch.testing.assert_close(flat[k], expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("ours", [ours for ours, _ in TORCHS.values()], ids=TORCHS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_no_plain_column_is_no_change_of_a_bit(ours, dtype):
    g = torch.Generator().manual_seed(0)
    start, grad = torch.randn(2, 3, 50, generator=g, dtype=dtype)
    flats = [start.clone(), start.clone()]
    some = [slice(3, 9), slice(20, 41)]
    outside = [slice(0, 3), slice(9, 20), slice(41, 50)]
    made = ours(flats[0], grad, LR, DECAY, some), ours(flats[1], grad, LR, DECAY, some, outside)
    for optimiser in made:
        assert optimiser.weight_decay.shape == (3, 1)
        for _ in range(3):
            optimiser.update(torch.ones(3, dtype=torch.bool), True)
    assert torch.equal(*flats)


def test_recipes_name_the_optimisers_there_are():
    assert set(RECIPES) == set(OPTIMISERS)
    assert {name: one.options for name, one in OPTIMISERS.items() if one.options} == {
        "sgd": ("momentum", "nesterov")
    }
