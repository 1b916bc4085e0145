"""Ways to train PRODEN, each in a process of its own, so that each has its usual surroundings.

A side is started once, then asked to time some updates again and again; the asker lets sides take
turns. The ways:

    ours, pre   candidly's stack, refreshing the confidence table after or before the step
    released    a plain loop as in the benchmark's released program: a DataLoader over a
                per-example data set, torch.optim.Adam, one trial at a time; candidates and table
                in the float64 of the files, renormalised whole with a repeated denominator
    lean        the same loop with a float32 table and a broadcast division
    any other   candidly's stack of the algorithm with that name, its warm-up over
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path

from _bench import Child
from candidly.ground.process import HUGE_PAGES, tune_memory

HIDDEN = 500
PLAIN = ("released", "lean")
WARMED = ("POP", "IDGP", "co-teaching+", "dividemix", "PiCO", "DIRK", "ALIM", "PiCO+")
WARMED += ("promix", "disc", "forward-t", "backward-t", "t-revision", "peer", "f-div")
LATE = {name: {"warm_up": 0} for name in WARMED} | {"VALEN": {"warm_up": 1}}
# shares of so many updates: one of each
LATE |= {name: {"first": 1e-9, "refine": 1e-9} for name in ("pes", "pes-semi")}
LATE |= {name: {"first": 1e-9} for name in ("cal", "cores*")}
# updates in all: endless, but for what shares them out between parts of which one would rest
UPDATES = {"bbn": 4000}


class Side(Child):
    """A way in its own process.

    Args:
        tree: the root of other code to run in place of this.
    """

    def __init__(
        self,
        way: str,
        shape: tuple[int, int, int],
        batch: int,
        trials: int = 1,
        tree: Path | None = None,
    ):
        script = Path(__file__) if tree is None else tree / "bench" / Path(__file__).name
        own = {} if way in PLAIN else HUGE_PAGES
        if tree is not None:
            own = {**own, "PYTHONPATH": str(tree / "src")}
        super().__init__(script, [way, shape, batch, trials], own)


def make_data(n: int, d: int, q: int):
    """Gaussian classes, about 2.5 candidates a row, and one to four answers of five people."""
    import numpy as np

    from candidly.data.labels.labelled import Labelled
    from candidly.learn.contract.battery import votes_about

    g = np.random.default_rng(0)
    truth = g.integers(0, q, n)
    candidates = g.random((n, q)) < 1.5 / q
    candidates[np.arange(n), truth] = True
    return Labelled(
        inputs=g.normal(size=(n, d)) + np.eye(q, d)[truth],
        classes=tuple(map(str, range(q))),
        candidates=candidates,
        given=truth,
        votes=votes_about(truth, q, 0.3, g),
        truth=truth,
    )


def make_stack(
    data, trials: int, batch: int, name="PRODEN", dtype="float32", device="cpu", **hyper
):
    """Trials with the default hyper-parameters but no warm-up, on the splits 0, 1, ..."""
    import torch

    from candidly.learn.algorithms import algorithm, configuration
    from candidly.learn.engine.examples import make_examples, split_scaling
    from candidly.learn.engine.stack import Member
    from candidly.learn.engine.start import start
    from candidly.learn.nets import mlp

    page = algorithm(name)
    examples = make_examples(data, page.reads, dtype=getattr(torch, dtype), device=device)
    members = []
    for k in range(trials):
        rows = data.split(k).train
        values = configuration(page.settings(), 0, 0) | {"batch_size": batch}
        values |= LATE.get(name, {}) | hyper
        members.append(Member(k, rows, values, split_scaling(data, examples, rows, "train")))
    net, steps = mlp(examples.inputs.shape[1], data.q, HIDDEN), UPDATES.get(name, 10**9)
    return start(page, net, examples, members, steps)


class Rows:
    """A per-example data set."""

    def __init__(self, inputs, candidates):
        self.inputs, self.candidates = inputs, candidates

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, i: int):
        return self.inputs[i], self.candidates[i], i


class Plain:
    """One trial of a stack in a plain loop: same start, rows, order and inputs."""

    def __init__(self, stack, k: int = 0, released: bool = True):
        import torch
        from torch import nn

        self.stack, self.k, self.released = stack, k, released
        raw = stack.examples.inputs[stack.index[k]]
        shift, factor = stack.scaling
        self.inputs = (raw - shift[k]) * factor[k]
        wide = torch.float64 if released else self.inputs.dtype
        self.candidates = stack.examples.labels["candidates"][stack.index[k]].to(wide)
        self.table = self.candidates / self.candidates.sum(1, keepdim=True)
        d, q = self.inputs.shape[1], stack.q
        self.net = nn.Sequential(nn.Linear(d, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, q))
        self.net = self.net.to(self.inputs.dtype)
        own = {name: leaf[k].detach().clone() for name, leaf in stack.net.parameters.items()}
        with torch.no_grad():
            for layer, w, b in ((self.net[0], "w1", "b1"), (self.net[2], "w2", "b2")):
                same = own[w].shape == layer.weight.shape
                layer.weight.copy_(own[w] if same else own[w].T)
                layer.bias.copy_(own[b][0])
        rates = {name: float(getattr(stack.hp, name)[k]) for name in ("lr", "weight_decay")}
        self.optimiser = torch.optim.Adam(self.net.parameters(), **rates)
        self.loss = None
        self.batches = iter(self._forever())

    def _forever(self):
        from torch.utils.data import DataLoader

        epoch, rows = 0, Rows(self.inputs, self.candidates)
        while True:
            batches = (
                self.stack.feed.samplers.uniform(0).at(epoch, j) for j in range(self.stack.E)
            )
            order = [ids[self.k].tolist() for ids, *_ in batches]  # the stack's own
            yield from DataLoader(rows, batch_sampler=order)
            epoch += 1

    def update(self) -> None:
        import torch

        x, candidates, ids = next(self.batches)
        loss = -(self.table[ids] * self.net(x).log_softmax(1)).sum(1).mean()
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        with torch.no_grad():
            self.table[ids] = self.net(x).softmax(1) * candidates
            sums = self.table.sum(1, keepdim=True)
            self.table = self.table / (sums.repeat(1, self.stack.q) if self.released else sums)
        self.loss = loss.detach()

    def evaluate(self, data) -> list[float]:
        """A pass over validation per criterion and one over test, in batches of 64."""
        import torch
        from torch.utils.data import DataLoader

        split, truth = data.split(self.k), torch.tensor(data.truth)
        shift, factor = self.stack.scaling
        views = {}
        for name in ("validation", "test"):
            rows = torch.from_numpy(getattr(split, name))
            inputs = (self.stack.examples.inputs[rows] - shift[self.k]) * factor[self.k]
            views[name] = Rows(inputs, torch.tensor(data.candidates)[rows]), rows
        out = []
        for criterion in ("CR", "AA", "OA", "test"):
            rows, where = views["test" if criterion == "test" else "validation"]
            right = 0.0
            for x, candidates, ids in DataLoader(rows, batch_size=64):
                with torch.no_grad():
                    p = self.net(x).softmax(1)
                best = p.argmax(1)
                inside = candidates.gather(1, best[:, None])[:, 0]
                if criterion == "CR":
                    right += inside.sum().item()
                elif criterion == "AA":
                    share = p.gather(1, best[:, None])[:, 0] / (p * candidates).sum(1)
                    right += (inside * share).sum().item()
                else:
                    right += (best == truth[where[ids]]).sum().item()
            out.append(right / len(rows))
        return out


def serve(way: str, shape: list[int], batch: int, trials: int) -> None:
    if way not in PLAIN:
        tune_memory()
    import torch

    from candidly.learn.engine.train import update

    torch.set_num_threads(1)
    name = {"pre": "PRODEN:pre"}.get(way, "PRODEN" if way in ("ours", *PLAIN) else way)
    stack = make_stack(make_data(*shape), trials, batch, name)
    work = Plain(stack, 0, way == "released").update if way in PLAIN else partial(update, stack)
    for line in sys.stdin:
        start = time.perf_counter()
        for _ in range(int(line)):
            work()
        print((time.perf_counter() - start) / int(line), flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    serve(*json.loads(sys.argv[1]))
