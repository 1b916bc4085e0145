"""``train-oracle``: validation rows join the training rows with their true label, and no others."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly import benchmark
from candidly.compare.benchmarking import prepare
from candidly.compare.report import accuracy_tables, findings
from candidly.compare.report.document import results_document
from candidly.compare.sweep import execute
from candidly.compare.sweep.build import build
from candidly.compare.sweep.settings import make_settings
from candidly.data.labels.labelled import Labelled
from candidly.learn.engine.evaluate import oracle_measure
from candidly.learn.engine.train import update

from toys import toy

SMALL = {"configs": 1, "splits": 2, "steps": 60, "eval_every": 20}
NAMES = ("PRODEN", "LWS", "ce", "supervised-oracle")


@pytest.fixture(scope="module")
def data():
    return toy()


def trials(data, name, **settings):
    asked = make_settings(datasets=("toy",), algorithms=(name,), **SMALL | settings)
    return prepare(asked, own={"toy": data})[0].trials


def stack_of(data, name, mode="train-oracle", **settings):
    return build(data, trials(data, name, validation=mode, **settings), "cpu").stack


def trained(stack, updates=40):
    for _ in range(updates):
        update(stack)
    return stack.net.flat.clone()


def with_truth(data, truth):
    """The same examples with another truth; candidates and given stay."""
    return Labelled(
        inputs=data.inputs,
        classes=data.classes,
        candidates=data.candidates,
        given=data.given,
        truth=truth,
    )


def rows_of(stack, k, name):
    return stack.examples.labels[name][stack.index[k]].numpy()


@pytest.mark.parametrize("k", [0, 1])
def test_the_training_rows_are_both_parts_with_the_truth_for_one(data, k):
    split = data.split(k)
    both = np.concatenate([split.train, split.validation])
    stack = stack_of(data, "PRODEN")
    sets = data.candidates[both].copy()
    sets[len(split.train) :] = np.eye(data.q, dtype=bool)[data.truth[split.validation]]
    np.testing.assert_array_equal(rows_of(stack, k, "candidates"), sets)
    labels = data.given[both].copy()
    labels[len(split.train) :] = data.truth[split.validation]
    np.testing.assert_array_equal(rows_of(stack_of(data, "ce"), k, "given"), labels)
    oracle = stack_of(data, "supervised-oracle")
    np.testing.assert_array_equal(rows_of(oracle, k, "truth"), data.truth[both])


@pytest.mark.parametrize("scaling", ["train", "plench", "none"])
def test_inputs_are_scaled_by_the_statistics_of_what_is_trained_on(data, scaling):
    stack = stack_of(data, "PRODEN", scaling=scaling, dtype="float64")
    split = data.split(1)
    both = np.concatenate([split.train, split.validation])
    over = {"train": data.inputs[both], "plench": data.inputs}.get(scaling)
    expected = data.inputs[both]
    if over is not None:
        expected = (expected - over.mean(0)) / (over.std(0) + 1e-6)
    inputs = stack.examples.take(stack.index[1])
    if stack.scaling:
        inputs = (inputs - stack.scaling[0][1]) * stack.scaling[1][1]
    np.testing.assert_allclose(inputs.numpy(), expected, rtol=0, atol=1e-12)


def test_released_scaling_is_to_the_last_bit_that_of_the_examples_alone(data):
    alone = stack_of(data, "PRODEN", "tune", scaling="plench")
    doubled = stack_of(data, "PRODEN", scaling="plench")
    every = torch.arange(data.n)
    assert torch.equal(doubled.examples.take(every), alone.examples.take(every))
    behind = torch.arange(data.n, doubled.examples.n)
    held = np.unique(np.concatenate([data.split(k).validation for k in range(2)]))
    assert torch.equal(doubled.examples.take(behind), alone.examples.take(torch.tensor(held)))
    assert doubled.examples.inputs.shape == alone.examples.inputs.shape  # nothing is copied


@pytest.mark.parametrize("name", ["PRODEN", "ce"])
def test_no_truth_but_that_of_the_validation_rows_is_learned_from(data, name):
    one = trials(data, name, validation="train-oracle", splits=1)
    other = (data.truth + 1) % data.q
    held = data.split(0).validation
    kept = other.copy()
    kept[held] = data.truth[held]
    here = trained(build(data, one, "cpu").stack)
    assert torch.equal(trained(build(with_truth(data, kept), one, "cpu").stack), here)
    assert not torch.equal(trained(build(with_truth(data, other), one, "cpu").stack), here)


def test_split_mates_in_a_stack_do_not_share_their_clean_labels(data):
    both = trials(data, "PRODEN", validation="train-oracle")
    together = trained(build(data, both, "cpu").stack)
    for k, alone in enumerate(both):
        assert torch.equal(trained(build(data, (alone,), "cpu").stack)[0], together[k])


def test_with_every_set_the_truth_it_is_learning_from_all_rows_outside_test(data):
    """Singletons and nothing held for validation: the same rows, said in another way."""
    sets = np.eye(data.q, dtype=bool)[data.truth]
    clean = replace(data, candidates=sets)
    (trial,) = trials(clean, "CC", validation="train-oracle", splits=1, dtype="float64")
    (plain,) = trials(clean, "supervised-oracle", validation="train-oracle", splits=1)
    plain = replace(plain, dtype="float64", seed=trial.seed, hyper=trial.hyper)
    mine = trained(build(clean, (trial,), "cpu").stack)
    torch.testing.assert_close(mine, trained(build(clean, (plain,), "cpu").stack))


@pytest.fixture(scope="module")
def results(data):
    return benchmark({"toy": data}, NAMES, workers=1, validation="train-oracle", **SMALL)


def test_records_have_test_values_and_nothing_on_validation(results):
    assert all(run.complete for run in results.runs)
    for record in (record for run in results.runs for record in run.records):
        assert set(record.validation.values()) == {None}
        assert record.outcomes is None
        assert record.test["top1"] > 0


def test_what_is_judged_is_the_same_test_rows_and_no_validation_row(data, monkeypatch):
    seen = []

    def spy(stack, view, validation, test, metrics):
        seen.append((validation, test))
        return oracle_measure(stack, view, validation, test, metrics)

    monkeypatch.setattr(execute, "oracle_measure", spy)
    for mode in ("tune", "train-oracle"):
        benchmark({"toy": data}, "CC", workers=1, validation=mode, **SMALL | {"steps": 20})
    (held, test), (nothing, again) = seen
    assert held.shape == (2, len(data.split(0).validation))
    assert nothing.shape == (2, 0)
    assert torch.equal(test, again)


def test_the_table_says_that_clean_labels_were_trained_on(results, data):
    held = len(data.split(0).validation)
    text = accuracy_tables(results).render(width=140)
    said = f"Oracle, trained on {2 * len(NAMES) * held} clean labels of validation rows besides"
    assert said in text
    assert "Chosen by CR" not in text
    (table,) = json.loads(accuracy_tables(results).render("json"))["tables"]
    assert table["trained_on_validation_truth"] is True
    assert all(cell["count"] == 2 and cell["mean"] > 0 for cell in table["cells"])
    page = results_document(results).page()
    assert said in page
    assert "covering rate on validation" not in page
    assert findings(results)[0].startswith("toy: Trained on the validation rows' true labels too")
