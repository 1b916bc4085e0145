"""``candidly check`` on a large table of mixed columns and on 60,000 pictures, beside a peer.

The table has 50,000 rows and 30 columns: 15 numbers, 10 categories, 2 dates, 2 columns of many
values, 1 of texts, with gaps; 5 in 100 of its labels are planted errors. The pictures are 28 x 28
shapes with noise, of ten classes, with as many planted errors. Each command is a process of its
own, on two threads; its time holds reading, fitting, finding and writing. The peer is
scikit-learn's gradient boosting on skrub's TableVectorizer, in five folds, in this process, and its
time holds the probabilities alone; where skrub is not installed there is no such claim.

    python bench/check.py            some minutes; writes bench/results/check.json
    python bench/check.py --quick    a twentieth of the rows
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from _bench import Claim, at_least, at_most, main

THREADS = "2"
RATE = 0.05


def planted(y: np.ndarray, q: int, g: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    wrong = g.random(len(y)) < RATE
    return np.where(wrong, (y + g.integers(1, q, len(y))) % q, y), wrong


def mixed(n: int) -> tuple[pl.DataFrame, np.ndarray]:
    """The table, and which of its rows have a wrong label."""
    g, q = np.random.default_rng(0), 4
    y = g.integers(0, q, n)
    columns: dict[str, object] = {}
    for k in range(15):
        values = g.normal(size=n) + 0.9 * g.normal(size=q)[y]
        columns[f"number {k}"] = [None if gap else v for gap, v in zip(g.random(n) < 0.05, values)]
    for k in range(10):
        table = g.dirichlet(np.ones(8), q)
        codes = (g.random(n)[:, None] > table[y].cumsum(1)).sum(1).clip(0, 7)
        columns[f"category {k}"] = [f"level {c}" for c in codes]
    days = np.datetime64("2020-01-01") + (200 * y + g.integers(0, 700, n)).astype("timedelta64[D]")
    columns["arrived"], columns["left"] = days.astype(str), (days + 9).astype(str)
    for k in range(2):
        columns[f"code {k}"] = [f"{c:05}" for c in g.integers(0, 20_000, n)]
    words = np.array([f"word{w}" for w in range(60)])
    picked = words[(g.integers(0, 30, (n, 6)) + 7 * y[:, None]) % 60]
    columns["remark"] = [" ".join(row) for row in picked]
    given, wrong = planted(y, q, g)
    return pl.DataFrame(columns).with_columns(label=pl.Series([f"kind {k}" for k in given])), wrong


def pictures(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """uint8 images (n, 28, 28), labels, and which of them are wrong."""
    g, q = np.random.default_rng(1), 10
    y = g.integers(0, q, n)
    shapes = np.kron(g.random((q, 7, 7)) < 0.4, np.ones((4, 4)))
    moved = np.stack([np.roll(shapes[k], g.integers(-2, 3, 2), (0, 1)) for k in y])
    images = np.clip(200 * moved + g.normal(0, 40, moved.shape), 0, 255).astype(np.uint8)
    return images, *planted(y, q, g)


def checked(folder: Path, *words: str) -> tuple[float, float, set[int]]:
    """Seconds and peak GiB of the command, and the flagged rows."""
    code = (
        "import sys, resource; from candidly import cli; sys.argv = ['candidly', *sys.argv[1:]]\n"
        "try: cli.main()\n"
        "finally: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), THREADS)
    command = [sys.executable, "-c", code, "check", *words, "--json", "--out", "found.parquet"]
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=os.environ | threads, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(done.stderr)
    json.loads(done.stdout)
    found = pl.read_parquet(folder / "found.parquet")
    return seconds, int(done.stderr.split()[-1]) / 2**20, set(found["index"].to_list())


def rates(found: set[int], wrong: np.ndarray) -> tuple[float, float]:
    hits = len(found & set(np.flatnonzero(wrong).tolist()))
    return hits / max(len(found), 1), hits / int(wrong.sum())


def peer(frame: pl.DataFrame) -> tuple[float, np.ndarray] | None:
    """Seconds and probabilities of boosting on skrub's vectors, in five folds."""
    try:
        from skrub import TableVectorizer
    except ImportError:
        return None
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline

    pipeline = make_pipeline(TableVectorizer(), HistGradientBoostingClassifier())
    start = time.perf_counter()
    probs = cross_val_predict(
        pipeline, frame.drop("label"), frame["label"].to_numpy(), cv=5, method="predict_proba"
    )
    return time.perf_counter() - start, probs


def claims_of(name: str, run: tuple[float, float, set[int]], wrong: np.ndarray, most: float):
    seconds, memory, found = run
    precision, recall = rates(found, wrong)
    return [
        at_most(f"{name}: seconds", seconds, most),
        at_most(f"{name}: peak memory, GiB", memory, 4),
        at_least(f"{name}: precision of what is flagged", precision, 0.5),
        at_least(f"{name}: share of the planted errors that is flagged", recall, 0.5),
    ]


def measure(quick: bool) -> list[Claim]:
    part = 20 if quick else 1
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        frame, wrong = mixed(50_000 // part)
        frame.write_csv(folder / "mixed.csv")
        run = checked(folder, "mixed.csv", "--label", "label")
        claims = claims_of("50,000 x 30 mixed", run, wrong, 60)
        other = peer(frame)
        if other is not None:
            from candidly import errors

            _, labels = np.unique(frame["label"].to_numpy(), return_inverse=True)
            theirs = set(errors.find(labels, other[1]).indices.tolist())
            ours = rates(run[2], wrong)[1]
            claims.append(
                at_least("mixed: skrub and boosting, seconds over ours", other[0] / run[0], 1)
            )
            claims.append(
                at_least(
                    "mixed: our share of errors over theirs", ours / rates(theirs, wrong)[1], 0.9
                )
            )
        images, labels, wrong = pictures(60_000 // part)
        np.savez(folder / "pictures.npz", X=images, y=labels)
        claims += claims_of("60,000 pictures", checked(folder, "pictures.npz"), wrong, 180)
    return claims


if __name__ == "__main__":
    main("check", __doc__ or "", measure)
