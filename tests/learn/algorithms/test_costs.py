"""Costs on pictures: passes counted while a page trains, against the table."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import ALGORITHMS, common, configuration
from candidly.learn.algorithms.costs import COSTS, PICTURES, compared_with, cost_of
from candidly.learn.engine.examples import Examples
from candidly.learn.engine.recipe import default_recipe
from candidly.learn.engine.stack import Member
from candidly.learn.engine.start import start
from candidly.learn.engine.train import update
from candidly.learn.nets import Module, network

N, BATCH, Q, SHAPE = 48, 12, 4, (3, 8, 8)
BACKWARD = 2  # times a forward pass
OF_ALL = ("dividemix", "promix", "seal", "pes", "pes-semi", "SoLar")  # pass all rows each epoch
COUNTED = [
    name
    for name in PICTURES
    if name in ALGORITHMS and compared_with(name) == "CC" and name not in OF_ALL
]
OF_ONE = ("peer", "f-div", "elr+", "sop+", "cal", "disc", "cores*")  # whose every update is alike
UPDATES = 12  # in each half


def examples():
    g = np.random.default_rng(0)
    truth = g.integers(0, Q, N)
    candidates = g.random((N, Q)) < 0.3
    candidates[np.arange(N), truth] = True
    pixels = torch.from_numpy(g.integers(0, 256, (N, *SHAPE[1:], SHAPE[0]), dtype=np.uint8))
    labels = {"candidates": torch.from_numpy(candidates), "given": torch.from_numpy(truth)}
    return Examples(pixels, labels, np.full((3, 1, 1), 128.0), np.full((3, 1, 1), 64.0), Q)


def passes(name: str, monkeypatch, whole: bool = False) -> float:
    """Network passes of an update in the second half of a short training, CC's and ce's being 1.

    Args:
        whole: with those of all rows between epochs, where they come after every one.
    """
    page, counted = ALGORITHMS[name], [0.0]
    trunk, of_trial = Module.trunk, Module.of_trial

    def counting(self, x):
        if tuple(x.shape[-3:]) == SHAPE:  # not what is learned beside, of other inputs
            rows = self._together(x, 3).shape[:2].numel()
            counted[0] += rows * (1 + BACKWARD * torch.is_grad_enabled())
        return trunk(self, x)

    def evaluating(self, k, x, copy=0):
        counted[0] += x.shape[1] * whole
        return of_trial(self, k, x, copy)

    monkeypatch.setattr(Module, "trunk", counting)
    monkeypatch.setattr(Module, "of_trial", evaluating)
    settings = page.settings(common("adam", "images"))
    hyper = configuration(settings, 0, 0) | dict(page.shortened) | {"batch_size": BATCH}
    hyper = {key: hyper[key] for key in settings}
    member, net = Member(0, np.arange(N), hyper), network("cnn:width=1", SHAPE, Q)
    stack = start(page, net, examples(), [member], 2 * UPDATES, default_recipe("images"))
    for _ in range(UPDATES):
        update(stack)
    counted[0] = 0.0
    for _ in range(UPDATES):
        update(stack)
    return counted[0] / UPDATES / BATCH / (1 + BACKWARD)


@pytest.mark.parametrize("name", [*COUNTED, *OF_ONE, "CC", "IDGP", "ce", "co-teaching"])
def test_picture_costs_are_the_passes_of_an_update(name, monkeypatch):
    assert passes(name, monkeypatch) == pytest.approx(cost_of(name, True), abs=0.01)


@pytest.mark.parametrize("name", OF_ALL)
def test_picture_costs_hold_the_passes_of_all_rows(name, monkeypatch):
    assert passes(name, monkeypatch, whole=True) == pytest.approx(PICTURES[name], abs=0.01)


def test_tables_cost_what_was_measured_and_an_unknown_page_its_networks():
    assert cost_of("PRODEN", False) == COSTS["PRODEN"][1]
    assert cost_of("CC", True) == 1
    assert cost_of("co-teaching", True) == 2
    assert all(cost >= 1 for cost in PICTURES.values())
