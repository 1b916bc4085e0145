"""Sweeps on a Ray cluster of several nodes of this machine, killed at random moments."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from candidly import benchmark
from candidly.compare.sweep import on_ray
from candidly.compare.sweep.failed import read_failed
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.run import Interrupted
from candidly.ground import cluster as _cluster
from candidly.ground.cluster import Node, versions

from toys import toy

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]  # Ray starts for long on a busy machine

SMALL = {"configs": 2, "splits": 2, "steps": 60, "eval_every": 20}
LONG = {"configs": 2, "splits": 2, "steps": 1500, "eval_every": 50}
PAGES = ["PRODEN", "CC"]


def numbers(results):
    """Everything a table is made of, by trial and step."""
    return {
        (run.key, record.step): (
            *(record.validation, record.test, record.loss, record.diverged_at),
            *(record.outcomes, record.confusion, record.pruned_at),
        )
        for run in results.runs
        for record in run.records
    }


@contextmanager
def nodes(*cores: int, **how):
    """A cluster with a node for each number of cores; yields its address and itself."""
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": cores[0], **how})
    for each in cores[1:]:
        cluster.add_node(num_cpus=each)
    try:
        yield f"ray:{cluster.address}", cluster
    finally:
        cluster.shutdown()


@pytest.fixture(scope="module")
def cluster():
    with nodes(1, 1) as found:
        yield found


@pytest.fixture(scope="module")
def data():
    return toy()


@pytest.fixture(scope="module")
def reference(data):
    return benchmark({"toy": data}, PAGES, workers=1, **SMALL)


@pytest.fixture(scope="module")
def long_reference(data):
    return benchmark({"toy": data}, PAGES, workers=2, stack=2, **LONG)


def training() -> list[int]:
    """The processes that train for some driver, by their numbers."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            words = path.read_bytes()
            if words.startswith(b"ray::") and b"train_task" in words:
                found.append(int(path.parent.name))
    return found


def test_the_numbers_are_those_of_a_run_here(cluster, data, reference, tmp_path):
    seen = []
    found = benchmark({"toy": data}, PAGES, on=cluster[0], out=tmp_path, watch=seen.append, **SMALL)
    assert numbers(found) == numbers(reference)
    assert (seen[-1].runs_done, seen[-1].runs) == (8, 8)
    assert seen[-1].work == pytest.approx(seen[-1].total)
    assert list((tmp_path / "checkpoints").iterdir()) == []
    assert len(list((tmp_path / "journal").iterdir())) == 1  # the driver alone writes


def test_a_search_with_pruning_gives_the_same_there(cluster, data):
    asked = {**SMALL, "configs": 6, "search": "tpe:start=2,round=2,prune=median"}
    here = benchmark({"toy": data}, ["PRODEN"], workers=1, **asked)
    there = benchmark({"toy": data}, ["PRODEN"], on=cluster[0], stack=2, **asked)
    assert numbers(there) == numbers(here)


def test_killed_workers_cost_no_record(cluster, data, long_reference, tmp_path):
    rng, killed, over = random.Random(), [], threading.Event()

    def kill_some() -> None:
        while not over.wait(rng.uniform(0.2, 1.0)):
            if len(killed) < 4 and (there := training()):
                victim = rng.choice(there)
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

    killer = threading.Thread(target=kill_some)
    killer.start()
    try:
        found = benchmark({"toy": data}, PAGES, on=cluster[0], out=tmp_path, stack=2, **LONG)
    finally:
        over.set()
        killer.join()
    assert killed
    assert numbers(found) == numbers(long_reference)


DRIVER = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from toys import toy
from candidly import benchmark
benchmark({{"toy": toy()}}, {pages!r}, on={on!r}, out=Path({out!r}), stack=2, **{how!r})
"""


def test_a_killed_driver_goes_on_and_two_are_refused(cluster, data, long_reference, tmp_path):
    asked = {"pages": PAGES, "on": cluster[0], "out": str(tmp_path), "how": LONG}
    text = DRIVER.format(tests=str(Path(__file__).parents[2]), **asked)
    driver = subprocess.Popen([sys.executable, "-c", text])
    journal = tmp_path / "journal"
    while not list(journal.glob("*.jsonl")):
        assert driver.poll() is None
        time.sleep(0.05)
    with pytest.raises(BlockingIOError, match="another process is at work"):
        benchmark({"toy": data}, PAGES, on=cluster[0], out=tmp_path, stack=2, **LONG)
    time.sleep(random.uniform(0, 1))
    driver.send_signal(signal.SIGKILL)
    assert driver.wait() == -signal.SIGKILL
    before = numbers(read_results(tmp_path))
    assert 0 < len(before) < len(numbers(long_reference))
    found = benchmark({"toy": data}, PAGES, on=cluster[0], out=tmp_path, stack=2, **LONG)
    assert numbers(found) == numbers(long_reference)


def test_a_node_comes_and_goes(data, long_reference, tmp_path):
    with nodes(1) as (address, cluster):
        there = []

        def watch(progress) -> None:
            if not there:
                there.append(cluster.add_node(num_cpus=1))
            elif len(there) == 1 and progress.work > 0.5 * progress.total:
                there.append(None)
                cluster.remove_node(there[0], allow_graceful=False)

        found = benchmark(
            {"toy": data}, PAGES, on=address, out=tmp_path, stack=2, watch=watch, **LONG
        )
        assert len(there) == 2
    assert numbers(found) == numbers(long_reference)


def test_what_a_task_raises_fails_its_runs_alone(cluster, data, tmp_path, plugins_as_they_were):
    plugin = tmp_path / "fragile.py"
    plugin.write_text(
        "from candidly import register\n"
        "from candidly.stats.metrics import Metric\n"
        "def fragile(labels, scores):\n"
        "    raise ZeroDivisionError('nothing to divide by')\n"
        "register('metric', Metric('fragile', 'what fails', fragile))\n"
    )
    from candidly.ground.plugins import load

    load(str(plugin))
    out = tmp_path / "out"
    with pytest.raises(Interrupted, match=r"8 runs failed.*fragile failed: ZeroDiv"):
        benchmark({"toy": data}, PAGES, on=cluster[0], out=out, metrics=["fragile"], **SMALL)
    assert sum(row.runs for row in read_failed(out)) == 8
    notes = [note for note in read_results(out).notes if note.startswith("failed: ")]
    assert any("ZeroDivisionError: nothing to divide by" in note for note in notes)


def test_another_version_is_refused(cluster, data, tmp_path, monkeypatch):
    mine = versions()
    for room in (on_ray, _cluster):
        monkeypatch.setattr(room, "versions", lambda: {**mine, "torch": "1.0"})
    monkeypatch.setattr(on_ray, "look_at", lambda ray: [Node("a", 1, 0, 1, mine)])
    with pytest.raises(ValueError, match=r"node a has torch .*, not 1\.0 as here"):
        benchmark({"toy": data}, PAGES, on=cluster[0], out=tmp_path, **SMALL)
    monkeypatch.setattr(on_ray, "check_nodes", lambda nodes, device: None)  # it comes later
    with pytest.raises(Interrupted, match=r"a node came .* torch .*, not 1\.0 as here"):
        benchmark({"toy": data}, PAGES, on=cluster[0], out=tmp_path, **SMALL)


def test_a_full_object_store_is_survived(data, reference, tmp_path):
    with nodes(2, object_store_memory=80 * 2**20) as (address, cluster):
        import ray

        ray.init(address=cluster.address, log_to_driver=False)
        try:
            import numpy as np

            kept = [ray.put(np.zeros(20 * 2**20, np.uint8)) for _ in range(6)]
            found = benchmark({"toy": data}, PAGES, on=address, out=tmp_path, **SMALL)
            assert len(kept) == 6
        finally:
            ray.shutdown()
    assert numbers(found) == numbers(reference)


def test_no_gpu_no_cluster_no_ray(cluster, data, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="no node of the cluster has a GPU"):
        benchmark({"toy": data}, PAGES, on=cluster[0], device="cuda", out=tmp_path, **SMALL)
    with pytest.raises(ValueError, match="on a cluster it is cpu or cuda"):
        benchmark({"toy": data}, PAGES, on=cluster[0], device="cuda:1", out=tmp_path, **SMALL)
    with pytest.raises(ValueError, match=r"no Ray cluster answers at 127\.0\.0\.1:1\. "):
        benchmark({"toy": data}, PAGES, on="ray:127.0.0.1:1", out=tmp_path, **SMALL)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"pip install -e .*\[ray\]'"):
        benchmark({"toy": data}, PAGES, on="ray", out=tmp_path, **SMALL)


def test_a_cluster_is_looked_at(cluster):
    words = [sys.executable, "-m", "candidly", "cluster", "check", cluster[0].partition(":")[2]]
    asked = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "2 nodes" in asked.stdout
    assert versions()["candidly"].split()[0] in asked.stdout
