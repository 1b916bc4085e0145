"""Searching for hyper-parameters: the same whoever trains, stopped runs, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import asdict, replace
from statistics import median

import numpy as np
import pytest

from candidly import benchmark
from candidly.compare.sweep import keeping
from candidly.compare.sweep.growing import extended
from candidly.compare.sweep.journal import read_results, runs_with
from candidly.compare.sweep.plan import read_plan
from candidly.compare.sweep.records import Record
from candidly.compare.sweep.rounds import foreseen, pruning_of, pruning_of_json, with_next_round
from candidly.compare.sweep.search import Search, search
from candidly.compare.sweep.select import CRITERIA, cells, value_of
from candidly.compare.sweep.settings import make_settings
from candidly.compare.sweep.suggest import Tried, stops, suggest
from candidly.data.labels.labelled import Labelled
from candidly.learn.algorithms import Setting, algorithm

from toys import toy

RATE = Setting(1e-3, lambda rng: 1e-3, "", exponents=(-4.0, -1.0))
BATCH = Setting(8, lambda rng: 8, "", choices=(8, 16))
SEARCHED = {"search": "tpe:start=5,round=2,prune=median", "configs": 10, "splits": 2}
SMALL = {**SEARCHED, "steps": 60, "eval_every": 10, "hyper": {"batch_size": 32}}


def numbers(results):
    return {
        (run.dataset, run.algorithm, run.config, run.split): (
            dict(run.hyper),
            [(r.step, r.validation, r.test, r.loss, r.pruned_at) for r in run.records],
        )
        for run in results.runs
    }


@pytest.fixture(scope="module")
def data():
    return toy()


@pytest.fixture(scope="module")
def reference(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("searched")
    return benchmark({"toy": data}, ["CC", "PRODEN"], workers=1, out=out, **SMALL)


# the text


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (None, Search()),
        ("random", Search()),
        (" TPE : by = nva , round = 8 ", Search("tpe", by="NVA", round=8)),
        ("tpe:by=AA:plench", Search("tpe", by="AA:plench")),
        ("random:prune=quarter,start=20", Search(start=20, prune="quarter")),
    ],
)
def test_texts_are_read_and_kept_at_their_shortest(text, made):
    assert search(text) == made
    assert search(made.text) == made


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tpee", "did you mean 'tpe'"),
        ("tpe:bye=CR", "did you mean 'by'"),
        ("tpe:by=CC", "no criterion named"),
        ("tpe:by=last", "compares nothing"),
        ("tpe:by=peak", "looks at the test rows"),
        ("tpe:by=NVA:corrected", "behind the training"),
        ("tpe:start=0", "whole number from 1 to 999,999"),
        ("tpe:round=2.5", "whole number from 1 to 999,999"),
        ("tpe:prune=medium", "did you mean 'median'"),
        ("tpe:round=2,round=3", "says round twice"),
        ("random:by=CR", "has no effect"),
        (4, "is a int; give its name"),
    ],
)
def test_a_bad_text_is_a_sentence(text, told):
    with pytest.raises((ValueError, KeyError), match=told) as caught:
        search(text, "`search`")
    assert "`search`" in str(caught.value)


def test_the_usual_criterion_goes_by_the_labels_that_are_learned_from():
    reads = [("candidates",), ("given",), ("given", "truth"), ("candidates", "given")]
    assert [Search("tpe").criterion(r).name for r in reads] == ["CR", "NVA", "NVA", "CR"]
    assert Search("tpe", by="AA").criterion(("given",)).name == "AA"


# what Optuna says


def quality(hyper) -> float:
    """At its highest, 1, where the rate is 0.01 and the batch 16."""
    return 1 - abs(np.log10(hyper["lr"]) + 2) / 2 - 0.1 * (hyper["batch_size"] == 8)


def test_suggestions_are_a_function_of_the_trials_and_the_seed():
    space = {"lr": RATE, "batch_size": BATCH}
    tried = [
        Tried({"lr": 10.0**-e, "batch_size": 8}, quality({"lr": 10.0**-e, "batch_size": 8}))
        for e in (1.5, 2.5, 3.5)
    ]
    first = suggest(space, tried, 7)
    assert first == suggest(space, tried, 7) != suggest(space, tried, 8)
    assert first != suggest(space, [*tried, Tried(first)], 7)  # in training: not asked for again
    outside = Tried({"lr": 5.0, "batch_size": 3}, 0.9)  # defaults may lie where nothing is drawn
    assert set(suggest(space, [outside], 1)) == {"lr", "batch_size"}


def test_suggestions_find_a_peak_better_than_chance():
    space = {"lr": RATE, "batch_size": BATCH}
    found, chance = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        drawn = [
            {"lr": float(10 ** rng.uniform(-4, -1)), "batch_size": int(rng.choice([8, 16]))}
            for _ in range(25)
        ]
        tried = [Tried(one, quality(one)) for one in drawn[:8]]
        for number in range(17):
            hyper = suggest(space, tried, 100 * seed + number)
            assert 1e-4 <= hyper["lr"] <= 1e-1
            assert hyper["batch_size"] in (8, 16)
            tried.append(Tried(hyper, quality(hyper)))
        found.append(np.mean([one.value for one in tried[8:]]))
        chance.append(np.mean([quality(one) for one in drawn[8:]]))
    assert np.mean(found) > np.mean(chance) + 0.15


@pytest.mark.parametrize(
    ("kept", "own", "expected"),
    [
        ("median", {10: 0.29}, True),  # the median of 0.1 to 0.5 is 0.3
        ("median", {10: 0.31}, False),
        ("median", {5: 0.6, 10: 0.1}, False),  # its best so far counts
        ("quarter", {10: 0.39}, True),  # the upper quartile is 0.4
        ("quarter", {10: 0.41}, False),
    ],
)
def test_what_falls_behind_is_stopped(kept, own, expected):
    finished = [{10: share, 20: 1.0} for share in (0.1, 0.2, 0.3, 0.4, 0.5)]
    assert stops(kept, finished, own) is expected
    assert stops(kept, finished[1:], own) is False  # too few to say


# sweeps


def test_the_first_configurations_are_those_of_random_search(data, reference):
    drawn = benchmark({"toy": data}, "CC", workers=1, **SMALL | {"search": None, "configs": 5})
    cc = {key: value[0] for key, value in numbers(reference).items() if key[1] == "CC"}
    assert {key: value[0] for key, value in numbers(drawn).items()}.items() <= cc.items()
    assert len({hyper["lr"] for hyper in cc.values()}) == 19  # the defaults twice
    assert all(hyper["batch_size"] == 32 for hyper in cc.values())
    space = algorithm("CC").settings()
    low, high = (10.0**e for e in space["lr"].exponents)
    assert all(low <= hyper["lr"] <= high for hyper in cc.values())


@pytest.mark.parametrize("how", [{"workers": 2}, {"workers": 1, "stack": 1}])
@pytest.mark.slow
def test_a_search_does_not_depend_on_where_or_with_whom_a_trial_runs(data, reference, how):
    assert numbers(benchmark({"toy": data}, ["CC", "PRODEN"], **how, **SMALL)) == numbers(reference)


def test_a_search_grows_to_what_it_would_have_been(data, reference, tmp_path):
    benchmark({"toy": data}, "CC", out=tmp_path, workers=1, **SMALL | {"configs": 6, "splits": 1})
    small = read_plan(tmp_path).found["toy"]["CC"]
    assert [len(one) for one in small] == [1]  # the round was cut
    both = ["CC", "PRODEN"]
    grown = benchmark({"toy": data}, both, out=tmp_path, workers=1, **SMALL)
    assert numbers(grown) == numbers(reference)


def test_a_search_goes_on_where_it_was_stopped(data, reference, tmp_path, monkeypatch):
    monkeypatch.setattr(keeping, "CHECKPOINT_SHARE", 1e9)  # at every record, however slow the disk
    both, how = ["CC", "PRODEN"], {"out": tmp_path, "workers": 1, **SMALL}
    seen = []
    for share in (0.2, 0.55, 0.8):

        def stop(progress, share=share):
            seen.append(progress)
            if progress.work > share * progress.total:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            benchmark({"toy": data}, both, watch=stop, **how)
        there = read_results(tmp_path)
        assert len(there.runs) == 40  # with those that nobody has asked for yet
        assert {cell.state for cell in cells(there, ("CR",))} == {"incomplete"}
    assert numbers(benchmark({"toy": data}, both, watch=seen.append, **how)) == numbers(reference)
    assert seen[-1].work == pytest.approx(seen[-1].total)
    assert seen[-1].runs_done == seen[-1].runs == 40


def test_runs_are_stopped_by_the_rule_and_by_nothing_else(reference):
    asked, criterion = search(SEARCHED["search"]), CRITERIA["CR"]
    stopped = 0
    for run in reference.runs:

        def same(other, run=run):
            return (other.algorithm, other.split) == (run.algorithm, run.split)

        before = [
            other
            for other in reference.runs
            if same(other)
            and asked.round_of(other.config) < asked.round_of(run.config)
            and other.pruned_at is None
        ]
        best, due = 0.0, None
        for number, record in enumerate(run.records[:-1]):
            if (value := value_of(record, criterion)) is None:
                break
            best = max(best, value)
            there = [value_of(other.records[number], criterion) for other in before]
            if len(there) >= 5 and best < median(there):
                due = record.step
                break
        assert run.pruned_at == due
        assert run.complete
        for record in run.records:
            behind = due is not None and record.step > due
            assert (record.pruned_at == due) is behind or due is None
            assert all((v is None) is behind for v in record.validation.values())
        stopped += due is not None
    assert stopped >= 3


def test_what_goes_on_beside_stopped_runs_is_not_changed_by_them(data):
    how = SMALL | {"workers": 1, "configs": 12}
    free = benchmark({"toy": data}, "CC", **how | {"search": None})
    pruned = benchmark({"toy": data}, "CC", **how | {"search": "random:prune=median,start=5"})
    assert 0 < sum(run.pruned_at is not None for run in pruned.runs) < len(pruned.runs)
    for one, other in zip(free.runs, pruned.runs):
        assert one.hyper == other.hyper
        assert one.key != other.key
        for a, b in zip(one.records, other.records):
            if b.pruned_at is None:
                assert replace(a, key="", seconds=0, memory_bytes=0) == replace(
                    b, key="", seconds=0, memory_bytes=0
                )


def test_tables_say_how_configurations_were_found(reference):
    note = next(note for note in reference.notes if note.startswith("Hyper-parameters"))
    assert "searched with TPE by CR" in note
    assert "were stopped there" in note
    assert "so far" not in note
    assert reference.settings["search"] == "tpe:start=5,round=2,prune=median"


def test_an_oracle_is_called_one(data):
    found = benchmark(
        {"toy": data}, "CC", workers=1, **SMALL | {"search": "tpe:by=OA", "configs": 2}
    )
    assert any("an oracle" in note for note in found.notes)


def test_what_is_not_asked_for_yet_is_planned_at_random(data, reference, tmp_path):
    benchmark({"toy": data}, "CC", out=tmp_path, workers=1, **SMALL | {"configs": 5})
    plan = read_plan(tmp_path)
    grown = replace(plan, settings=plan.settings.model_copy(update={"configs": 10}))
    every = foreseen(extended(tmp_path, plan, grown))
    assert len(every.trials) == 20
    assert {trial.key for trial in plan.trials} <= {trial.key for trial in every.trials}


# what a round sees


def worth(run, value):
    """The run, finished, with this covering rate at all of its records."""
    records = [
        Record(run.key, step, {"CR": value}, {"top1": value}, None, 0.0, 0)
        for step in run.record_steps
    ]
    return replace(run, records=tuple(records))


def test_a_round_is_asked_for_by_earlier_rounds_alone(data, tmp_path):
    benchmark({"toy": data}, "CC", out=tmp_path, workers=1, **SMALL | {"configs": 6, "splits": 1})
    plan = read_plan(tmp_path)
    plan = replace(plan, settings=plan.settings.model_copy(update={"configs": 7}))

    def asked(of_round, before):
        runs = [worth(r, of_round if r.config == 5 else before[r.config]) for r in every(plan)]
        return with_next_round(plan, runs).found["toy"]["CC"][0][1]

    rising, falling = (0.1, 0.3, 0.5, 0.7, 0.9), (0.9, 0.7, 0.5, 0.3, 0.1)
    assert asked(0.0, rising) == asked(1.0, rising)  # config 5 is of the same round
    assert asked(0.0, rising) != asked(0.0, falling)


def test_a_run_is_compared_with_finished_ones_of_earlier_rounds(data, tmp_path):
    benchmark({"toy": data}, "CC", out=tmp_path, workers=1, **SMALL | {"configs": 9, "splits": 1})
    plan = read_plan(tmp_path)
    runs = [worth(run, run.config / 10) for run in every(plan)]
    stopped = replace(runs[5].records[-1], pruned_at=10)
    runs[5] = replace(runs[5], records=(*runs[5].records[:-1], stopped))
    found = pruning_of(plan, runs, [trial for trial in plan.trials if trial.config == 7])
    assert [one[10] for one in found.finished[0]] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.6]  # not 5, nor 8
    assert list(found.own.values()) == [dict.fromkeys(range(10, 70, 10), 0.7)]
    assert pruning_of_json(json.loads(json.dumps(asdict(found)))) == found
    assert pruning_of(plan, runs, plan.trials[:2]) is None  # of the first round


def every(plan):
    return [run for run in runs_with(plan, {}) if run.hyper]


# what is refused


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"validation": "train-oracle", "configs": 1}, "nothing is left to search by"),
        ({"search": "tpe:by=NVA"}, "NVA compares given labels"),
        ({"search": "tpe:by=agreement"}, "trains one network"),
    ],
)
def test_a_search_that_nothing_would_guide_is_refused(data, tmp_path, how, told):
    with pytest.raises(ValueError, match=told):
        benchmark({"toy": replace(data, given=None)}, "CC", out=tmp_path / "out", **SMALL | how)
    assert not (tmp_path / "out").exists()


def test_true_labels_are_needed_to_search_by_them(data):
    blind = Labelled(inputs=data.inputs, classes=data.classes, candidates=data.candidates)
    with pytest.raises(ValueError, match="OA compares true labels"):
        benchmark({"toy": blind}, "CC", **SMALL | {"search": "tpe:by=OA"})


def test_a_batch_that_a_search_may_ask_for_has_to_fill(data):
    asked = {"search": "tpe", "configs": 2, "steps": 10}
    with pytest.raises(ValueError, match="fewer than a batch of 128"):
        benchmark({"few": toy(n=150)}, "CC", hyper={"weight_decay": 0}, **asked)


def test_a_directory_keeps_its_search(data, tmp_path):
    how = {"out": tmp_path, "workers": 1, **SMALL, "configs": 1}
    benchmark({"toy": data}, "CC", **how)
    with pytest.raises(ValueError, match="search"):
        benchmark({"toy": data}, "CC", **how | {"search": None})


def test_without_optuna_it_says_what_to_install():
    code = (
        "import sys; sys.modules['optuna'] = None\n"
        "from candidly.compare.sweep.suggest import check_optuna\n"
        "check_optuna()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "[search]'" in done.stderr


def test_the_setting_is_kept_at_its_shortest():
    asked = {"datasets": ["toy"], "algorithms": ["CC"]}
    assert make_settings(**asked, search="random").search is None
    assert make_settings(**asked, search="TPE:round=4").search == "tpe"


@pytest.mark.slow
def test_kill_9_in_a_search_and_rerun_ends_with_the_same_numbers(data, tmp_path):
    file = tmp_path / "toy.npz"
    data.save(file)

    def start(out, workers):
        words = ["--algorithms", "CC,PRODEN", "--configs", "10", "--splits", "2", "--steps", "600"]
        words += ["--eval-every", "40", "--search", SMALL["search"], "--workers", workers]
        command = [sys.executable, "-m", "candidly", "bench", "run", "--dataset", str(file)]
        return subprocess.Popen(
            [*command, *words, "--out", str(out)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def lines(out):
        files = (out / "journal").glob("*.jsonl")
        return sum(path.read_bytes().count(b"\n") for path in files)

    undisturbed = start(tmp_path / "undisturbed", "1")
    out, kills = tmp_path / "out", 0
    for count in (60, 200, 330, 450):
        process = start(out, "2")
        while lines(out) < count and process.poll() is None:
            time.sleep(0.02)
        kills += process.poll() is None
        process.kill()
        process.communicate()
        time.sleep(0.5)  # until its workers have noticed
    assert kills >= 3
    process = start(out, "2")
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    undisturbed.communicate(timeout=300)
    assert undisturbed.returncode == 0
    found = read_results(out)
    assert numbers(found) == numbers(read_results(tmp_path / "undisturbed"))
    assert any(run.pruned_at is not None for run in found.runs)
    assert not list((out / "checkpoints").iterdir())
