"""The linear network: its logits, and that what it learns is logistic regression."""

from __future__ import annotations

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

import candidly
from candidly.learn.nets import network


def test_logits_are_a_linear_function():
    net = network("linear", (3, 2), 4)
    made = net.init(np.random.default_rng(0))
    assert {name: value.shape for name, value in made.items()} == {"w": (4, 6), "b": (1, 4)}
    assert np.abs(made["w"]).max() <= 1 / np.sqrt(6)
    state = {name: torch.tensor(value)[None] for name, value in made.items()}
    x = torch.randn(1, 5, 3, 2, dtype=torch.float64)
    features = net.trunk(state, x)
    assert torch.equal(features, x.reshape(1, 5, 6))
    expected = features[0].numpy() @ made["w"].T + made["b"]
    assert np.allclose(net.head(state, features)[0].numpy(), expected)


def test_it_learns_what_logistic_regression_learns():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 300)
    inputs = rng.normal(size=(300, 4)) + 1.5 * rng.normal(size=(3, 4))[truth]
    given = np.where(rng.random(300) < 0.2, (truth + 1) % 3, truth)
    data = candidly.from_arrays(inputs, given=given, truth=truth)
    model = candidly.fit(
        data, "ce", net="linear", steps=1500, recipe="sgd", lr=0.5, weight_decay=0.0, batch_size=300
    )
    slow = LogisticRegression(C=np.inf, max_iter=1000).fit(inputs, given)
    ours = model.predict_proba(inputs)
    assert np.abs(ours - slow.predict_proba(inputs)).max() < 0.01
    assert model.about["net"] == "linear"
