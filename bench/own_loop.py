"""A method in a loop of somebody's own, beside the same loss written inline: time and memory.

Both sides train the same network on the same batches with PRODEN and the same Adam, in one process
on one thread, and take turns. Inline is what a user writes: the weighted cross-entropy, and the new
weights of the batch's rows behind the optimiser, of a second forward pass.

    python bench/own_loop.py            some minutes; writes bench/results/own_loop.json
    python bench/own_loop.py --quick    under a minute
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

import torch
from torch import Tensor, nn

from _bench import Claim, at_most, interleaved, main, median_ratio, timed
from candidly import attach
from candidly.learn.algorithms import ALGORITHMS
from candidly.learn.nets.resnet import ResNet

TABLE = 1122, 108, 16  # rows, features, classes of Lost
PICTURES = 512, 10  # rows of 3 x 32 x 32, classes
HELD = ("PRODEN", "elr", "sop", "POP", "CAVL", "PiCO", "co-teaching", "cnlcu-soft")


def mlp(d: int, q: int) -> nn.Module:
    return nn.Sequential(nn.Linear(d, 500), nn.ReLU(), nn.Linear(500, q))


def resnet18(q: int) -> nn.Module:
    return ResNet(3, q, [2] * 4, [64, 128, 256, 512])


def sets_of(n: int, q: int) -> Tensor:
    g = torch.Generator().manual_seed(0)
    sets = torch.rand(n, q, generator=g) < 0.2
    return sets | nn.functional.one_hot(torch.randint(0, q, (n,), generator=g), q).bool()


def inline(net: nn.Module, x: Tensor, sets: Tensor, order: list[Tensor]) -> Callable[[], None]:
    """An update, as a user writes PRODEN."""
    weights = sets / sets.sum(1, keepdim=True)
    optimizer = torch.optim.Adam(net.parameters(), 1e-3, weight_decay=1e-5, fused=True)
    done = 0

    def update() -> None:
        nonlocal done
        ids = order[done % len(order)]
        batch = x[ids]
        loss = -(weights[ids] * net(batch).log_softmax(1)).sum(1).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        with torch.no_grad():
            shares = net(batch).softmax(1) * sets[ids]
            weights[ids] = shares / shares.sum(1, keepdim=True)
        done += 1

    return update


def attached(net: nn.Module, x: Tensor, sets: Tensor, order: list[Tensor]) -> Callable[[], None]:
    """The same, attached."""
    size = len(order[0])
    method = attach("PRODEN", net, candidates=sets, epochs=1_000_000, batch_size=size)
    groups = method.groups(weight_decay=1e-5)
    optimizer = torch.optim.Adam(groups, 1e-3, fused=True)
    done = 0

    def update() -> None:
        nonlocal done
        ids = order[done % len(order)]
        loss = method(x[ids], ids)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        method.step()
        done += 1

    return update


def sides(make: Callable[[], nn.Module], x: Tensor, sets: Tensor, size: int):
    """Both updates, on networks that start alike, and how far these end apart."""
    order = list(torch.randperm(len(x)).split(size))
    order = [ids for ids in order if len(ids) == size]
    torch.manual_seed(0)
    one, other = make(), make()
    other.load_state_dict(one.state_dict())

    def apart() -> float:
        pairs = zip(one.parameters(), other.parameters(), strict=True)
        return max(float((a - b).detach().abs().max()) for a, b in pairs)

    return inline(one, x, sets, order), attached(other, x, sets, order), apart


def measure(quick: bool) -> list[Claim]:
    torch.set_num_threads(1)
    n, d, q = TABLE
    x = torch.randn(n, d)
    ours, theirs, apart = sides(lambda: mlp(d, q), x, sets_of(n, q), 64)
    for _ in range(20):
        ours(), theirs()
    early = apart()
    rounds, repeat = (20, 50) if quick else (60, 200)
    plain, method = interleaved(rounds, timed(ours, repeat), timed(theirs, repeat))
    over = 1000 * statistics.median(b - a for a, b in zip(plain, method))
    claims = [
        at_most("table: weights of both sides apart after 20 updates", early, 1e-4),
        Claim("table: ms an update, inline", 1000 * statistics.median(plain)),
        at_most("table: ms an update that attach adds", over, 0.25),
    ]
    rows, q = PICTURES
    pictures = torch.randn(rows, 3, 32, 32)
    torch.set_num_threads(2)
    ours, theirs, _ = sides(lambda: resnet18(q), pictures, sets_of(rows, q), 128)
    ours(), theirs()
    plain, method = interleaved(2 if quick else 15, timed(ours, 1), timed(theirs, 1))
    claims += [
        Claim("ResNet-18, batch 128: s an update, inline", statistics.median(plain)),
        at_most("ResNet-18, batch 128: times inline", median_ratio(method, plain), 1.03),
    ]
    return [*claims, *memory()]


def memory() -> list[Claim]:
    """Bytes that a method holds beside its networks' numbers, over those of its tables."""
    worst = 0.0
    for name in HELD:
        n, d, q = TABLE
        labels = {"candidates": sets_of(n, q), "labels": torch.randint(0, q, (n,))}
        net = mlp(d, q)
        numbers = sum(p.nbytes for p in net.parameters())
        method = attach(name, net, classes=q, epochs=9, batch_size=64, **labels)
        held = sum(t.untyped_storage().nbytes() for t in method.state_dict()["tensors"].values())
        stack = method._stack
        tables = (*stack.rows.values(), *stack.memory.values(), *stack.learned.momenta.values())
        networks = ALGORITHMS[name].networks * numbers + sum(t.nbytes for t in tables)
        heads = sum(m.flat.nbytes for m in stack.modules.values())
        networks = max(networks, heads + sum(t.nbytes for t in tables))
        worst = max(worst, held / networks)
    return [at_most("memory: all tensors held, over tables and networks", worst, 1.05)]


if __name__ == "__main__":
    main("own_loop", __doc__, measure)
