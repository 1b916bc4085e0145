"""The store of reviews in SQLite: opening, next items, sums for the organiser, many writers.

100,000 items asked of six people each, of which five have answered: 500,000 answers. Every answer
is synced to disk before it is acknowledged, so answers a second depend on the disk.

    python bench/review_store.py            a few minutes, 1 GB of disk in the temporary folder;
                                            writes bench/results/review_store.json
    python bench/review_store.py --quick    a hundredth of the items
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import statistics
import tempfile
import threading
import time
import uuid
from dataclasses import replace
from pathlib import Path

import numpy as np

from _bench import Claim, at_least, at_most, main
from candidly import review
from candidly.review.load import _absorb, _entry

PEOPLE = 6
WRITERS = 8
CHOICES = ("given", "guessed", "both", "neither")


def new_project(folder: Path, n: int) -> review.Project:
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 10, n), rng.integers(1, 10, n)
    items = [
        review.Item(row=k, name=str(k), given=int(g), guessed=int((g + d) % 10), score=float(k))
        for k, (g, d) in enumerate(zip(*pairs))
    ]
    rules = replace(
        review.PRESETS["verdict"],
        classes=tuple("abcdefghij"),
        people=PEOPLE,
        threshold=4,
        goal="quality",
        gold_every=0,
        examples=0,
    )
    return review.make_project(folder, items, rules)


def fill(project: review.Project, n: int) -> None:
    """Answers of five people about every item, in the order in which they would come."""
    said = np.random.default_rng(1).choice(4, (PEOPLE - 1, n), p=(0.4, 0.3, 0.2, 0.1)).tolist()
    entries = (
        _entry(project, item, f"p{who}", CHOICES[said[who][item]], ms=900.0, at=float(item))
        for item in range(n)
        for who in range(PEOPLE - 1)
    )
    _absorb(project, entries)


def ms_of(work, times: int = 1) -> list[float]:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(1e3 * (time.perf_counter() - start))
    return found


def turns(project: review.Project, who: review.Person, number: int) -> tuple[list, list]:
    """Milliseconds of finding the next item, and of keeping an answer."""
    nexts, answers = [], []
    for _ in range(number):
        start = time.perf_counter()
        task = review.next_tasks(project, who)[0]
        between = time.perf_counter()
        reply = review.Reply(uuid.uuid4().hex, task.item, "given", repeat=task.repeat)
        review.answer(project, who, [reply])
        nexts.append(1e3 * (between - start))
        answers.append(1e3 * (time.perf_counter() - between))
    return nexts, answers


def together(project: review.Project, number: int) -> float:
    """Answers a second of several writers, each asking for its next item as well."""
    everyone = [review.add_person(project, f"writer{k}") for k in range(WRITERS)]
    threads = [threading.Thread(target=turns, args=(project, who, number)) for who in everyone]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return WRITERS * number / (time.perf_counter() - start)


def measure(quick: bool) -> list[Claim]:
    n = 1_000 if quick else 100_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "project"
        new_project(folder, n).close()
        opened = ms_of(lambda: review.open_project(folder).close(), 3)
        with review.open_project(folder) as project:
            first, kept = turns(project, review.add_person(project, "first"), 100)
            per_second = together(project, 50)
            filled = ms_of(lambda: fill(project, n))
            sums = ms_of(lambda: review.progress(project), 3)
            people = ms_of(lambda: review.standings(project), 3)
            whole = ms_of(lambda: review.overview(project), 3)
            grid = ms_of(lambda: review.browse(project, review.View(sort="score")), 3)
            late, _ = turns(project, review.add_person(project, "late"), 100)
            old, _ = turns(project, review.find_person(project, "first"), 100)
            through = review.find_person(project, "p0")
            end = ms_of(lambda: review.next_tasks(project, through), 3)
    label = f"{n} items"
    return [
        at_most(f"{label}: open, s", statistics.median(opened) / 1e3, 2),
        at_most(f"{label}: next item, the first ones, median ms", statistics.median(first), 5),
        Claim(f"{label}: keeping an answer, median ms", statistics.median(kept)),
        at_most(f"{label}, {5 * n} answers: next item, newcomer, ms", statistics.median(late), 5),
        at_most(f"{label}, {5 * n} answers: next item, at work, ms", statistics.median(old), 5),
        Claim(f"{label}, {5 * n} answers: nothing left for somebody, ms", statistics.median(end)),
        at_most(f"{label}, {5 * n} answers: progress, ms", statistics.median(sums), 500),
        at_most(f"{label}, {5 * n} answers: people, ms", statistics.median(people), 500),
        at_most(
            f"{label}, {5 * n} answers: all of the organiser's page, ms",
            statistics.median(whole),
            500,
        ),
        Claim(f"{label}, {5 * n} answers: a page of the gallery, ms", statistics.median(grid)),
        Claim(f"{label}: taking in {5 * n} answers at once, s", filled[0] / 1e3),
        at_least(f"{label}: answers a second, {WRITERS} writers", per_second, 100),
    ]


if __name__ == "__main__":
    main("review_store", __doc__ or "", measure)
