"""One algorithm training a network on pictures, in a process of its own; CC is such a side too.

Its stages before the last are over and its queue is full, so that an update costs what most do.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from _bench import Child
from _image_sides import make_pictures
from _sides import LATE
from candidly.ground.process import HUGE_PAGES, peak_memory_bytes, tune_memory

FULL = 8192  # slots of the queues
# what each last stage needs: an end of the warm-up in the unit that the page counts in
LAST = {
    **LATE,
    "VALEN": {"warm_up": 1},
    "ALIM": {"warm_up": 0, "start_epoch": 0},
    "PiCO+": {"warm_up": 0, "neighbours_from": 0, "pure_ratio": 0.8},
}


class CostSide(Child):
    """Seconds of the processor per update; asked for 0 updates, the peak of memory in bytes."""

    def __init__(self, way: str, net: str, batch: int):
        super().__init__(Path(__file__), [way, net, batch], HUGE_PAGES)


def make_side(way: str, net: str, batch: int):
    import numpy as np
    import torch

    from candidly.data.labels.labelled import Labelled
    from candidly.learn.algorithms import algorithm, common, configuration
    from candidly.learn.engine.examples import make_examples, split_scaling
    from candidly.learn.engine.recipe import default_recipe
    from candidly.learn.engine.stack import Member
    from candidly.learn.engine.start import start
    from candidly.learn.engine.train import update
    from candidly.learn.nets import network

    page, data = algorithm(way), make_pictures(20 * batch)
    sets = np.random.default_rng(1).random((data.n, data.q)) < 0.3
    sets[np.arange(data.n), data.truth] = True
    data = Labelled(
        inputs=data.inputs,
        classes=data.classes,
        candidates=sets,
        given=data.truth,
        truth=data.truth,
    )
    examples = make_examples(data, page.reads)
    rows = data.split(0).train
    values = configuration(page.settings(common("adam", "images")), 0, 0)
    values |= {"batch_size": batch} | LAST.get(way, {})
    member = Member(0, rows, values, split_scaling(data, examples, rows, "train"))
    net = network(net, examples.shape, data.q)
    stack = start(page, net, examples, [member], 10**9, default_recipe("images"))
    for _ in range(2):  # into the last stage
        update(stack)
    stack.take_up_until(-(-FULL // batch // stack.E + 1) * stack.E)
    for name, memory in stack.memory.items():
        if name == "queue":
            memory.copy_(unit_rows(memory.shape))
        elif memory.shape[1:2] == (FULL,) and not memory.dtype.is_floating_point:
            memory.random_(0, 2 if memory.dtype == torch.bool else data.q)
    if "reliable" in stack.rows:  # PiCO+ looks for the neighbours of the others
        stack.rows["reliable"].bernoulli_(0.8)
    return stack


def unit_rows(shape):
    import torch

    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(shape, generator=generator)
    return torch.nn.functional.normalize(rows, dim=-1)


def answer(way: str, net: str, batch: int) -> None:
    import torch

    from candidly.learn.engine.train import update, without_denormals

    tune_memory()
    torch.set_num_threads(1)
    stack = make_side(way, net, batch)
    for line in sys.stdin:
        started = time.process_time()
        with without_denormals():
            for _ in range(count := int(line)):
                update(stack)
        took = time.process_time() - started
        print(took / count if count else peak_memory_bytes(), flush=True)


if __name__ == "__main__":
    answer(*json.loads(sys.argv[1]))
