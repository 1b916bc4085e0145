"""What every algorithm must do on texts, as on tables: with dropout, and words of its own."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch

from algorithms.battery import NAMES
from candidly.algorithms import algorithm
from candidly.engine.checkpoint import restore, state_of
from candidly.engine.examples import Examples
from candidly.engine.recipe import recipe
from candidly.engine.stack import Member, Stack
from candidly.engine.start import start
from candidly.engine.suspicion import suspicion
from candidly.engine.texts import HeldTexts, held, split_words
from candidly.inputs.tokens import Tokens
from candidly.nets import Net, with_projection
from token_nets import WORDS, random_texts, token_net

from toys import advance, member, tensors, toy

N, LONGEST, STEPS, BATCH = 84, 9, 24, 16

# one of each way to be built: stateless, row tables, memory, two networks, an average, another
# head, stages, views, mixtures of batches, of views and of two batches' rows, second networks
SOME = (
    "ce",
    "PRODEN",
    "co-teaching",
    "elr+",
    "sgd-ema",
    "ldam",
    "bbn",
    "decoupling-ncm",
    "data-parameters",
    "mixup",
    "disc",
    "PiCO",
    "ALIM",
    "supervised-oracle",
)
WITHOUT = "VALEN"  # rebuilds its inputs
TAKEN = [name for name in NAMES if name.partition(":")[0] != WITHOUT]
EVERY = [
    name if name in SOME else pytest.param(name, marks=pytest.mark.slow)
    for name in dict.fromkeys((*SOME, *TAKEN))
]


@cache
def texts(n: int = N, seed: int = 8) -> Tokens:
    """Texts whose first word tells the class, and others of any length."""
    g = np.random.default_rng(seed)
    found = random_texts(g, n, LONGEST)
    ids = found.ids.copy()
    ids[found.starts[:-1]] = 2 + toy(n=n, seed=seed).truth
    return Tokens(ids, found.starts, WORDS)


def examples_of(reads, dtype=torch.float32) -> Examples:
    data, there = toy(n=N, seed=8), held(texts())
    labels = {name: torch.tensor(getattr(data, name)) for name in reads}
    none = np.zeros(0)
    return Examples(there.ids, labels, none, none, data.q, dtype, texts=there)


@cache
def tiny(classes: int, drop: float) -> Net:
    return with_projection(token_net((LONGEST,), classes, drop), size=3)


def stack_of(name, trials=(0, 1, 2), dtype=torch.float32, text="adam", drop=0.2, **hyper) -> Stack:
    data, page = toy(n=N, seed=8), algorithm(name)
    examples = examples_of(page.reads, dtype)
    members = []
    for k in trials:
        plain = member(data, k, page, examples, batch=BATCH, **hyper)
        known = split_words(examples.texts, plain.rows)
        members.append(Member(plain.seed, plain.rows, plain.hyper, None, known))
    return start(page, tiny(data.q, drop), examples, members, STEPS, recipe(text))


@pytest.mark.parametrize("name", EVERY)
def test_on_texts_a_trial_depends_on_itself_alone(name):
    """Alone, saved and taken up again, beside a trial that turns NaN: the same bits."""
    whole = advance(stack_of(name), STEPS)
    assert whole.diverged_at == [None] * 3
    ends = {what: tensor.clone() for what, tensor in tensors(whole).items()}

    alone = advance(stack_of(name, trials=(1,)), STEPS // 2)
    state = {what: value.copy() for what, value in state_of(alone).items()}
    alone = advance(restore(stack_of(name, trials=(1,)), state), STEPS - STEPS // 2)
    for what, tensor in tensors(alone).items():
        assert torch.equal(tensor[0], ends[what][1]), what

    beside = stack_of(name)
    beside.net.flat[2] = torch.nan
    advance(beside, STEPS)
    assert beside.diverged_at == [None, None, 0]
    for what, tensor in tensors(beside).items():
        assert torch.equal(tensor[:2], ends[what][:2]), what
    assert suspicion(whole, 1).shape == (whole.n,)


@pytest.mark.parametrize("name", ["ce", "mixup", pytest.param("dividemix", marks=pytest.mark.slow)])
def test_fixed_and_dynamic_padding_agree(name, monkeypatch):
    dynamic = advance(stack_of(name), STEPS)
    take = HeldTexts.take

    def fixed(self, rows):
        found = take(self, rows)
        return torch.nn.functional.pad(found, (0, 128 - found.shape[1]))

    monkeypatch.setattr(HeldTexts, "take", fixed)
    padded = advance(stack_of(name), STEPS)
    for what, tensor in tensors(padded).items():
        assert torch.equal(tensor, tensors(dynamic)[what]), what


def test_views_of_one_text_differ_by_dropout_or_by_dropped_words():
    for text, same in (("adam", True), ("adam:weak=drop-words:0.4", False)):
        stack = stack_of("disc", drop=0.0, text=text)
        batch = stack.next_batches()[0]
        weak, plain = batch.view("weak"), batch.x
        assert torch.equal(weak, plain) is same
        kept = (batch.view("strong") > 0).sum(-1)
        assert (kept >= 1).all()
        assert (kept < (plain > 0).sum(-1)).any()


def test_valen_says_that_it_cannot():
    with pytest.raises(ValueError, match="VALEN rebuilds its inputs"):
        stack_of("VALEN")


@pytest.mark.parametrize("name", ["ce", "mixup", "bbn", "decoupling-crt"])
def test_texts_are_learned(name):
    stack = stack_of(name, trials=(0,), drop=0.0, lr=0.02)
    stack.T = STEPS
    before = accuracy(stack)
    advance(stack, STEPS)
    assert accuracy(stack) > before + 0.1


def accuracy(stack: Stack) -> float:
    rows = torch.arange(N)
    truth = torch.tensor(toy(n=N, seed=8).truth)
    return float((stack.logits(0, rows).argmax(-1) == truth).double().mean())
