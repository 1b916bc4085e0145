"""Every kind of input, at sizes that coincide, and data that any method learns.

There are as many trials as channels, columns, classes and rows of a batch. What a method spreads
over the wrong axis then meets no error, and mixes trials instead; so each is compared with one
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import torch
from torch import Tensor, nn

from ...data.inputs.tokens import Tokens, Words
from ...data.labels.labelled import Labelled
from ...stats.criteria import covering_rate
from ..algorithms import algorithm
from ..engine.examples import Examples, label_tensor, make_examples
from ..engine.recipe import recipe
from ..engine.stack import Member, Stack
from ..engine.start import start
from ..engine.texts import held, split_words
from ..nets import from_torch, mlp, with_projection
from .battery import HIDDEN, STEPS, Reference, advance, ends_of, make_stack, member, toy

SAME = 3  # trials, channels, columns, classes and rows of a batch
PIXELS, LONGEST = 6, 7
WORDS = Words(30, unknown=1, special=(29, 30))
LEARNED = {"n": 240, "d": 8, "q": 4, "rate": 0.15, "seed": 3, "spread": 6.0, "wrong": 0.1}
UPDATES, LR, CLEARLY = 300, 0.01, 0.2  # by how much it must be better than chance


class Pictured(nn.Module):
    """A convolution, a norm over each picture, and a linear head."""

    def __init__(self, classes: int):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(SAME, 4, 3, padding=1), nn.GroupNorm(2, 4)
        self.head = nn.Linear(16, classes)

    def forward(self, x: Tensor) -> Tensor:
        maps = torch.relu(self.norm(self.conv(x))).mean((2, 3)).repeat(1, 4)
        logits: Tensor = self.head(maps.tanh())
        return logits


class Worded(nn.Module):
    """The mean of a hidden layer over a text's words, and a linear head."""

    embeds = True

    def __init__(self, classes: int):
        super().__init__()
        self.table = nn.Embedding(WORDS.size + 1, 8, padding_idx=0)
        self.layer, self.head = nn.Linear(8, 16), nn.Linear(16, classes)

    def forward(self, x: Tensor, embed: bool = False) -> Tensor:
        if not x.is_floating_point():
            x = torch.cat([self.table(x), (x > 0)[..., None].to(self.table.weight.dtype)], -1)
        if embed:
            return x
        inside = (x[..., -1:] > 0).to(x.dtype)
        hidden = torch.relu(self.layer(x[..., :-1])) * inside
        logits: Tensor = self.head(hidden.sum(1) / inside.sum(1).clamp(min=1))
        return logits


@cache
def labels() -> Labelled:
    return toy(n=42, d=SAME, q=SAME, seed=8)


def of_table(name: str, trials: Sequence[int]) -> Stack:
    method, data = algorithm(name), labels()
    examples = make_examples(data, method.reads, dtype=torch.float64)
    members = [member(data, k, method, examples, batch=SAME) for k in trials]
    return start(method, mlp(SAME, data.q, HIDDEN), examples, members, STEPS)


def of_pictures(name: str, trials: Sequence[int]) -> Stack:
    method, said = algorithm(name), labels()
    pixels = np.random.default_rng(8).integers(0, 256, (said.n, PIXELS, PIXELS, SAME), np.uint8)
    data = replace(said, inputs=pixels)
    examples = make_examples(data, method.reads, dtype=torch.float64)
    members = [member(data, k, method, examples, batch=SAME) for k in trials]
    net = from_torch(lambda: Pictured(data.q), (SAME, PIXELS, PIXELS), data.q)
    return start(method, with_projection(net, size=SAME), examples, members, STEPS, recipe("adam"))


def of_texts(name: str, trials: Sequence[int]) -> Stack:
    method, data = algorithm(name), labels()
    g = np.random.default_rng(8)
    starts = np.concatenate([[0], g.integers(1, LONGEST + 1, data.n).cumsum()])
    there = held(Tokens(g.integers(1, WORDS.size + 1, starts[-1]), starts, WORDS))
    read = {label: label_tensor(data, label) for label in method.reads}
    none = np.zeros(0)
    examples = Examples(there.ids, read, none, none, data.q, torch.float64, texts=there)
    members = []
    for k in trials:
        plain = member(data, k, method, examples, batch=SAME)
        known = split_words(there, plain.rows)
        members.append(Member(plain.seed, plain.rows, plain.hyper, None, known))
    net = from_torch(lambda: Worded(data.q), (LONGEST,), data.q, words=WORDS)
    return start(method, with_projection(net, size=SAME), examples, members, STEPS, recipe("adam"))


KINDS: Mapping[str, Callable[[str, Sequence[int]], Stack]] = {
    "a table": of_table,
    "pictures": of_pictures,
    "texts": of_texts,
}


def refuses(name: str, kind: str) -> bool:
    """Whether a method says, before it trains, that it does not take this kind of input."""
    try:
        KINDS[kind](name, [0])
    except ValueError:
        return True
    return False


def check_kind(name: str, kind: str) -> None:
    """Trials end beside each other as alone, at sizes that coincide."""
    make = KINDS[kind]
    together = ends_of(advance(make(name, range(SAME)), STEPS))
    for k in (0, SAME - 1):
        for what, tensor in ends_of(advance(make(name, [k]), STEPS)).items():
            torch.testing.assert_close(
                together[what][k], tensor[0], rtol=1e-7, atol=1e-10, equal_nan=False, msg=what
            )


def check_sane(run: Reference) -> None:
    """On data that any method learns it beats chance, and other labels make another model.

    That is no proof of anything: what fails it has its mask the wrong way round, learns from all
    classes alike, or from nothing.
    """
    name, data = run.name, toy(**LEARNED)  # type: ignore[arg-type]
    logits = _learned(name, data)
    predicted = logits.argmax(-1).numpy()
    assert data.truth is not None
    assert data.candidates is not None
    assert data.given is not None
    found = [("accuracy", float((predicted == data.truth).mean()), 1 / data.q)]
    if "candidates" in algorithm(name).reads:
        rate = float(covering_rate(logits.numpy(), data.candidates))
        found.append(("covering rate", rate, float(data.candidates.mean())))
    for what, value, chance in found:
        assert value > chance + CLEARLY, (
            f"on data that any method learns its {what} is {value:.2f}, and {chance:.2f} by chance"
        )
    assert data.votes is not None
    other = replace(
        data,
        votes=replace(data.votes, labels=(data.votes.labels + 1) % data.q),
        candidates=np.roll(data.candidates, 1, 1),
        given=(data.given + 1) % data.q,
        truth=(data.truth + 1) % data.q,
    )
    assert not torch.equal(_learned(name, other), logits), "other labels end in the same model"


def _learned(name: str, data: Labelled) -> Tensor:
    """Logits of all rows behind a short training at the method's defaults."""
    stack = make_stack(data, name, [0], UPDATES, torch.float64, hidden=32, lr=LR)
    return advance(stack, UPDATES).logits(0, torch.arange(data.n))
