"""Runs that were measured by other code of a metric or a criterion are not mixed in silence."""

from __future__ import annotations

import sys

import pytest

from candidly.compare.sweep.journal import read_results
from candidly.ground import plugins

from toys import toy

METRIC = """
import candidly, hm
from candidly.stats import Metric

def share(probabilities, truth):
    return probabilities.max(1).mean() * hm.number()

candidly.register("metric", Metric("mine", "Mine", share))
"""


def test_a_changed_helper_of_a_metric_is_refused_or_told(tmp_path, monkeypatch):
    from candidly import benchmark

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "mine.py").write_text(METRIC)
    out = tmp_path / "out"

    def loaded(number):
        sys.modules.pop("hm", None)
        (tmp_path / "hm.py").write_text(f"def number():\n    return {number}\n")
        return plugins.load(tmp_path / "mine.py")

    def bench(splits, **more):
        how = {"configs": 1, "steps": 10, "eval_every": 10, "workers": 1, "metrics": ("mine",)}
        return benchmark({"toy": toy()}, ["CC"], out=out, splits=splits, **how, **more)

    plugin = loaded(0.5)
    try:
        assert not any("metric mine" in note for note in bench(1).notes)
        plugins.unload(plugin)
        plugin = loaded(0.25)
        with pytest.raises(ValueError, match="other code of the metric mine"):
            bench(2)
        assert any("metric mine" in note for note in read_results(out).notes)
        assert any("metric mine" in note for note in bench(2, accept_code=True).notes)
    finally:
        plugins.unload(plugin)
        sys.modules.pop("hm", None)
