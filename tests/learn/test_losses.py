"""``candidly.losses``: what methods without memory train with, in a loop of one's own."""

from __future__ import annotations

import inspect

import pytest
import torch

import candidly
from candidly import losses
from candidly.learn.algorithms import ALGORITHMS

PURE = ("pure", "pure_batch", "pure_given")
ROWS, Q = 12, 5
# where a method's name is not the function's in other letters
NAMES = {"nce+rce": "nce_rce", "nce+mae": "nce_mae"}


def called(name):
    return NAMES.get(name, name.lower().replace("-", "_"))


def made_by(method):
    """The loss of a method that one of ``PURE`` made, and its hyper-parameters; else None."""
    step = method.stages[0].step
    if len(method.stages) > 1 or step.__qualname__.partition(".")[0] not in PURE:
        return None
    within = inspect.getclosurevars(step).nonlocals
    return within["loss"], within.get("hyper", ())


@pytest.fixture
def batch():
    g = torch.Generator().manual_seed(0)
    logits = torch.randn(ROWS, Q, generator=g, dtype=torch.float64)
    given = torch.arange(ROWS) % Q
    sets = (torch.rand(ROWS, Q, generator=g) < 0.4) | torch.eye(Q, dtype=torch.bool)[given]
    return logits, sets, given


def test_every_method_that_is_a_loss_alone_is_there_as_the_same_object():
    found = {called(name): made_by(page) for name, page in ALGORITHMS.items() if made_by(page)}
    assert len(found) > 20
    for name, (loss, _) in found.items():
        assert getattr(losses, name) is loss, name
    # ce has a stage of its own; besides it there is nothing that is no method
    assert set(losses.__all__) == set(found) | {"ce"}
    assert inspect.getclosurevars(ALGORITHMS["ce"].stages[0].step).globals["loss"] is losses.ce


@pytest.mark.parametrize("name", losses.__all__)
def test_a_loss_falls_in_a_loop_of_ones_own(name, batch):
    """Gradient descent on the logits themselves ends with the label in front."""
    logits, sets, given = batch
    loss = getattr(losses, name)
    _, labels, *hyper = inspect.signature(loss).parameters
    [method] = [page for key, page in ALGORITHMS.items() if called(key) == name]
    values = {key: torch.tensor([float(method.settings()[key].default)]) for key in hyper}
    scores = logits.clone().requires_grad_(True)
    optimiser = torch.optim.Adam([scores], lr=0.05)
    target = sets if labels == "candidates" else given
    first = loss(scores, target, **values)
    assert first.shape in ((), (ROWS,))
    assert torch.isfinite(first).all()
    for _ in range(400):
        optimiser.zero_grad()
        loss(scores, target, **values).mean().backward()
        optimiser.step()
    assert loss(scores, target, **values).mean() < first.mean()
    inside = sets[torch.arange(ROWS), scores.argmax(-1)]
    assert (inside if labels == "candidates" else scores.argmax(-1) == given).all()


def test_they_are_on_the_face():
    assert candidly.losses is losses
    assert candidly.learn.losses is losses
