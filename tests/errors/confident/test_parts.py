"""Probabilities in parts, read by threads, processes and a cluster: the same bytes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import fsspec
import numpy as np
import polars as pl
import pytest

from candidly import errors
from candidly.data.ingest.probabilities import open_source
from candidly.errors.confident import _select
from candidly.ground.spread import spread

import part_makers as makers
import slow_errors as slow

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def made():
    return makers.case()


@pytest.fixture(scope="module")
def expected(made):
    return errors.find(*made)


def same(found: errors.Issues, expected: errors.Issues):
    """Every column, and the table without the names of parts, to the byte."""
    for name in ("given", "predicted", "own", "other", "guess", "thresholds"):
        mine, other = (np.asarray(getattr(each.evidence, name)) for each in (found, expected))
        assert (mine.dtype, mine.tobytes()) == (other.dtype, other.tobytes()), name
    assert found.evidence.disagreements == expected.evidence.disagreements
    assert found.indices.tobytes() == expected.indices.tobytes()
    mine = found.table().drop("part", "row", strict=False)
    assert mine.write_csv() == expected.table().write_csv()


def write_folders(folder, given, probs, ends, labels=".npy"):
    for name in ("probs", "labels"):
        (folder / name).mkdir(parents=True)
    for number, (a, b) in enumerate(zip((0, *ends), (*ends, len(given)))):
        np.save(folder / "probs" / f"part-{number}.npy", probs[a:b])
        if labels == ".npy":
            np.save(folder / "labels" / f"part-{number}.npy", given[a:b])
        else:
            table = pl.DataFrame({"label": given[a:b]})
            getattr(table, f"write_{labels[1:]}")(folder / "labels" / f"part-{number}{labels}")


@pytest.mark.parametrize("ends", [(5000,), (1, 2, 4999, 5000), tuple(range(250, 5001, 250))])
@pytest.mark.parametrize("on", [None, "processes"])
def test_any_parts_in_any_order_give_the_same(made, expected, ends, on):
    parts = makers.parts(ends)
    random.Random(0).shuffle(parts)
    same(errors.find(made[0], parts, workers=2, on=on), expected)


@pytest.mark.parametrize("by", ["class", "both", "confident", "predicted", "margin"])
def test_every_method_finds_the_same(made, by):
    here = errors.find(*made, by=by)
    there = errors.find(made[0], makers.parts(), by=by, workers=2, on="processes")
    assert there.indices.tobytes() == here.indices.tobytes()


def test_ranks_that_need_another_pass_are_the_same(monkeypatch):
    """Pairs of classes that lack rows read some again: with every gap unknown, all of them."""
    given, probs = slow.make(0, 900, 3, sharp=0.3, wrong=0.6)
    monkeypatch.setattr("candidly.errors.confident._passes.LEAST_GAP", 0.5)
    monkeypatch.setattr("candidly.errors.confident._select.ROWS_AT_ONCE", 70)
    passes = []
    known = _select.nearest

    def counted(*asked):
        passes.append(known(*asked))
        return passes[-1]

    monkeypatch.setattr("candidly.errors.confident._select.nearest", counted)
    mask = errors.find(given, probs, workers=2).mask
    assert sum(len(near.row) for near in passes) > 0
    monkeypatch.setattr("candidly.errors.confident._passes.LEAST_GAP", 1e-9)  # every gap is known
    assert np.array_equal(errors.find(given, probs).mask, mask)


@pytest.mark.parametrize("labels", [".npy", ".parquet", ".csv"])
def test_labels_in_parts_go_by_name(made, expected, tmp_path, labels):
    write_folders(tmp_path, *made, (1000, 4000), labels)
    folders = tmp_path / "labels", tmp_path / "probs"
    found = errors.find(*folders)
    same(found, expected)
    table = found.table()
    first = {"part-0.npy": 0, "part-1.npy": 1000, "part-2.npy": 4000}
    whole = [first[name] + row for name, row in zip(table["part"], table["row"])]
    assert whole == table["index"].to_list()
    assert errors.health(*folders).calibrated == errors.health(*made).calibrated


def test_rows_with_ids_have_the_same_table_in_any_number_of_parts(made, tmp_path):
    given, probs = made
    ids = [f"row {k}" for k in range(len(given))]
    table = pl.DataFrame({"id": ids, **{str(k): probs[:, k] for k in range(probs.shape[1])}})
    given_table = pl.DataFrame({"id": ids, "label": given})
    written = []
    for number, ends in enumerate([(5000,), (10, 3000, 5000)]):
        for name, each in (("probs", table), ("labels", given_table)):
            (tmp_path / f"{name}{number}").mkdir()
            for k, (a, b) in enumerate(zip((0, *ends), ends)):
                each[a:b].write_parquet(tmp_path / f"{name}{number}" / f"part-{k}.parquet")
        found = errors.find(tmp_path / f"labels{number}", tmp_path / f"probs{number}")
        written.append(found.table().write_csv())
    assert written[0] == written[1]
    assert "id" in written[0].splitlines()[0].split(",")


def test_addresses_are_read_as_files_are(made, expected, tmp_path):
    write_folders(tmp_path, *made, (1000, 4000))
    memory = fsspec.filesystem("memory")
    memory.put(str(tmp_path), "/parts", recursive=True)
    try:
        same(errors.find("memory://parts/labels", "memory://parts/probs"), expected)
    finally:
        memory.rm("/parts", recursive=True)
    places = f"file://{tmp_path}/labels", f"file://{tmp_path}/probs"
    same(errors.find(*places, on="processes", workers=2), expected)
    pl.DataFrame(made[1], [str(k) for k in range(7)]).write_parquet(tmp_path / "whole.parquet")
    np.save(tmp_path / "whole.npy", made[0])
    one = f"file://{tmp_path}/whole.npy", f"file://{tmp_path}/whole.parquet"
    same(errors.find(*one), expected)


def test_relative_paths_are_found_by_workers_that_began_elsewhere(
    made, expected, tmp_path, monkeypatch
):
    list(spread(makers.twice, [1, 2], 2, "processes"))  # they stay, in the folder of now
    write_folders(tmp_path / "here", *made, (1000,))
    monkeypatch.chdir(tmp_path / "here")
    same(errors.find("labels", "probs", on="processes", workers=2), expected)


def test_labels_go_by_the_names_of_parts_in_whatever_folders_these_lie(made, expected, tmp_path):
    given, probs = made
    write_folders(tmp_path, given, probs, (2500,))  # as many rows in both
    first, second = tmp_path / "z" / "part-0.npy", tmp_path / "a" / "part-1.npy"
    for path in (first, second):
        path.parent.mkdir()
        (tmp_path / "probs" / path.name).rename(path)
    found = errors.find(tmp_path / "labels", [first, second])  # "a" comes before "z"
    assert found.evidence.given.tolist() == [*given[2500:], *given[:2500]]
    assert found.mask.sum() == expected.mask.sum()


# what is refused


def test_probabilities_of_this_process_alone(made):
    with pytest.raises(
        ValueError, match=r"`probs` lies in the memory of this process\. Give files"
    ):
        errors.find(*made, on="processes")
    with pytest.raises(ValueError, match=r"no place to work named 'threads'.*processes, ray"):
        errors.find(made[0], makers.parts(), on="threads")


def test_bad_parts_are_named(made, tmp_path):
    given, probs = made
    write_folders(tmp_path, given, probs, (1000, 4000))
    folder = tmp_path / "probs"
    files = sorted(folder.iterdir())
    with pytest.raises(ValueError, match=r"`probs` has .*part-0\.npy twice"):
        errors.find(given, [*files, folder / ".." / "probs" / "part-0.npy"])
    with pytest.raises(ValueError, match="`probs` has part-1 twice"):
        errors.find(given, [*makers.parts(), makers.parts()[1]])
    with pytest.raises(TypeError, match="a list of different things"):
        errors.find(given, [files[0], makers.parts()[0]])
    whole = files[1].read_bytes()
    files[1].write_bytes(whole[:-100])
    with pytest.raises(ValueError, match=r"part-1\.npy cannot be read .* truncated"):
        errors.find(given, folder)
    with pytest.raises(ValueError, match=r"part-1\.npy is cut off: it has .* bytes"):
        errors.find(given, f"file://{folder}")
    np.save(files[1], probs[1000:4000, :6])
    with pytest.raises(ValueError, match=r"part-1\.npy has 6 classes, .*part-0\.npy has 7"):
        errors.find(given, folder)
    files[1].unlink()
    with pytest.raises(ValueError, match=r"probs has no part part-1, which .*labels has"):
        errors.find(tmp_path / "labels", folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"holds no \.npy or \.parquet file"):
        errors.find(given, tmp_path / "empty")


def test_parts_that_say_how_many_there_are(tmp_path):
    given, probs = makers.case(90)
    for k in (0, 2):
        np.save(tmp_path / f"test-0000{k}-of-00003.npy", probs[:45])
    with pytest.raises(ValueError, match=r"lacks 1 of 3 parts test-\*\.npy: 1\. Put them there"):
        errors.find(given, tmp_path)
    (tmp_path / "test-00000-of-00003.npy").rename(tmp_path / "test-00001-of-00003.npy")
    (tmp_path / "test-00002-of-00003.npy").rename(tmp_path / "test-00003-of-00003.npy")
    with pytest.raises(ValueError, match=r"lacks 1 of 3 parts test-\*\.npy: 2"):
        errors.find(given, tmp_path)
    (tmp_path / "test-00001-of-00003.npy").rename(tmp_path / "test-1-of-999999999999999.npy")
    (tmp_path / "test-00003-of-00003.npy").unlink()
    with pytest.raises(
        ValueError, match=r"lacks 999999999999998 of 999999999999999 parts .*: 2, 3"
    ):
        errors.find(given, tmp_path)


def test_labels_that_do_not_fit_their_part(made, tmp_path):
    given, probs = made
    write_folders(tmp_path, given, probs, (1000, 4000))
    labels = tmp_path / "labels"
    np.save(labels / "part-2.npy", given[4001:])
    with pytest.raises(ValueError, match=r"part-2\.npy has 999 labels, .*part-2\.npy 1000 rows"):
        errors.find(labels, tmp_path / "probs")
    pl.DataFrame({"label": given[4000:]}).write_csv(labels / "part-2.csv")
    with pytest.raises(ValueError, match=r"labels has the part part-2 twice"):
        errors.find(labels, tmp_path / "probs")
    with pytest.raises(ValueError, match=r"is a folder; give a file of labels"):
        errors.find(labels, probs)


def test_what_is_wrong_in_a_part_is_said_of_the_whole(made, tmp_path):
    given, probs = made[0], made[1].copy()
    probs[4500, 2] = np.nan
    write_folders(tmp_path, given, probs, (1000, 4000))
    for on in (None, "processes"):
        with pytest.raises(ValueError, match=r"NaN or infinity at row 4500, and in 1 row in all"):
            errors.find(given, tmp_path / "probs", on=on, workers=2)


def test_what_a_part_raises_comes_out_as_it_is(made):
    with pytest.raises(ZeroDivisionError, match="divides by nothing"):
        errors.find(made[0], makers.parts(before=makers.refuse), on="processes", workers=2)


@pytest.mark.slow
def test_a_part_that_is_gone_for_another_process(made, tmp_path):
    write_folders(tmp_path, *made, (1000,))
    source = open_source(tmp_path / "probs")
    (tmp_path / "probs" / "part-1.npy").unlink()
    with pytest.raises(ValueError, match=r"part-1\.npy cannot be read"):
        errors.find(made[0], source, on="processes", workers=2)
    np.save(tmp_path / "probs" / "part-1.npy", made[1][1001:])
    with pytest.raises(ValueError, match=r"part-1\.npy changed while it was being read"):
        errors.find(made[0], source, on="processes", workers=2)


# killed, and resumed


@pytest.mark.slow
def test_killed_workers_cost_nothing(made, expected, tmp_path):
    parts = makers.parts(tuple(range(250, 5001, 250)), partial(makers.die_sometimes, tmp_path, 2))
    same(errors.find(made[0], parts, on="processes", workers=2), expected)
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.slow
def test_workers_that_always_die_are_given_up(made, tmp_path):
    parts = makers.parts((5000,), partial(makers.die_sometimes, tmp_path, 100))
    with pytest.raises(RuntimeError, match="5 workers in a row were lost"):
        errors.find(made[0], parts, on="processes", workers=1)


RESUMED = """
import sys
sys.path.insert(0, {tests!r})
from functools import partial
from candidly.errors.confident import _select
import part_makers as makers
import slow_errors as slow
from candidly import errors
if __name__ == "__main__":
    parts = makers.parts(tuple(range(100, 5001, 100)), partial(makers.note, {reads!r}))
    watch = lambda done, total: print(done, flush=True)
    errors.examine(makers.case()[0], parts, on={on!r}, workers=2, work={work!r}, watch=watch)
"""


@pytest.mark.parametrize("on", [None, pytest.param("processes", marks=pytest.mark.slow)])
def test_a_killed_run_goes_on_by_part(made, expected, tmp_path, on):
    reads, work = tmp_path / "reads", tmp_path / "work"
    reads.mkdir()
    text = RESUMED.format(
        tests=str(Path(__file__).parents[2]), reads=str(reads), on=on, work=str(work)
    )
    run = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    for line in run.stdout:
        if int(line) >= 2500:
            break
    run.send_signal(signal.SIGKILL)
    run.wait()
    time.sleep(0.5)  # its workers end by themselves
    for path in reads.iterdir():
        path.unlink()
    parts = makers.parts(tuple(range(100, 5001, 100)), partial(makers.note, str(reads)))
    evidence = errors.examine(made[0], parts, on=on, workers=2, work=work)
    again = len(list(reads.iterdir()))
    assert again <= 25 + 50  # those that were left, and all once more at most, for open rows
    same(errors.find(evidence), expected)


# spread itself


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_come_in_the_order_of_tasks(workers):
    tasks = list(range(40))
    assert list(spread(makers.twice, tasks, workers, "processes")) == [2 * k for k in tasks]
    made_when_needed = spread(makers.twice, tasks, workers, "processes", lambda task: task + 1)
    assert next(made_when_needed) == 2
    made_when_needed.close()
    assert list(spread(makers.twice, [], workers, "processes")) == []
    with pytest.raises(KeyError, match=r"task \d+"):
        list(spread(makers.of_none, tasks, workers, "processes"))


# on a cluster


@pytest.mark.slow
def test_a_cluster_finds_the_same_while_workers_are_killed(made, expected, tmp_path, monkeypatch):
    write_folders(tmp_path, *made, tuple(range(200, 5000, 200)))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))  # of `part_makers`, for nodes
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    over, killed = threading.Event(), []

    def kill_some():
        while not over.wait(random.uniform(0.05, 0.3)):
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                with_name = path.read_bytes() if path.exists() else b""
                if len(killed) < 3 and with_name.startswith(b"ray::checked"):
                    os.kill(int(path.parent.name), signal.SIGKILL)
                    killed.append(with_name)
                    break

    killer = threading.Thread(target=kill_some)
    killer.start()
    try:
        on = f"ray:{cluster.address}"
        slow = makers.parts(tuple(range(100, 5001, 100)), partial(time.sleep, 0.05))
        import ray

        begun = []
        init = ray.init
        monkeypatch.setattr(ray, "init", lambda **how: begun.append(1) or init(**how))
        same(errors.find(made[0], slow, on=on, workers=2), expected)
        assert killed
        assert len(begun) == 1  # for all passes
        found = errors.find(tmp_path / "labels", tmp_path / "probs", on=on, workers=2)
        same(found, expected)
        with pytest.raises(ZeroDivisionError, match="divides by nothing"):
            errors.find(made[0], makers.parts(before=makers.refuse), on=on, workers=2)
        source = open_source(tmp_path / "probs")
        (tmp_path / "probs" / "part-3.npy").unlink()
        with pytest.raises(ValueError, match=r"part-3\.npy cannot be read"):
            errors.find(made[0], source, on=on, workers=2)
    finally:
        over.set()
        killer.join()
        cluster.shutdown()
