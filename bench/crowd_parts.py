"""Answers in parts, and Dawid-Skene by several threads: time, and that no bit of the result moves.

Answers are simulated: five of 2,000 annotators about each item, 10 classes, names as text. They are
read from one Parquet file and from the same rows in 20, here and by two processes; Dawid-Skene (10
rounds) takes one thread and two, of each the fastest run. Sides that are compared take turns.

    python bench/crowd_parts.py            minutes; writes bench/results/crowd_parts.json
    python bench/crowd_parts.py --quick    seconds, and too few answers for the target
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import hashlib
import tempfile
import warnings
from dataclasses import fields
from pathlib import Path

import numpy as np
import polars as pl

from _bench import Claim, at_most, interleaved, main, median_ratio, timed
from candidly import crowd

ANNOTATORS, CLASSES, EACH, PARTS, ROUNDS = 2000, 10, 5, 20, 10


def simulated(n: int) -> pl.DataFrame:
    """Answers right in 15 to 60 % of cases, as columns of text."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, CLASSES, n)
    first = rng.integers(0, ANNOTATORS, n)[:, None]
    who = (first + rng.integers(1, ANNOTATORS // EACH, n)[:, None] * np.arange(EACH)).ravel()
    who %= ANNOTATORS
    item = np.repeat(np.arange(n), EACH)
    right = rng.random(n * EACH) < rng.uniform(0.15, 0.6, ANNOTATORS)[who]
    label = np.where(right, truth[item], rng.integers(0, CLASSES, n * EACH))
    return pl.DataFrame({"item": item, "annotator": who, "label": label}).select(
        pl.format("item {}", "item").alias("item"),
        pl.format("person {}", "annotator").alias("annotator"),
        pl.format("class {}", "label").alias("label"),
    )


def write(table: pl.DataFrame, folder: Path) -> tuple[Path, Path]:
    """One file, and a folder of parts of it, with the rows in any order."""
    one, parts = folder / "one.parquet", folder / "parts"
    mixed = table.sample(fraction=1, shuffle=True, seed=1)
    mixed.write_parquet(one)
    parts.mkdir()
    for k, rows in enumerate(np.array_split(np.arange(len(table)), PARTS)):
        mixed[rows[0] : rows[-1] + 1].write_parquet(parts / f"part-{k}.parquet")
    return one, parts


def digest(found: crowd.DawidSkene) -> str:
    """A checksum of every number."""
    sums = hashlib.sha256()
    for field in fields(found):
        value = getattr(found, field.name)
        if field.name != "answers" and value is not None:
            sums.update(np.ascontiguousarray(value).tobytes())
    return sums.hexdigest()


def measure(quick: bool) -> list[Claim]:
    warnings.simplefilter("ignore")
    n, times = (20_000, 1) if quick else (1_000_000, 5)
    label = f"{EACH * n} answers about {n} items"
    with tempfile.TemporaryDirectory() as folder:
        table = simulated(n)
        one, parts = write(table, Path(folder))
        answers, from_parts = crowd.Answers.from_columns(*table), crowd.read_answers(parts)
        whole, cut, apart = interleaved(
            times,
            timed(lambda: crowd.read_answers(one), 1),
            timed(lambda: crowd.read_answers(parts), 1),
            timed(lambda: crowd.read_answers(parts, on="processes", workers=2), 1),
        )
    claims = [
        Claim(f"{label}, one file: seconds to read", min(whole)),
        at_most(f"{label}, {PARTS} parts: times that of one file", median_ratio(cut, whole), 1.1),
        Claim(f"{label}, {PARTS} parts by two processes: times that", median_ratio(apart, whole)),
    ]
    for name, one_coin in (("dawid-skene", False), ("one-coin", True)):

        def run(said: crowd.Answers, workers: int, one_coin: bool = one_coin) -> crowd.DawidSkene:
            return crowd.dawid_skene(said, one_coin, rounds=ROUNDS, workers=workers)

        first = run(answers, 1)
        sums = {digest(first), digest(run(answers, 2)), digest(run(from_parts, 3))}
        single, double = interleaved(
            2 * times, timed(lambda: run(answers, 1), 1), timed(lambda: run(answers, 2), 1)
        )
        rounds = len(first.log_likelihood)
        claims += [
            Claim(f"{name}, {label}, {rounds} rounds, one thread: seconds", min(single)),
            Claim(f"{name}, two threads: times as fast", min(single) / min(double)),
            at_most(f"{name}, parts, orders and threads: different results", len(sums), 1),
        ]
    return claims


if __name__ == "__main__":
    main("crowd_parts", __doc__ or "", measure)
