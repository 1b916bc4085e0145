"""Texts in the engine: how they are held, batched and predicted, and which words a trial knows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.data.inputs.tokens import Tokens, Words
from candidly.learn.algorithms import algorithm
from candidly.learn.engine import checkpoint
from candidly.learn.engine.examples import Examples, repeated
from candidly.learn.engine.forward import by_length
from candidly.learn.engine.recipe import recipe
from candidly.learn.engine.stack import Member
from candidly.learn.engine.start import start
from candidly.learn.engine.texts import held, split_words
from candidly.learn.engine.train import train
from token_nets import random_texts, token_net

N, Q = 40, 3


def examples_of(seed: int = 0, n: int = N, longest: int = 9) -> Examples:
    g = np.random.default_rng(seed)
    texts = held(random_texts(g, n, longest))
    labels = {"given": torch.from_numpy(g.integers(0, Q, n))}
    return Examples(texts.ids, labels, np.zeros(0), np.zeros(0), Q, texts=texts)


def stack_of(
    examples, name="ce", seeds=(0, 1), net=None, text="adam", words=(None, None), steps=12
):
    page = algorithm(name)
    hyper = {key: setting.default for key, setting in page.settings().items()}
    hyper |= {"batch_size": 8, "lr": 0.01}
    rows = [np.random.default_rng(seed).permutation(N)[:32] for seed in seeds]
    members = [Member(s, r, hyper, None, w) for s, r, w in zip(seeds, rows, words)]
    net = token_net(examples.shape, Q) if net is None else net
    return start(page, net, examples, members, steps, recipe(text))


def run(stack, until):
    for _ in train(stack, [until]):
        pass
    return stack


def test_texts_are_taken_as_a_slow_loop_takes_them():
    examples = examples_of()
    rows = torch.tensor([3, 0, 3, 17])
    tokens = examples.texts.tokens
    each = [tokens.ids[tokens.starts[r] : tokens.starts[r + 1]] for r in rows.tolist()]
    expected = np.zeros((4, max(map(len, each))), np.int64)
    for place, ids in enumerate(each):
        expected[place, : len(ids)] = ids
    assert np.array_equal(examples.take(rows).numpy(), expected)
    assert np.array_equal(tokens.take(rows.numpy()), expected)
    assert examples.kind == "tokens"
    assert examples.n == N
    assert examples.shape == (int(tokens.lengths.max()),)


def test_rows_that_come_again_are_the_same_texts():
    examples = examples_of()
    twice = repeated(examples, np.array([5, 7]), {"given": examples.labels["given"][:2]})
    assert twice.n == N + 2
    again = twice.take(torch.tensor([N, N + 1]))
    assert torch.equal(again, examples.take(torch.tensor([5, 7])))


@pytest.mark.parametrize("name", ["ce", "co-teaching"])
def test_a_trial_is_the_same_alone_and_in_a_stack(name):
    examples = examples_of()
    net = token_net(examples.shape, Q, drop=0.3)
    both = run(stack_of(examples, name, net=net), 12)
    alone = run(stack_of(examples, name, seeds=(1,), net=net, words=(None,)), 12)
    assert torch.equal(both.net.flat[1:], alone.net.flat)
    rows = torch.arange(N)
    assert torch.equal(both.logits(1, rows), alone.logits(0, rows))


def test_a_stack_goes_on_from_a_checkpoint_to_the_bit(tmp_path):
    examples = examples_of()
    net = token_net(examples.shape, Q, drop=0.3)
    straight = run(stack_of(examples, net=net), 12)
    half = run(stack_of(examples, net=net), 5)
    path = checkpoint.save(tmp_path, ["a", "b"], half)
    resumed = stack_of(examples, net=net)
    checkpoint.load(path or checkpoint.path_of(tmp_path, ["a", "b"]), resumed)
    assert torch.equal(straight.net.flat, run(resumed, 12).net.flat)


def test_padding_to_a_fixed_length_changes_no_prediction():
    examples = examples_of()
    stack = run(stack_of(examples), 12)
    rows = torch.arange(N)
    wide = torch.nn.functional.pad(examples.take(rows), (0, 30))
    fixed = stack.net.of_trial(0, wide[None]).logits[0]
    torch.testing.assert_close(stack.logits(0, rows), fixed, rtol=1e-5, atol=1e-6)


def test_predictions_come_in_the_order_of_their_rows():
    examples = examples_of()
    stack = run(stack_of(examples), 12)
    rows = torch.tensor([9, 2, 31, 2])
    one_by_one = torch.cat([stack.logits(0, row[None]) for row in rows])
    torch.testing.assert_close(stack.logits(0, rows), one_by_one)
    lengths = examples.texts.lengths[rows[by_length(examples, rows)]]
    assert (lengths.diff() >= 0).all()
    assert by_length(replace(examples, texts=None), rows) is None


def test_words_that_training_did_not_see_twice_are_unknown():
    words = Words(5, unknown=1)
    ids = np.array([2, 3, 4, 2, 4, 5, 5, 5])
    texts = held(Tokens(ids, np.array([0, 3, 5, 8]), words))
    assert split_words(texts, np.array([0, 1])).tolist() == [0, 1, 2, 1, 4, 1]
    assert split_words(None, np.array([0])) is None
    known = held(Tokens(np.array([2, 2, 1]), np.array([0, 3]), Words(2, unknown=1)))
    assert split_words(known, np.array([0])) is None
    none = held(Tokens(ids, np.array([0, 3, 5, 8]), Words(5)))
    assert split_words(none, np.array([0])) is None


def test_each_trial_sees_its_own_words():
    examples = examples_of()
    size = examples.words.size
    blind = np.where(np.arange(size + 1) > 0, 1, 0)  # every word is unknown
    stack = stack_of(examples, words=(blind, None))
    batch = stack.next_batches()[0]
    expected = examples.take(batch.data_rows).view_as(batch.x)
    assert torch.equal(batch.x[0], (expected[0] > 0).long())
    assert torch.equal(batch.x[1], expected[1])
    run(stack, 12)
    lengths = examples.texts.lengths
    rows = torch.arange(N)
    for length in lengths.unique():  # texts of one length are one to it
        logits = stack.logits(0, rows[lengths == length])
        torch.testing.assert_close(logits, logits[:1].expand_as(logits))
    assert len(stack.logits(1, rows).unique(dim=0)) > len(lengths.unique())


def test_a_network_for_numbers_is_refused():
    examples = examples_of()
    from candidly.learn.nets import network

    with pytest.raises(ValueError, match="takes numbers, and the inputs are texts"):
        stack_of(examples, net=network("mlp:4", (9,), Q))


def test_embeddings_are_mixed_where_the_recipe_says_so():
    examples = examples_of()
    pooled = run(stack_of(examples, "mixup"), 12)
    early = run(stack_of(examples, "mixup", text="adam:mix_at=embeddings"), 12)
    assert not torch.equal(pooled.net.flat, early.net.flat)
