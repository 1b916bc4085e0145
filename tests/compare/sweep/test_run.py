"""Sweeps for real: here and in worker processes, killed, interrupted, starved and resumed."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import OrderedDict
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from candidly import benchmark, cli
from candidly.compare.sweep import build, keeping, pool
from candidly.compare.sweep import run as running
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.lock import is_locked, locked
from candidly.compare.sweep.run import Interrupted
from candidly.data.labels.labelled import Labelled
from candidly.learn.engine.examples import make_examples

from toys import toy

SMALL = {"configs": 2, "splits": 2, "steps": 60, "eval_every": 20}
COMMAND = [sys.executable, "-m", "candidly", "bench"]


def numbers(results):
    """Everything a table is made of, by trial and step."""
    return {
        (run.key, record.step): (record.validation, record.test, record.loss, record.diverged_at)
        for run in results.runs
        for record in run.records
    }


@pytest.fixture(scope="module")
def data():
    return toy()


@pytest.fixture(scope="module")
def reference(data):
    return benchmark({"toy": data}, ["PRODEN", "CC"], workers=1, **SMALL)


def test_every_run_has_every_record(reference):
    assert len(reference.runs) == 8
    assert all(run.complete for run in reference.runs)
    assert [r.step for r in reference.runs[0].records] == [20, 40, 60]
    record = reference.runs[0].records[-1]
    assert record.seconds > 0
    assert record.memory_bytes > 1e7
    assert 0 < record.test["top1"] <= 1


@pytest.mark.parametrize(
    "how", [{"workers": 2}, {"workers": 1, "stack": 1}, {"workers": 1, "stack": 3}]
)
@pytest.mark.slow
def test_numbers_do_not_depend_on_where_or_with_whom_a_trial_runs(data, reference, how):
    assert numbers(benchmark({"toy": data}, ["PRODEN", "CC"], **how, **SMALL)) == numbers(reference)


def test_nor_on_when_it_is_looked_at(data, reference):
    rarely = benchmark({"toy": data}, ["PRODEN", "CC"], workers=1, **SMALL | {"eval_every": 60})
    last = {(r.dataset, r.algorithm, r.config, r.split): r.records[-1] for r in reference.runs}
    for run in rarely.runs:
        record = last[run.dataset, run.algorithm, run.config, run.split]
        assert run.records[-1].test == record.test


def test_a_directory_is_resumed_and_may_grow(data, reference, tmp_path):
    out = tmp_path / "out"
    small = SMALL | {"configs": 1}
    benchmark({"toy": data}, ["PRODEN"], out=out, workers=1, **small)
    before = len(list((out / "journal").iterdir()))
    again = benchmark({"toy": data}, ["PRODEN"], out=out, workers=1, **small)
    assert len(list((out / "journal").iterdir())) == before  # nothing was left to do
    assert all(run.complete for run in again.runs)
    grown = benchmark({"toy": data}, ["PRODEN", "CC"], out=out, workers=1, **SMALL)
    assert numbers(grown) == numbers(reference)


def test_moving_data_and_results_changes_nothing(data, reference, tmp_path):
    first = tmp_path / "first"
    data.save(tmp_path / "toy.npz")
    benchmark({"toy": data}, ["PRODEN"], out=first, workers=1, **SMALL)
    second = first.rename(tmp_path / "second")
    moved = Labelled.load(tmp_path / "toy.npz")
    before = len(list((second / "journal").iterdir()))
    benchmark({"toy": moved}, ["PRODEN"], out=second, workers=1, **SMALL)
    assert len(list((second / "journal").iterdir())) == before


def test_a_diverged_trial_is_recorded_and_the_rest_go_on(data):
    huge = Labelled(  # float32 overflows in the first product
        inputs=data.inputs * 1e30,
        classes=data.classes,
        candidates=data.candidates,
        truth=data.truth,
    )
    results = benchmark({"huge": huge}, "CC", scaling="none", workers=1, **SMALL)
    assert all(run.complete and run.diverged_at is not None for run in results.runs)
    assert results.runs[0].records[-1].validation["CR"] is None


def test_progress_reaches_its_total(data):
    seen = []
    benchmark({"toy": data}, "CC", workers=1, watch=seen.append, **SMALL)
    assert seen[0].work == 0
    assert [p.work for p in seen] == sorted(p.work for p in seen)
    assert seen[-1].work == pytest.approx(seen[-1].total)
    assert seen[-1].runs_done == seen[-1].runs == 4


def test_stopped_here_it_goes_on_from_the_checkpoint_and_the_progress_with_it(
    data, tmp_path, monkeypatch
):
    monkeypatch.setattr(keeping, "CHECKPOINT_SHARE", 1e9)  # at every record, however slow the disk

    def stop_at_half(progress):
        if progress.work > progress.total / 2:
            raise KeyboardInterrupt

    how = {"out": tmp_path / "out", "workers": 1, **SMALL, "steps": 400}
    with pytest.raises(KeyboardInterrupt):
        benchmark({"toy": data}, "CC", watch=stop_at_half, **how)
    seen = []
    benchmark({"toy": data}, "CC", watch=seen.append, **how)
    assert seen[1].work > 0.3 * seen[1].total  # what the checkpoint holds counts at once
    assert seen[-1].work == pytest.approx(seen[-1].total)


def test_what_trains_gets_no_truth_unless_it_is_an_oracle(data, monkeypatch):
    seen = {}

    def spy(labelled, reads, *more):
        seen[reads] = labelled.truth
        return make_examples(labelled, reads, *more)

    monkeypatch.setattr(build, "make_examples", spy)
    monkeypatch.setattr(build, "_kept", OrderedDict())  # what earlier runs here have made
    benchmark({"toy": data}, ["CC", "supervised-oracle"], workers=1, **SMALL)
    assert seen[("candidates",)] is None
    assert seen[("truth",)] is not None


def test_a_class_that_is_never_true_is_no_trouble(data):
    truth = np.where(data.truth == 3, 0, data.truth)
    candidates = np.array(data.candidates)
    candidates[np.arange(data.n), truth] = True
    odd = Labelled(
        inputs=data.inputs, classes=data.classes, candidates=candidates, truth=truth, source="odd"
    )
    names = ["PRODEN", "CC", "LWS", "CAVL", "ABS-GCE", "Forward", "supervised-oracle"]
    for run in benchmark({"odd": odd}, names, workers=1, **SMALL).runs:
        assert run.diverged_at is None
        assert all(value is not None for value in run.records[-1].test.values())


# other processes


EIGHT = ("--algorithms", "PRODEN,CC", "--configs", "2", "--splits", "2")
ONE = ("--algorithms", "CC", "--configs", "1", "--splits", "1")  # and so one worker


def words(out: Path, file: Path, *more: str, runs=EIGHT, steps=600) -> list[str]:
    how = ("--steps", str(steps), "--eval-every", "40")
    return ["run", "--dataset", str(file), *runs, *how, "--out", str(out), *more]


def start(out: Path, file: Path, *more: str, runs=EIGHT, steps=600, **how) -> subprocess.Popen:
    command = [*COMMAND, *words(out, file, *more, runs=runs, steps=steps)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how
    )


def lines(out: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in (out / "journal").glob("*.jsonl"))


def wait_for_lines(out: Path, count: int, process: subprocess.Popen) -> None:
    end = time.monotonic() + 60
    while lines(out) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(scope="module")
def file(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "toy.npz"
    data.save(path)
    return path


@pytest.fixture(scope="module")
def undisturbed(file):
    return benchmark(file, ["PRODEN", "CC"], configs=2, splits=2, steps=600, eval_every=40)


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_kill_9_and_rerun_ends_with_the_same_numbers(file, undisturbed, tmp_path, workers):
    out = tmp_path / "out"
    for count in (10, 30):
        process = start(out, file, "--workers", workers)
        wait_for_lines(out, count, process)
        process.kill()
        process.wait()
        settle(out)
        assert count <= lines(out) < 8 * 15
    assert list((out / "checkpoints").glob("*.npz"))
    process = start(out, file, "--workers", workers)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert numbers(read_results(out)) == numbers(undisturbed)
    assert not list((out / "checkpoints").iterdir())


def settle(out: Path) -> None:
    """Wait until orphaned workers have noticed and nothing is written any more."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        before = lines(out)
        time.sleep(0.5)
        if lines(out) == before:
            return
    raise AssertionError("workers go on after their parent was killed")


@pytest.mark.slow
def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(file, tmp_path):
    out = tmp_path / "out"
    how = {"runs": ONE, "steps": 100_000, "start_new_session": True}
    process = start(out, file, "--workers", "2", **how)
    wait_for_lines(out, 4, process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the worker gets it too
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "0 of 1 runs complete" in errors
    assert "Traceback" not in errors
    settle(out)
    assert not is_locked(out)


def wait_for_workers(process: subprocess.Popen, count: int) -> None:
    end = time.monotonic() + 250
    while len(children_of(process.pid)) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.005)


def stop_behind(process: subprocess.Popen, workers: int, seconds: float) -> str:
    """Send Ctrl-C that long behind the start of so many workers, as a terminal does; stderr."""
    wait_for_workers(process, workers)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=250)
    return errors


@pytest.mark.parametrize(
    ("runs", "workers", "seconds"),
    [(ONE, 1, 0.0)]
    + [pytest.param(EIGHT, 2, s, marks=pytest.mark.slow) for s in (0.0, 0.3, 0.6, 1.0, 1.5)],
)
def test_ctrl_c_while_workers_start_is_a_sentence(file, tmp_path, runs, workers, seconds):
    how = {"runs": runs, "steps": 100_000, "start_new_session": True}
    process = start(tmp_path / "out", file, "--workers", "2", **how)
    errors = stop_behind(process, workers, seconds)
    assert process.returncode == 130
    assert "Traceback" not in errors
    count = 1 if runs is ONE else 8
    last = f"stopped; 0 of {count} runs complete. The same command goes on."
    assert errors.splitlines()[-1] == last


@pytest.mark.parametrize("seconds", [0.0, pytest.param(0.6, marks=pytest.mark.slow)])
def test_ctrl_c_while_the_command_loads_is_no_traceback(file, tmp_path, seconds):
    process = start(tmp_path / "out", file, steps=100_000, start_new_session=True)
    while "numpy" not in Path(f"/proc/{process.pid}/maps").read_text():  # it loads what it needs
        assert process.poll() is None
        time.sleep(0.005)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=250)
    assert process.returncode in (1, 130)
    assert "Traceback" not in errors


def children_of(process: int) -> list[int]:
    listed = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True)
    return [int(pid) for pid in listed.stdout.split()]


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 0.4])
def test_workers_leave_the_decision_about_ctrl_c_to_their_parent(file, tmp_path, seconds):
    process = start(tmp_path / "out", file, "--workers", "2", steps=40)
    wait_for_workers(process, 2)
    time.sleep(seconds)  # while they import, which takes seconds
    for worker in children_of(process.pid):
        os.kill(worker, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors


@pytest.mark.slow
def test_workers_end_with_their_parent_and_not_at_their_next_record(file, tmp_path):
    out = tmp_path / "out"
    # one record, half an hour away
    process = start(out, file, "--workers", "2", "--eval-every", "10000000", steps=10_000_000)
    try:
        while not list((out / "journal").glob("*.jsonl")):  # until a worker is at work
            assert process.poll() is None
            time.sleep(0.05)
        workers = children_of(process.pid)
    finally:
        process.kill()
        process.communicate()
    assert workers
    while any(Path(f"/proc/{pid}").exists() for pid in workers):  # else this test is timed out
        time.sleep(0.05)


@pytest.mark.slow
def test_two_processes_on_one_directory_are_refused(file, tmp_path):
    out = tmp_path / "out"
    first = start(out, file, "--workers", "1", steps=100_000)
    try:
        wait_for_lines(out, 1, first)
        assert is_locked(out)
        status = subprocess.run([*COMMAND, "status", out, "--json"], capture_output=True, text=True)
        assert json.loads(status.stdout)["running"] is True
        second = start(out, file, "--workers", "1", steps=100_000)
        _, errors = second.communicate(timeout=60)
        assert second.returncode == 2
        assert "another process" in errors
        assert "Traceback" not in errors
    finally:
        first.kill()
        first.communicate()
    assert not is_locked(out)  # the lock ends with its process, however it ends


def test_the_lock_is_exclusive(tmp_path):
    with locked(tmp_path):
        assert is_locked(tmp_path)
    assert not is_locked(tmp_path)


def test_a_worker_that_dies_is_reported_and_what_is_recorded_stands(
    file, tmp_path, monkeypatch, capsys
):
    out, before = tmp_path / "out", set(children_of(os.getpid()))

    def kill_one():
        end = time.monotonic() + 60
        while lines(out) < 4 and time.monotonic() < end:
            time.sleep(0.02)
        os.kill(min(set(children_of(os.getpid())) - before), signal.SIGKILL)

    command = words(out, file, "--workers", "2", steps=100_000)
    monkeypatch.setattr(sys, "argv", ["candidly", "bench", *command])
    killer = threading.Thread(target=kill_one, daemon=True)
    killer.start()
    with pytest.raises(SystemExit) as ended:
        cli.main()
    killer.join()
    errors = capsys.readouterr().err
    assert ended.value.code == 2
    assert "signal 9" in errors
    assert "run the same command" in errors
    assert lines(out) >= 4
    assert set(children_of(os.getpid())) <= before  # the other worker is gone, too


@contextmanager
def files_of_at_most(size: int, monkeypatch):
    """Longer ones cannot be written, as on a full disk, here and in processes started here."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with monkeypatch.context() as patched:  # Python would leave compiled files that are cut short
        patched.setattr(sys, "dont_write_bytecode", True)
        patched.setenv("PYTHONDONTWRITEBYTECODE", "1")
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_full_disk_is_said_and_nothing_is_lost(file, tmp_path, monkeypatch, capsys, workers):
    out = tmp_path / "out"
    command = words(out, file, "--workers", workers, steps=120)
    monkeypatch.setattr(sys, "argv", ["candidly", "bench", *command])
    with files_of_at_most(4_000, monkeypatch), pytest.raises(SystemExit) as ended:
        cli.main()
    errors = capsys.readouterr().err
    assert ended.value.code == 2
    assert "could not write" in errors
    assert "Traceback" not in errors
    assert not list(out.rglob("*.part"))
    small = {"configs": 2, "splits": 2, "steps": 120, "eval_every": 40}
    again = benchmark(file, ["PRODEN", "CC"], out=out, workers=1, **small)
    assert all(run.complete for run in again.runs)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_a_read_only_directory_is_said(data, reference):
    # behind ``reference``: another user may not read this interpreter's files, to import them
    place = Path(tempfile.mkdtemp(dir="/tmp"))  # pytest's own nobody else may enter
    place.chmod(0o755)
    os.seteuid(65534)
    try:
        with pytest.raises(PermissionError, match=f"could not make {place}/out"):
            benchmark({"toy": data}, "CC", out=place / "out", workers=1, **SMALL)
    finally:
        os.seteuid(0)
        shutil.rmtree(place)


@pytest.mark.slow
def test_a_worker_that_fails_names_the_run(data, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "if 'candidly.compare.sweep.worker' in ' '.join(sys.orig_argv):\n"
        "    import candidly.learn.algorithms.cc as page\n"
        "    def broken(*a): raise ArithmeticError('no such sum')\n"
        "    import candidly.learn.nets._module as m\n"
        "    m.Module.__call__ = broken\n"
    )
    one = SMALL | {"configs": 1, "splits": 1}
    with pytest.raises(Interrupted, match=r"CC on toy: ArithmeticError: no such sum"):
        benchmark({"toy": data}, "CC", workers=2, **one)


@pytest.mark.parametrize("device", ["cuda", "tpu"])
def test_a_device_that_is_not_there_is_refused(data, device):
    import torch

    if device == "cuda" and torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(ValueError, match=device):
        benchmark({"toy": data}, "CC", device=device, **SMALL)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"workers": 1.5}, "workers is 1.5, but must be a whole number of at least 1"),
        ({"workers": True}, "workers is True"),
        ({"workers": 0}, "workers is 0"),
        ({"stack": 2.0}, "stack is 2.0"),
        ({"stack": 0}, "stack is 0"),
        ({"configs": True}, "`configs` is True"),
        ({"device": "cuda:99"}, "device 'cuda:99' is not there.*This machine has: cpu"),
        ({"device": 3}, "device '3' is unknown"),
        ({"device": "cpu,cpu"}, "device 'cpu,cpu' has cpu twice"),
    ],
)
def test_impossible_ways_to_run_are_refused_by_name(data, tmp_path, how, told):
    with pytest.raises(ValueError, match=told):
        benchmark({"toy": data}, "CC", out=tmp_path / "out", **SMALL | how)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_each_worker_has_its_device_in_turn(data, reference, tmp_path, monkeypatch):
    # a list that no door lets in on a machine without GPUs: two devices, both the processor
    started = []
    start = pool._start

    def noted(out, folder, device, plugins, number, events):
        started.append((number, device))
        return start(out, folder, device, plugins, number, events)

    monkeypatch.setattr(pool, "_start", noted)
    monkeypatch.setattr(running, "check_devices", lambda device: tuple(device.split(",")))
    found = benchmark({"toy": data}, ["PRODEN", "CC"], device="cpu,cpu", out=tmp_path, **SMALL)
    assert started == [(0, "cpu"), (1, "cpu")]  # as many workers as devices
    assert numbers(found) == numbers(reference)


def test_fewer_workers_than_devices_are_refused(data, tmp_path, monkeypatch):
    monkeypatch.setattr(running, "check_devices", lambda device: tuple(device.split(",")))
    with pytest.raises(ValueError) as caught:
        benchmark(
            {"toy": data}, "CC", device="cuda:0,cuda:1", workers=1, out=tmp_path / "out", **SMALL
        )
    assert str(caught.value) == (
        "workers is 1, and 2 devices are named (cuda:0, cuda:1): a worker has one. Name fewer "
        "devices, or leave workers out."
    )
    assert not (tmp_path / "out").exists()
