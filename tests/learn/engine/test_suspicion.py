"""How suspicious labels are when training ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import algorithm
from candidly.learn.engine.divergence import bury
from candidly.learn.engine.suspicion import suspicion
from candidly.learn.model import fit, load_model

from toys import advance, make_stack, stack_of, tensors, toy


@pytest.mark.parametrize(("name", "label"), [("ce", "given"), ("PRODEN", "candidates")])
def test_it_is_the_loss_of_the_label_unless_the_algorithm_has_its_own(name, label):
    data = toy()
    stack = advance(make_stack(data, name), 20)
    before = {what: tensor.clone() for what, tensor in tensors(stack).items()}
    for k in range(3):
        rows = stack.index[k]
        p = stack.logits(k, rows).softmax(-1).numpy()
        labels = getattr(data, label)[rows.numpy()]
        inside = p[np.arange(len(p)), labels] if label == "given" else (p * labels).sum(1)
        np.testing.assert_allclose(suspicion(stack, k), -np.log(inside), rtol=1e-8, atol=1e-10)
    assert all(torch.equal(tensor, before[what]) for what, tensor in tensors(stack).items())


def test_an_algorithm_may_say_its_own_and_a_diverged_trial_says_nothing():
    page = replace(algorithm("ce"), suspicion=lambda s, k: torch.arange(s.n) + k)
    stack = stack_of(page)
    np.testing.assert_array_equal(suspicion(stack, 2), np.arange(stack.n) + 2)
    bury(stack, torch.tensor([False, True, False]))
    assert np.isnan(suspicion(stack, 1)).all()


def test_wrong_labels_are_the_suspicious_ones_and_the_model_keeps_the_scores(tmp_path):
    data = toy(n=600)
    model = fit(data, "ce", steps=150)
    wrong = data.given != data.truth
    assert model.suspicion.shape == (600,)
    assert np.median(model.suspicion[wrong]) > np.quantile(model.suspicion[~wrong], 0.9)
    model.save(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(
        load_model(tmp_path / "model.safetensors").suspicion, model.suspicion
    )


def test_the_mean_of_several_networks_predicts_where_the_algorithm_says_so():
    stack = stack_of(replace(algorithm("ce"), networks=2, averages=True))
    both = torch.stack([stack.whole(1, m).logits for m in range(2)])
    torch.testing.assert_close(stack.whole(1).logits, both.mean(0))
    torch.testing.assert_close(stack.logits(1, stack.index[1]), both.mean(0))
