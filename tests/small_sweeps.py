"""Small results directories and rows, for the tests of docs/studies/reproduction.md."""

from __future__ import annotations

import re
from pathlib import Path

from candidly.compare.sweep.facts import Facts
from candidly.compare.sweep.journal import Journal
from candidly.compare.sweep.methods import method_of, methods_asked
from candidly.compare.sweep.plan import Plan, planned_runs, read_plan, write_plan
from candidly.compare.sweep.records import Record
from candidly.compare.sweep.settings import make_settings
from studies.reproduction.numbers import Row, Sources, Sweep, read_published, read_sweep

TABLES = read_published()


def make_directory(folder: Path, algorithms, top1, dataset="lost", configs=1, finished=None):
    """A directory of two splits and 3,000 updates, whose test accuracies are ``top1(run, step)``.

    Runs that ``finished(run)`` denies have one record.
    """
    facts = Facts("f" * 64, "Lost", 1122, 108, 16, 100, 113, 3000)
    asked = make_settings(datasets=[dataset], algorithms=algorithms, configs=configs, splits=2)
    folder.mkdir(parents=True)
    write_plan(
        folder,
        Plan(
            asked,
            {dataset: facts},
            {page.label: method_of(page, asked) for page in methods_asked(asked)},
            (),
        ),
    )
    journal = Journal(folder / "journal")
    for run in planned_runs(read_plan(folder)):
        done = finished is None or finished(run)
        for number, step in enumerate(run.record_steps[: None if done else 1]):
            value = top1(run, step)
            criteria = dict.fromkeys(("CR", "AA", "AA:plench", "OA"), 0.5)
            criteria["AA:plench"] = 0.1 * number
            journal.write(
                [
                    Record(
                        key=run.key,
                        step=step,
                        validation=criteria,
                        test={"top1": value, "top5": 1.0, "balanced": value},
                        loss=1.0,
                        seconds=100.0 * (number + 1),
                        memory_bytes=1,
                    )
                ]
            )
    journal.close()
    return read_sweep(folder, dataset)


def row(label: str, accuracies, last=None) -> Row:
    by_split = dict(enumerate(accuracies))
    chosen = dict.fromkeys(("CR", "AA", "AA:plench", "OA", "OA & ES"), by_split)
    return Row(label, 2, 2, 0, 1.0, chosen, dict(enumerate(last or accuracies)))


def sweep_of(*rows: Row) -> Sweep:
    settings = {"configs": 20, "splits": 2, "eval_every": 1000}
    return Sweep({r.label: r for r in rows}, settings, {}, "f" * 64, 10_000, 113, ())


def sources_of(sweep: Sweep, trained: Sweep | None = None, explanations=None) -> Sources:
    sweeps = {"lost": sweep} | ({"lost-train-oracle": trained} if trained else {})
    return Sources(TABLES, sweeps, explanations or {})


def line_of(text: str, start: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(start))


def read_plan_steps(folder: Path) -> tuple[int, ...]:
    return planned_runs(read_plan(folder))[0].record_steps


def words_in(svg: str) -> list[str]:
    """What a figure says to those who cannot see it."""
    return re.findall(r"<(?:title|desc) [^>]*>(.*?)</", svg)
