"""A journal's columns: the same records, tables and reports as from lines, whatever lies where."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from candidly.report import render
from candidly.report.gap import render_gap
from candidly.report.html import make_results_page
from candidly.sweep import columns, journal
from candidly.sweep import compact as compacting
from candidly.sweep import recorded as recording
from candidly.sweep.columns import FrameRows, columns_of, frame_of, in_order, merged, records_of
from candidly.sweep.compact import compact
from candidly.sweep.counts import counted
from candidly.sweep.facts import Facts
from candidly.sweep.journal import Journal, journal_files, read_records, read_results
from candidly.sweep.many import ManyRuns
from candidly.sweep.pages import page_of, pages_asked
from candidly.sweep.plan import made_plan, planned_runs, read_plan, write_plan
from candidly.sweep.recorded import recorded, recorded_among
from candidly.sweep.records import Record, Results, pack_outcomes, plain_outcomes
from candidly.sweep.select import CRITERIA, cells, untested, usual_criteria
from candidly.sweep.settings import make_settings

METRICS = ("top1", "top5", "balanced")


def make_plan(seed, **more):
    """Two data sets of one content and one of another; few of everything."""
    asked = make_settings(
        datasets=("a", "b", "twin of a"),
        algorithms=("PRODEN", "CC:plench", "supervised-oracle", "CAVL"),
        configs=3,
        splits=2,
        eval_every=10,
        seed=seed,
        **more,
    )
    about = {"n": 100, "d": 4, "q": 3, "n_validation": 9, "n_test": 10, "steps": 45}
    one, other = Facts("1" * 64, "A", **about), Facts("2" * 64, "B", **about | {"n": 90})
    facts = dict(zip(asked.datasets, (one, other, one)))
    return made_plan(asked, facts, {p.label: page_of(p, asked) for p in pages_asked(asked)}, {})


def a_record(g, run, step, tested):
    """Values in few steps, so that there are ties; some are missing, some records diverged."""
    share = lambda: None if g.random() < 0.1 else g.integers(0, 5) / 4  # noqa: E731
    seen = {name: share() for name in ("CR", "AA", "AA:plench", "OA")}
    if g.random() < 0.3:
        seen |= {"NVA": share(), "AA error": share()}
    test = {name: share() if tested else None for name in METRICS[: g.integers(1, 4)]}
    gone = g.random() < 0.05
    return Record(
        run.key,
        step,
        dict.fromkeys(seen) if gone else seen,
        dict.fromkeys(test) if gone else test,
        None if gone else float(g.normal()),
        float(g.random()),
        int(g.integers(1, 10**9)),
        diverged_at=max(0, int(step) - 3) if gone else None,
        outcomes=pack_outcomes(g.random(9)) if g.random() < 0.5 else None,
        pruned_at=int(step) if g.random() < 0.02 else None,
    )


def fill(folder, plan, seed):
    """A journal in several files: repeated records with other values, missing ones, strangers."""
    g = np.random.default_rng(seed)
    write_plan(folder, plan)
    runs = planned_runs(plan)
    blind = "b" if seed % 3 == 0 else ""
    for part in range(3):
        mine = Journal(folder / "journal")
        for at in g.permutation(len(runs)):
            run = runs[at]
            if g.random() < 0.8:
                steps = run.record_steps[: None if g.random() < 0.8 else 2]
                mine.write(a_record(g, run, step, run.dataset != blind) for step in steps)
        mine.write([a_record(g, replace(runs[0], key="of no plan"), 10 * part, True)])
        mine.write([a_record(g, runs[0], 7, True)])  # a step at which none is due
        mine.close()
        if part == 1:
            yield
    yield


def numbers(results):
    """What people are shown of results, in every form but the page."""
    shown = [render(results, "json"), render(results, "text", "balanced", ["peak", "last", "NVA"])]
    shown += [str(cells(results, list(CRITERIA))), str(usual_criteria(results))]
    shown += [str([replace(one, example=None) for one in counted(results)])]
    shown += [str(untested(results.runs))]
    if untested(results.runs) != {"a", "b", "twin of a"}:
        shown.append(render_gap(results, "json"))
    return shown


def plainly(runs):
    """Runs whose packed outcomes are in one form."""
    return [
        replace(
            run,
            records=tuple(
                replace(r, outcomes=r.outcomes and plain_outcomes(r.outcomes)) for r in run.records
            ),
        )
        for run in runs
    ]


@pytest.fixture
def small(monkeypatch):
    """Few records are read and written as columns, in pieces that end within a run."""
    monkeypatch.setattr(columns, "ROWS", 50)
    monkeypatch.setattr(compacting, "MOST_LINES", 10)
    return monkeypatch


@pytest.mark.parametrize("seed", range(4))
def test_columns_show_what_records_show(tmp_path, small, seed):
    plan = make_plan(seed)
    parts = fill(tmp_path, plan, seed)
    next(parts)
    before = read_results(tmp_path)
    assert not isinstance(before.runs, ManyRuns)
    compact(tmp_path)
    [file] = journal_files(tmp_path / "journal")
    assert file.suffix == ".parquet"
    of_columns = read_results(tmp_path)
    assert isinstance(of_columns.runs, ManyRuns)
    assert numbers(of_columns) == numbers(before)
    next(parts)  # lines beside the compact file
    with small.context() as patched:
        for module in (journal, recording):
            patched.setattr(module, "read_many", lambda *_: None)
        slow, there = read_results(tmp_path), recorded(plan, tmp_path)
    fast, now = read_results(tmp_path), recorded(plan, tmp_path)
    assert len(journal_files(tmp_path / "journal")) == 2
    assert numbers(fast) == numbers(slow) != numbers(before)
    assert plainly(fast.runs) == plainly(slow.runs)
    assert now.finished == there.finished
    due = {run.key: run.record_steps for run in slow.runs}
    begun = {key: set(steps) & set(due.get(key, ())) for key, steps in there.steps.items()}
    assert now.steps == {key: steps for key, steps in begun.items() if steps}
    compact(tmp_path)
    assert len(journal_files(tmp_path / "journal")) == 1
    assert numbers(read_results(tmp_path)) == numbers(slow)


def test_a_page_from_columns_has_the_same_bytes(tmp_path, small):
    parts = fill(tmp_path, make_plan(5), 5)
    next(parts)
    before = make_results_page(read_results(tmp_path))
    compact(tmp_path)
    assert isinstance(read_results(tmp_path).runs, ManyRuns)
    assert make_results_page(read_results(tmp_path)) == before
