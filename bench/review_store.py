"""The store of reviews: opening, next items, sums for the organiser, many people at once.

100,000 items asked of six people each, of which five have answered: 500,000 answers, in SQLite.
Then 50 threads of one process, each a person who answers and is given the next item, on an empty
project in SQLite and in PostgreSQL, where its programs are installed. Every answer is synced to
disk before it is acknowledged, so answers a second depend on the disk.

    python bench/review_store.py            a few minutes, 1 GB of disk in the temporary folder;
                                            writes bench/results/review_store.json
    python bench/review_store.py --quick    a hundredth of the items
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import shutil
import statistics
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from _bench import Claim, at_least, at_most, main
from candidly import review
from candidly.people.review.load import _absorb, _entry

PEOPLE = 6
WRITERS = 50
FOR_S = 20.0  # of many people at once
QUEUE = 10_000  # items for them
CHOICES = ("given", "guessed", "both", "neither")


def new_project(folder: Path, n: int, url: str | None = None) -> review.Project:
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
    return review.make_project(folder, items, rules, url=url)


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


def together(project: review.Project, for_s: float, label: str) -> list[Claim]:
    """Answers a second of many people, each asking for the next item as well; all must be there."""
    everyone = [review.add_person(project, f"writer{k}") for k in range(WRITERS)]
    waits: list[list[float]] = [[] for _ in everyone]
    stop = time.perf_counter() + for_s

    def work(who: review.Person, mine: list[float]) -> None:
        tasks = review.next_tasks(project, who, ahead=1)
        while tasks and time.perf_counter() < stop:
            start = time.perf_counter()
            reply = review.Reply(uuid.uuid4().hex, tasks[0].item, "given", repeat=tasks[0].repeat)
            tasks = review.answer_and_next(project, who, [reply], ahead=1)
            mine.append(1e3 * (time.perf_counter() - start))

    threads = [threading.Thread(target=work, args=each) for each in zip(everyone, waits)]
    cpu, start = time.process_time(), time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took, cpu = time.perf_counter() - start, time.process_time() - cpu
    every = [wait for mine in waits for wait in mine]
    kept = sum(person.answers + person.skips for person in review.standings(project))
    if kept != len(every):
        raise AssertionError(f"{len(every)} answers were acknowledged, {kept} are there")
    return [
        at_least(f"{label}: answers a second, {WRITERS} people", len(every) / took, 300),
        at_most(f"{label}: this process, ms of CPU per answer", 1e3 * cpu / len(every), 1.5),
        Claim(f"{label}: wait for the next item, median ms", statistics.median(every)),
        Claim(f"{label}: wait for the next item, 99 % below, ms", np.quantile(every, 0.99)),
    ]


@contextmanager
def postgres(folder: Path) -> Iterator[str | None]:
    """The address of a server of our own; None where its programs are not installed."""

    def program(name: str) -> str | None:
        there = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
        return shutil.which(name) or (str(there[-1]) if there else None)

    initdb, pg_ctl = program("initdb"), program("pg_ctl")
    if initdb is None or pg_ctl is None:
        yield None
        return
    folder.mkdir()
    how: dict = {"check": True, "stdout": subprocess.DEVNULL}
    if os.geteuid() == 0:  # which PostgreSQL refuses to run as
        folder.parent.chmod(0o755)
        shutil.chown(folder, "postgres")
        how |= {"user": "postgres", "cwd": folder}
    data, options = folder / "data", f"-k {folder} -c listen_addresses="
    subprocess.run([initdb, "-D", data, "-A", "trust", "-U", "postgres"], **how)
    subprocess.run([pg_ctl, "-D", data, "-w", "-l", folder / "log", "-o", options, "start"], **how)
    try:
        yield f"postgresql://postgres@/postgres?host={folder}"
    finally:
        subprocess.run([pg_ctl, "-D", data, "-m", "fast", "stop"], **how)


def many_people(folder: Path, for_s: float) -> list[Claim]:
    with new_project(folder / "many", QUEUE) as project:
        claims = together(project, for_s, "SQLite")
    with postgres(folder / "server") as url:
        if url is not None:
            with new_project(folder / "many-postgres", QUEUE, url) as project:
                claims += together(project, for_s, "PostgreSQL")
    return claims


def measure(quick: bool) -> list[Claim]:
    n = 1_000 if quick else 100_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "project"
        new_project(folder, n).close()
        opened = ms_of(lambda: review.open_project(folder).close(), 3)
        with review.open_project(folder) as project:
            first, kept = turns(project, review.add_person(project, "first"), 100)
            filled = ms_of(lambda: fill(project, n))
            sums = ms_of(lambda: review.progress(project), 3)
            people = ms_of(lambda: review.standings(project), 3)
            whole = ms_of(lambda: review.overview(project), 3)
            grid = ms_of(lambda: review.browse(project, review.ItemFilter(sort="score")), 3)
            late, _ = turns(project, review.add_person(project, "late"), 100)
            old, _ = turns(project, review.find_person(project, "first"), 100)
            through = review.find_person(project, "p0")
            end = ms_of(lambda: review.next_tasks(project, through), 3)
        people_at_once = many_people(Path(name), 2.0 if quick else FOR_S)
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
        *people_at_once,
    ]


if __name__ == "__main__":
    main("review_store", __doc__ or "", measure)
