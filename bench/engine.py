"""Speed and memory of the engine, beside a plain loop of the usual kind.

The plain loop: a DataLoader over a per-example data set, ``torch.optim.Adam``, one trial at a
time, and a confidence table that is renormalised whole at every update. Both sides train PRODEN,
refresh the table after the step, run in this process on one thread with the same allocator
settings, and take turns; figures are medians over the rounds.

    python bench/engine.py            about ten minutes; writes bench/results/engine.json
    python bench/engine.py --quick    under a minute
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from _bench import Claim, at_least, at_most, interleaved, main, median_ratio, timed
from candidly._process import keep_freed_memory
from candidly.algorithms import algorithm, configuration
from candidly.evaluate import oracle_measure, oracle_view
from candidly.examples import make_examples, split_scaling
from candidly.labelled import Labelled
from candidly.nets import mlp
from candidly.sweep.pack import CACHE_BYTES
from candidly.train import Member, Stack

BATCHES = (32, 64, 128)
# shape: (least speed-up, whether the floating-point rate has a target)
SHAPES = {
    (1122, 108, 16): (2.0, False),
    (4998, 38, 13): (2.0, False),
    (5303, 384, 44): (1.4, True),
    (17472, 279, 171): (3.0, True),
    (22991, 163, 219): (4.0, True),
    (2780, 1536, 14): (1.2, True),
}
HIDDEN = 500


def make_data(n: int, d: int, q: int) -> Labelled:
    """Gaussian classes and about 2.5 candidates a row."""
    g = np.random.default_rng(0)
    truth = g.integers(0, q, n)
    inputs = g.normal(size=(n, d)) + np.eye(q, d)[truth]
    candidates = g.random((n, q)) < 1.5 / q
    candidates[np.arange(n), truth] = True
    return Labelled(
        inputs=inputs,
        classes=tuple(map(str, range(q))),
        candidates=candidates,
        truth=truth,
    )


def make_stack(
    data: Labelled,
    trials: int,
    batch: int,
    name: str = "PRODEN",
    dtype: torch.dtype = torch.float32,
    device: str = "cpu",
) -> Stack:
    page = algorithm(name)
    examples = make_examples(data, page.reads, dtype=dtype, device=device)
    members = []
    for k in range(trials):
        rows = data.split(k).train
        hyper = configuration(page.settings(), 0, 0) | {"batch_size": batch}
        members.append(Member(k, rows, hyper, split_scaling(data, examples, rows, "train")))
    return Stack(page, mlp(examples.inputs.shape[1], data.q, HIDDEN), examples, members, 10**9)


# the usual loop


class Rows(Dataset):
    def __init__(self, inputs: torch.Tensor, candidates: torch.Tensor):
        self.inputs, self.candidates = inputs, candidates

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, i: int):
        return self.inputs[i], self.candidates[i], i


class Usual:
    """One trial of a stack, trained the usual way: same start, rows, order and inputs."""

    def __init__(self, stack: Stack, k: int = 0):
        self.stack, self.k = stack, k
        raw = stack.examples.inputs[stack.index[k]]
        shift, factor = stack.scaling
        self.inputs = (raw - shift[k]) * factor[k]
        self.candidates = stack.examples.labels["candidates"][stack.index[k]]
        self.dtype = self.inputs.dtype
        d, q = self.inputs.shape[1], stack.q
        self.net = nn.Sequential(nn.Linear(d, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, q))
        self.net = self.net.to(self.dtype)
        own = {name: leaf[k].detach().clone() for name, leaf in stack.net.parameters.items()}
        with torch.no_grad():
            for layer, w, b in ((self.net[0], "w1", "b1"), (self.net[2], "w2", "b2")):
                layer.weight.copy_(own[w].T)
                layer.bias.copy_(own[b][0])
        self.optimiser = torch.optim.Adam(
            self.net.parameters(),
            lr=float(stack.hp.lr[k]),
            weight_decay=float(stack.hp.weight_decay[k]),
        )
        weights = self.candidates.to(self.dtype)
        self.table = weights / weights.sum(1, keepdim=True)
        self.loss = None
        self.batches = iter(self._forever())

    def _forever(self):
        epoch = 0
        rows = Rows(self.inputs, self.candidates)
        while True:
            self.stack._shuffle(epoch)  # the order that the stack will use
            order = [ids[self.k].tolist() for ids in self.stack._ids]
            yield from DataLoader(rows, batch_sampler=order)
            epoch += 1

    def update(self) -> None:
        x, candidates, ids = next(self.batches)
        loss = -(self.table[ids] * self.net(x).log_softmax(1)).sum(1).mean()
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        with torch.no_grad():
            self.table[ids] = self.net(x).softmax(1) * candidates
            self.table = self.table / self.table.sum(1, keepdim=True)
        self.loss = loss.detach()

    def evaluate(self, data: Labelled) -> list[float]:
        """A pass over validation per criterion and one over test, in batches of 64."""
        split = data.split(self.k)
        shift, factor = self.stack.scaling
        views = {}
        for name in ("validation", "test"):
            rows = torch.from_numpy(getattr(split, name))
            inputs = (self.stack.examples.inputs[rows] - shift[self.k]) * factor[self.k]
            views[name] = Rows(inputs, torch.tensor(data.candidates)[rows]), rows
        truth = torch.tensor(data.truth)
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


# measurements


def suitable_stack(d: int, q: int) -> int:
    """The rule of ``sweep.pack.stack_size``, for a shape."""
    parameters = d * HIDDEN + HIDDEN + HIDDEN * q + q
    return min(20, max(1, int(CACHE_BYTES // (16 * parameters))))


def same_losses() -> Claim:
    """Largest difference of losses over 50 updates in float64, three trials."""
    data = make_data(1122, 108, 16)
    stack = make_stack(data, 3, 64, dtype=torch.float64)
    theirs = []
    for k in range(3):
        usual = Usual(make_stack(data, 3, 64, dtype=torch.float64), k)
        losses = []
        for _ in range(50):
            usual.update()
            losses.append(usual.loss)
        theirs.append(torch.stack(losses))
    ours = []
    for _ in range(50):
        stack.update()
        ours.append(torch.tensor(stack.mean_loss(), dtype=torch.float64))
    worst = (torch.stack(ours, 1) - torch.stack(theirs)).abs().max().item()
    return at_most("float64 losses: largest difference over 50 updates", worst, 1e-8)


def flops(d: int, q: int, batch: int) -> float:
    """Floating-point operations of a PRODEN update: two forwards, one backward."""
    return 2.0 * batch * HIDDEN * (3 * d + 4 * q)


def large_product():
    matrix = torch.randn(2048, 2048)
    return lambda: matrix @ matrix


def speed(shape: tuple[int, int, int], quick: bool) -> list[Claim]:
    n, d, q = shape
    target, rated = SHAPES[shape]
    data, trials = make_data(*shape), suitable_stack(d, q)
    rounds = 3 if quick else 7
    sums = {"usual": 0.0, "ours": 0.0, "pre": 0.0}
    work, ratios, rates = 0.0, [], []
    name = f"{n} x {d} x {q}"
    claims = []
    for batch in (64,) if quick else BATCHES:
        stack = make_stack(data, trials, batch)
        usual = Usual(make_stack(data, 1, batch))
        pre = make_stack(data, trials, batch, "PRODEN:pre")
        updates = max(4, int(2e8 / flops(d, q, batch) / trials * (1 if quick else 3)))
        sides = (
            timed(usual.update, max(6, updates // 2)),
            timed(stack.update, updates),
            timed(pre.update, updates),
            timed(large_product(), 2),
        )
        for side in sides:
            side()
        times = interleaved(rounds, *sides)
        usual_s, ours_s, pre_s, product_s = (statistics.median(t) for t in times)
        claims.append(Claim(f"{name}, batch {batch}: usual, ms per update", 1e3 * usual_s))
        claims.append(Claim(f"{name}, batch {batch}: stack of {trials}, ms", 1e3 * ours_s / trials))
        sums["usual"] += usual_s
        sums["ours"] += ours_s / trials
        sums["pre"] += pre_s / trials
        work += flops(d, q, batch)
        ratios.append(median_ratio(times[0], times[1]) * trials)
        rates.append(2 * 2048**3 / product_s)
    claims.append(at_least(f"{name}: times faster", sums["usual"] / sums["ours"], target))
    claims.append(Claim(f"{name}: times faster, refresh before", sums["usual"] / sums["pre"]))
    rate, large = work / sums["ours"], statistics.median(rates)
    claims.append(Claim(f"{name}: Gflop/s", rate / 1e9))
    claims.append(Claim(f"{name}: large-matrix Gflop/s in the same rounds", large / 1e9))
    share = f"{name}: share of the large-matrix rate"
    claims.append(at_least(share, rate / large, 0.5) if rated else Claim(share, rate / large))
    return claims


def stack_sizes() -> list[Claim]:
    """What the rule of ``sweep.pack.stack_size`` rests on: ms per trial and update at batch 64."""
    claims = []
    for n, d, q in SHAPES:
        data = make_data(n, d, q)
        stacks = {k: make_stack(data, k, 64) for k in (1, 5, 20)}
        sides = [timed(s.update, max(3, int(40 / k))) for k, s in stacks.items()]
        for side in sides:
            side()
        for (k, _), times in zip(stacks.items(), interleaved(5, *sides)):
            name = f"{n} x {d} x {q}, batch 64: stack of {k}, ms per trial"
            claims.append(Claim(name, 1e3 * statistics.median(times) / k))
        claims.append(Claim(f"{n} x {d} x {q}: stack that the rule takes", suitable_stack(d, q)))
    return claims


def held_out(splits) -> tuple[torch.Tensor, torch.Tensor]:
    """Validation and test rows, one line a trial."""
    parts = ([getattr(split, name) for split in splits] for name in ("validation", "test"))
    validation, test = (torch.from_numpy(np.stack(part)) for part in parts)
    return validation, test


def evaluation(quick: bool) -> list[Claim]:
    data, trials = make_data(1122, 108, 16), suitable_stack(108, 16)
    stack = make_stack(data, trials, 64)
    usual = Usual(make_stack(data, 1, 64))
    view, splits = oracle_view(data), [data.split(k) for k in range(trials)]
    held = held_out(splits)
    slow, fast = interleaved(
        5 if quick else 15,
        timed(lambda: usual.evaluate(data), 5),
        timed(lambda: oracle_measure(stack, view, *held), 5),
    )
    fast = [seconds / trials for seconds in fast]
    return [
        Claim("1122 x 108 x 16: usual evaluation, ms", 1e3 * statistics.median(slow)),
        Claim("1122 x 108 x 16: evaluation, ms per trial", 1e3 * statistics.median(fast)),
        at_least("1122 x 108 x 16: evaluation, times faster", median_ratio(slow, fast), 4),
    ]


def large_stack() -> Claim:
    """Peak memory of a child process that trains, measures and saves a stack of 100."""
    code = """
import sys, tempfile, torch
from pathlib import Path
sys.path.insert(0, {here!r})
import engine
from candidly import checkpoint
from candidly._process import keep_freed_memory, peak_memory_bytes
torch.set_num_threads(1)
keep_freed_memory()
data = engine.make_data(22991, 163, 219)
stack = engine.make_stack(data, 100, 128)
for _ in range(3):
    stack.update()
splits = [data.split(k) for k in range(100)]
engine.oracle_measure(stack, engine.oracle_view(data), *engine.held_out(splits))
with tempfile.TemporaryDirectory() as folder:
    checkpoint.save(Path(folder), ["k"], stack)
print(peak_memory_bytes())
"""
    out = subprocess.run(
        [sys.executable, "-c", code.format(here=str(Path(__file__).parent))],
        capture_output=True,
        text=True,
        check=True,
    )
    return at_most("22991 x 163 x 219: stack of 100, peak GB", int(out.stdout) / 1e9, 3)


def start_up(quick: bool) -> list[Claim]:
    def run(*command: str):
        return lambda: subprocess.run(command, capture_output=True, check=True)

    sides = (
        timed(run(sys.executable, "-c", "import candidly"), 1),
        timed(run(sys.executable, "-m", "candidly", "--help"), 1),
    )
    for side in sides:
        side()
    importing, helping = interleaved(3 if quick else 11, *sides)
    return [
        at_most("import candidly, s with the interpreter", statistics.median(importing), 0.5),
        at_most("candidly --help, s", statistics.median(helping), 1.0),
    ]


def demo() -> Claim:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        command = [sys.executable, "-m", "candidly", "demo", "--out", f"{folder}/demo"]
        subprocess.run(command, capture_output=True, check=True)
        return at_most("candidly demo on 2 cores, s", time.perf_counter() - start, 90)


def accelerator() -> list[Claim]:
    """Stacks of 1, 20 and 100 on a CUDA device, where there is one."""
    claims = []
    for n, d, q in SHAPES if torch.cuda.is_available() else ():
        data = make_data(n, d, q)
        for trials in (1, 20, 100):
            stack = make_stack(data, trials, 64, device="cuda")

            def work(stack=stack):
                for _ in range(50):
                    stack.update()
                torch.cuda.synchronize()

            side = timed(work, 1)
            side()
            median = statistics.median(interleaved(5, side)[0])
            name = f"{torch.cuda.get_device_name()}, {n} x {d} x {q}: stack of {trials}, ms"
            claims.append(Claim(name, 1e3 * median / 50 / trials))
    return claims


def measure(quick: bool) -> list[Claim]:
    torch.set_num_threads(1)
    keep_freed_memory()
    claims = [same_losses()]
    for shape in list(SHAPES)[:2] if quick else SHAPES:
        claims += speed(shape, quick)
    claims += evaluation(quick)
    claims += start_up(quick)
    if not quick:
        claims += [*stack_sizes(), large_stack(), demo(), *accelerator()]
    return claims


if __name__ == "__main__":
    main("engine", __doc__ or "", measure)
