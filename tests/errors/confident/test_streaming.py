"""Files, chunks, threads and killed runs: the same bytes as an array in memory."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time
import tracemalloc

import numpy as np
import polars as pl
import pytest
import torch

from candidly import errors

import slow_errors as slow

gathering = importlib.import_module("candidly.errors.confident._evidence")
passes = importlib.import_module("candidly.errors.confident._passes")
working = importlib.import_module("candidly.errors.confident._work")
reading = importlib.import_module("candidly.data.ingest.probabilities")

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

BYS = ("noise rate", "class", "both", "confident", "margin")


def case(dtype=np.float32, n=5000, m=7):
    given, probs = slow.make(3, n, m, sharp=1.5, wrong=0.3, skew=0.8, absent=1)
    return given, probs.astype(dtype)


def same(ours: errors.Evidence, its: errors.Evidence):
    for name in ("given", "predicted", "own", "other", "guess", "thresholds", "counts"):
        mine, other = np.asarray(getattr(ours, name)), np.asarray(getattr(its, name))
        assert mine.dtype == other.dtype, name
        assert mine.tobytes() == other.tobytes(), name
    assert ours.disagreements == its.disagreements
    for mine, other in zip(ours.pairs, its.pairs):
        assert mine.tobytes() == other.tobytes()
    for by in BYS:
        assert (
            errors.find(ours, by=by).indices.tobytes() == errors.find(its, by=by).indices.tobytes()
        )


def write_parts(folder, probs, ends, kinds):
    """A folder of chunk files, named without leading zeros."""
    folder.mkdir()
    starts = [0, *ends]
    for number, (start, stop) in enumerate(zip(starts, [*ends, len(probs)])):
        if kinds[number % len(kinds)] == "npy":
            np.save(folder / f"chunk-{number}.npy", probs[start:stop])
        else:
            table = pl.DataFrame(np.ascontiguousarray(probs[start:stop], np.float32))
            table.write_parquet(folder / f"chunk-{number}.parquet", row_group_size=100)
    return folder


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_wherever_they_lie(dtype, tmp_path):
    given, probs = case(dtype)
    usual = errors.examine(given, probs)
    np.save(tmp_path / "probs.npy", probs)
    np.save(tmp_path / "given.npy", given)
    np.save(tmp_path / "columns.npy", np.asfortranarray(probs))
    ends = [1, 2, 500, 500, 501, 1203, 2000, 2600, 3100, 3200, 4999]
    places = {
        "file": tmp_path / "probs.npy",
        "text": str(tmp_path / "probs.npy"),
        "columns": tmp_path / "columns.npy",
        "parts": write_parts(tmp_path / "parts", probs, ends, ["npy"]),
        "tensor": torch.from_numpy(probs),
        "chunks": np.array_split(probs, 13),
        "generator": (probs[a : a + 77] for a in range(0, len(probs), 77)),
        "tensors": torch.from_numpy(probs).split(999),
        "every other": np.repeat(probs, 2, axis=0)[::2],
        "frame": pl.DataFrame(probs.astype(np.float32)) if dtype != np.float64 else probs,
    }
    if dtype != np.float64:  # as chunks of Parquet hold float32
        places["parquet"] = write_parts(tmp_path / "parquet", probs, ends, ["parquet"])
        places["both"] = write_parts(tmp_path / "both", probs, ends, ["npy", "parquet"])
    for name, place in places.items():
        same(errors.examine(tmp_path / "given.npy", place), usual)
        assert name


@pytest.mark.parametrize("normalise", [False, True])
def test_any_threads_and_blocks(normalise, tmp_path, monkeypatch):
    given, probs = case(np.float32)
    if normalise:
        probs = probs * np.float32(1.7)
    given[::11] = -1
    options = {"normalise": normalise, "unlabelled": True}
    usual = errors.examine(given, probs, **options)
    np.save(tmp_path / "probs.npy", probs)
    pl.DataFrame(probs).write_parquet(tmp_path / "probs.parquet")
    monkeypatch.setattr(reading, "PIECE_BYTES", 12_345)
    for block in (1, 1000, 77_777, 1 << 30):
        monkeypatch.setattr(passes, "BLOCK_BYTES", block)
        if block == 1:  # a row at a time
            few = errors.examine(given[:200], probs[:200], **options)
            assert few.own.tobytes() == usual.own[:200].tobytes()
            continue
        for workers in (1, 2, 5):
            for place in (probs, tmp_path / "probs.npy", tmp_path / "probs.parquet"):
                same(errors.examine(given, place, workers=workers, **options), usual)


def test_a_folder_of_work(tmp_path, monkeypatch):
    monkeypatch.setattr(working, "CHUNK_BYTES", 20_000)
    given, probs = case()
    usual = errors.examine(given, probs)
    for workers in (1, 3):
        folder = tmp_path / f"work-{workers}"
        seen: list[tuple[int, int]] = []
        first = errors.examine(
            given, probs, work=folder, workers=workers, watch=lambda *at, to=seen: to.append(at)
        )
        same(first, usual)
        assert seen == sorted(seen)
        assert seen[-1] == (10_000, 10_000)
        notes = sorted(folder.glob("done-*"))
        assert len(notes) == 8
        for note in notes[1::3]:  # as if these had not been reached
            note.unlink()
        same(errors.examine(given, probs, work=folder), usual)


@pytest.mark.parametrize("kind", ["array", "file", "chunks", "labels", "classes", "pairs", "chunk"])
def test_work_of_other_data_is_refused(kind, tmp_path, monkeypatch):
    given, probs = case()
    np.save(tmp_path / "probs.npy", probs)
    first = tmp_path / "probs.npy" if kind == "file" else probs
    errors.examine(given, first, work=tmp_path / "work")
    again, other, options = given, first, {}
    if kind in ("array", "chunks"):
        other = probs[:, ::-1].copy()
        other = np.array_split(other, 4) if kind == "chunks" else other
    elif kind == "file":
        np.save(tmp_path / "probs.npy", probs[:, ::-1])
    elif kind == "labels":
        again = np.roll(given, 1)
    elif kind == "classes":
        other = np.concatenate([probs, np.zeros((len(probs), 1), np.float32)], 1)
    elif kind == "pairs":
        options = {"pairs": False}
    else:
        monkeypatch.setattr(working, "CHUNK_BYTES", 20_000)
    with pytest.raises(ValueError, match="was begun with other"):
        errors.examine(again, other, work=tmp_path / "work", **options)


KILLED = """
import sys
import time
import tracemalloc
from candidly import errors
import importlib
importlib.import_module("candidly.errors.confident._work").CHUNK_BYTES = 20_000
folder, workers = sys.argv[1], int(sys.argv[2])

def watch(done, total):
    print(done, flush=True)
    time.sleep(0.05)

paths = folder + "/given.npy", folder + "/probs.npy"
errors.examine(*paths, work=folder + "/work", workers=workers, watch=watch)
"""


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_a_killed_run_goes_on(workers, tmp_path, monkeypatch):
    given, probs = case()
    np.save(tmp_path / "given.npy", given)
    np.save(tmp_path / "probs.npy", probs)
    command = [sys.executable, "-W", "ignore", "-c", KILLED, str(tmp_path), str(workers)]
    for kills in (1, 2):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            for _ in range(2):
                assert child.stdout.readline()
            os.kill(child.pid, signal.SIGKILL)
        assert kills <= len(list((tmp_path / "work").glob("done-*"))) < 8
    notes = {path: path.stat().st_mtime_ns for path in (tmp_path / "work").glob("done-*")}
    monkeypatch.setattr(working, "CHUNK_BYTES", 20_000)
    paths = tmp_path / "given.npy", tmp_path / "probs.npy"
    resumed = errors.examine(*paths, work=tmp_path / "work")
    same(resumed, errors.examine(given, probs))
    assert all(path.stat().st_mtime_ns == when for path, when in notes.items())


def changing(probs, when, what):
    """A source whose rows become ``what`` after the first pass."""
    reads = []

    def get(start, stop):
        reads.append(start)
        return (probs if len(reads) <= when else what)[start:stop]

    return reading.ProbRows(*probs.shape, probs.dtype, get, "`probs`")


def test_rows_that_change_between_the_passes(monkeypatch):
    monkeypatch.setattr(passes, "BLOCK_BYTES", 1000)
    given, probs = case()
    blocks = -(-len(probs) // (1000 // 28))
    source = changing(probs, blocks, np.roll(probs, 1, axis=1))
    monkeypatch.setattr(gathering, "open_source", lambda *_: source)
    with pytest.raises(ValueError, match=r"row \d+ of the probabilities changed"):
        errors.examine(given, probs)


def test_rows_that_change_before_a_class_is_ranked(monkeypatch):
    monkeypatch.setattr(passes, "LEAST_GAP", 0.5)
    given, probs = slow.make(0, 300, 3, sharp=0.3, wrong=0.6)
    evidence = errors.examine(given, probs)
    probs[:] = probs[:, ::-1].copy()
    with pytest.raises(ValueError, match="changed between two passes"):
        errors.find(evidence)


def test_a_file_that_is_cut_short_meanwhile(tmp_path):
    given, probs = slow.make(0, 200_000, 3, sharp=0.5, wrong=0.5, dtype=np.float32)
    np.save(tmp_path / "probs.npy", probs)

    def cut(done, total):
        if done >= total // 2:
            os.truncate(tmp_path / "probs.npy", 4096)

    with pytest.raises(ValueError, match="changed while it was being read"):
        errors.examine(given, tmp_path / "probs.npy", watch=cut)


def test_a_file_that_is_gone_meanwhile(tmp_path):
    given, probs = case()
    np.save(tmp_path / "probs.npy", probs)
    path = tmp_path / "probs.npy"
    with pytest.raises(ValueError, match="gone while"):
        errors.examine(given, path, watch=lambda *_: path.unlink(missing_ok=True))


def test_several_threads_read():
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two cores")
    given, probs = case(n=20_000)
    threads = set()

    def get(start, stop):
        import threading

        threads.add(threading.get_ident())
        time.sleep(0.001)
        return probs[start:stop]

    source = reading.ProbRows(*probs.shape, probs.dtype, get, "`probs`")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gathering, "open_source", lambda *_: source)
        patch.setattr(passes, "BLOCK_BYTES", 10_000)
        errors.examine(given, probs, workers=3)
    assert 2 <= len(threads) <= 6  # a pool of three for each pass


def begun(folder):
    """A folder of work with everything in it done."""
    given, probs = case()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(working, "CHUNK_BYTES", 20_000)
        errors.examine(given, probs, work=folder)
        yield given, probs


DAMAGE = {
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-7]),
    "emptied": lambda path: path.write_bytes(b""),
    "overwritten": lambda path: path.write_bytes(b"\xff" * path.stat().st_size),
    "an entry changed": lambda path: path.write_bytes(
        path.read_bytes()[:-3] + bytes([path.read_bytes()[-3] ^ 1]) + path.read_bytes()[-2:]
    ),
    "of another type": lambda path: np.save(path.open("wb"), np.arange(3)),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize(
    "name", ["about.json", "own.npy", "other.npy", "predicted.npy", "done-000000000000.npy"]
)
def test_a_damaged_folder_of_work_is_named(name, how, tmp_path):
    for given, probs in begun(tmp_path / "work"):
        DAMAGE[how](tmp_path / "work" / name)
        before = "was begun with other" if name == "about.json" else "is damaged"
        with pytest.raises(ValueError, match=rf"is damaged|{before}") as refused:
            errors.examine(given, probs, work=tmp_path / "work")
        assert "delete" in str(refused.value)
        assert str(tmp_path / "work") in str(refused.value)


def test_a_folder_of_work_that_lost_a_column_or_is_a_file(tmp_path):
    for given, probs in begun(tmp_path / "work"):
        (tmp_path / "work" / "own.npy").unlink()
        with pytest.raises(ValueError, match=r"own\.npy is damaged"):
            errors.examine(given, probs, work=tmp_path / "work")
        (tmp_path / "file").write_text("here")
        with pytest.raises(ValueError, match="is no folder"):
            errors.examine(given, probs, work=tmp_path / "file")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


ON_A_FULL_DISK = """
import sys
import numpy as np
from candidly import errors
errors.examine(np.arange(100_000) % 2, np.tile([[0.9, 0.1]], (100_000, 1)), work=sys.argv[1])
"""


def test_a_full_disk_is_said_and_not_died_of(small_disk):
    command = [sys.executable, "-W", "ignore", "-c", ON_A_FULL_DISK, str(small_disk / "work")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.returncode  # not killed by SIGBUS
    assert "The columns of 100,000 examples take 1.7 MB" in done.stderr
    assert "are free there" in done.stderr
    assert not list((small_disk / "work").iterdir())


def test_a_limit_on_files_is_said(tmp_path):
    limited = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
    command = [sys.executable, "-W", "ignore", "-c", limited + ON_A_FULL_DISK, str(tmp_path / "w")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "The columns of 100,000 examples take 1.7 MB" in done.stderr


def test_memory_for_each_example(tmp_path):
    # for 5 million examples of 10 classes: 64 MB by self-confidence; pairs of classes come on top
    n, rng = 400_000, np.random.default_rng(0)
    given, probs = np.arange(n) % 10, np.full((n, 10), np.float32(0.02))
    probs[np.arange(n), np.where(rng.random(n) < 0.9, given, (given + 1) % 10)] = 0.82
    np.save(tmp_path / "probs.npy", probs)
    np.save(tmp_path / "given.npy", given)
    del probs
    paths = tmp_path / "given.npy", tmp_path / "probs.npy"
    for by, most in (("self-confidence", 12.8), ("noise rate", 16)):
        errors.find(*paths, by=by)
        tracemalloc.start()
        found = errors.find(*paths, by=by)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found.mask.any()
        assert peak - passes.BLOCK_BYTES - given.nbytes < most * n


def test_rows_are_never_to_be_written_so_that_loops_are_compiled_for_one_kind():
    _, probs = case()
    for normalise in (False, True):
        rows = reading.open_source(probs, normalise).read(0, 2)
        assert not rows.flags.writeable
    assert probs.flags.writeable  # the caller's own stay theirs
