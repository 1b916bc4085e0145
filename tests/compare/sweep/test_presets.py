"""Presets: what they hold, what overrules them, and what a directory remembers of them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.compare.benchmarking import benchmark, prepare
from candidly.compare.sweep.growing import extended
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.plan import _checksum, read_plan, write_plan
from candidly.compare.sweep.presets import PRESETS
from candidly.compare.sweep.protocol import TOLD, protocol_note, told_note
from candidly.compare.sweep.settings import hyper_on, make_settings, read_settings
from candidly.data.sources import SOURCES, source_of
from candidly.learn.algorithms import ALGORITHMS, PUBLISHED, algorithm

from toys import toy

SMALL = {"configs": 1, "splits": 1, "steps": 20, "eval_every": 10, "split": "random"}
OWN = {"datasets": ("toy",), "algorithms": ("CC",), "net": "mlp:8", "recipe": "adam"}


def planned(**settings):
    return prepare(make_settings(**OWN | SMALL | settings), own={"toy": toy()})[0]


def test_the_image_protocol_is_the_papers():
    asked = make_settings(preset="plench-images")
    assert asked.datasets == ("plcifar10-aggregate", "plcifar10-vaguest")
    assert len(asked.algorithms) == len(set(asked.algorithms)) == 26  # of its Tables 1 to 4
    assert set(asked.algorithms) <= set(ALGORITHMS)
    assert set(asked.datasets) <= set(SOURCES)
    assert (asked.configs, asked.splits) == (20, 3)
    assert (asked.steps, asked.eval_every) == (60_000, 1_000)
    assert (asked.split, asked.validation_share, asked.net) == ("official", 0.1, "resnet32")
    assert asked.preset == "plench-images"


def test_the_image_protocol_tells_two_methods_what_the_paper_tells_them():
    asked = make_settings(preset="plench-images")
    for name, wrong in (("plcifar10-aggregate", 0.00132), ("plcifar10-vaguest", 0.17556)):
        said = hyper_on(asked, name)
        assert (said["noise_rate"], said["pure_ratio"]) == (wrong, round(1 - wrong, 5))
        assert source_of(name).expected.noise_rate == wrong
    note = told_note(asked)
    assert (
        "noise_rate (0.00132 on plcifar10-aggregate, 0.17556 on plcifar10-vaguest) to ALIM" in note
    )
    assert (
        "pure_ratio (0.99868 on plcifar10-aggregate, 0.82444 on plcifar10-vaguest) to PiCO+" in note
    )
    over = make_settings(preset="plench-images", hyper={"noise_rate": 0.3})
    assert {hyper_on(over, name)["noise_rate"] for name in over.datasets} == {0.3}
    assert hyper_on(over, "plcifar10-vaguest")["pure_ratio"] == 0.82444


def test_what_can_be_told_is_what_algorithms_say_that_they_are_told():
    assert {name for page in ALGORITHMS.values() for name in page.told} == set(TOLD)


@given(
    of_all=st.none() | st.sampled_from([0.1, 0.4]),
    of_one=st.dictionaries(st.sampled_from(["one", "two"]), st.sampled_from([0.0, 0.2, 0.5])),
)
@settings(max_examples=12, deadline=None)
def test_a_value_on_one_data_set_is_that_of_its_runs_alone(of_all, of_one):
    hyper = {} if of_all is None else {"noise_rate": of_all}
    hyper |= {f"{name}/noise_rate": value for name, value in of_one.items()}
    own = {"one": toy(), "two": toy()}
    of = {"datasets": tuple(own), "algorithms": ("ALIM", "CC"), "configs": 3}
    planned = make_settings(**OWN | SMALL | of | {"hyper": hyper})
    free = make_settings(**OWN | SMALL | of)
    for run, drawn in zip(*(prepare(one, own=own)[0].trials for one in (planned, free))):
        said = of_one.get(run.dataset, of_all)
        expected = dict(drawn.hyper)
        if "noise_rate" in expected and said is not None:
            expected["noise_rate"] = said
        assert run.hyper == expected
        assert (run.seed, run.split) == (drawn.seed, drawn.split)
        assert (run.key == drawn.key) == (expected == drawn.hyper)
    assert ("Told beforehand" in told_note(planned)) == bool(hyper)


def test_a_data_set_that_is_not_asked_for_has_no_values():
    with pytest.raises(
        ValueError, match=r"'toi/noise_rate', and no data set .* did you mean 'toy'"
    ):
        planned(algorithms=("ALIM",), hyper={"toi/noise_rate": 0.1})
    with pytest.raises(ValueError, match=r"no algorithm .* has a hyper-parameter 'noise_rat'"):
        planned(algorithms=("ALIM",), hyper={"toy/noise_rat": 0.1})


def test_the_table_protocol_is_the_papers():
    asked = make_settings(preset="plench-tables")
    assert len(asked.datasets) == 9
    assert len(asked.algorithms) == 20  # of its Tables 7 to 16
    assert set(asked.algorithms) <= set(ALGORITHMS)
    assert set(asked.datasets) <= set(SOURCES)
    assert (asked.configs, asked.splits, asked.test_share) == (20, 5, 0.1)
    assert asked.steps is None  # the data sets say it


def test_the_protocol_for_one_noisy_label_has_every_method_under_one_recipe():
    asked = make_settings(preset="cifarn")
    pages = [page for page in ALGORITHMS.values() if page.reads == ("given",)]
    assert list(asked.algorithms) == [page.name for page in pages if page.kind != "long tail"]
    assert set(asked.datasets) <= set(SOURCES)
    assert (asked.net, asked.recipe) == (
        "resnet34",
        "sgd:schedule=steps,at=0.6,decay=all,views=weak",
    )
    rows = 50_000 * 9 // 10 * 9 // 10
    assert asked.steps == 100 * (rows // asked.hyper["batch_size"])
    assert asked.steps % asked.eval_every == 0
    small = make_settings(preset="cifarn-small")
    assert (small.net, small.steps) == ("cnn", asked.steps // 5)
    assert small.datasets == asked.datasets


OF_TEXTS = [name for name in PRESETS if name.startswith("noisywikihow-")]


@pytest.mark.parametrize("name", [name for name in OF_TEXTS if not PRESETS[name].reduces])
def test_the_protocol_for_texts_has_each_methods_published_values(name):
    asked = make_settings(preset=name)
    assert asked.net == "hf:bart-base"
    assert asked.steps == 10 * asked.eval_every == 10 * ((73_343 - 7_334) // 64)
    assert source_of(asked.datasets[0]).expected.n == 73_343 + 7_900
    for label in asked.algorithms:
        page, one = algorithm(label), PUBLISHED[label, name]
        given = {key: value for key, value in asked.hyper.items() if key in page.settings()}
        assert given == {key: v for key, v in one.hyper_parameters().items() if key != "first"}
        assert one.net == asked.net
    trained = {label for label, dataset in PUBLISHED if dataset == name}
    assert set(asked.algorithms) == trained


def test_the_small_protocol_for_texts_is_for_a_network_from_scratch():
    small, full = (make_settings(preset=f"noisywikihow-{end}") for end in ("small", "mix-40"))
    assert (small.net, small.splits, small.steps) == ("encoder", 1, full.steps)
    assert small.hyper == full.hyper | {"lr": 1e-3}


def test_hyper_parameters_stand_beside_those_of_the_preset():
    asked = make_settings(preset="cifarn", hyper={"lr": 0.1})
    assert asked.hyper == {"batch_size": 128, "lr": 0.1}
    note = protocol_note(make_settings(preset="noisywikihow-mix-40", hyper={"lr": 1e-4}))
    assert note.endswith("changed: hyper lr=0.0001 instead of lr=3e-05.")
    assert "hyper" not in protocol_note(make_settings(preset="cifarn", hyper={"batch_size": 128}))


def test_some_algorithms_of_a_preset_need_not_have_its_hyper_parameters():
    made = planned(preset="noisywikihow-small", algorithms=("ce",))
    assert set(made.trials[0].hyper) == {"lr", "weight_decay", "batch_size"}
    with pytest.raises(ValueError, match="no algorithm that was asked for has a hyper-parameter"):
        planned(preset="noisywikihow-small", algorithms=("ce",), hyper={"taus": 1})


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_holds_settings_alone(name):
    asked = make_settings(preset=name)
    kept = asked.model_dump()
    assert {key: kept[key] for key in PRESETS[name].settings} == dict(PRESETS[name].settings)
    reduced = PRESETS[name].reduces
    assert not reduced or PRESETS[reduced].settings["algorithms"] == asked.algorithms


def test_what_is_given_overrules_the_file_and_the_file_the_preset(tmp_path):
    (tmp_path / "sweep.toml").write_text(
        '[bench]\npreset = "plench-images"\nsplits = 2\nconfigs = 7\n'
    )
    asked = read_settings(tmp_path / "sweep.toml", configs=1, net="densenet22")
    assert (asked.configs, asked.splits, asked.steps) == (1, 2, 60_000)
    assert asked.net == "densenet22"
    assert read_settings(tmp_path / "sweep.toml", preset="plench-images-small").splits == 2


def test_an_unknown_preset_is_refused_with_the_nearest():
    with pytest.raises(ValueError, match=r"`preset` is 'plench-image'; did you mean 'plench-im"):
        make_settings(preset="plench-image")


# what is said of it


def test_the_note_names_every_difference_and_nothing_else():
    assert protocol_note(make_settings(datasets=["digits"], algorithms=["CC"])) == ""
    note = protocol_note(make_settings(preset="plench-images"))
    assert note == "Protocol plench-images: the partial-label benchmark on pictures, unchanged."
    changed = make_settings(
        preset="plench-images",
        datasets=["cifar10"],
        algorithms=["CC", "PRODEN"],
        labels="flip:rate=0.3",
        splits=3,
        hyper={"lr": 0.1},
    )
    assert protocol_note(changed) == (
        "Protocol plench-images (the partial-label benchmark on pictures), changed: datasets "
        "cifar10 instead of plcifar10-aggregate, plcifar10-vaguest; algorithms: 2 of 26; labels "
        "flip:rate=0.3; hyper lr=0.1."
    )


def test_a_reduced_protocol_says_what_is_reduced_as_it_was_run():
    small, full = PRESETS["plench-images-small"].settings, PRESETS["plench-images"].settings
    note = protocol_note(make_settings(preset="plench-images-small"))
    assert note.startswith("Protocol plench-images-small: plench-images (")
    reduced = {name for name in full if small[name] != full[name]}
    assert reduced == {"configs", "splits", "steps", "eval_every", "net"}
    for name in reduced - {"net"}:
        assert f"{name} {small[name]:,} instead of {full[name]:,}" in note
    assert "net cnn instead of resnet32" in note
    back = protocol_note(make_settings(preset="plench-images-small", steps=60_000))
    assert "steps" not in back
    assert note.replace("steps 2,000 instead of 60,000; ", "") == back


# what a directory remembers


def test_a_preset_moves_no_trial():
    without, within = planned(), planned(preset="plench-tables")
    assert [trial.key for trial in without.trials] == [trial.key for trial in within.trials]


def test_a_directory_remembers_its_preset_and_goes_on_without_naming_it(tmp_path):
    write_plan(tmp_path, planned(preset="plench-tables"))
    kept = read_plan(tmp_path)
    assert kept.settings.preset == "plench-tables"
    grown = extended(tmp_path, kept, planned(configs=2))
    assert grown.settings.preset == "plench-tables"
    assert extended(tmp_path, planned(), planned(preset="plench-tables")).settings.preset


def test_a_plan_is_read_without_the_preset_it_came_from(tmp_path, monkeypatch):
    plan = planned(preset="plench-tables")
    write_plan(tmp_path, plan)
    monkeypatch.setitem(PRESETS["plench-tables"].settings, "labels", "flip:rate=0.9")
    kept = read_plan(tmp_path)
    assert kept.settings.labels is None
    assert kept.settings == plan.settings


def test_a_plan_from_before_presets_is_read(tmp_path):
    write_plan(tmp_path, planned())
    about = json.loads((tmp_path / "plan.json").read_text())
    del about["settings"]["preset"], about["crc32"]
    (tmp_path / "plan.json").write_text(json.dumps(about | {"crc32": _checksum(about)}))
    assert read_plan(tmp_path).settings.preset is None
    assert not any("Protocol" in note for note in read_results(tmp_path).notes)


def test_results_say_the_protocol(tmp_path):
    small = SMALL | {"net": "mlp:8", "workers": 1}
    results = benchmark({"toy": toy()}, "CC", preset="plench-tables", **small)
    assert results.notes[0].startswith("Protocol plench-tables (the partial-label benchmark on ta")
    assert "steps 20" in results.notes[0]
