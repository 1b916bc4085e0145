"""Speed and memory of training on pictures, and of tables beside the engine's first edition.

``_image_sides.py`` says what is compared: candidly's update of one trial with a plain loop's, of
the same module on the same batches. Both sides run in processes of their own on one thread, and
take turns; figures are medians over the rounds, of processor time. Loading, memory and accuracy
need CIFAR-10 as a Parquet file (``CANDIDLY_DATA``), and the comparison with the first edition this
repository's history; what is missing is said and left out.

    python bench/images.py            about fifteen minutes; writes bench/results/images.json
    python bench/images.py --quick    about two minutes
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import torch

from _bench import Claim, at_most, interleaved, main, median_ratio
from _image_sides import PictureSide, PlainPictures, make_picture_stack, plain_accuracy
from _sides import Side
from candidly.learn.engine.train import update

BATCH = 128
NETS = {"cnn": (1.10, 12), "resnet32": (1.05, 3), "resnet18": (1.05, 1)}  # most, updates a turn
BEFORE = "9e1a167fbc071fdabf3aae4ee075bd35dccf1c4b"  # the last commit of the engine's first edition
TABLES = {(1122, 108, 16): 20, (5303, 384, 44): 4}  # trials in the stack, by shape
SLOWEST = 1.05  # of the first edition's time, at most
PICTURES = 50_000
LOADING_S, TWO_WORKERS = 10.0, 1.3
APART = 2.0  # points of accuracy that means of three runs may be apart, of which one spreads by one
ROOT = Path(__file__).parents[1]


def left_out(what: str, why: str) -> list[Claim]:
    print(f"left out: {what}: {why}", file=sys.stderr)
    return []


def same_losses(net: str, updates: int) -> Claim:
    """Largest difference between the two ways' losses: what is timed is the same work."""
    stack = make_picture_stack(net, 16)
    plain, worst = PlainPictures(stack, net), 0.0
    for _ in range(updates):
        plain.update()
        update(stack)
        worst = max(worst, abs(stack.mean_loss()[0] - plain.loss.item()))
    return at_most(f"{net}: largest difference of losses, {updates} updates", worst, 0)


def speed(net: str, quick: bool) -> list[Claim]:
    most, updates = NETS[net]
    sides = [PictureSide(way, net, BATCH) for way in ("ours", "plain")]
    turns = [partial(side, updates) for side in sides]
    for turn in turns:
        turn()
    ours, plain = interleaved(3 if quick else 9, *turns)
    for side in sides:
        side.close()
    return [
        Claim(f"{net}, batch {BATCH}: ours, ms an update", 1e3 * statistics.median(ours)),
        Claim(f"{net}, batch {BATCH}: plain loop, ms an update", 1e3 * statistics.median(plain)),
        at_most(f"{net}, batch {BATCH}: ours over the plain loop", median_ratio(ours, plain), most),
    ]


def has_pictures() -> bool:
    root = os.environ.get("CANDIDLY_DATA")
    return bool(root) and any(Path(root).expanduser().rglob("cifar10*.parquet"))


def loading(cache: Path) -> list[Claim]:
    """Processor seconds of a process that decodes the Parquet file's pictures, all 60,000."""
    code = """
import time
from candidly import sources
import polars, PIL.Image
start = time.process_time()
data = sources.load("cifar10")
print((time.process_time() - start) / data.n)
"""
    out = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "XDG_CACHE_HOME": str(cache), "POLARS_MAX_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    seconds = PICTURES * float(out.stdout)
    return [at_most("50,000 CIFAR pictures from Parquet, s of a core", seconds, LOADING_S)]


def memory(cache: Path, quick: bool) -> list[Claim]:
    """Memory of the same sweep in one worker process and in two, with the process that asks."""
    used = {workers: sweep_bytes(cache, workers, 4 if quick else 20) for workers in (1, 2)}
    ratio = used[2] / used[1]
    return [
        *(Claim(f"CIFAR-10, workers: {w}: peak PSS, MB", b / 1e6) for w, b in used.items()),
        at_most("CIFAR-10: memory of two workers over one's", ratio, TWO_WORKERS),
    ]


def sweep_bytes(cache: Path, workers: int, steps: int) -> int:
    """The largest proportional set size of a sweep and its workers, seen every tenth of a second.

    A page that several processes share counts once: each has its part of it. A single worker is a
    process of its own here, as one of several is, and not the one that asks.
    """
    code = f"""
from pathlib import Path
import tempfile
from candidly.compare.benchmarking import prepare
from candidly.compare.sweep import run
from candidly.compare.sweep.settings import make_settings
run.here = lambda data, out, devices: run.in_workers(data, out, devices, 1)
plan, loaded = prepare(make_settings(
    datasets=("cifar10",), algorithms=("CC", "PRODEN"), labels="flip:rate=0.3", net="cnn",
    hyper={{"batch_size": 64}}, configs=1, splits=1, steps={steps}, eval_every={steps},
    split="official",
))
with tempfile.TemporaryDirectory() as out:
    run.run_plan(plan, loaded, Path(out), workers={workers})
"""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
    )
    largest = 0
    while process.poll() is None:
        largest = max(largest, sum(pss_bytes(pid) for pid in family(process.pid)))
        time.sleep(0.1)
    if process.returncode:
        raise RuntimeError(f"the sweep ended with status {process.returncode}")
    return largest


def family(pid: int) -> Iterator[int]:
    """A process and those that it started, and so on."""
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has ended
        return
    for child in children:
        yield from family(int(child))


def pss_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def accuracy(quick: bool) -> list[Claim]:
    """The supervised oracle on CIFAR-10 beside a loop of its own start and order."""
    from candidly.compare.benchmarking import benchmark
    from candidly.data.sources import load

    data, steps = load("cifar10"), 20 if quick else 1000
    ours, plain = [], []
    for seed in range(1 if quick else 3):
        (run,) = benchmark(
            data,
            "supervised-oracle",
            net="cnn",
            recipe="adam",
            hyper={"batch_size": 64},
            split="official",
            configs=1,
            splits=1,
            seed=seed,
            steps=steps,
            eval_every=steps,
            workers=1,
        ).runs
        ours.append(100 * run.records[-1].test["top1"])
        plain.append(100 * plain_accuracy(data, seed, steps, run.hyper))
    apart = abs(statistics.mean(ours) - statistics.mean(plain))
    name = f"CIFAR-10, cnn, oracle, {steps:,} updates of 64"
    found = [
        Claim(f"{name}: {way}, seed {seed}, %", value)
        for way, values in (("ours", ours), ("plain loop", plain))
        for seed, value in enumerate(values)
    ]
    difference = f"{name}: difference of means, points"
    return [*found, Claim(difference, apart) if quick else at_most(difference, apart, APART)]


@contextmanager
def first_edition() -> Iterator[Path | None]:
    """The tree of the commit before the second edition; None where there is no such history."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["git", "-C", str(ROOT), "archive", BEFORE, "src", "bench"]
        found = subprocess.run(command, capture_output=True)
        if found.returncode:
            yield None
            return
        subprocess.run(["tar", "-x", "-C", folder], input=found.stdout, check=True)
        yield Path(folder)


def tables(quick: bool) -> list[Claim]:
    """Updates of PRODEN on tables, beside the same with the code of before."""
    with first_edition() as tree:
        if tree is None:
            return left_out("tables beside the first edition", f"no commit {BEFORE[:7]} here")
        claims = []
        for shape, trials in list(TABLES.items())[: 1 if quick else None]:
            sides = [Side("ours", shape, 64, trials, where) for where in (None, tree)]
            turns = [partial(side, max(10, 400 // trials)) for side in sides]
            for turn in turns:
                turn()
            now, before = interleaved(5 if quick else 25, *turns)
            for side in sides:
                side.close()
            name = f"{' x '.join(map(str, shape))}, stack of {trials}: now over before"
            claims.append(at_most(name, median_ratio(now, before), SLOWEST))
        return claims


def measure(quick: bool) -> list[Claim]:
    torch.set_num_threads(1)
    nets = list(NETS)[: 2 if quick else None]
    claims = [same_losses(net, 3 if quick else 10) for net in nets]
    for net in nets:
        claims += speed(net, quick)
    claims += tables(quick)
    if not has_pictures():
        return claims + left_out(
            "loading, memory and accuracy", "no cifar10*.parquet in CANDIDLY_DATA"
        )
    with tempfile.TemporaryDirectory() as folder:
        claims += loading(Path(folder)) + memory(Path(folder), quick)
    return claims + accuracy(quick)


if __name__ == "__main__":
    main("images", __doc__ or "", measure)
