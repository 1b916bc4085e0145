"""Compacting a journal: nothing lost at any moment, the same records, few bytes."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from candidly import benchmark
from candidly.compare.report import accuracy_tables
from candidly.compare.report.why import trust_tables
from candidly.compare.sweep import records as records_module
from candidly.compare.sweep.compact import compact
from candidly.compare.sweep.journal import Journal, journal_files, read_records, read_results
from candidly.compare.sweep.lines import lines_of, parsed
from candidly.compare.sweep.lock import locked
from candidly.compare.sweep.plan import write_plan
from candidly.compare.sweep.records import (
    Record,
    pack_outcomes,
)
from compare.sweep.test_plan import planned

from toys import toy

SMALL = {"configs": 2, "splits": 2, "steps": 60, "eval_every": 20}


def a_record(key, step, seed=0):
    g = np.random.default_rng([seed, step])
    shares = g.random(100) * (g.random(100) < 0.5)
    return Record(
        key=key,
        step=step,
        validation={"CR": float((shares > 0).mean()), "AA": float(shares.mean()), "OA": None},
        test={"top1": g.random()},
        loss=g.random(),
        seconds=round(g.random(), 4),
        memory_bytes=10**8,
        outcomes=pack_outcomes(shares),
    )


def flat(found):
    return {(key, step): record for key, steps in found.items() for step, record in steps.items()}


@pytest.fixture
def out(tmp_path):
    """A directory whose journal has three files, repeated lines and a diverged record."""
    write_plan(tmp_path, planned(steps=30))
    for part in range(3):
        journal = Journal(tmp_path / "journal")
        # step 20 is in every file, each time with other numbers: the first counts
        journal.write(a_record(f"k{k}", s, part) for s in (20, 10 * part) for k in (2, 0, 1))
        journal.close()
    journal = Journal(tmp_path / "journal")
    gone = Record("k3", 10, {"CR": None}, {"top1": None}, None, 1.0, 5, diverged_at=7)
    journal.write([gone])
    journal.close()
    return tmp_path


def files(out):
    return journal_files(out / "journal")


def compacted(out):
    """The one compact file."""
    [found] = (out / "journal").glob("compact-*.parquet")
    return found


def names(out):
    return [path.name for path in journal_files(out / "journal")]


def test_the_same_records_in_one_file(out):
    before = read_records(out / "journal")
    told = compact(out)
    after = read_records(out / "journal")
    assert [compacted(out)] == files(out)
    assert flat(after[0]) == flat(before[0])
    assert (told.records, told.files_before, told.kept, told.notes) == (10, 4, (), ())
    assert told.bytes_after == compacted(out).stat().st_size != told.bytes_before


def test_rows_are_in_order(out):
    compact(out)
    found, notes = read_records(out / "journal")
    assert notes == []
    places = [(key, step) for key, steps in found.items() for step in steps]
    assert places == sorted(places)


def test_the_same_records_give_the_same_bytes(out, tmp_path_factory):
    found, _ = read_records(out / "journal")
    other = tmp_path_factory.mktemp("other")
    write_plan(other, planned(steps=30))
    journal = Journal(other / "journal")
    journal.write(r for steps in reversed(found.values()) for r in reversed(steps.values()))
    journal.close()
    for place in (out, other):
        compact(place)
    content = compacted(out).read_bytes()
    assert compacted(other).read_bytes() == content
    compact(out)
    assert compacted(out).read_bytes() == content


def test_later_records_join_and_earlier_ones_still_count(out):
    first = flat(read_records(out / "journal")[0])
    compact(out)
    journal = Journal(out / "journal")
    journal.write([a_record("k0", 20, seed=9), a_record("k0", 30)])
    journal.close()
    found = flat(read_records(out / "journal")[0])
    assert {at: found[at] for at in first} == first
    assert set(found) - set(first) == {("k0", 30)}
    compact(out)
    assert flat(read_records(out / "journal")[0]) == found
    assert [compacted(out)] == files(out)


@pytest.mark.parametrize("at", ["replace", "fsync", "unlink", "unlink twice"])
def test_a_kill_at_any_moment_loses_nothing(out, monkeypatch, at):
    before = flat(read_records(out / "journal")[0])
    calls = []

    class Killed(BaseException):
        pass

    def killed(place, how_many=1):
        real = getattr(place, at.split()[0])

        def call(*arguments, **more):
            calls.append(at)
            if len(calls) == how_many:
                raise Killed
            return real(*arguments, **more)

        return call

    with monkeypatch.context() as patched:
        place = os if at == "fsync" else Path
        name = at.split()[0]
        patched.setattr(place, name, killed(place, 2 if "twice" in at else 1))
        with pytest.raises(Killed):
            compact(out)
    assert flat(read_records(out / "journal")[0]) == before
    compact(out)
    assert [compacted(out)] == files(out)
    assert flat(read_records(out / "journal")[0]) == before
    assert not list((out / "journal").glob(".*"))


def test_the_new_file_is_on_the_disk_under_its_name_before_an_old_one_goes(out, monkeypatch):
    order = []
    for place, name in ((os, "fsync"), (Path, "replace"), (Path, "unlink")):
        real = getattr(place, name)

        def noted(*arguments, _real=real, _name=name, **more):
            order.append(_name)
            return _real(*arguments, **more)

        monkeypatch.setattr(place, name, noted)
    compact(out)
    # the first to go is a part of the new file, which is not there any more
    assert order == ["fsync", "replace", "fsync", "unlink", *["unlink"] * 4]


def test_what_a_kill_left_behind_is_cleaned_up(out):
    torn = out / "journal" / ".compact.99.part"
    torn.write_bytes(b"half")
    compact(out)
    assert not torn.exists()


def test_files_with_unreadable_lines_are_kept_unless_forced(out):
    last = journal_files(out / "journal")[-1]
    with last.open("ab") as file:
        file.write(b'{"schema": 99, "key": "of another version"}\n')
    before = flat(read_records(out / "journal")[0])
    told = compact(out)
    assert told.kept == (last.name,)
    assert "line 2" in told.notes[0]
    assert names(out) == [compacted(out).name, last.name]
    assert flat(read_records(out / "journal")[0]) == before
    assert compact(out, force=True).kept == ()
    assert [compacted(out)] == files(out)
    assert flat(read_records(out / "journal")[0]) == before


def test_a_directory_at_work_or_without_a_plan_is_refused(out, tmp_path_factory):
    before = names(out)
    with locked(out), pytest.raises(BlockingIOError, match="another process"):
        compact(out)
    assert names(out) == before
    empty = tmp_path_factory.mktemp("empty")
    with pytest.raises(FileNotFoundError, match="no results directory"):
        compact(empty)
    assert list(empty.iterdir()) == []
    write_plan(empty, planned())
    assert compact(empty).records == 0
    assert not (empty / "journal").exists()


def test_a_reader_that_listed_the_files_before_reads_the_new_one(out, monkeypatch):
    from candidly.compare.sweep import journal

    before = flat(read_records(out / "journal")[0])
    listed = journal.journal_files(out / "journal")
    compact(out)
    answers = [listed]
    real = journal.journal_files
    monkeypatch.setattr(journal, "journal_files", lambda f: answers.pop() if answers else real(f))
    assert flat(read_records(out / "journal")[0]) == before
    assert answers == []


def test_tables_resuming_and_growing_go_on_as_before(tmp_path):
    data, out = {"toy": toy()}, tmp_path / "out"
    whole = benchmark(data, ["PRODEN", "CC"], workers=1, **SMALL)
    small = benchmark(data, ["PRODEN"], out=out, workers=1, **SMALL)
    compact(out)
    again = read_results(out)
    assert accuracy_tables(again).render("json") == accuracy_tables(small).render("json")
    assert trust_tables(again).render("json") == trust_tables(small).render("json")
    benchmark(data, ["PRODEN"], out=out, workers=1, **SMALL)
    assert [compacted(out)] == files(out)  # nothing was left to do
    grown = benchmark(data, ["PRODEN", "CC"], out=out, workers=1, **SMALL)
    assert len(names(out)) == 2
    assert accuracy_tables(grown).render() == accuracy_tables(whole).render()


def test_outcomes_come_back_from_a_line_as_they_were():
    packed = pack_outcomes(np.random.default_rng(0).random(300))
    record = replace(a_record("k", 1), outcomes=packed)
    assert parsed(lines_of([record])) == record
    assert doctest.testmod(records_module).failed == 0


def test_the_command(out):
    words = [sys.executable, "-m", "candidly", "bench", "compact", str(out)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{out}: 10 records, ")
    assert [compacted(out)] == files(out)
