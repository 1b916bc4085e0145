import dataclasses

import numpy as np
import pytest

from candidly.compare.benchmarking import prepare
from candidly.compare.sweep.growing import extended
from candidly.compare.sweep.plan import planned_runs, read_plan, write_plan
from candidly.compare.sweep.settings import make_settings, read_settings
from candidly.data.labels.labelled import Labelled
from candidly.ground.seeds import hashed
from candidly.learn.algorithms import ALGORITHMS

from toys import toy


def planned(data=None, **settings):
    asked = {"datasets": ("toy",), "algorithms": ("PRODEN", "CC"), "configs": 2, "splits": 3}
    return prepare(make_settings(**asked | settings), own={"toy": data or toy()})[0]


def test_a_plan_is_algorithms_by_configurations_by_splits():
    plan = planned()
    assert len(plan.trials) == 2 * 2 * 3
    assert len({trial.key for trial in plan.trials}) == 12
    one = next(t for t in plan.trials if (t.algorithm, t.config, t.split) == ("CC", 1, 2))
    mark = toy().fingerprint()
    assert one.seed == hashed(mark, "CC", 1, 2)  # a user's data goes by its content
    assert one.data == mark
    assert one.steps == 10_000
    assert one.scaling == "train"


def test_known_data_is_seeded_by_the_benchmarks_spelling_unless_its_labels_are_made():
    digits = {"datasets": ("digits",), "labels": "flip:rate=0.3"}
    synthetic = planned(**digits)
    assert synthetic.trials[0].seed == hashed(synthetic.trials[0].data, "PRODEN", 0, 0)
    assert synthetic.trials[0].steps == 2_000
    plain = planned(datasets=("digits",), algorithms=("supervised-oracle",))
    assert plain.trials[0].seed == hashed("Digits", "supervised-oracle", 0, 0)


def test_the_training_seed_of_a_variant_is_its_algorithms():
    fixed, plench = planned(algorithms=("CAVL",)), planned(algorithms=("CAVL:plench",))
    assert fixed.trials[0].seed == plench.trials[0].seed
    assert fixed.trials[0].key != plench.trials[0].key


def test_plench_sets_algorithms_scaling_and_record_times():
    plan = planned(variant="plench", algorithms=("CAVL", "CC", "LWS:fixed"))
    by_name = {trial.algorithm: trial for trial in plan.trials}
    assert [by_name[n].label for n in ("CAVL", "CC", "LWS")] == ["CAVL:plench", "CC:plench", "LWS"]
    assert [by_name[n].scaling for n in ("CAVL", "CC", "LWS")] == ["plench", "plench", "train"]
    assert [by_name[n].timing for n in ("CAVL", "CC", "LWS")] == ["plench", "plench", "fixed"]
    assert planned_runs(plan)[0].selectable_from == 2
    assert planned(variant="plench", scaling="train").trials[0].scaling == "train"


def test_a_hyper_parameter_can_be_fixed_in_every_configuration(tmp_path):
    names = ("ce", "co-teaching")
    free, fixed = planned(algorithms=names), planned(algorithms=names, hyper={"noise_rate": 0.3})
    for one, other in zip(free.trials, fixed.trials):
        if one.algorithm == "ce":  # has none: its runs are the same
            assert other == one
        else:
            assert other.hyper == {**one.hyper, "noise_rate": 0.3}
            assert other.key != one.key
    write_plan(tmp_path, fixed)
    assert read_plan(tmp_path) == fixed
    batches = {t.hyper["batch_size"] for t in planned(hyper={"batch_size": 16}).trials}
    assert batches == {16}


def test_a_plan_reads_back(tmp_path):
    plan = planned(algorithms=("LWS", "CAVL:plench"))
    write_plan(tmp_path, plan)
    assert read_plan(tmp_path) == plan
    assert read_plan(tmp_path / "nothing") is None


def test_train_oracle_trains_on_more_rows_and_changes_nothing_else():
    tuned = planned(configs=1, steps=50).trials[0]
    oracle = planned(configs=1, steps=50, validation="train-oracle").trials[0]
    assert dataclasses.replace(oracle, mode="tune") == tuned
    assert oracle.mode == "train-oracle"
    assert oracle.key != tuned.key


def test_train_oracle_reaches_the_batch_with_the_validation_rows():
    data = toy(n=150)  # 122 training rows, 13 for validation: together they fill a batch of 128
    with pytest.raises(ValueError, match="122 training rows"):
        planned(data, configs=1)
    assert planned(data, configs=1, splits=1, validation="train-oracle").trials


# recipes


def pictures(n=600, q=7):
    """Noise as small colour pictures."""
    g = np.random.default_rng(0)
    truth = g.integers(0, q, n)
    candidates = g.random((n, q)) < 0.3
    candidates[np.arange(n), truth] = True
    inputs = g.integers(0, 256, (n, 8, 8, 3), dtype=np.uint8)
    names = tuple(map(str, range(q)))
    return Labelled(inputs=inputs, classes=names, candidates=candidates, truth=truth)


def both(**settings):
    """A plan for a table and for pictures."""
    own = {"toy": toy(), "shots": pictures()}
    return prepare(make_settings(datasets=tuple(own), algorithms=("CC",), **settings), own=own)[0]


def test_a_recipe_and_its_hyper_parameters_follow_from_the_kind_of_input():
    plan = both(configs=3, splits=2)
    tables, shots = ([t for t in plan.trials if t.dataset == n] for n in ("toy", "shots"))
    assert {t.recipe for t in tables} == {"adam"}
    assert {t.recipe for t in shots} == {"adam:views=weak"}
    alone = planned(algorithms=("CC",), configs=3, splits=2)
    assert [t.key for t in tables] == [t.key for t in alone.trials]
    for table, shot in zip(tables, shots):
        assert shot.hyper == table.hyper | {"batch_size": 2 * table.hyper["batch_size"]}
    assert [t.hyper["batch_size"] for t in shots if t.split == 0] == [256, 256, 128]


def test_a_recipe_for_all_brings_the_defaults_of_its_optimiser():
    plan = both(configs=1, splits=1, recipe="sgd")
    assert [t.recipe for t in plan.trials] == ["sgd", "sgd"]
    assert [t.hyper for t in plan.trials] == [
        {"lr": 0.05, "weight_decay": 5e-4, "batch_size": size} for size in (128, 256)
    ]
    fixed = both(configs=1, splits=1, recipe="sgd", hyper={"batch_size": 32, "lr": 0.1})
    assert {(t.hyper["lr"], t.hyper["batch_size"]) for t in fixed.trials} == {(0.1, 32)}


def test_a_plan_with_recipes_reads_back(tmp_path):
    for settings in ({}, {"recipe": "sgd:schedule=steps,at=0.6"}):
        plan = both(configs=2, splits=1, **settings)
        write_plan(tmp_path, plan)
        assert read_plan(tmp_path) == plan


def test_other_recipes_are_other_keys_and_the_tables_own_is_that_of_before():
    plain, same, other = (planned(recipe=text) for text in (None, "adam", "adam:schedule=cosine"))
    assert [t.key for t in same.trials] == [t.key for t in plain.trials]
    assert not {t.key for t in other.trials} & {t.key for t in plain.trials}
    assert {t.stack_key for t in other.trials}.isdisjoint(t.stack_key for t in plain.trials)


def test_a_directory_goes_on_with_its_recipe_alone(tmp_path):
    plain, same, other = (planned(recipe=text) for text in (None, "adam", "sgd"))
    assert extended(tmp_path, plain, same) == same
    with pytest.raises(ValueError, match="with recipe = adam, this run says sgd"):
        extended(tmp_path, plain, other)
    with pytest.raises(ValueError, match="with recipe = sgd, this run says adam"):
        extended(tmp_path, other, plain)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"recipe": "adam:views=weak"}, "toy: recipe adam:views=weak: views=weak changes pictures"),
        (
            {"recipe": "adam:precision=bfloat16", "dtype": "float64"},
            "toy: recipe adam:precision=bfloat16: .* this is in float64",
        ),
    ],
)
def test_a_recipe_that_does_not_suit_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        planned(**settings)


@pytest.mark.parametrize("text", ["{", "{}", '{"schema": 99}', "[]"])
def test_a_damaged_plan_is_an_error(tmp_path, text):
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(ValueError, match=r"plan\.json"):
        read_plan(tmp_path)


@pytest.mark.parametrize(
    ("then", "now", "match"),
    [
        ({}, {"steps": 50}, "steps"),
        ({"configs": 4}, {"configs": 2}, "configs"),
        ({"splits": 4}, {"splits": 2}, "splits"),
        ({}, {"algorithms": ("PRODEN",)}, "CC"),
        ({}, {"eval_every": 10}, "eval_every"),
        ({"configs": 1}, {"configs": 1, "validation": "train-oracle"}, "validation = tune"),
        ({}, {"data": toy(seed=1)}, "fingerprint"),
    ],
)
def test_a_plan_that_contradicts_its_directory_is_refused(tmp_path, then, now, match):
    with pytest.raises(ValueError, match=match) as caught:
        extended(tmp_path, planned(**then), planned(**now))
    assert "another `out`" in str(caught.value)


def test_a_plan_may_grow(tmp_path):
    more = planned(configs=3, splits=4, algorithms=("LWS", "PRODEN", "CC"))
    extended(tmp_path, planned(), more)
    assert {t.key for t in planned().trials} < {t.key for t in more.trials}


def test_another_version_of_an_algorithm_is_refused(tmp_path, monkeypatch):
    old = planned()
    monkeypatch.setitem(ALGORITHMS, "CC", dataclasses.replace(ALGORITHMS["CC"], version=2))
    with pytest.raises(ValueError, match="version"):
        extended(tmp_path, old, planned())


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"algorithms": ("PRODEM",)}, "PRODEN"),
        ({"algorithms": ("CAVL:plensh",)}, "plench"),
        ({"algorithms": ("CC", "cc")}, "twice"),
        ({"data": toy(n=120)}, "batch"),
        ({"data": toy(n=9)}, "validation"),
        ({"datasets": ("lots",)}, "lost"),
        ({"configs": 0}, "configs"),
        ({"splits": "many"}, "splits"),
        ({"test_share": 1.5}, "test_share"),
        ({"validation": 0.1}, "train-oracle"),
        ({"validation": "train-oracle"}, "`configs=1`"),
        ({"confgs": 3}, "configs"),
        ({"variant": "plensh"}, "variant"),
        ({"net": "mlp:0"}, "hidden is '0'"),
        ({"hyper": {"noise_rate": 0.2}}, "no algorithm .* 'noise_rate'"),
        ({"hyper": {"lrr": 0.2}}, "did you mean 'lr'"),
        ({"hyper": {"batch_size": 4000}}, "batch of 4000"),
        ({"hyper": {"batch_size": 0}}, r"batch_size is 0; it must lie in \[1, inf\)"),
        ({"hyper": {"batch_size": 32.5}}, "batch_size is 32.5; give a whole number"),
        ({"hyper": {"lr": -1}}, r"lr is -1; it must lie in \[0, inf\)"),
        (
            {"algorithms": ("co-teaching",), "hyper": {"noise_rate": 1.2}},
            "co-teaching's noise_rate is 1.2",
        ),
        ({"hyper": {"lr": "fast"}}, "lr"),
        ({"labels": "flop:rate=0.1"}, "flip"),
    ],
)
def test_impossible_plans_are_refused(settings, match):
    with pytest.raises((ValueError, KeyError), match=match):
        planned(**settings)


def test_an_algorithm_that_cannot_have_this_network_is_refused_before_anything_is_trained():
    labels = toy()
    texts = np.array([f"word{row % 7} other{row % 3}" for row in range(labels.n)], dtype=object)
    data = dataclasses.replace(labels, inputs=texts, ids=None)
    with pytest.raises(ValueError, match="toy: VALEN rebuilds its inputs"):
        planned(data, algorithms=("PRODEN", "VALEN"), net="encoder:width=8,heads=2")
    assert planned(data, algorithms=("PRODEN", "VALEN"), net="mlp:8").trials


def test_an_algorithm_that_reads_what_is_not_there_is_refused():
    data = toy()
    blind = Labelled(inputs=data.inputs, classes=data.classes, candidates=data.candidates)
    with pytest.raises(ValueError, match="no given"):
        planned(blind, algorithms=("ce",))
    with pytest.raises(ValueError, match="truth"):
        planned(blind, algorithms=("supervised-oracle",))
    with pytest.raises(ValueError, match="lacks true labels"):
        planned(blind, configs=1, validation="train-oracle")


def test_settings_from_a_file_and_flags_over_it(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text('[bench]\ndatasets = ["lost"]\nalgorithms = ["PRODEN"]\nconfigs = 4\n')
    settings = read_settings(path, splits=2, configs=None)
    assert (settings.configs, settings.splits) == (4, 2)
    assert read_settings(path, configs=7).configs == 7
    path.write_text("datasets = [")
    with pytest.raises(ValueError, match="TOML"):
        read_settings(path)
    for wrong in (b"[bnch]\n", b"bench = 3\n", b"[[bench]]\n"):
        path.write_bytes(wrong)
        with pytest.raises(ValueError, match=r"\[bench\]"):
            read_settings(path)
    path.write_bytes(b"a = '\xff'\n")
    with pytest.raises(ValueError, match="not UTF-8"):
        read_settings(path)
    path.write_text("[bnch]\n")
    with pytest.raises(ValueError, match=r"\[bench\]"):
        read_settings(path)


def test_a_plan_names_the_software_of_every_run(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "candidly.compare.sweep.plan.software", lambda: "candidly 0.1.0, torch 2.12"
    )
    write_plan(tmp_path, planned())
    monkeypatch.setattr(
        "candidly.compare.sweep.plan.software", lambda: "candidly 0.1.0, torch 2.13"
    )
    for _ in range(2):
        write_plan(tmp_path, extended(tmp_path, read_plan(tmp_path), planned()))
    both = ("candidly 0.1.0, torch 2.12", "candidly 0.1.0, torch 2.13")
    assert read_plan(tmp_path).made_with == both


def test_the_software_is_what_runs_here():
    import platform

    import torch

    from candidly.ground.version import software

    torch_version = torch.__version__.partition("+")[0]  # an index's wheel leaves the build out
    assert f"Python {platform.python_version()}, torch {torch_version}" in software()
