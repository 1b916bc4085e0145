"""ResNet-32 alone and twenty of it: a stack, a vmap and a CUDA graph, beside a plain loop."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial

import torch

from _bench import Claim, at_most
from _gpu.loops import WARM_UP, Buffered, Graphed, Loop, Vmapped
from _gpu.where import CLASSES, SIDE, Where, picture_stack, random_pictures, what_fits
from _image_sides import make_module
from candidly.learn.engine.arithmetic import arithmetic
from candidly.learn.engine.train import update

NET, TRIALS = "resnet32", 20
APART = 1e-3  # that losses of the same updates may be apart after five, relatively


def made_batches(where: Where, batch: int, count: int = 4):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(count, batch, 3, SIDE, SIDE, generator=g).to(where.device)
    y = torch.randint(0, CLASSES, (count, batch), generator=g).to(where.device)
    return list(zip(x, y))


def measure(where: Where) -> Iterator[Claim | str]:
    """ms of an update and trial, by way and batch size."""
    module = where.sized(lambda: make_module(NET), small)().to(where.device)
    module.narrow = False  # a CPU's memory layout, which vmap does not know
    if not where.cuda:
        yield "without CUDA there are no graphs: the step on buffers that stay is run uncaptured."
    graphed = Graphed if where.cuda else Buffered
    with arithmetic(torch.device(where.device)):
        yield from same_losses(where, module, graphed)
    for batch in where.sized((64, 128, 256), (4,)):
        yield from at_batch(where, module, graphed, batch)


def small():
    """A network of the same parts, with which everything is tried."""
    from candidly.learn.nets.resnet import ResNet

    return ResNet(3, CLASSES, (1, 1), (4, 8))


def same_losses(where: Where, module, graphed) -> Iterator[Claim | str]:
    """Whether the ways make the same updates: losses of the sixth, from the same start."""
    batches = made_batches(where, where.sized(16, 4))
    ways = {
        way: partial(kind, where, copy.deepcopy(module), batches)
        for way, kind in (("plain loop", Loop), ("graph", graphed))
    }
    ways["vmap"] = partial(Vmapped, where, [copy.deepcopy(module) for _ in range(2)], batches)
    losses = {}
    for way, make in ways.items():
        found: list[Claim | str] = []
        with what_fits(way, found):
            loop = make()
            while loop.t < WARM_UP + 3:
                loop.update()
            losses[way] = float(loop.loss.mean())
        yield from found
    for way in losses.keys() - {"plain loop"}:
        apart = abs(losses[way] / losses["plain loop"] - 1)
        yield at_most(f"{way}: loss beside the plain loop's, relative", apart, APART)


def at_batch(where: Where, module, graphed, batch: int) -> Iterator[Claim | str]:
    trials = where.sized(TRIALS, 2)
    batches = made_batches(where, batch)
    data = random_pictures(where.sized(40 * batch, 60))
    label = f"{NET}, batch {batch}"
    stacks = {"candidly, alone": 1, f"candidly, stack of {trials}": trials}
    counts, works, found = {}, {}, []

    def plain(made=None):
        loop = Loop(where, made or copy.deepcopy(module), batches)
        return partial(exact, where, loop.update)

    def exact(where, call):
        with arithmetic(torch.device(where.device)):
            call()

    makes = {
        "plain loop": (1, plain),
        "plain loop as torch comes": (
            1,
            lambda: Loop(where, copy.deepcopy(module), batches).update,
        ),
        "graph": (1, lambda: made_graph(where, module, graphed, batches)),
        f"vmap of {trials}": (
            trials,
            lambda: partial(
                exact,
                where,
                Vmapped(where, [copy.deepcopy(module) for _ in range(trials)], batches).update,
            ),
        ),
    }
    for way, count in stacks.items():
        makes[way] = (
            count,
            lambda count=count: partial(
                update, picture_stack(where, data, where.sized(NET, "cnn:width=4"), batch, count)
            ),
        )
    for way, (count, make) in makes.items():
        with what_fits(f"{label}: {way}", found):
            work = make()
            work()
            where.wait()
            counts[way], works[way] = count, work
    yield from found
    alone = {way: work for way, work in works.items() if counts[way] == 1}
    many = {way: work for way, work in works.items() if counts[way] > 1}
    seconds = where.medians(alone, 20, 5) | where.medians(many, 2, 5)
    each = {way: 1e3 * seconds[way] / counts[way] for way in works}
    for way, ms in each.items():
        yield Claim(f"{label}: {way}, ms per trial", ms)
    best = min(each.keys() - {"plain loop", "plain loop as torch comes"}, key=each.__getitem__)
    faster = each["plain loop"] / each[best]
    yield Claim(f"{label}: the best, {best}: times faster than the plain loop", faster)


def made_graph(where: Where, module, graphed, batches):
    with arithmetic(torch.device(where.device)):  # a graph keeps what it was captured with
        loop = graphed(where, copy.deepcopy(module), batches)
    return loop.update
