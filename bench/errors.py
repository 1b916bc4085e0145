"""Finding label errors beside cleanlab: time, memory, and data that do not fit in memory.

CPU seconds of one thread each, input checks included, taken in turns; ratios are medians over the
rounds. Extra memory is the peak of a child process over what it had with its input in memory, the
compiled code loaded. Scores by self-confidence at 50,000 x 1000 cannot be 3 times as fast with all
of the input checked: reading it once, as adding it up in NumPy does, takes more than a third of the
peer's time. Data: softmax of Gaussian logits, about 90 % accuracy, 8 % wrong labels.

    python bench/errors.py            about fifteen minutes, 4 GB of disk in the temporary folder;
                                      writes bench/results/errors.json
    python bench/errors.py --quick    under a minute
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import ctypes
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from _bench import Claim, at_least, at_most, interleaved, main, median_ratio

SHAPES = ((50_000, 10), (1_000_000, 10), (1_000_000, 100), (50_000, 1000))
FIND_AT_LEAST = {(50_000, 1000): 5.0}  # times faster than the peer; 10 elsewhere
SEPARATION = {10: 2.9, 100: 4.1, 1000: 5.0}  # of the true class's logit: 90 % accuracy
MB = 1e6


# data


def some_rows(rng: np.random.Generator, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    truth = rng.integers(0, m, n)
    logits = rng.standard_normal((n, m), dtype=np.float32)
    logits[np.arange(n), truth] += SEPARATION[m]
    logits *= 2
    logits -= logits.max(1, keepdims=True)
    np.exp(logits, out=logits)
    logits /= logits.sum(1, keepdims=True)
    wrong = rng.random(n) < 0.08
    return np.where(wrong, (truth + rng.integers(1, m, n)) % m, truth), logits


def make(n: int, m: int, dtype: str, file: Path | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Labels and probabilities, these in memory or in a file that is written in pieces."""
    rng = np.random.default_rng(0)
    probs: np.ndarray = (
        np.empty((n, m), dtype)
        if file is None
        else np.lib.format.open_memmap(file, "w+", dtype, (n, m))
    )
    given = np.empty(n, np.int64)
    step = 4_000_000 // m
    for start in range(0, n, step):
        here = slice(start, min(start + step, n))
        given[here], probs[here] = some_rows(rng, here.stop - start, m)
        if dtype == "float64":
            probs[here] /= probs[here].sum(1, keepdims=True)
    return given, probs


# one process


def cpu_timed(work: Callable[[], object], repeat: int = 1) -> Callable[[], float]:
    """A side: CPU seconds of this thread per call."""

    def side() -> float:
        start = time.thread_time()
        for _ in range(repeat):
            work()
        return (time.thread_time() - start) / repeat

    work()
    return side


def beside_the_peer(n: int, m: int, dtype: str, rounds: int) -> list[Claim]:
    from cleanlab.count import compute_confident_joint
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    from candidly import errors

    given, probs = make(n, m, dtype)
    repeat = max(1, 2_000_000 // probs.size)
    label = f"{n} x {m} {dtype}"
    score = ("self-confidence", "margin", "entropy")
    names = ("self_confidence", "normalized_margin", "confidence_weighted_entropy")
    questions = {
        "find": (
            lambda: errors.find(given, probs),
            lambda: find_label_issues(given, probs, n_jobs=1),
            FIND_AT_LEAST.get((n, m), 10.0),
        ),
        "confident_joint": (
            lambda: errors.confident_joint(given, probs),
            lambda: compute_confident_joint(given, probs),
            5.0,
        ),
        **{
            f"scores by {by}": (
                partial(errors.scores, given, probs, by),
                partial(get_label_quality_scores, given, probs, method=name),
                3.0,
            )
            for by, name in zip(score, names)
        },
    }
    claims = []
    for name, (ours, theirs, target) in questions.items():
        mine, its = interleaved(rounds, cpu_timed(ours, repeat), cpu_timed(theirs))
        ratio = median_ratio(its, mine)
        what = f"{label}: {name}, times as fast as the peer"
        claims.append(at_least(what, ratio, target) if dtype == "float32" else Claim(what, ratio))
        claims.append(Claim(f"{label}: {name}, ms", 1e3 * float(np.median(mine))))
    plain = interleaved(rounds, cpu_timed(lambda: probs.sum(), repeat))[0]
    claims.append(Claim(f"{label}: adding it up in NumPy, ms", 1e3 * float(np.median(plain))))
    return claims


# child processes


def private_bytes() -> int:
    """Memory of this process that is no file's."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise OSError("/proc/self/status has no RssAnon.")


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """CPU seconds of this thread, and, of a second run, the peak of private bytes over before."""
    start = time.thread_time()
    work()
    seconds = time.thread_time() - start
    ctypes.CDLL(None).malloc_trim(0)  # what is free and kept would hide what is needed
    before = private_bytes()
    peak, over = before, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not over.wait(0.001):
            peak = max(peak, private_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    kept = work()
    peak = max(peak, private_bytes())
    over.set()
    watcher.join()
    del kept
    return seconds, peak - before


def child(way: str, n: int, m: int, dtype: str, folder: str) -> tuple[float, float]:
    """One way in this process, after it has seen a small case."""
    from candidly import errors

    given, probs = make(2000, m, dtype)
    if way == "memory":
        errors.find(given, probs)
        given, probs = make(n, m, dtype)
        return measured(lambda: errors.find(given, probs))
    labels, file = f"{folder}/given.npy", f"{folder}/probs.npy"
    small = tempfile.mkdtemp(dir=folder)
    np.save(f"{small}/given.npy", given)
    np.save(f"{small}/probs.npy", probs)
    if way == "batched":
        from cleanlab.experimental.label_issues_batched import find_label_issues_batched

        def theirs(labels: str, file: str) -> object:
            return find_label_issues_batched(
                labels=np.load(labels, mmap_mode="r"),
                pred_probs=np.load(file, mmap_mode="r"),
                n_jobs=1,
                verbose=False,
                batch_size=100_000,
            )

        theirs(f"{small}/given.npy", f"{small}/probs.npy")
        return measured(lambda: theirs(labels, file))
    if way == "work":
        errors.find(f"{small}/given.npy", f"{small}/probs.npy", work=f"{small}/work")
        shutil.rmtree(f"{small}/work")
        return measured(lambda: afresh(labels, file, f"{folder}/work"))
    by = way.removeprefix("by ")
    errors.find(f"{small}/given.npy", f"{small}/probs.npy", by=by)
    return measured(lambda: errors.find(labels, file, by=by))


def afresh(labels: str, file: str, work: str) -> object:
    """With columns in a folder that is not there yet."""
    from candidly import errors

    shutil.rmtree(work, ignore_errors=True)
    return errors.find(labels, file, work=work)


def in_child(way: str, n: int, m: int, dtype: str, folder: Path | str = "") -> tuple[float, float]:
    command = [sys.executable, __file__, "child", json.dumps([way, n, m, dtype, str(folder)])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    seconds, extra = json.loads(done.stdout)
    return seconds, extra


def extra_memory(n: int, m: int, dtype: str) -> Claim:
    _, extra = in_child("memory", n, m, dtype)
    most = max(0.25 * n * m * np.dtype(dtype).itemsize, 64 * MB) / MB
    return at_most(f"{n} x {m} {dtype}: find, extra MB", extra / MB, round(most))


def on_disk(n: int, m: int, dtype: str, folder: Path) -> None:
    given, probs = make(n, m, dtype, folder / "probs.npy")
    np.save(folder / "given.npy", given)
    probs.flush()


def streaming(n: int, rounds: int) -> list[Claim]:
    label = f"{n} x 10 float32 on disk"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        on_disk(n, 10, "float32", folder)
        ways = ("by self-confidence", "by noise rate", "batched")
        rows = [[in_child(way, n, 10, "float32", folder) for way in ways] for _ in range(rounds)]
    seconds = np.median([[cell[0] for cell in row] for row in rows], axis=0)
    extra = np.max([[cell[1] for cell in row] for row in rows], axis=0) / MB
    most = (14 * n + 128 * MB) / MB
    return [
        at_least(f"{label}: find, times the peer's batched", seconds[2] / seconds[0], 5),
        Claim(f"{label}: by noise rate, times the peer's batched", seconds[2] / seconds[1]),
        at_most(f"{label}: find, private MB", extra[0], most),
        at_most(f"{label}: by noise rate, private MB", extra[1], most),
        Claim(f"{label}: the peer's batched, private MB", extra[2]),
    ]


def large(n: int) -> list[Claim]:
    with tempfile.TemporaryDirectory() as name:
        on_disk(n, 10, "float16", Path(name))
        ways = {"by noise rate": "by noise rate", "the same with work": "work"}
        cells = {way: in_child(how, n, 10, "float16", name) for way, how in ways.items()}
    claims = []
    for way, (seconds, extra) in cells.items():
        label = f"{n} x 10 float16 on disk: {way}"
        claims += [
            Claim(f"{label}, CPU s", seconds),
            Claim(f"{label}, private MB", extra / MB),
            Claim(f"{label}, private bytes per example", extra / n),
        ]
    return claims


def measure(quick: bool) -> list[Claim]:
    warnings.simplefilter("ignore")
    claims = []
    shapes = SHAPES[:1] if quick else SHAPES
    for n, m in shapes:
        for dtype in ("float32", "float64"):
            claims += beside_the_peer(n, m, dtype, 3 if quick else 9)
            claims.append(extra_memory(n, m, dtype))
    claims += streaming(500_000 if quick else 5_000_000, 1 if quick else 3)
    if not quick:
        claims += large(50_000_000)
    return claims


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        warnings.simplefilter("ignore")
        print(json.dumps(child(*json.loads(sys.argv[2]))))
    else:
        main("errors", __doc__ or "", measure)
