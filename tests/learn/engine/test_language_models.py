"""Every kind of language model in the engine: it trains, resumes bit by bit, and predicts."""

from __future__ import annotations

import numpy as np
import pytest
import torch

pytest.importorskip("transformers")

from candidly.data.inputs.tokens import Tokens
from candidly.learn.algorithms import algorithm
from candidly.learn.engine import forward
from candidly.learn.engine.checkpoint import restore, state_of
from candidly.learn.engine.examples import Examples
from candidly.learn.engine.recipe import recipe
from candidly.learn.engine.stack import Member
from candidly.learn.engine.start import start
from candidly.learn.engine.texts import held
from candidly.learn.nets.hf import _names as names_of
from candidly.learn.nets.hf import hf_net
from learn.nets.hf_models import NAMES, SMALL, WORDS, encode, texts, written

from toys import advance, tensors

T, N = 8, 24


def examples():
    """Texts of which a token says the class, and other lengths for each."""
    lengths = np.random.default_rng(0).integers(3, 10, N)
    x, given = texts(*lengths, seed=1), torch.arange(N) % 5
    x[:, 0] = 10 + given
    starts = np.concatenate([[0], lengths.cumsum()])
    there = held(Tokens(x[x > 0].numpy(), starts, WORDS))
    return Examples(there.ids, {"given": given}, np.zeros(0), np.zeros(0), 5, texts=there)


def stack_of(net, page="ce", trials=(1, 2), steps=T, made="fine-tune", lr=1e-2, **hyper):
    page = algorithm(page)
    usual = {name: setting.default for name, setting in page.settings().items()}
    usual |= {"batch_size": 6, "lr": lr, "weight_decay": 0.01} | hyper
    members = [Member(k, np.random.default_rng(k).permutation(N)[:18], usual) for k in trials]
    return start(page, net, examples(), members, steps, recipe(made))


@pytest.fixture(scope="module")
def nets(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(names_of, "encoder_in", lambda folder: encode)
        yield {
            kind: hf_net(written(kind, root / kind), (16,), 5, WORDS, NAMES, "random")
            for kind in SMALL
        }


@pytest.mark.parametrize("kind", SMALL)
def test_it_trains_resumes_bit_by_bit_and_predicts_the_first_five(nets, kind):
    through = advance(stack_of(nets[kind]), T)
    saved = {n: np.array(value) for n, value in state_of(advance(stack_of(nets[kind]), 3)).items()}
    resumed = advance(restore(stack_of(nets[kind]), saved), T - 3)
    alone = advance(stack_of(nets[kind], trials=(2,)), T)
    before = stack_of(nets[kind])
    for name, tensor in tensors(through).items():
        assert torch.equal(tensor, tensors(resumed)[name]), name
        assert torch.equal(tensor[1:], tensors(alone)[name]), name
    assert all(at is None for at in through.diverged_at)
    assert not torch.equal(through.net.flat, before.net.flat)
    logits = through.logits(0, torch.arange(N))
    assert logits.shape == (N, 5)
    assert logits.isfinite().all()
    assert sorted(logits.topk(5).indices[0].tolist()) == [0, 1, 2, 3, 4]
    one = torch.cat([through.logits(0, torch.tensor([row])) for row in range(N)])
    torch.testing.assert_close(one, logits, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("kind", SMALL)
def test_it_learns_what_a_token_says(nets, kind):
    steps = 240 if kind == "t5" else 60
    rate = 1e-2 if kind == "t5" else 5e-3
    stack = advance(stack_of(nets[kind], trials=(1,), steps=steps, lr=rate), steps)
    rows = stack.index[0]
    found = stack.logits(0, rows).argmax(1)
    assert float((found == stack.examples.labels["given"][rows]).float().mean()) > 0.75


@pytest.mark.parametrize("page", ["bbn", "ldam", "decoupling-crt", "co-teaching", "elr"])
def test_pages_of_other_families_run_on_it(nets, page):
    for kind in ("bert", "t5"):
        stack = advance(stack_of(nets[kind], page, trials=(1,), made="adamw"), T)
        assert stack.diverged_at == [None]
        assert stack.logits(0, torch.arange(N)).isfinite().all()


@pytest.mark.parametrize("kind", ["bert", "bart", "xlnet"])
def test_texts_are_mixed_where_the_recipe_says(nets, kind):
    found = {}
    for at in ("pooled", "embeddings"):
        made = f"adamw:clip=1,mix_at={at}"
        stack = advance(stack_of(nets[kind], "mixup", made=made), T)
        alone = advance(stack_of(nets[kind], "mixup", trials=(2,), made=made), T)
        assert torch.equal(stack.net.flat[1], alone.net.flat[0])
        assert stack.diverged_at == [None, None]
        found[at] = stack.net.flat
    assert not torch.equal(found["pooled"], found["embeddings"])


def test_names_are_scored_and_not_mixed_token_by_token(nets):
    advance(stack_of(nets["t5"], "mixup", made="adamw:mix_at=pooled"), 2)
    with pytest.raises(ValueError, match="Use mix_at=pooled"):
        advance(stack_of(nets["t5"], "mixup", made="adamw:mix_at=embeddings"), 2)


def test_evaluation_takes_more_texts_at_once_where_they_are_short(nets, monkeypatch):
    net, seen = nets["bert"], []
    stack = stack_of(net, trials=(1,))
    expected = stack.logits(0, torch.arange(N))
    monkeypatch.setattr(forward, "rows_at_once", lambda net: 3)
    call = stack.net.of_trial
    monkeypatch.setattr(
        stack.net, "of_trial", lambda k, x, c: seen.append(x.shape) or call(k, x, c)
    )
    logits = stack.logits(0, torch.arange(N))
    torch.testing.assert_close(logits, expected, rtol=1e-5, atol=1e-6)
    assert sum(rows for _, rows, _ in seen) == N
    assert all(rows * length <= 3 * 16 for _, rows, length in seen)
    assert all(rows > 3 for _, rows, _ in seen[:-1])
    assert len(seen) < N / 3
