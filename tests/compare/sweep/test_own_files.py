"""Networks of trials, and policies of their views: defaults, and files of a user's own."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest

from candidly import benchmark
from candidly.compare.benchmarking import prepare
from candidly.compare.sweep.growing import extended
from candidly.compare.sweep.journal import read_records
from candidly.compare.sweep.plan import read_plan, write_plan
from candidly.compare.sweep.settings import make_settings
from candidly.learn.written import views as _view_text
from own_net import FILE, small_pictures, write_net

from committed import committed
from toys import toy

SMALL = {"configs": 1, "splits": 2, "steps": 12, "eval_every": 6, "hyper": {"batch_size": 16}}


def planned(net=None, **data):
    data = data or {"pictures": small_pictures(), "toy": toy()}
    asked = make_settings(datasets=tuple(data), algorithms=("CC",), net=net, **SMALL)
    return prepare(asked, own=data)[0]


def nets(plan):
    return {trial.dataset: trial.net for trial in plan.trials}


def test_the_default_follows_the_kind_of_each_data_set():
    assert nets(planned()) == {"pictures": "cnn", "toy": "mlp"}
    assert nets(planned("mlp:9")) == {"pictures": "mlp:9", "toy": "mlp:9"}


def test_the_default_of_tables_is_what_it_was(tmp_path):
    named, usual = planned("mlp", toy=toy()), planned(toy=toy())
    assert [trial.key for trial in named.trials] == [trial.key for trial in usual.trials]
    for then, now in ((named, usual), (usual, named)):
        assert extended(tmp_path, then, now).trials == now.trials


def test_plans_of_before_have_the_network_of_their_settings(tmp_path):
    for net in ("mlp", "mlp:500"):
        plan = planned(net, toy=toy())
        old = {
            name: replace(facts, net="", shape=(), kind="table")
            for name, facts in plan.facts.items()
        }
        write_plan(tmp_path, replace(plan, facts=old))
        read = read_plan(tmp_path)
        assert [trial.key for trial in read.trials] == [trial.key for trial in plan.trials]
        assert extended(tmp_path, read, plan).trials == plan.trials


def test_the_keys_of_the_committed_results_stand(tmp_path):
    folder = committed("studies/reproduction/results/lost-train-oracle", tmp_path)
    plan = read_plan(folder)
    recorded, _ = read_records(folder / "journal")
    assert recorded.keys() == {trial.key for trial in plan.trials}


def test_another_network_is_refused_where_it_matters(tmp_path):
    with pytest.raises(ValueError, match="with net = cnn, this run says mlp:9"):
        extended(tmp_path, planned(), planned("mlp:9", toy=toy(), pictures=small_pictures()))


def test_a_network_that_inputs_cannot_have_is_refused_with_their_name():
    with pytest.raises(ValueError, match=r"^toy: cnn takes pictures .* such as mlp\.$"):
        planned("cnn", toy=toy())


# files


def records(folder):
    found, _ = read_records(folder / "journal")
    return {
        (key, step): (record.validation, record.test, record.loss)
        for key, steps in found.items()
        for step, record in steps.items()
    }


@pytest.mark.slow
def test_a_file_through_workers_from_a_copy_and_on_without_the_original(tmp_path):
    data, net = {"pictures": small_pictures()}, write_net(tmp_path)
    one = SMALL | {"splits": 1}  # so one worker is started
    benchmark(data, "CC", out=tmp_path / "one", workers=1, net=net, **one)
    benchmark(data, "CC", out=tmp_path / "two", workers=2, net=net, **one)
    assert records(tmp_path / "one") == records(tmp_path / "two") != {}
    (name,) = set(nets(read_plan(tmp_path / "two")).values())
    base, _, digest = name.partition("@")
    copy = tmp_path / "two" / "nets" / digest / "net.py"
    assert (base, copy.read_text()) == ("net.py:make", FILE)
    assert str(tmp_path) not in json.dumps([vars(t) for t in read_plan(tmp_path / "two").trials])
    # the file is edited: another trial
    write_net(tmp_path, FILE + "# edited\n")
    with pytest.raises(ValueError, match=r"the file has been edited since: .* another `out`\.$"):
        benchmark(data, "CC", out=tmp_path / "two", workers=1, net=net, **one)
    # and gone: its copy goes on, with one split more
    (tmp_path / "net.py").unlink()
    with pytest.raises(FileNotFoundError, match="keeps a copy"):
        benchmark(data, "CC", out=tmp_path / "two", workers=1, net=net, **one)
    results = benchmark(data, "CC", out=tmp_path / "two", workers=1, net=f"{copy}:make", **SMALL)
    assert len(results.runs) == 2
    assert all(run.complete for run in results.runs)


def test_a_copy_that_was_edited_is_written_again(tmp_path):
    data, net = {"pictures": small_pictures()}, write_net(tmp_path)
    benchmark(data, "CC", out=tmp_path / "out", workers=1, net=net, **SMALL | {"splits": 1})
    (copy,) = (tmp_path / "out" / "nets").glob("*/net.py")
    copy.write_text("edited")
    benchmark(data, "CC", out=tmp_path / "out", workers=1, net=net, **SMALL)
    assert copy.read_text() == FILE


@pytest.mark.parametrize("place", ["beside", "on the path", "a package"])
@pytest.mark.parametrize(
    "text",
    [
        "from blocks_of_mine import make\n",
        "import blocks_of_mine\nmake = blocks_of_mine.make\n",
        "def make(*given):\n    import blocks_of_mine\n    return blocks_of_mine.make(*given)\n",
        "import importlib\nmake = importlib.import_module('blocks_of_mine').make\n",
    ],
)
def test_a_file_that_does_not_stand_alone_is_refused(tmp_path, monkeypatch, place, text):
    folder = tmp_path if place == "beside" else tmp_path / "elsewhere"
    folder.mkdir(exist_ok=True)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "blocks_of_mine", raising=False)
    file = folder / ("blocks_of_mine/__init__.py" if place == "a package" else "blocks_of_mine.py")
    file.parent.mkdir(exist_ok=True)
    file.write_text(FILE)
    net = write_net(tmp_path, "import torch\n" + text)
    with pytest.raises(ValueError, match="imports blocks_of_mine, which is of no installed pack"):
        planned(net, pictures=small_pictures())


def test_a_plan_is_read_without_the_file(tmp_path):
    plan = planned(write_net(tmp_path), pictures=small_pictures())
    write_plan(tmp_path, plan)
    (tmp_path / "net.py").unlink()
    assert read_plan(tmp_path).trials == plan.trials


# policies

POLICY = (
    '[[{"operation": "invert", "probability": 0.5}], [{"operation": "equalize", "probability": 1}]]'
)


@pytest.mark.slow
def test_a_policy_through_workers_and_on_without_its_file(tmp_path):
    data, file = {"pictures": small_pictures()}, tmp_path / "mine.json"
    file.write_text(POLICY)
    asked = SMALL | {"splits": 1, "net": "mlp:8", "recipe": f"adam:views={file}"}
    for out, workers in (("one", 1), ("two", 2)):
        benchmark(data, "CC", out=tmp_path / out, workers=workers, **asked)
    assert records(tmp_path / "one") == records(tmp_path / "two") != {}
    plan = read_plan(tmp_path / "two")
    (name,) = {trial.recipe for trial in plan.trials}
    (copy,) = (tmp_path / "two" / "policies").glob("*/mine.json")
    assert name == f"adam:views=mine.json@{copy.parent.name}"
    assert copy.read_text() == POLICY
    weak = tmp_path / "weak"
    benchmark(data, "CC", out=weak, workers=1, **asked | {"recipe": "adam:views=weak"})
    assert not records(weak).keys() & records(tmp_path / "one").keys()
    # edited: another recipe
    file.write_text(POLICY + " ")
    with pytest.raises(ValueError, match=r"with recipe = adam:views=mine.json@.*this run says"):
        benchmark(data, "CC", out=tmp_path / "two", workers=1, **asked)
    # gone: what the directory keeps goes on, here and in a process that has not read it
    file.unlink()
    more = asked | {"recipe": name, "splits": 2}
    _view_text._SOURCES.clear()
    results = benchmark(data, "CC", out=tmp_path / "two", workers=1, **more)
    assert len(results.runs) == 2
    assert all(run.complete for run in results.runs)
    # and what was edited there does not
    copy.write_text("[]")
    _view_text._SOURCES.clear()
    with pytest.raises(ValueError, match="an empty list"):
        benchmark(data, "CC", out=tmp_path / "two", workers=1, **more | {"splits": 3})
    copy.write_text(POLICY.replace("0.5", "0.6"))
    with pytest.raises(ValueError, match="it was edited or is gone"):
        benchmark(data, "CC", out=tmp_path / "two", workers=1, **more | {"splits": 3})
