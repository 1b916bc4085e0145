"""Speed and memory of the engine, beside a plain loop of the usual kind.

``_sides.py`` says what the plain loops are. Both sides train PRODEN on the same trials and refresh
the table after the step, each in a process of its own on one thread; they take turns, and figures
are medians over the rounds. The targets are against the loop as the benchmark's program was
released; a lean form of it is reported beside.

    python bench/engine.py            about ten minutes; writes bench/results/engine.json
    python bench/engine.py --quick    under a minute
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import torch

from _bench import Claim, at_least, at_most, interleaved, main, median_ratio, timed
from _sides import HIDDEN, Plain, Side, make_data, make_stack
from candidly.compare.sweep.pack import CACHE_BYTES
from candidly.learn.engine.evaluate import oracle_measure, oracle_view
from candidly.learn.engine.train import update

BATCHES = (32, 64, 128)
WAYS = ("ours", "pre", "released", "lean")
# shape: (least speed-up, whether the floating-point rate has a target)
SHAPES = {
    (1122, 108, 16): (2.0, False),
    (4998, 38, 13): (2.0, False),
    (5303, 384, 44): (1.4, True),
    (17472, 279, 171): (3.0, True),
    (22991, 163, 219): (4.0, True),
    (2780, 1536, 14): (1.2, True),
}


def suitable_stack(d: int, q: int) -> int:
    """The rule of ``sweep.pack.stack_size``, for a shape."""
    parameters = d * HIDDEN + HIDDEN + HIDDEN * q + q
    return min(20, max(1, int(CACHE_BYTES // (16 * parameters))))


def same_losses() -> Claim:
    """Largest difference of losses over 50 updates in float64, three trials."""
    data = make_data(1122, 108, 16)
    stack = make_stack(data, 3, 64, dtype="float64")
    theirs = []
    for k in range(3):
        plain = Plain(make_stack(data, 3, 64, dtype="float64"), k)
        losses = []
        for _ in range(50):
            plain.update()
            losses.append(plain.loss)
        theirs.append(torch.stack(losses))
    ours = []
    for _ in range(50):
        update(stack)
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
    """Every way's time per trial and update, summed over the batch sizes round by round."""
    n, d, q = shape
    target, rated = SHAPES[shape]
    trials, name = suitable_stack(d, q), f"{n} x {d} x {q}"
    rounds = 3 if quick else 15
    sums = {way: [0.0] * rounds for way in WAYS}
    work, larges, claims = 0.0, [], []
    for batch in (64,) if quick else BATCHES:
        stacked = {"ours": trials, "pre": trials, "released": 1, "lean": 1}
        updates = {
            way: max(5, int(3e9 / flops(d, q, batch) / k / (4 if quick else 1)))
            for way, k in stacked.items()
        }
        sides = {way: Side(way, shape, batch, k) for way, k in stacked.items()}
        turns = [partial(sides[way], updates[way]) for way in WAYS]
        for turn in turns:
            turn()
        *times, products = interleaved(rounds, *turns, timed(large_product(), 2))
        for side in sides.values():
            side.close()
        for way, seconds in zip(WAYS, times):
            each = [s / stacked[way] for s in seconds]
            sums[way] = [total + s for total, s in zip(sums[way], each)]
            median = 1e3 * statistics.median(each)
            claims.append(Claim(f"{name}, batch {batch}: {way}, ms per trial", median))
        work += flops(d, q, batch)
        larges.append(2 * 2048**3 / statistics.median(products))
    rate, large = work / statistics.median(sums["ours"]), statistics.median(larges)
    share = f"{name}: share of the large-matrix rate"
    return [
        *claims,
        Claim(f"{name}: trials in the stack", trials),
        at_least(f"{name}: times faster", median_ratio(sums["released"], sums["ours"]), target),
        Claim(
            f"{name}: times faster when ours refreshes before the step",
            median_ratio(sums["released"], sums["pre"]),
        ),
        Claim(f"{name}: times faster than the lean loop", median_ratio(sums["lean"], sums["ours"])),
        Claim(f"{name}: Gflop/s", rate / 1e9),
        Claim(f"{name}: large-matrix Gflop/s in the same rounds", large / 1e9),
        at_least(share, rate / large, 0.5) if rated else Claim(share, rate / large),
    ]


def stack_sizes() -> list[Claim]:
    """What the rule of ``sweep.pack.stack_size`` rests on: ms per trial and update at batch 64."""
    claims = []
    for shape in SHAPES:
        name = " x ".join(map(str, shape))
        sides = {k: Side("ours", shape, 64, k) for k in (1, 5, 20)}
        turns = [partial(side, max(4, 60 // k)) for k, side in sides.items()]
        for turn in turns:
            turn()
        for k, times in zip(sides, interleaved(7, *turns)):
            sides[k].close()
            each = 1e3 * statistics.median(times) / k
            claims.append(Claim(f"{name}, batch 64: stack of {k}, ms per trial", each))
        claims.append(Claim(f"{name}: stack that the rule takes", suitable_stack(*shape[1:])))
    return claims


def held_out(splits) -> tuple[torch.Tensor, torch.Tensor]:
    """Validation and test rows, one line a trial."""
    parts = ([getattr(split, name) for split in splits] for name in ("validation", "test"))
    validation, test = (torch.from_numpy(np.stack(part)) for part in parts)
    return validation, test


def evaluation(quick: bool) -> list[Claim]:
    data, trials = make_data(1122, 108, 16), suitable_stack(108, 16)
    stack = make_stack(data, trials, 64)
    plain = Plain(make_stack(data, 1, 64))
    view, held = oracle_view(data), held_out([data.split(k) for k in range(trials)])
    slow, fast = interleaved(
        5 if quick else 15,
        timed(lambda: plain.evaluate(data), 5),
        timed(lambda: oracle_measure(stack, view, *held), 5),
    )
    fast = [seconds / trials for seconds in fast]
    return [
        Claim("1122 x 108 x 16: plain evaluation, ms", 1e3 * statistics.median(slow)),
        Claim("1122 x 108 x 16: evaluation, ms per trial", 1e3 * statistics.median(fast)),
        at_least("1122 x 108 x 16: evaluation, times faster", median_ratio(slow, fast), 4),
    ]


def large_stack() -> Claim:
    """Peak memory of a child process that trains, measures and saves a stack of 100."""
    code = f"""
import sys, tempfile
from pathlib import Path
from candidly.ground.process import peak_memory_bytes, tune_memory
tune_memory()
import torch
sys.path.insert(0, {str(Path(__file__).parent)!r})
import engine
from candidly.learn.engine import checkpoint
from candidly.learn.engine.train import update
torch.set_num_threads(1)
data = engine.make_data(22991, 163, 219)
stack = engine.make_stack(data, 100, 128)
for _ in range(3):
    update(stack)
splits = [data.split(k) for k in range(100)]
engine.oracle_measure(stack, engine.oracle_view(data), *engine.held_out(splits))
with tempfile.TemporaryDirectory() as folder:
    checkpoint.save(Path(folder), ["k"], stack)
print(peak_memory_bytes())
"""
    out = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True
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
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return at_most("candidly demo, s", time.perf_counter() - start, 90)


def measure(quick: bool) -> list[Claim]:
    torch.set_num_threads(1)
    claims = [same_losses()]
    for shape in list(SHAPES)[:2] if quick else SHAPES:
        claims += speed(shape, quick)
    claims += evaluation(quick)
    claims += start_up(quick)
    if not quick:
        claims += [*stack_sizes(), large_stack(), demo()]
    return claims


if __name__ == "__main__":
    main("engine", __doc__ or "", measure)
