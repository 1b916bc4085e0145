"""Every kind of plug-in is known by the code that it reaches, by one rule (``plugins.code``)."""

from __future__ import annotations

import sys

import pytest

from candidly.ground import plugins

HELPERS = """
def number():
    return 1.0

def unused():
    return 2.0
"""
FILES = {  # of each kind, a plug-in whose number comes of the helpers' module
    "algorithm": """
from candidly.learn.algorithms import Algorithm, pure
def loss(logits, candidates):
    return logits.logsumexp(-1) * hm.number()
register("algorithm", Algorithm("mine", pure(loss), summary="Mine."))
""",
    "process": """
from candidly.data.imperfect import Process
def make(task, values):
    return task.truth * int(hm.number())
register("process", Process("mine", {"seed": 0}, make, makes="given"), name="mine")
""",
    "criterion": """
from candidly.compare import Criterion
register("criterion", Criterion("mine", "mine", "CR"))
""",
    "metric": """
from candidly.stats import Metric
def share(probabilities, truth):
    return probabilities.mean() * hm.number()
register("metric", Metric("mine", "Mine", share))
""",
    "network": """
from torch import nn
def make(shape, classes):
    return nn.Linear(shape[0], int(classes * hm.number()))
register("network", make, name="mine")
""",
    "dataset": """
from candidly.data import Expected, Source
def load():
    return hm.number()
register("dataset", Source(
    name="mine", title="Mine", files=(), size_bytes=None, sha256=None, url=None, page="here",
    licence="none", citation="none", expected=Expected(2, 2, 2), steps=1, loader=load))
""",
    "detector": """
from candidly.errors import Detection, Detector
def detect(subject):
    return Detection(-subject.probs[:, 0] * hm.number())
register("detector", Detector("mine", ("probs",), detect, False, "mine", "none"))
""",
    "aggregator": """
def unanimous(answers, probs, seed, watch):
    return hm.number()
register("aggregator", unanimous, name="mine")
""",
}
WITHOUT_CODE = {"criterion"}  # a criterion is plain values; the file's own are what it is known by


@pytest.fixture
def code(tmp_path, monkeypatch):
    """The digest of a kind's plug-in beside a helpers' module of these lines, loaded anew."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # it would say which second it is of
    monkeypatch.syspath_prepend(str(tmp_path))

    def of(kind, file, helpers):
        sys.modules.pop("hm", None)
        (tmp_path / "hm.py").write_text(helpers)
        (tmp_path / "mine.py").write_text(file)
        loaded = plugins.load(tmp_path / "mine.py")
        try:
            return plugins.code(kind, "mine")
        finally:
            plugins.unload(loaded)
            sys.modules.pop("hm", None)

    return of


def file_of(kind):
    return "from candidly import register\nimport hm\n" + FILES[kind]


def test_each_kind_has_a_plug_in_here():
    assert FILES.keys() == plugins.KINDS.keys()


@pytest.mark.parametrize("kind", sorted(FILES.keys() - WITHOUT_CODE))
def test_a_change_of_a_helper_is_seen(kind, code):
    file = file_of(kind)
    first = code(kind, file, HELPERS)
    assert code(kind, file, HELPERS) == first
    assert code(kind, file, HELPERS.replace("1.0", "3.0")).digest != first.digest
    assert (
        code(kind, file.replace("hm.number()", "2 * hm.number()"), HELPERS).digest != first.digest
    )
    if kind != "network":  # it is known before it is run, so by the whole of what it imports
        assert code(kind, file, HELPERS.replace("2.0", "4.0")) == first


def test_of_a_criterion_its_values_count(code):
    file = file_of("criterion")
    first = code("criterion", file, HELPERS)
    assert code("criterion", file, HELPERS.replace("1.0", "3.0")) == first
    changed = file.replace('"mine", "mine", "CR"', '"mine", "mine", "CR", last_record_only=True')
    assert code("criterion", changed, HELPERS).digest != first.digest


@pytest.mark.parametrize("kind", sorted(FILES.keys() - WITHOUT_CODE))
def test_what_cannot_be_followed_is_said(kind, code):
    assert not code(kind, file_of(kind), HELPERS).left
    hidden = file_of(kind).replace("hm.number()", "eval('hm.number()')")
    left = code(kind, hidden, HELPERS).left
    assert any("eval" in one for one in left), left
