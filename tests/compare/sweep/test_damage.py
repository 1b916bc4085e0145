"""Directories that were damaged while nobody looked: whatever is lost, it is trained again."""

from __future__ import annotations

import json
import random
import re
import shutil

import pytest

from candidly import benchmark
from candidly.compare.sweep import keeping
from candidly.compare.sweep.journal import journal_files, read_results
from candidly.compare.sweep.run import Interrupted
from candidly.learn.engine import checkpoint

from toys import toy

SMALL = {"configs": 2, "splits": 2, "steps": 120, "eval_every": 20, "workers": 1, "stack": 2}


def numbers(results):
    return {
        (run.key, record.step): (record.validation, record.test, record.loss, record.diverged_at)
        for run in results.runs
        for record in run.records
    }


@pytest.fixture(scope="module")
def data():
    return {"toy": toy()}


@pytest.fixture(scope="module")
def reference(data):
    return numbers(benchmark(data, "CC", **SMALL))


@pytest.fixture(scope="module")
def stopped(data, tmp_path_factory):
    """A directory that was stopped at three quarters, with a checkpoint of the last record."""

    def stop(progress):
        if progress.work > 0.7 * progress.total:
            raise KeyboardInterrupt

    out = tmp_path_factory.mktemp("damage") / "stopped"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(keeping, "CHECKPOINT_SHARE", float("inf"))  # one at every record
        with pytest.raises(KeyboardInterrupt):
            benchmark(data, "CC", out=out, watch=stop, **SMALL)
    assert list((out / "checkpoints").glob("*.npz"))
    return out


@pytest.fixture
def out(stopped, tmp_path):
    return shutil.copytree(stopped, tmp_path / "out")


def journal(out):
    [path] = journal_files(out / "journal")
    return path


def change_a_digit(path):
    """In the loss of the second line from the end, whose run has a checkpoint behind it."""
    lines = path.read_bytes().splitlines(keepends=True)
    start = re.search(rb'"loss": \d\.', lines[-2]).end()
    digit = lines[-2][start : start + 1]
    other = b"3" if digit != b"3" else b"4"
    lines[-2] = lines[-2][:start] + other + lines[-2][start + 1 :]
    path.write_bytes(b"".join(lines))


DAMAGE = {
    "deleted": lambda path: path.unlink(),
    "emptied": lambda path: path.write_bytes(b""),
    "torn": lambda path: path.write_bytes(path.read_bytes()[:-300]),
    "zeros behind a block": lambda path: path.write_bytes(
        path.read_bytes()[:1024] + bytes(path.stat().st_size - 1024)
    ),
    "first line garbled": lambda path: path.write_bytes(b"#" + path.read_bytes()[1:]),
    "lines run together": lambda path: path.write_bytes(path.read_bytes().replace(b"\n", b" ")),
    "a digit changed": change_a_digit,
}


@pytest.mark.parametrize("name", DAMAGE)
def test_records_that_are_lost_before_a_checkpoint_are_trained_again(data, out, reference, name):
    DAMAGE[name](journal(out))
    results = benchmark(data, "CC", out=out, **SMALL)
    assert all(run.complete for run in results.runs)
    assert numbers(results) == reference


def test_what_is_damaged_when_all_is_done_is_said_and_trained_again(data, reference, tmp_path):
    out = tmp_path / "out"
    benchmark(data, "CC", out=out, **SMALL)
    change_a_digit(journal(out))
    damaged = read_results(out)
    assert "unreadable" in damaged.notes[0]
    assert sum(run.complete for run in damaged.runs) == 3
    assert numbers(benchmark(data, "CC", out=out, **SMALL)) == reference


def test_records_that_vanish_while_it_runs_are_no_success(data, reference, tmp_path):
    def lose(progress):
        for path in (tmp_path / "out" / "journal").glob("*.jsonl"):
            if progress.work > progress.total / 2:
                path.unlink()

    with pytest.raises(Interrupted, match=r"4 of 4 runs lack records .* same command"):
        benchmark(data, "CC", out=tmp_path / "out", watch=lose, **SMALL)
    assert numbers(benchmark(data, "CC", out=tmp_path / "out", **SMALL)) == reference


def test_a_checkpoint_with_any_changed_bit_is_discarded(data, out, reference):
    path = next((out / "checkpoints").glob("*.npz"))
    whole = path.read_bytes()
    assert checkpoint.saved_at(path) is not None
    rng = random.Random(0)
    ends = [*range(300), *range(len(whole) - 3000, len(whole))]  # archive headers and checksum
    for place in (*rng.sample(ends, 200), *rng.sample(range(len(whole)), 50)):
        changed = bytearray(whole)
        changed[place] ^= 1 << rng.randrange(8)
        path.write_bytes(changed)
        assert checkpoint.saved_at(path) is None, place
    assert numbers(benchmark(data, "CC", out=out, **SMALL)) == reference


@pytest.mark.parametrize("content", [b"", b"PK", bytes(5000)])
def test_an_empty_or_torn_checkpoint_is_discarded(data, out, reference, content):
    next((out / "checkpoints").glob("*.npz")).write_bytes(content)
    assert numbers(benchmark(data, "CC", out=out, **SMALL)) == reference


def flip_a_digit(text):
    return text.replace('"seed": 0', '"seed": 1')


@pytest.mark.parametrize("change", [flip_a_digit, lambda text: text[:-40], lambda text: ""])
def test_a_damaged_plan_names_a_remedy_that_helps(data, reference, tmp_path, change):
    out = tmp_path / "out"
    benchmark(data, "CC", out=out, **SMALL)
    path = out / "plan.json"
    path.write_text(change(path.read_text()))
    for look in (lambda: read_results(out), lambda: benchmark(data, "CC", out=out, **SMALL)):
        with pytest.raises(ValueError, match=r"plan\.json .* move it away and repeat") as caught:
            look()
        assert "pydantic" not in str(caught.value)
    before = journal(out).read_bytes()
    path.rename(out / "plan.damaged")
    assert numbers(benchmark(data, "CC", out=out, **SMALL)) == reference
    assert journal(out).read_bytes() == before  # nothing was trained


def test_a_plan_may_be_written_in_another_way(data, tmp_path):
    results = benchmark(data, "CC", out=tmp_path, **SMALL)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(json.loads(path.read_text()), indent=4))
    assert numbers(read_results(tmp_path)) == numbers(results)
