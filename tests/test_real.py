"""Real data, where CANDIDLY_DATA says it is: numbers that others have published or measured."""

from __future__ import annotations

import numpy as np
import pytest

from candidly import benchmark, load
from candidly.compare.sweep.select import cells

from needs import real_files

pytestmark = real_files


@pytest.mark.slow
def test_proden_on_lost_is_where_the_reference_program_is():
    # specification, section 11 item 15: default configuration, split 0, from update 1000 on.
    # 100 validation and 113 test rows: one standard deviation of a share is about 0.04
    results = benchmark(
        "lost", "PRODEN", variant="plench", configs=1, splits=1, steps=4000, workers=1
    )
    for record in results.runs[0].records[1:]:
        assert 0.82 - 0.04 <= record.validation["CR"] <= 0.87 + 0.04
        assert 0.80 - 0.04 <= record.validation["AA"] <= 0.86 + 0.04
        assert 0.68 - 0.04 <= record.validation["OA"] <= 0.73 + 0.04
        assert 0.65 - 0.04 <= record.test["top1"] <= 0.74 + 0.04


@pytest.mark.slow
def test_every_algorithm_learns_on_lost():
    names = ["PRODEN", "CC", "LWS", "CAVL", "ABS-GCE", "Forward", "supervised-oracle"]
    results = benchmark("lost", names, configs=1, splits=2, steps=1000, eval_every=500)
    by_name = {cell.algorithm: cell for cell in cells(results) if cell.criterion == "CR"}
    most_frequent = np.bincount(load("lost").truth).max() / 1122
    for name in names:
        mean = by_name[name].summary["top1"].mean
        assert mean > 2 * most_frequent, name
    oracle = by_name["supervised-oracle"].summary["top1"].mean
    assert oracle >= max(by_name[n].summary["top1"].mean for n in names) - 0.03


@pytest.mark.parametrize("name", ["lost", "msrcv2", "birdsong", "fg-net", "italian"])
def test_scaled_inputs_are_finite_and_standardised(name):
    from candidly.learn.engine.examples import make_examples, split_scaling

    data = load(name)
    examples = make_examples(data, ("candidates",))
    rows = data.split(0).train
    shift, factor = split_scaling(data, examples, rows, "train")
    x = (examples.inputs.numpy() - shift) * factor
    assert np.isfinite(x).all()
    assert np.abs(x).max() < 1e4  # a feature constant on the training rows does not explode
    np.testing.assert_allclose(x[rows].mean(0), 0, atol=1e-4)
