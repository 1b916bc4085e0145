"""Plug-ins: what a file adds, by which rules, and what a results directory knows of it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
import torch

import candidly
from candidly import plugins
from candidly.compare.report import accuracy_tables
from candidly.compare.sweep.journal import read_results
from candidly.learn.contract import REACHES, TRAINS, check_plugin, write_new

from toys import toy

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples" / "plugins"
HEAD = "import candidly\nfrom candidly.learn import Algorithm, Stage, pure\n"
LOSS = (
    HEAD
    + "\n\ndef loss(z, c):\n    return -z.masked_fill(~c, -1e3).logsumexp(-1) + z.logsumexp(-1)\n"
)
ADD = "\n\ncandidly.register('algorithm', Algorithm({!r}, {}))\n"


@pytest.fixture(autouse=True)
def _as_they_were(plugins_as_they_were):
    pass


def written(folder, text, name="own.py"):
    (folder / name).write_text(text)
    return folder / name


def bench(out, name="own", workers=1, **more):
    how = {"configs": 1, "splits": 1, "steps": 4, "eval_every": 4} | more
    return candidly.benchmark(
        "digits", name, labels="flip:rate=0.3", out=out, workers=workers, **how
    )


def test_a_file_is_run_once_for_each_content(tmp_path):
    file = written(tmp_path, LOSS + ADD.format("own", "pure(loss)"))
    first = plugins.load(file)
    assert plugins.load(file) is first
    assert first.added == (("algorithm", "own"),)
    assert candidly.ALGORITHMS["own"].name == "own"
    assert plugins.plugin_of("algorithm", "own") is first


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import nothing_of_this_name\n", "ModuleNotFoundError"),
        ("x = (\n", "SyntaxError"),
        ("x = 1\n", "candidly.register for nothing"),
        (LOSS + ADD.format("PRODEN", "pure(loss)"), "taken by candidly (PRODEN)"),
        (LOSS + ADD.format("pro-den", "pure(loss)"), "taken by candidly (PRODEN)"),
        (LOSS + ADD.format("a,b", "pure(loss)"), "without spaces, commas"),
        (HEAD + "candidly.register('algorithm', 3)\n", "make it with candidly.learn.Algorithm"),
        (HEAD + "candidly.register('algoritm', 3)\n", "did you mean 'algorithm'"),
        (HEAD + "candidly.register('aggregator', 3, name='x')\n", "give a function"),
    ],
)
def test_what_cannot_be_loaded_names_the_file_and_the_rule(tmp_path, text, said):
    file = written(tmp_path, text)
    with pytest.raises(ValueError, match=r"could not be loaded") as caught:
        plugins.load(file)
    assert str(file) in str(caught.value)
    assert said in str(caught.value)


def test_a_file_that_fails_half_way_adds_nothing(tmp_path):
    file = written(tmp_path, LOSS + ADD.format("own", "pure(loss)") + "\n1 / 0\n")
    with pytest.raises(ValueError, match="ZeroDivisionError"):
        plugins.load(file)
    assert "own" not in candidly.ALGORITHMS


def test_two_files_cannot_have_one_name(tmp_path):
    plugins.load(written(tmp_path, LOSS + ADD.format("own", "pure(loss)")))
    with pytest.raises(ValueError, match=r"taken by own\.py@"):
        plugins.load(written(tmp_path, LOSS + "\n# edited" + ADD.format("own", "pure(loss)")))


def test_a_plan_holds_the_source_and_another_is_refused_by_name(tmp_path):
    text = LOSS + ADD.format("own", "pure(loss)")
    file = written(tmp_path, text)
    first = plugins.load(file)
    out = tmp_path / "out"
    bench(out)
    kept = json.loads((out / "plan.json").read_text())["algorithms"]["own"]["plugin"]
    assert kept == first.text == f"own.py@{first.digest}"
    copy = out / "plugins" / first.digest / "own.py"
    assert copy.read_text() == text
    plugins.unload(first)
    assert read_results(out).runs  # nothing of that name is here, so nothing can differ
    file.write_text(text + "# edited\n")
    second = plugins.load(file)
    for act in (lambda: read_results(out), lambda: bench(out)):
        with pytest.raises(ValueError, match=f"own.*{first.digest}") as caught:
            act()
        assert second.digest in str(caught.value)
        assert str(copy) in str(caught.value)
    plugins.unload(second)
    plugins.load(copy)
    assert bench(out).runs


def test_what_no_file_registered_is_for_one_process(tmp_path):
    from candidly.learn.algorithms import CC, Algorithm  # type: ignore[attr-defined]

    candidly.register("algorithm", Algorithm("loose", CC.stages))
    with pytest.raises(ValueError, match=r"loose was registered by no file"):
        bench(tmp_path / "two", "loose", workers=2)
    assert bench(tmp_path / "one", "loose").runs


# the battery


@pytest.mark.slow
@pytest.mark.parametrize("name", ["clpl", "selc"])
def test_the_examples_keep_the_contract(name):
    findings = check_plugin(plugins.load(EXAMPLES / name / f"candidly_{name}.py"))
    assert len(findings) == 12
    assert not [one for one in findings if one.problem]


ROWS = LOSS + "\n\ndef rows(s):\n    return {'w': s.candidates.to(s.dtype)}\n"
STEP = "\n\ndef step(s, b):\n    return loss(s.net(b.x).logits, b.candidates).mean(-1)\n"
NEIGHBOUR = (
    ROWS
    + STEP
    + "\n\ndef after(s, b):\n    s.rows['w'].add_(1)\n    return {'w': b.w}\n"
    + ADD.format("own", "(Stage(step, after),), rows=rows")
)
TRIALS = (
    LOSS
    + "\n\ndef step(s, b):\n    each = loss(s.net(b.x).logits, b.candidates).mean(-1)\n"
    + "    return each + each.mean() * 0.5\n"
    + ADD.format("own", "(Stage(step),)")
)
SHAPE = (
    ROWS
    + STEP
    + "\n\ndef after(s, b):\n    return {'w': b.w[..., :2]}\n"
    + ADD.format("own", "(Stage(step, after),), rows=rows")
)
BRANCH = (
    LOSS
    + "\n\ndef step(s, b):\n    if s.t > 10**6:\n        return s.net(b.x).logits.mean((1, 2))\n"
    + "    return loss(s.net(b.x).logits, b.candidates).mean(-1)\n"
    + ADD.format("own", "(Stage(step),)")
)


SHARE = (  # mixes half of another row in, by a share with the axes of a table
    "\n\ndef step(s, b):\n    share = 1 + 0.1 * s.hp.lr.flatten().log10()\n"
    "    x = s.net.mixed(b.x, lambda v: SHARED * v + (1 - SHARED) * v.flip(1)).logits\n"
    "    return loss(x, b.candidates).mean(-1)\n" + ADD.format("own", "(Stage(step),)")
)
WRONG_AXIS = LOSS + "\nimport torch\n" + SHARE.replace("SHARED", "share[:, None, None]")
RIGHT_AXIS = (
    LOSS
    + "\nimport torch\nfrom candidly.learn import spread\n"
    + SHARE.replace("SHARED", "spread(share, like=v)")
)
LEARNS = (
    LOSS
    + "\n\ndef step(s, b):\n    p = s.net(b.x).logits.softmax(-1)\n"
    + "    return -(p * WEIGHTS).sum(-1).clamp(min=1e-9).log().mean(-1)\n"
    + ADD.format("own", "(Stage(step),)")
)


@pytest.mark.parametrize(
    ("weights", "broken"),
    [("b.candidates", ""), ("~b.candidates", "accuracy"), ("1.0", "accuracy")],
    ids=["right", "the wrong way round", "no mask"],
)
def test_a_mask_that_is_wrong_is_not_sane(tmp_path, weights, broken):
    file = written(tmp_path, LEARNS.replace("WEIGHTS", weights))
    findings = check_plugin(plugins.load(file))
    [sane] = [one for one in findings if "sanity" in one.rule]
    assert broken in sane.problem
    assert bool(broken) == bool(sane.problem)


@pytest.mark.parametrize(
    ("text", "broken"), [(WRONG_AXIS, 2), (RIGHT_AXIS, 0)], ids=["wrong", "right"]
)
def test_a_share_on_the_wrong_axis_is_seen_on_pictures(tmp_path, text, broken):
    findings = check_plugin(plugins.load(written(tmp_path, text)))
    mixes = [one for one in findings if "none mixes" in one.rule]
    assert len(mixes) == 3
    assert sum(bool(one.problem) for one in mixes) >= min(broken, 1), mixes
    assert bool(broken) == any(one.problem for one in mixes if "pictures" in one.rule), mixes
    assert broken or not [one for one in findings if one.problem]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (NEIGHBOUR, "rows outside the batch stay as they are"),
        (TRIALS, "a trial ends alone as it does in a stack"),
        (SHAPE, TRAINS),
        (BRANCH, REACHES),
    ],
    ids=["neighbour's rows", "across trials", "shape", "branch"],
)
def test_the_battery_names_the_rule_that_is_broken(tmp_path, text, rule):
    findings = check_plugin(plugins.load(written(tmp_path, text)))
    assert rule in {one.rule for one in findings if one.problem}


def test_a_new_page_keeps_the_contract(tmp_path):
    page, test = write_new("my-method", tmp_path)
    assert (page.name, test.name) == ("my_method.py", "test_my_method.py")
    names = {}
    exec(compile(test.read_text(), str(test), "exec"), names | {"__file__": str(test)}, names)
    assert not [one for one in check_plugin(plugins.load(page)) if one.problem]
    with pytest.raises(FileExistsError, match=r"my_method\.py is there already"):
        write_new("my-method", tmp_path)


# the examples' formulas


def test_clpl_is_the_papers_loss():
    plugins.load(EXAMPLES / "clpl" / "candidly_clpl.py")
    loss = sys.modules[f"candidly_plugin_{plugins.plugin_of('algorithm', 'CLPL').digest}"].loss
    scores = torch.tensor([[2.0, -1.0, 0.5], [0.0, 0.0, 0.0]])
    sets = torch.tensor([[True, True, False], [False, False, True]])
    # psi((2 - 1) / 2) + psi(-0.5) = 0.25 + 2.25; psi(0) + 2 psi(0) = 3
    assert loss(scores, sets).tolist() == [2.5, 3.0]


def test_selc_keeps_a_running_mean_behind_its_warm_up(tmp_path):
    plugins.load(EXAMPLES / "selc" / "candidly_selc.py")
    data, seen = toy(n=64), []
    how = {"batch_size": 64, "alpha": 0.8, "warm_up": 2, "lr": 0.01}

    def watch(stack, batch):
        seen.append((batch.ids.clone(), batch.logits.softmax(-1), stack.rows["target"].clone()))

    candidly.fit(data, "SELC", steps=5, watchers=[watch], **how)
    target = torch.eye(7)[torch.tensor(data.given)][None]
    for update, (ids, p, table) in enumerate(seen):
        if update >= 2:
            for place, row in enumerate(ids[0]):
                target[0, row] = 0.8 * target[0, row] + 0.2 * p[0, place]
        assert torch.allclose(table, target, atol=1e-5)


# networks and metrics

NET = """
import candidly
from torch import nn

def make(shape, classes):
    return nn.Sequential(nn.Linear(shape[0], 8), nn.ReLU(), nn.Linear(8, classes))

candidly.register("network", make, name="thin")
"""
METRIC = """
import candidly
from candidly.stats.metrics import Metric

def share(p, truth):
    return {}

candidly.register("metric", Metric("own-share", "own share", share))
"""
MEAN = "float(p[range(len(truth)), truth].mean())"


def test_a_network_is_a_name_of_its_file(tmp_path):
    file = written(tmp_path, NET)
    plugin = plugins.load(file)
    found = bench(tmp_path / "out", "CC", net="thin", workers=2, configs=2)
    assert all(run.complete for run in found.runs)
    plan = json.loads((tmp_path / "out" / "plan.json").read_text())
    assert plan["settings"]["net"] == f"{file}:make"
    assert plan["data"]["digits"]["net"].startswith("own.py:make@")
    plugins.unload(plugin)
    assert read_results(tmp_path / "out").runs
    with pytest.raises(ValueError, match="no network named 'thin'"):
        bench(tmp_path / "other", "CC", net="thin")


def test_a_network_needs_a_file_and_makes_networks(tmp_path):
    with pytest.raises(ValueError, match="a network is registered by a file"):
        candidly.register("network", lambda shape, classes: None, name="loose")
    plugins.load(written(tmp_path, NET.replace("return nn.Seq", "return 3 #")))
    with pytest.raises(ValueError, match=r"own\.py"):
        bench(tmp_path / "out", "CC", net="thin")


def test_a_metric_is_recorded_shown_and_held_by_the_plan(tmp_path):
    file = written(tmp_path, METRIC.format(MEAN))
    first = plugins.load(file)
    out = tmp_path / "out"
    how = {"metrics": ("own-share",), "configs": 2}
    here = bench(tmp_path / "here", "CC", **how)
    found = bench(out, "CC", workers=2, **how)
    values = [run.records[-1].test["own-share"] for run in found.runs]
    assert values == [run.records[-1].test["own-share"] for run in here.runs]
    assert all(0 < value < 1 for value in values)
    assert found.settings["metrics"] == [f"own-share@{first.text}"]
    assert "own-share" not in bench(tmp_path / "without", "CC").runs[0].records[-1].test
    assert (
        "Own share" in accuracy_tables(found, metric="own-share").render()
        or "own share" in accuracy_tables(found, metric="own-share").render()
    )
    plugins.unload(first)
    assert read_results(out).runs
    file.write_text(METRIC.format(MEAN + " / 2"))
    second = plugins.load(file)
    with pytest.raises(ValueError, match=rf"metric own-share.*{first.digest}.*{second.digest}"):
        read_results(out)
    with pytest.raises(ValueError, match=rf"{first.digest}.*{second.digest}"):
        bench(out, "CC", **how)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("2.0", "the metric own-share gave 2; a metric is a share"),
        ("float('nan')", "the metric own-share gave nan"),
        ("p[:, 0]", "the metric own-share failed"),
        ("1 / 0", "the metric own-share failed: ZeroDivisionError"),
    ],
)
@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_metric_that_is_none_is_named(tmp_path, body, said, workers):
    plugins.load(written(tmp_path, METRIC.format(body)))
    how = {"metrics": ("own-share",), "configs": 2, "workers": workers}
    with pytest.raises((ValueError, RuntimeError), match=said):
        bench(tmp_path / "out", "CC", **how)


@pytest.mark.parametrize(
    ("names", "said"),
    [(("none-such",), "no metric named 'none-such'"), (("top1",), "recorded anyway")],
)
def test_metrics_that_are_not_there_are_refused(tmp_path, names, said):
    with pytest.raises(ValueError, match=said):
        bench(tmp_path / "out", "CC", metrics=names)


# the page


def test_every_kind_has_an_example_under_thirty_lines():
    text = (EXAMPLES.parents[1] / "extend.md").read_text()
    files = re.findall(r"```python\n(# my_\w+\.py\n.*?)```", text, re.DOTALL)
    kinds = [re.search(r"candidly\.register\(\s*\"(\w+)\"", file)[1] for file in files]
    assert sorted(kinds) == sorted(plugins.KINDS)
    assert all(file.count("\n") < 30 for file in files)


# what returns something else


OTHERS = {
    "process": (
        "from candidly.data.imperfect import Process\n"
        "p = Process('none', {}, lambda task, values: task.truth[:3], makes='given')\n"
        "candidly.register('process', p, name='short')\n",
        lambda data: candidly.imperfect.apply(data, "short"),
        r"the process short of own\.py@.*integers \(40,\)",
    ),
    "candidates": (
        "from candidly.data.imperfect import Process\n"
        "p = Process('none', {}, lambda task, values: task.truth)\n"
        "candidly.register('process', p, name='flat')\n",
        lambda data: candidly.imperfect.apply(data, "flat"),
        r"the process flat of own\.py@.*candidates",
    ),
    "detector": (
        "from candidly.errors.detectors import Detector\n"
        "d = Detector('short', (), lambda s: s.given, False, 'none', 'none')\n"
        "candidly.register('detector', d)\n",
        lambda data: candidly.detectors.detect(data, "short"),
        "the detector short gave ndarray",
    ),
    "aggregator": (
        "candidly.register('aggregator', lambda *what: 3, name='three')\n",
        lambda data: candidly.crowd.consensus(
            candidly.crowd.Answers.from_columns([0, 1], ["a", "b"], [0, 1]), "three"
        ),
        "the aggregator three gave int",
    ),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_what_returns_something_else_is_named(tmp_path, kind):
    text, act, said = OTHERS[kind]
    plugins.load(written(tmp_path, "import candidly\n" + text))
    with pytest.raises(ValueError, match=said):
        act(toy(n=40))


@pytest.mark.parametrize(
    ("kind", "name"), [("network", "cnn"), ("metric", "top1"), ("criterion", "CR")]
)
def test_names_of_candidlys_own_are_taken(tmp_path, kind, name):
    made = {
        "network": f"def make(shape, q):\n    pass\ncandidly.register('network', make, '{name}')",
        "metric": "from candidly.stats.metrics import Metric\n"
        f"candidly.register('metric', Metric('{name}', 'none', max))",
        "criterion": "from candidly.compare.sweep.select import Criterion\n"
        f"candidly.register('criterion', Criterion('{name}', 'none', 'CR'))",
    }
    with pytest.raises(ValueError, match="taken by candidly"):
        plugins.load(written(tmp_path, "import candidly\n" + made[kind] + "\n"))
