"""docs/examples/one_trial.py: it runs, and computes what the method's page does."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
import torch

from candidly.learn.algorithms import cross_entropy, masked_softmax, uniform_over

FILE = Path(__file__).parents[2] / "docs" / "examples" / "one_trial.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("one_trial", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_its_formulas_are_those_of_the_page(example):
    g = torch.Generator().manual_seed(0)
    logits = 3 * torch.randn(20, 6, generator=g)
    sets = torch.rand(20, 6, generator=g) < 0.4
    sets[:, 2] = True
    torch.testing.assert_close(example.inside(logits, sets), masked_softmax(logits, sets))
    weights = uniform_over(sets, torch.float32)
    torch.testing.assert_close(
        example.objective(logits, weights), cross_entropy(weights, logits).mean()
    )


def test_it_learns_from_sets_alone(example, capsys):
    assert example.main() > 0.93
    assert "covering rate" in capsys.readouterr().out


def test_the_truth_has_no_part_in_training_and_choosing(example, monkeypatch):
    """Other true labels change the last number alone."""
    kept, train, of_digits = [], example.train, example.sets_of_digits

    def watched(*parts):
        found = train(*parts)
        kept.append(found)
        return found

    def told_otherwise():
        inputs, sets, truth = of_digits()
        return inputs, sets, (truth + 1) % 10

    monkeypatch.setattr(example, "UPDATES", 100)
    monkeypatch.setattr(example, "train", watched)
    first = example.main()
    monkeypatch.setattr(example, "sets_of_digits", told_otherwise)
    assert example.main() < first
    (one, rate), (other, again) = kept
    assert rate == again
    assert all(torch.equal(one[name], other[name]) for name in one)
