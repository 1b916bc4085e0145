"""A user's loop as tests write it, and what the engine makes of the same batches."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from candidly.data.labels.votes import Votes, padded
from candidly.learn.algorithms import Algorithm, algorithm
from candidly.learn.contract.battery import shortened, votes_about
from candidly.learn.engine import train as engine
from candidly.learn.engine.examples import Examples
from candidly.learn.engine.recipe import recipe
from candidly.learn.engine.stack import Member, Stack
from candidly.learn.engine.start import start
from candidly.learn.nets import from_torch
from candidly.learn.own_loop import Attached, attach

N, SIZE, BATCH, UPDATES, SEED = 68, 16, 16, 24, 7  # six epochs of four updates, as in the battery
NAMES = {"candidates": "candidates", "given": "labels", "votes": "votes", "truth": "truth"}


class Small(nn.Module):
    """A network as a user writes one: batch norm, and a head that is not its last attribute."""

    def __init__(self, inputs: int = SIZE, classes: int = SIZE):
        super().__init__()
        self.first = nn.Linear(inputs, 16)
        self.last = nn.Linear(16, classes)
        self.norm = nn.BatchNorm1d(16)

    def forward(self, x):
        return self.last(torch.relu(self.norm(self.first(x))))


class Conv(nn.Module):
    """A small network for pictures."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 6, 3, padding=1)
        self.norm = nn.BatchNorm2d(6)
        self.last = nn.Linear(6, SIZE)

    def forward(self, x):
        return self.last(torch.relu(self.norm(self.first(x))).mean((2, 3)))


@dataclass(frozen=True)
class Data:
    """Inputs (n, ...) and labels of every kind, by candidly's names for them."""

    x: Tensor
    labels: Mapping[str, Any]


def made(n: int = N, q: int = SIZE, d: int = SIZE, dtype: torch.dtype = torch.float64) -> Data:
    """Gaussian classes; sets that hold the truth and are not full; wrong labels among the given."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) % q
    x = torch.from_numpy(1.5 * rng.normal(size=(q, d))[truth] + rng.normal(size=(n, d))).to(dtype)
    sets = rng.random((n, q)) < 0.3
    sets[np.arange(n), truth] = True
    sets[sets.all(1), (truth[sets.all(1)] + 1) % q] = False
    given = np.where(rng.random(n) < 0.3, rng.integers(0, q, n), truth)
    votes = votes_about(truth, q, 0.3, rng)
    return Data(x, {"candidates": sets, "given": given, "votes": votes, "truth": truth})


def as_tensor(labels: Any, q: int = SIZE) -> Tensor:
    """Labels as the engine has them."""
    if isinstance(labels, Votes):
        labels = padded(labels, 1 + labels.item.max(), q)
    return torch.from_numpy(labels)


def hyper_of(method: Algorithm) -> dict[str, Any]:
    """Values at which a short training reaches everything."""
    defaults = {name: setting.default for name, setting in method.settings().items()}
    return {**defaults, **shortened(method), "batch_size": BATCH}


@dataclass(frozen=True)
class Run:
    """What the engine did: its losses, the batches' rows (and views), and what it began with."""

    stack: Stack
    hyper: dict[str, Any]
    losses: list[float]
    ids: list[Tensor]
    views: list[dict[str, Tensor]]
    first: dict[str, Tensor]


def by_engine(name: str, data: Data, net: type[nn.Module] = Small, pixels: Any = None) -> Run:
    """Train with the engine, and note what every update was given."""
    method = algorithm(name)
    hyper = hyper_of(method)
    labels = {read: as_tensor(data.labels[read]) for read in method.reads}
    if pixels is None:
        none = np.zeros(data.x.shape[1]), np.ones(data.x.shape[1])
        examples = Examples(data.x.clone(), labels, *none, SIZE, data.x.dtype)
        shape, how = tuple(data.x.shape[1:]), recipe("adam")
    else:
        centre, spread = np.full((3, 1, 1), 127.0), np.full((3, 1, 1), 60.0)
        examples = Examples(pixels, labels, centre, spread, SIZE, data.x.dtype)
        shape, how = (3, *pixels.shape[1:3]), recipe("adam:views=plain")
    member = Member(SEED, np.arange(len(data.x)), hyper)
    stack = start(method, from_torch(net, shape, SIZE), examples, [member], UPDATES, how)
    tensors = {**stack.net.parameters, **stack.net.buffers}
    run = Run(stack, hyper, [], [], [], {n: t[0].detach().clone() for n, t in tensors.items()})

    def note(stack, objective, batch):
        run.losses.append(float(objective))
        run.ids.append(batch.ids.flatten().clone())
        views = {k[5:]: v[0].clone() for k, v in batch.__dict__.items() if k.startswith("view ")}
        if "x" in batch.__dict__:
            views["plain"] = batch.x[0].clone()
        run.views.append(views)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "note", note)
        for _ in engine.train(stack, [UPDATES]):
            pass
    return run


def attached(
    name: str, run: Run, data: Data, net: type[nn.Module] = Small, **how: Any
) -> tuple[Attached, nn.Module, torch.optim.Optimizer]:
    """The method on a network that starts as the engine's, with an optimiser like its."""
    method, module = algorithm(name), net().to(data.x.dtype)
    own = module.state_dict()
    module.load_state_dict({key: run.first.get(key, own[key]) for key in own})
    labels = {NAMES[read]: data.labels[read] for read in method.reads}
    hyper = {key: value for key, value in run.hyper.items() if key != "batch_size"}
    epoch = run.stack.E
    loop = attach(
        name,
        module,
        classes=SIZE,
        epochs=UPDATES // epoch,
        batches=epoch,
        batch_size=BATCH,
        inputs=how.pop("inputs", data.x),
        seed=SEED,
        make=net,
        **labels,
        **hyper,
        **how,
    )
    groups = loop.groups(run.hyper["weight_decay"])
    optimizer = torch.optim.Adam(groups, lr=run.hyper["lr"], fused=True)
    if loop.needs.optimizer:
        loop.drive(optimizer)
    return loop, module, optimizer


def advance(
    loop: Attached, optimizer: torch.optim.Optimizer, run: Run, updates: range, x: Any
) -> list[float]:
    """A plain loop over the engine's batches; the losses of these updates."""
    losses = []
    for t in updates:
        loss = loop(x(run, t), run.ids[t])
        loss.backward()
        with engine.without_denormals():
            optimizer.step()
        optimizer.zero_grad()
        loop.step()
        losses.append(float(loss.detach()))
    return losses


def saved(*parts: Any) -> list[Any]:
    """States written and read again, as files of a user's would be."""
    file = io.BytesIO()
    torch.save([part.state_dict() for part in parts], file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def check_equal(run: Run, loop: Attached, losses: list[float], within: float) -> None:
    """Losses, networks, tables, memory and buffers are the engine's."""
    np.testing.assert_allclose(losses, run.losses[: len(losses)], rtol=0, atol=within)
    here = loop._stack.changing()
    for what, expected in run.stack.changing().items():
        if what.startswith("moments/") or what == "loss_sum":
            continue
        torch.testing.assert_close(here[what], expected, rtol=within, atol=within, msg=what)
