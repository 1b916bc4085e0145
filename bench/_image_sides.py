"""Ways to train a network on pictures, each in a process of its own.

Both train the same module on the same rows in the same order with cross-entropy and Adam, from the
same numbers, on plain views:

    ours     candidly's stack of one trial: it takes uint8 pixels and makes the numbers of a batch
    plain    the usual loop, with everything already there: all pictures as float32, normalised
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path

from _bench import Child
from candidly.ground.process import HUGE_PAGES, tune_memory

SIDE, CLASSES = 32, 10


class PictureSide(Child):
    """A way in its own process."""

    def __init__(self, way: str, net: str, batch: int):
        super().__init__(Path(__file__), [way, net, batch], HUGE_PAGES if way == "ours" else {})


def make_pictures(n: int):
    """Random pixels in random classes: what they show makes no difference to the time."""
    import numpy as np

    from candidly.data.labels.labelled import Labelled

    g = np.random.default_rng(0)
    return Labelled(
        inputs=g.integers(0, 256, (n, SIDE, SIDE, 3), dtype=np.uint8),
        classes=tuple(map(str, range(CLASSES))),
        truth=g.integers(0, CLASSES, n),
    )


def make_picture_stack(net: str, batch: int):
    """One trial of supervised-oracle with its default hyper-parameters."""
    from candidly.learn.algorithms import algorithm, configuration
    from candidly.learn.engine.examples import make_examples, split_scaling
    from candidly.learn.engine.stack import Member
    from candidly.learn.engine.start import start
    from candidly.learn.nets import network

    page, data = algorithm("supervised-oracle"), make_pictures(40 * batch)
    examples = make_examples(data, page.reads)
    rows = data.split(0).train
    values = configuration(page.settings(), 0, 0) | {"batch_size": batch}
    member = Member(0, rows, values, split_scaling(data, examples, rows, "train"))
    return start(page, network(net, examples.shape, data.q), examples, [member], 10**9)


def make_module(net: str):
    """The module that a network of candidly's is made of."""
    from candidly.learn.nets.cnn import Cnn
    from candidly.learn.nets.resnet import ResNet

    if net == "cnn":
        return Cnn(3, CLASSES, 16)
    blocks, widths = {
        "resnet32": ((5, 5, 5), (16, 32, 64)),
        "resnet18": ((2, 2, 2, 2), (64, 128, 256, 512)),
    }[net]
    return ResNet(3, CLASSES, blocks, widths)


class PlainPictures:
    """The trial of a stack in a plain loop: same start, rows, order and inputs."""

    def __init__(self, stack, net: str):
        import torch

        index = stack.index[0]
        shift, factor = (each[0] for each in stack.scaling)
        self.inputs = stack.examples.take(index).sub_(shift).mul_(factor)
        self.truth = stack.examples.labels["truth"][index]
        orders = stack.feed.samplers.uniform(0)
        self.order = [orders.at(0, j).ids[0] for j in range(stack.E)]
        own = {name: leaf[0] for name, leaf in stack.net.parameters.items()}
        own |= {name: buffer[0] for name, buffer in stack.net.buffers.items()}
        self.module = make_module(net)
        self.module.load_state_dict(own)
        rates = {name: float(stack.hyper[0][name]) for name in ("lr", "weight_decay")}
        self.optimiser = torch.optim.Adam(self.module.parameters(), **rates, fused=True)
        self.t, self.loss = 0, None

    def update(self) -> None:
        from candidly.learn.algorithms.ce import loss as cross_entropy

        ids = self.order[self.t % len(self.order)]
        loss = cross_entropy(self.module(self.inputs[ids]), self.truth[ids]).mean()
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        self.t, self.loss = self.t + 1, loss.detach()


def plain_accuracy(data, split: int, steps: int, hyper) -> float:
    """Share of right test pictures after a loop that has nothing of candidly but the rows.

    Its start and its order are torch's own, of the seed ``split``.
    """
    import numpy as np
    import torch
    from torch.nn.functional import cross_entropy

    torch.manual_seed(split)
    rows = data.split(split, official=True)
    pixels = torch.from_numpy(np.asarray(data.inputs)).permute(0, 3, 1, 2)
    truth, train = torch.from_numpy(data.truth), torch.from_numpy(rows.train)
    mean, std = (
        torch.tensor(each(pixels[train].numpy(), axis=(0, 2, 3)), dtype=torch.float32)[
            :, None, None
        ]
        for each in (np.mean, np.std)
    )
    module = make_module("cnn")
    rates = {name: float(hyper[name]) for name in ("lr", "weight_decay")}
    optimiser = torch.optim.Adam(module.parameters(), **rates)
    order: list[torch.Tensor] = []
    for _ in range(steps):
        if not order:
            batch = int(hyper["batch_size"])
            order = list(train[torch.randperm(len(train))].split(batch))[: len(train) // batch]
        ids = order.pop()
        loss = cross_entropy(module((pixels[ids].float() - mean) / std), truth[ids])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    module.eval()
    right = 0
    with torch.no_grad():
        for ids in torch.from_numpy(rows.test).split(500):
            right += int((module((pixels[ids].float() - mean) / std).argmax(1) == truth[ids]).sum())
    return right / len(rows.test)


def serve(way: str, net: str, batch: int) -> None:
    if way == "ours":
        tune_memory()
    import torch

    from candidly.learn.engine.train import update

    torch.set_num_threads(1)
    stack = make_picture_stack(net, batch)
    work = partial(update, stack) if way == "ours" else PlainPictures(stack, net).update
    for line in sys.stdin:
        start = time.process_time()  # of one thread: what else runs on the machine does not count
        for _ in range(int(line)):
            work()
        print((time.process_time() - start) / int(line), flush=True)


if __name__ == "__main__":
    serve(*json.loads(sys.argv[1]))
