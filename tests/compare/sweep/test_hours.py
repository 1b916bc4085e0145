"""How long a plan takes: what is measured, and that it adds up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from candidly.compare.benchmarking import foresee, prepare
from candidly.compare.sweep import hours as room
from candidly.compare.sweep.hours import hours
from candidly.compare.sweep.pack import packed
from candidly.compare.sweep.settings import make_settings
from candidly.data.labels.labelled import Labelled
from candidly.learn.algorithms.costs import cost_of

from toys import toy

ASKED = {"datasets": ("toy",), "algorithms": ("PRODEN", "CC"), "configs": 3, "splits": 2}
ASKED |= {"net": "mlp:8", "steps": 500, "eval_every": 250}


def planned(**settings):
    return prepare(make_settings(**ASKED | settings), own={"toy": toy(900)})[0]


def test_hours_are_updates_times_what_one_takes_and_records():
    plan = planned()
    found = hours(plan, workers=1)
    assert (found.runs, found.updates) == (12, 12 * 500)
    by_batch = {one.batch: one.seconds for one in found.timed}
    assert set(by_batch) == {trial.hyper["batch_size"] for trial in plan.trials}
    assert all(0 < seconds < 0.1 for seconds in by_batch.values())
    training = sum(
        500 * by_batch[trial.hyper["batch_size"]] * (1.2 if trial.algorithm == "PRODEN" else 1.0)
        for trial in plan.trials
    )
    assert found.work_s - found.records_s == pytest.approx(training)
    assert 0 < found.records_s < found.work_s
    assert found.multiples == {"PRODEN": 1.2}
    assert found.wall_s == pytest.approx(found.work_s)
    assert found.memory_bytes > 1e8  # a process with torch


def test_records_grow_with_their_number_and_with_the_rows():
    def records(**settings):
        found = hours(planned(hyper={"batch_size": 32}, **settings), workers=1)
        return found.records_s / (found.work_s - found.records_s)

    many = records(eval_every=5, test_share=0.6)
    assert many > 10 * records(eval_every=500, test_share=0.6)
    assert many > 2 * records(eval_every=5, test_share=0.05)


def test_what_is_done_is_left_out():
    plan = planned()
    done = {trial.key for trial in plan.trials if trial.algorithm == "CC"}
    found = hours(plan, done, workers=1)
    assert found.runs == 6
    nothing = hours(plan, {trial.key for trial in plan.trials})
    assert (nothing.runs, nothing.work_s, nothing.wall_s, nothing.timed) == (0, 0, 0, ())


def test_workers_share_the_work_as_a_run_hands_it_out():
    found = hours(planned(), workers=2)
    assert found.work_s / 2 <= found.wall_s < found.work_s
    assert room._wall([3, 2, 2, 1], 2) == 4
    assert room._wall([5, 1, 1], 3) == 5
    assert room._wall([1, 1], 7) == 1


def test_stacks_are_measured_as_a_run_packs_them():
    plan = planned()
    usual = {
        (task.trials[0].hyper["batch_size"], len(task.trials))
        for task in packed(plan.trials, plan.facts, workers=1)
    }
    assert {(one.batch, one.trials) for one in hours(plan, workers=1).timed} <= usual
    assert {one.trials for one in hours(plan, workers=1, stack=1).timed} == {1}


def test_what_would_take_long_is_scaled_from_what_did_not(monkeypatch):
    monkeypatch.setattr(room, "MOST_S", 0.0)
    found = hours(planned(), workers=1, stack=1)
    assert all(one.scaled for one in found.timed)
    per_example = [one.seconds / one.batch for one in found.timed]
    assert per_example == pytest.approx([per_example[0]] * len(per_example))


def test_what_learns_from_one_label_is_compared_with_ce():
    both = hours(planned(algorithms=("CC", "gce", "co-teaching")), workers=1)
    assert {one.algorithm for one in both.timed} == {"CC", "ce"}
    assert both.multiples == {"gce": 1.0, "co-teaching": cost_of("co-teaching", False)}


def test_updates_of_equal_shape_are_measured_once():
    data = {"toy": toy(900), "toys": replace(toy(900, seed=1), source="toys")}
    asked = make_settings(**ASKED | {"datasets": tuple(data)})
    found = hours(prepare(asked, own=data)[0], workers=1)
    assert found.runs == 24
    assert len(found.timed) == len({one.batch for one in found.timed})


@pytest.mark.parametrize("kind", ["table", "images"])
def test_known_data_that_is_missing_is_planned_as_if_it_were_there(kind, tmp_path, monkeypatch):
    monkeypatch.delenv("CANDIDLY_DATA", raising=False)
    monkeypatch.setattr("candidly.data.sources.fetch._cache", lambda: tmp_path)
    asked = {
        "table": {"datasets": ("english",), "steps": None},
        "images": {"datasets": ("cifar10",), "net": "cnn:width=1", "split": "official"},
    }[kind]
    found = foresee(make_settings(**ASKED | asked))
    (name,) = asked["datasets"]
    assert name in found.missing
    assert "Get it from" in found.missing[name]
    facts = found.plan.facts[name]
    sizes = facts.n, facts.n_test, facts.n_validation, facts.q, facts.input_shape
    if kind == "table":  # 2,400 and 2,160 are in the paper
        assert sizes == (24_000, 2_400, 2_160, 45, (300,))
        assert found.plan.trials[0].steps == 20_000
    else:
        assert sizes == (60_000, 10_000, 5_000, 10, (3, 32, 32))
    assert hours(found.plan, workers=1).work_s > 0


@pytest.mark.parametrize("net", ["encoder:width=8,layers=1", "mlp:8"])
def test_known_texts_that_are_missing_are_planned(net, tmp_path, monkeypatch):
    monkeypatch.delenv("CANDIDLY_DATA", raising=False)
    monkeypatch.setattr("candidly.data.sources.fetch._cache", lambda: tmp_path)
    name = "noisywikihow:noise=mix,rate=0.4"
    asked = {"datasets": (name,), "algorithms": ("ce",), "net": net, "split": "official"}
    found = foresee(make_settings(**ASKED | asked))
    facts = found.plan.facts[name]
    assert (facts.n, facts.n_test, facts.n_validation, facts.q) == (81_243, 7_900, 7_334, 158)
    if net == "mlp:8":
        assert (facts.kind, facts.d, facts.words, facts.length) == ("texts", 1_024, None, 0)
    else:
        assert (facts.kind, facts.input_shape, facts.length) == ("tokens", (122,), 39)
        assert len(facts.names) == 158
    assert hours(found.plan, workers=1).work_s > 0
    with pytest.raises(FileNotFoundError, match="cat158"):  # of other rows nothing is known
        foresee(make_settings(**ASKED | asked | {"datasets": ("noisywikihow:part=heldout",)}))


def test_sizes_without_the_data_are_those_of_a_split():
    from candidly.compare.sweep.planning import facts_of, published_facts

    data = toy(977)
    asked = make_settings(**ASKED | {"test_share": 0.13, "validation_share": 0.07})
    known, published = (
        facts_of(data, asked, "Toy", 500),
        published_facts(asked, "Toy", 500, data.n, data.q, (12,)),
    )
    for name in ("n", "d", "q", "n_test", "n_validation", "steps", "kind", "shape", "net"):
        assert getattr(known, name) == getattr(published, name), name


def test_an_official_test_set_must_be_known_of():
    asked = make_settings(**ASKED | {"datasets": ("english",), "split": "official"})
    with pytest.raises(ValueError, match="English has no official test set"):
        foresee(asked)


def test_a_file_of_ones_own_that_is_missing_is_still_an_error():
    with pytest.raises(FileNotFoundError):
        foresee(make_settings(**ASKED | {"datasets": ("mine.csv",)}))


def test_data_at_hand_is_planned_as_by_prepare():
    asked = make_settings(**ASKED | {"datasets": ("digits",), "labels": "flip:rate=0.3"})
    found = foresee(asked)
    assert found.missing == {}
    plan, loaded = prepare(asked)
    assert isinstance(loaded["digits"], Labelled)
    assert found.plan == plan
