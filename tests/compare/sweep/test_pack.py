from dataclasses import replace

import numpy as np
import pytest

from candidly.compare.benchmarking import prepare
from candidly.compare.sweep import pack
from candidly.compare.sweep.build import build
from candidly.compare.sweep.pack import make_tasks, size_of, stack_size
from candidly.compare.sweep.settings import make_settings
from candidly.learn.engine import checkpoint

from toys import toy

SETTINGS = make_settings(datasets=("toy",), algorithms=("PRODEN", "CC"), configs=6, splits=3)


@pytest.fixture(scope="module")
def plan():
    return prepare(SETTINGS, own={"toy": toy()})[0]


def tasks_of(plan, folder, finished=(), recorded=None, **how):
    done = {trial.key: trial.record_steps for trial in plan.trials if trial.key in finished}
    return make_tasks(plan.trials, done | (recorded or {}), folder, plan.facts, **how)


def test_every_unfinished_trial_is_in_one_stack_of_its_like(plan, tmp_path):
    finished = {trial.key for trial in plan.trials[:5]}
    tasks = tasks_of(plan, tmp_path, finished, workers=2)
    keys = [key for task in tasks for key in task.keys]
    assert sorted(keys) == sorted(t.key for t in plan.trials if t.key not in finished)
    for task in tasks:
        assert len({trial.stack_key for trial in task.trials}) == 1
        assert len({trial.hyper["batch_size"] for trial in task.trials}) == 1


def test_stack_size_is_kept_and_shared_out_evenly(plan, tmp_path):
    sizes = [len(task.trials) for task in tasks_of(plan, tmp_path, size=4)]
    assert max(sizes) <= 4
    groups = {}
    for task in tasks_of(plan, tmp_path, workers=2):
        groups.setdefault(task.trials[0].stack_key, []).append(len(task.trials))
    for sizes in groups.values():
        assert len(sizes) >= min(2, sum(sizes))
        assert max(sizes) - min(sizes) <= 1


def test_a_group_is_not_divided_where_there_are_stacks_for_everybody(plan, tmp_path):
    together = {task.keys for task in tasks_of(plan, tmp_path)}
    assert len(together) == 6  # two algorithms, three batch sizes
    assert {task.keys for task in tasks_of(plan, tmp_path, workers=1)} == together
    many = prepare(
        SETTINGS.model_copy(update={"datasets": ("a", "b", "c")}),
        own={name: toy(seed=seed) for seed, name in enumerate("abc")},
    )[0]
    whole = {task.keys for task in tasks_of(many, tmp_path)}
    assert {task.keys for task in tasks_of(many, tmp_path, workers=2)} == whole
    assert len(tasks_of(many, tmp_path, workers=3)) > len(whole) == 18


def test_the_size_that_suits_a_device(plan, monkeypatch):
    trial, facts = plan.trials[0], plan.facts["toy"]
    assert stack_size(trial, facts) == 20
    assert stack_size(trial, replace(facts, d=108, q=16)) == 15
    assert stack_size(trial, replace(facts, d=1536, q=14)) == 1
    monkeypatch.setattr(pack, "free_bytes", lambda device: 10**10)
    assert stack_size(trial, facts, ["cuda:0"]) == 100
    large, batch = replace(facts, d=10**4), trial.hyper["batch_size"]
    assert (
        stack_size(trial, large, ["cuda:0"]) == 10**10 // (batch * size_of(trial, large).macs) == 15
    )
    each = 16 * size_of(trial, large).parameters + batch * 4 * (10**4 + 507)
    monkeypatch.setattr(pack, "free_bytes", lambda device: 8 * each)
    assert stack_size(trial, large, ["cuda:0"]) == 4
    assert stack_size(trial, large, ["cuda:0"], workers=2) == 2  # which share its memory
    assert stack_size(trial, large, ["cuda:0", "cuda:1"], workers=2) == 4
    assert stack_size(trial, large, ["cuda:0", "cuda:1"], workers=3) == 2
    free = {"cuda:0": 8 * each, "cuda:1": 2 * each}
    monkeypatch.setattr(pack, "free_bytes", free.get)
    assert stack_size(trial, large, ["cuda:0", "cuda:1"], workers=2) == 1  # the smaller one's
    monkeypatch.setattr(pack, "free_bytes", lambda device: None)
    assert stack_size(trial, large, ["cuda:0"]) == 15


def test_checkpointed_stacks_are_taken_up_as_they_were(plan, tmp_path):
    data = toy()
    first = tasks_of(plan, tmp_path, size=5)[0]
    checkpoint.save(tmp_path, first.keys, build(data, first.trials, "cpu").stack)
    tasks = tasks_of(plan, tmp_path, size=2)  # a smaller stack size loses nothing
    resumed = [task for task in tasks if task.resume]
    assert [task.keys for task in resumed] == [first.keys]
    assert max(len(task.trials) for task in tasks if not task.resume) <= 2
    keys = [key for task in tasks for key in task.keys]
    assert len(keys) == len(set(keys)) == len(plan.trials)


def test_checkpoints_of_no_use_are_removed(plan, tmp_path):
    data = toy()
    first = tasks_of(plan, tmp_path)[0]
    path = checkpoint.save(tmp_path, first.keys, build(data, first.trials, "cpu").stack)
    (tmp_path / "torn.npz").write_bytes(path.read_bytes()[:1000])
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 255  # as a power cut may leave it: whole, but not what it was
    (tmp_path / "damaged.npz").write_bytes(damaged)
    np.savez(tmp_path / "other.npz", x=np.ones(2))
    for torn in ("torn", "damaged", "other"):
        assert checkpoint.saved_at(tmp_path / f"{torn}.npz") is None
    assert checkpoint.saved_at(path) == checkpoint.Saved(first.keys, 0)
    finished = {first.keys[0]}
    assert not any(task.resume for task in tasks_of(plan, tmp_path, finished))
    assert list(tmp_path.glob("*.npz")) == []


def test_trials_that_differ_in_a_static_hyper_parameter_train_apart(tmp_path):
    asked = SETTINGS.model_copy(update={"algorithms": ("VALEN",)})
    valen = prepare(asked, own={"toy": toy()})[0]
    tasks = tasks_of(valen, tmp_path)
    for task in tasks:
        assert len({trial.hyper["warm_up"] for trial in task.trials}) == 1
        build(toy(), task.trials, "cpu")
    assert len({t.trials[0].hyper["warm_up"] for t in tasks}) > 1


def test_parameters_of_every_network_count(plan, tmp_path):
    asked = SETTINGS.model_copy(update={"algorithms": ("CC", "IDGP", "VALEN", "bbn", "elr+")})
    several = prepare(asked, own={"toy": toy()})[0]
    by_name = {trial.algorithm: trial for trial in several.trials}
    facts = several.facts["toy"]
    counts = {n: size_of(t, facts).parameters for n, t in by_name.items()}
    assert counts["CC"] == 12 * 500 + 500 + 500 * 7 + 7
    assert counts["IDGP"] == 2 * counts["CC"]
    assert counts["elr+"] == 4 * counts["CC"]
    assert counts["VALEN"] == 2 * counts["CC"] + 7 * 12 + 12 + 12 * 12 + 12
    assert counts["bbn"] == 12 * 500 + 500 + 2 * (500 * 500 + 500) + 1000 * 7 + 7
