"""A journal's columns: the same records, tables and reports as from lines, whatever lies where."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from candidly.compare.report import accuracy_tables
from candidly.compare.report.document import results_document
from candidly.compare.report.gap import gap_tables
from candidly.compare.report.importance import FEWEST, importances
from candidly.compare.sweep import columns, packed
from candidly.compare.sweep.columns import (
    FrameRows,
    columns_of,
    frame_of,
    in_order,
    merged,
    records_of,
)
from candidly.compare.sweep.compact import compact
from candidly.compare.sweep.counts import counted
from candidly.compare.sweep.facts import Facts
from candidly.compare.sweep.journal import (
    Journal,
    journal_files,
    read_records,
    read_results,
    runs_with,
)
from candidly.compare.sweep.methods import method_of, methods_asked
from candidly.compare.sweep.plan import made_plan, planned_runs, write_plan
from candidly.compare.sweep.recorded import recorded, recorded_among
from candidly.compare.sweep.records import Record, pack_outcomes
from candidly.compare.sweep.runs import Runs
from candidly.compare.sweep.select import CRITERIA, cells, usual_criteria
from candidly.compare.sweep.settings import make_settings
from candidly.compare.sweep.spent import spent
from candidly.ground.seeds import hashed
from compare.sweep import slow_selection

METRICS = ("top1", "top5", "balanced")


def make_plan(seed, **more):
    """Two data sets of one content and one of another; few of everything."""
    asked = make_settings(
        datasets=("a", "b", "twin of a"),
        algorithms=("PRODEN", "CC:plench", "supervised-oracle", "CAVL"),
        **{"configs": 3, "splits": 2, "eval_every": 10, "seed": seed} | more,
    )
    about = {"n": 100, "d": 4, "q": 3, "n_validation": 9, "n_test": 10, "steps": 45}
    one, other = Facts("1" * 64, "A", **about), Facts("2" * 64, "B", **about | {"n": 90})
    facts = dict(zip(asked.datasets, (one, other, one)))
    return made_plan(asked, facts, {p.label: method_of(p, asked) for p in methods_asked(asked)}, {})


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
    blind = (("b",), ("a", "twin of a"), ())[seed % 3]  # sets without true labels
    for part in range(3):
        mine = Journal(folder / "journal")
        for at in g.permutation(len(runs)):
            run = runs[at]
            if g.random() < 0.8:
                steps = run.record_steps[: None if g.random() < 0.8 else 2]
                mine.write(a_record(g, run, step, run.dataset not in blind) for step in steps)
        mine.write([a_record(g, replace(runs[0], key="of no plan"), 10 * part, True)])
        mine.write([a_record(g, runs[0], 7, True)])  # a step at which none is due
        mine.close()
        if part == 1:
            yield
    yield


def numbers(results):
    """What people are shown of results, in every form but the page."""
    shown = [
        accuracy_tables(results).render("json"),
        accuracy_tables(results, metric="balanced", criteria=["peak", "last", "NVA"]).render(
            "text"
        ),
    ]
    shown += [str(cells(results, list(CRITERIA))), str(usual_criteria(results))]
    shown += [str([replace(one, example=None) for one in counted(results)])]
    shown += [str(sorted(results.runs.untested))]
    shown += [str({a: mine for a, mine in spent(results, name).items() if mine}) for name in "ab"]
    if results.runs.untested != {"a", "b", "twin of a"}:
        shown.append(gap_tables(results).render("json"))
    return shown


@pytest.fixture
def small(monkeypatch):
    """Records are read and written in pieces that end within a run."""
    monkeypatch.setattr(columns, "ROWS", 50)
    return monkeypatch


@pytest.mark.parametrize("seed", range(4))
def test_the_rule_is_that_of_going_through_every_record(tmp_path, small, seed):
    plan = make_plan(seed)
    for part in fill(tmp_path, plan, seed):
        del part
        results = read_results(tmp_path)
        runs, every = tuple(results.runs), cells(results, list(CRITERIA))
        for criterion in CRITERIA.values():
            mine = [cell for cell in every if cell.criterion == criterion.name]
            found = {
                (cell.dataset, cell.algorithm, choice.split): (
                    *(choice.config, choice.step, choice.value, choice.ties, choice.test),
                    *(choice.error, choice.key, choice.cost),
                )
                for cell in mine
                for choice in cell.choices
                if choice is not None
            }
            assert found == slow_selection.choices(runs, criterion), criterion.name
            looked_up = {(cell.dataset, cell.algorithm): cell.oracle_labels for cell in mine}
            assert looked_up == slow_selection.labels_looked_up(runs, criterion)
        assert results.runs.untested == slow_selection.untested(runs)
        assert slow_selection.counts(runs) == {
            (one.dataset, one.algorithm): (
                *(one.planned, one.complete, one.begun, one.diverged, one.pruned),
                one.unfinished,
            )
            for one in counted(results)
        }
        for name in ("a", "b"):
            assert slow_selection.spent(runs, name) == {
                algorithm: [
                    (one.networks, one.step, one.seconds, one.memory_bytes, one.epochs)
                    for one in mine
                ]
                for algorithm, mine in spent(results, name).items()
            }


@pytest.mark.parametrize("seed", range(4))
def test_records_are_the_same_wherever_they_lie(tmp_path, small, seed):
    plan = make_plan(seed)
    parts = fill(tmp_path, plan, seed)
    next(parts)
    before = numbers(read_results(tmp_path))
    compact(tmp_path)
    [file] = journal_files(tmp_path / "journal")
    assert file.suffix == ".parquet"
    assert numbers(read_results(tmp_path)) == before
    next(parts)  # lines beside the compact file
    assert len(journal_files(tmp_path / "journal")) == 2
    results, now = read_results(tmp_path), recorded(plan, tmp_path)
    found, _ = read_records(tmp_path / "journal")
    objects = tuple(runs_with(plan, found))
    assert tuple(results.runs) == objects
    assert numbers(results) == numbers(replace(results, runs=objects)) != before
    there = recorded_among(plan, found)
    assert now.finished == there.finished
    due = {run.key: run.record_steps for run in objects}
    begun = {key: set(steps) & set(due.get(key, ())) for key, steps in there.steps.items()}
    assert now.steps == {key: steps for key, steps in begun.items() if steps}
    compact(tmp_path)
    assert len(journal_files(tmp_path / "journal")) == 1
    assert numbers(read_results(tmp_path)) == numbers(results)


def test_runs_that_do_not_belong_together_are_refused():
    run = planned_runs(make_plan(1))[0]
    with pytest.raises(ValueError, match="the runs of PRODEN on a differ in more than"):
        Runs.of([run, replace(run, key="another", n_validation=1)])
    record = a_record(np.random.default_rng(0), run, 0, True)
    with pytest.raises(ValueError, match="two runs have the key"):
        Runs.of([run, replace(run, dataset="b", records=(record,))])


@pytest.mark.slow
def test_a_page_from_columns_has_the_same_bytes(tmp_path, small):
    next(fill(tmp_path, make_plan(5), 5))
    before = results_document(read_results(tmp_path)).page()
    compact(tmp_path)
    after = read_results(tmp_path)
    assert results_document(after).page() == before


def test_hyper_parameters_matter_as_much(tmp_path, small):
    next(fill(tmp_path, make_plan(5, configs=4 * FEWEST), 5))
    before = importances(read_results(tmp_path), "b", CRITERIA["CR"])
    assert before
    compact(tmp_path)
    assert importances(read_results(tmp_path), "b", CRITERIA["CR"]) == before


def test_a_kill_at_any_moment_loses_nothing(tmp_path, small):
    parts = fill(tmp_path, make_plan(1), 1)
    next(parts)
    compact(tmp_path)
    next(parts)
    before = tuple(read_results(tmp_path).runs)

    class Killed(BaseException):
        pass

    for name, call in (("replace", 1), ("unlink", 2), ("unlink", 3)):
        calls, real = [], getattr(Path, name)

        def killed(*arguments, _real=real, _calls=calls, _at=call, **more):
            _calls.append(arguments)
            if len(_calls) == _at:
                raise Killed
            return _real(*arguments, **more)

        with small.context() as patched:
            patched.setattr(Path, name, killed)
            with pytest.raises(Killed):
                compact(tmp_path)
        assert tuple(read_results(tmp_path).runs) == before
    compact(tmp_path)
    assert len(journal_files(tmp_path / "journal")) == 1
    assert not list((tmp_path / "journal").glob(".*"))
    assert tuple(read_results(tmp_path).runs) == before


def test_the_same_records_give_the_same_bytes(tmp_path, small):
    parts = fill(tmp_path, make_plan(2), 2)
    next(parts)
    compact(tmp_path)
    [file] = journal_files(tmp_path / "journal")
    content = file.read_bytes()
    told = compact(tmp_path)
    assert [file] == journal_files(tmp_path / "journal")
    assert file.read_bytes() == content
    assert told.bytes_before == told.bytes_after == len(content)


@pytest.mark.parametrize("damage", ["a byte", "its end", "all", "its name"])
def test_a_damaged_file_is_refused_by_name(tmp_path, small, damage):
    plan = make_plan(1)
    next(fill(tmp_path, plan, 1))
    compact(tmp_path)
    [file] = journal_files(tmp_path / "journal")
    content = file.read_bytes()
    middle = len(content) // 2
    flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    damaged = {"a byte": flipped, "its end": content[:-9], "all": b""}.get(damage, content)
    file.write_bytes(damaged)
    if damage == "its name":
        file = file.replace(file.with_name("compact-of-mine.parquet"))
    lines = Journal(tmp_path / "journal")  # beside it, which alone would be read without a word
    lines.write([a_record(np.random.default_rng(0), planned_runs(plan)[0], 10, True)])
    lines.close()
    looks = (
        lambda: read_results(tmp_path),
        lambda: recorded(plan, tmp_path),
        lambda: read_records(tmp_path / "journal"),
        lambda: compact(tmp_path),
        lambda: compact(tmp_path, force=True),
    )
    for look in looks:
        with pytest.raises(ValueError, match=f"{re.escape(str(file))} is damaged"):
            look()
    assert file.read_bytes() == damaged


def test_a_file_that_does_not_read_back_is_not_kept(tmp_path, small):
    next(fill(tmp_path, make_plan(1), 1))
    before = journal_files(tmp_path / "journal")
    real = packed.file_rows
    small.setattr(packed, "file_rows", lambda path: replace(real(path), rows=real(path).rows // 2))
    with pytest.raises(OSError, match="does not read back"):
        compact(tmp_path)
    assert journal_files(tmp_path / "journal") == before
    assert not list((tmp_path / "journal").glob(".*"))


def test_lines_that_cannot_be_read_stay(tmp_path, small):
    next(fill(tmp_path, make_plan(1), 1))
    last = journal_files(tmp_path / "journal")[-1]
    with last.open("ab") as file:
        file.write(b'{"schema": 99, "key": "of another version"}\n')
    before = tuple(read_results(tmp_path).runs)
    told = compact(tmp_path)
    assert told.kept == (last.name,)
    assert f"{last.name}: skipped line" in told.notes[0]
    results = read_results(tmp_path)
    assert told.notes[0] in results.notes
    assert tuple(results.runs) == before
    assert compact(tmp_path, force=True).kept == ()
    assert tuple(read_results(tmp_path).runs) == before


def test_a_search_reads_every_record_of_columns(tmp_path, small):
    pytest.importorskip("optuna")
    plan = make_plan(1, search="tpe:by=CR")
    next(fill(tmp_path, plan, 1))
    before = read_results(tmp_path)
    compact(tmp_path)
    after = read_results(tmp_path)
    assert tuple(after.runs) == tuple(before.runs)
    assert recorded(plan, tmp_path).finished == {run.key for run in before.runs if run.complete}


@pytest.mark.parametrize("rows", [1, 2, 7, 1000])
def test_merged_sources_have_each_key_in_one_piece_and_the_first_of_equal_rows(monkeypatch, rows):
    monkeypatch.setattr(columns, "ROWS", rows)
    g, run = np.random.default_rng(rows), planned_runs(make_plan(0))[0]
    sources, first = [], {}
    for _ in range(4):
        places = [(f"k{g.integers(9)}", int(g.integers(5))) for _ in range(g.integers(30))]
        records = [a_record(g, replace(run, key=key), step, True) for key, step in places]
        for record in records:
            first.setdefault((record.key, record.step), record)
        sources.append(FrameRows(in_order([frame_of(records)])))
    pieces = list(merged(sources, columns_of(sources)))
    found = tuple(record for piece in pieces for record in records_of(piece))
    assert found == tuple(first[at] for at in sorted(first))
    seen = [key for piece in pieces for key in piece["key"].unique()]
    assert len(seen) == len(set(seen))


def test_values_that_are_none_are_not_those_that_are_not_there():
    one = Record("k", 1, {"CR": None, "AA": 0.5}, {}, None, 1.5, 7, outcomes=pack_outcomes(None))
    other = replace(one, step=2, validation={"AA": None}, test={"top1": 0.1}, pruned_at=1)
    assert list(records_of(frame_of([one, other]))) == [one, other]
    assert list(records_of(frame_of([]))) == []


def test_keys_of_a_group_are_those_of_its_trials():
    for more in ({}, {"recipe": "sgd:momentum=0.95", "split": "official", "dtype": "float64"}):
        plan = make_plan(3, **more)
        for group in plan.trials.groups:
            alone = [replace(trial) for trial in group.trials()]  # which know no key yet
            assert [trial.key for trial in alone] == group.keys
        for trial in plan.trials:
            names = plan.facts[trial.dataset].seed_name, plan.methods[trial.label].seed_name
            assert trial.seed == hashed(*names, trial.config, trial.split)
        assert len(plan.trials) == len(list(plan.trials)) == 3 * 4 * 3 * 2
        assert len({trial.key for trial in plan.trials}) == 2 * 4 * 3 * 2  # twins have one
