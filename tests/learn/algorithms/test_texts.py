"""What every algorithm must do on texts, as on tables: with dropout, and words of its own."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch

from candidly.data.inputs.tokens import Tokens
from candidly.learn.algorithms import algorithm
from candidly.learn.algorithms._tensors import joined
from candidly.learn.engine.checkpoint import restore, state_of
from candidly.learn.engine.examples import Examples, label_tensor
from candidly.learn.engine.recipe import recipe
from candidly.learn.engine.stack import Member, Stack
from candidly.learn.engine.start import start
from candidly.learn.engine.suspicion import suspicion
from candidly.learn.engine.texts import HeldTexts, held, split_words
from candidly.learn.nets import Net, with_projection
from learn.algorithms.battery import NAMES
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
MIXERS = ("mixup", "elr+", "dividemix", "disc", "promix", "pes-semi", "ALIM", "PiCO+", "SoLar")
NEVER = "PiCO+:plench"  # warms up for ever (D-PICO+-1), and mixes behind the warm-up
MIXING = [name for name in NAMES if name.partition(":")[0] in MIXERS and name != NEVER]
QUICK = ("elr+",)
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
    labels = {name: label_tensor(data, name) for name in reads}
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
        for special in WORDS.special:
            count = [(seen == special).sum(-1) for seen in (plain, batch.view("strong"))]
            assert count[0].any()
            assert torch.equal(*count)


@pytest.mark.parametrize(
    "name",
    [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in MIXING],
)
def test_whatever_mixes_does_so_at_features_or_at_embeddings(name):
    """Alone as in a stack, at both places; and the place matters."""
    ends = {}
    for at in ("pooled", "embeddings"):
        text = f"adam:mix_at={at}"
        whole = advance(stack_of(name, text=text), STEPS)
        alone = advance(stack_of(name, trials=(1,), text=text), STEPS)
        assert whole.diverged_at == [None] * 3
        assert torch.equal(alone.net.flat[0], whole.net.flat[1])
        ends[at] = whole.net.flat.clone()
    assert not torch.equal(ends["pooled"], ends["embeddings"])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TAKEN if name not in MIXING])
def test_what_does_not_mix_is_the_same_wherever_texts_are_mixed(name):
    pooled, early = (
        advance(stack_of(name, trials=(1,), text=f"adam:mix_at={at}"), STEPS)
        for at in ("pooled", "embeddings")
    )
    assert torch.equal(pooled.net.flat, early.net.flat)


def test_training_may_see_texts_without_some_of_their_words():
    text = "adam:views=drop-words:0.4"
    whole, alone = stack_of("ce", text=text), stack_of("ce", trials=(1,), text=text)
    seen, said = (stack.next_batches()[0] for stack in (whole, stack_of("ce")))
    assert torch.equal(seen.ids, said.ids)
    counts, plain = ((batch.x > 0).sum(-1) for batch in (seen, said))
    assert (counts >= 1).all()
    assert (counts < plain).any()
    whole = advance(stack_of("ce", text=text), STEPS)
    assert torch.equal(advance(alone, STEPS).net.flat[0], whole.net.flat[1])


def test_batches_of_two_lengths_are_joined_behind_padding():
    short, long = torch.tensor([[[3, 4]]]), torch.tensor([[[5, 6, 7]]])
    assert joined([short, long], 1).tolist() == [[[3, 4, 0], [5, 6, 7]]]
    copies = joined([long[:, None], short[:, None]], 2)
    assert copies.tolist() == [[[[5, 6, 7], [3, 4, 0]]]]
    numbers = torch.randn(2, 3, 4)
    assert torch.equal(joined([numbers, numbers], 1), torch.cat([numbers, numbers], 1))


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
