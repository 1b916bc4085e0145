"""The encoder and the BiLSTM: their definitions, padding, dropout, and that they learn."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from candidly.data.inputs.tokens import Words
from candidly.learn.nets import TEXT_NETS, Module, bilstm, network, text_encoder
from candidly.learn.nets.bilstm import BiLSTM
from candidly.learn.nets.text_encoder import TextEncoder

WORDS = Words(30, unknown=1)
SMALL = {"encoder": "encoder:width=8,heads=2", "bilstm": "bilstm:width=8"}
MODULES = {
    "encoder": lambda: TextEncoder(30, 3, 8, 2, 2),
    "bilstm": lambda: BiLSTM(30, 3, 8),
}
LENGTHS = (5, 1, 9, 3)

names = pytest.mark.parametrize("name", MODULES)


def made(name, seed=0):
    """A module in float64 whose numbers are all somewhere, in evaluation."""
    torch.manual_seed(seed)
    module = MODULES[name]().double().eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
        module.embedding.weight[0] = 7.0  # padding says nothing, whatever it holds
    return module


def texts(lengths=LENGTHS, longest=None, seed=1):
    """Token numbers int64 (B, L), 0 behind each text."""
    g = torch.Generator().manual_seed(seed)
    found = torch.zeros(len(lengths), longest or max(lengths), dtype=torch.int64)
    for row, length in enumerate(lengths):
        found[row, :length] = torch.randint(1, 31, (length,), generator=g)
    return found


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def layer_norm(x, weight, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * weight + bias


def slow_encoder(p, ids, heads=2, layers=2):
    """One text without padding, place by place."""
    x = p["embedding.weight"][ids]
    length, width = x.shape
    for t in range(length):
        for i in range(width // 2):
            x[t, 2 * i] += math.sin(t / 10_000 ** (2 * i / width)) * SCALE
            x[t, 2 * i + 1] += math.cos(t / 10_000 ** (2 * i / width)) * SCALE
    for b in range(layers):
        q = {n.removeprefix(f"blocks.{b}."): v for n, v in p.items() if n.startswith("blocks")}
        normed = layer_norm(x, q["norm1.weight"], q["norm1.bias"])
        asked = normed @ q["asked.weight"].T + q["asked.bias"]
        size, outs = width // heads, []
        for h in range(heads):
            query, key, value = (
                asked[:, part * width + h * size : part * width + (h + 1) * size]
                for part in range(3)
            )
            out = np.zeros((length, size))
            for t in range(length):
                weights = np.exp([query[t] @ key[s] / math.sqrt(size) for s in range(length)])
                out[t] = (weights / weights.sum()) @ value
            outs.append(out)
        x = x + np.concatenate(outs, 1) @ q["out.weight"].T + q["out.bias"]
        up = layer_norm(x, q["norm2.weight"], q["norm2.bias"]) @ q["up.weight"].T + q["up.bias"]
        gelu = np.vectorize(lambda v: v * (1 + math.erf(v / math.sqrt(2))) / 2)(up)
        x = x + gelu @ q["down.weight"].T + q["down.bias"]
    mean = layer_norm(x, p["norm.weight"], p["norm.bias"]).mean(0)
    return mean @ p["head.weight"].T + p["head.bias"]


def slow_bilstm(p, ids, layers=2):
    """One text without padding, one gate after the other."""
    x = p["embedding.weight"][ids]
    for layer in range(layers):
        sides = []
        for way, order in (("forth", range(len(x))), ("back", range(len(x) - 1, -1, -1))):
            q = {n.split(".")[-1]: v for n, v in p.items() if f"layers.{layer}.{way}" in n}
            h = c = np.zeros(q["of_states"].shape[1])
            states = np.zeros((len(x), len(h)))
            for t in order:
                gates = q["of_inputs"] @ x[t] + q["of_states"] @ h + q["bias"]
                i, f, g, o = np.split(gates, 4)
                c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
                h = sigmoid(o) * np.tanh(c)
                states[t] = h
            sides.append(states)
        x = np.concatenate(sides, 1)
    return x.max(0) @ p["head.weight"].T + p["head.bias"]


SLOW = {"encoder": slow_encoder, "bilstm": slow_bilstm}
SCALE = 0.1  # of positions


@names
def test_the_forward_is_its_definition_and_padding_changes_nothing(name):
    module, x = made(name), texts()
    numbers = {n: p.detach().numpy().copy() for n, p in module.named_parameters()}
    with torch.no_grad():
        for longest in (9, 17):
            together = module(F.pad(x, (0, longest - 9))).numpy()
            for row, length in enumerate(LENGTHS):
                expected = SLOW[name](numbers, x[row, :length].numpy())
                np.testing.assert_allclose(together[row], expected, rtol=1e-9, atol=1e-10)


@names
def test_embeddings_stand_for_the_tokens_they_are_of(name):
    module, x = made(name), texts()
    with torch.no_grad():
        embedded = module(x, embed=True)
        assert embedded.shape == (4, 9, 9)
        assert torch.equal(embedded[..., -1] > 0, x > 0)
        torch.testing.assert_close(module(embedded), module(x), rtol=0, atol=0)
        # a mix is as long as the longer of the two
        mixed = 0.25 * embedded[:1] + 0.75 * embedded[2:3]
        longer = torch.cat([mixed, torch.zeros(1, 4, 9, dtype=mixed.dtype)], 1)
        torch.testing.assert_close(module(longer), module(mixed))
        assert not torch.allclose(module(mixed), module(mixed[:, :5]))


@names
def test_a_text_without_a_token_is_a_number(name):
    with torch.no_grad():
        assert made(name)(torch.zeros(2, 3, dtype=torch.int64)).isfinite().all()


@names
def test_gradients_reach_the_embeddings_of_tokens_alone(name):
    module, x = made(name), texts((4, 2))
    module(x).square().sum().backward()
    touched = module.embedding.weight.grad.abs().sum(1) > 0
    assert set(touched.nonzero()[:, 0].tolist()) == set(x[x > 0].tolist())
    assert all((p.grad != 0).any() for p in module.parameters())


@names
def test_dropout_is_random_in_training_alone(name):
    module, x = made(name), texts()
    assert torch.equal(module(x), module(x))
    module.train()
    assert not torch.equal(module(x), module(x))


@pytest.mark.parametrize(("name", "places"), [("encoder", 5), ("bilstm", 3)])
def test_each_place_that_drops_does_so_in_training(monkeypatch, name, places):
    seen = []
    monkeypatch.setattr(F, "dropout", lambda x, rate, training: seen.append(training) or x)
    module = made(name)
    module(texts())
    module.train()(texts())
    assert seen == [False] * places + [True] * places


@names
def test_padding_has_no_embedding_at_the_start(name):
    module = MODULES[name]()
    assert not module.embedding.weight[0].any()
    assert module.embedding.weight[1:].std().item() == pytest.approx(0.1, rel=0.2)


@pytest.mark.parametrize(
    ("net", "trunk", "head"),
    [
        # embeddings; a block: two norms, 12 width^2 of weights, 9 width of biases; a norm
        (
            text_encoder((9,), 3, WORDS),
            31 * 128 + 2 * (4 * 128 + 12 * 128**2 + 9 * 128) + 2 * 128,
            129 * 3,
        ),
        (
            text_encoder((9,), 3, WORDS, width=8, layers=1, heads=2),
            31 * 8 + (4 * 8 + 12 * 8**2 + 9 * 8) + 2 * 8,
            9 * 3,
        ),
        # embeddings; two directions of four gates, of inputs, of states and with a bias each
        (
            bilstm((9,), 3, WORDS),
            31 * 128 + 2 * 4 * 128 * (128 + 128 + 1) + 2 * 4 * 128 * (256 + 128 + 1),
            257 * 3,
        ),
    ],
)
def test_parameters_and_parts(net, trunk, head):
    counts = {p: sum(math.prod(net.shapes[n]) for n in names) for p, names in net.parts.items()}
    assert (counts["trunk"], counts["head"]) == (trunk, head)
    assert 0 < counts["late"] < trunk
    assert (net.words, net.random, net.shape) == (WORDS, True, (9,))
    assert net.embed is not None
    assert net.macs > 9 * (trunk - 31 * 128) / 2


@pytest.mark.parametrize("name", TEXT_NETS)
def test_the_table_of_the_page_is_true(name):
    page = Path(__file__).parents[3] / "docs" / "networks.md"
    said = re.search(rf"^\| `{name}` \|.*\| ([\d,]+) \|$", page.read_text(), re.M)[1]
    net = network(name, (9,), 10, WORDS)
    beside = sum(math.prod(s) for n, s in net.shapes.items() if n != "embedding.weight")
    assert said == f"{beside:,}"


def topics(n, seed):
    """Texts of common words and one of three keywords of their class; classes (n,)."""
    g = np.random.default_rng(seed)
    truth = g.integers(0, 3, n)
    x = np.zeros((n, 12), np.int64)
    for row, k in enumerate(truth):
        length = g.integers(3, 13)
        x[row, :length] = g.integers(11, 31, length)
        x[row, g.integers(0, length)] = 2 + 3 * k + g.integers(0, 3)
    return torch.from_numpy(x), torch.from_numpy(truth)


@names
def test_it_learns_topics_by_their_words_in_seconds(name):
    x, truth = topics(300, 0)
    others, expected = topics(200, 1)
    net = network(SMALL[name].replace("8", "16", 1), (12,), 3, WORDS)
    module = Module(net, [0])
    optimiser = torch.optim.Adam([module.flat], lr=0.01)
    for update in range(60):
        rows = torch.arange(update * 50, update * 50 + 50) % len(x)
        module.begin(update)
        loss = F.cross_entropy(module(x[None, rows]).logits[0], truth[rows])
        loss.backward()
        module.flat.grad = module.grad
        optimiser.step()
    found = module.of_trial(0, others[None]).logits[0].argmax(-1)
    assert (found == expected).float().mean() > 0.9


@names
def test_a_network_is_its_module(name):
    """What is computed on a trial's numbers is the module with these numbers."""
    net, x = network(SMALL[name], (12,), 3, WORDS), texts()
    numbers = net.init(np.random.default_rng(3))
    module = MODULES[name]().eval()
    module.load_state_dict({n: torch.from_numpy(np.array(v)) for n, v in numbers.items()})
    stack = Module(net, [5, 6])
    with torch.no_grad():
        for n, parameter in stack.parameters.items():
            parameter[1].copy_(torch.from_numpy(np.array(numbers[n])))
        torch.testing.assert_close(stack.of_trial(1, x[None]).logits[0], module(x))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("encoder", "encoder takes texts as tokens, and these inputs are (9,); choose another"),
        ("bilstm", "bilstm takes texts as tokens"),
    ],
)
def test_inputs_that_are_no_tokens_are_refused(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        network(text, (9,), 3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("encoder:width=10", "width is 10 and it has 4 heads; the width is even and a multiple of"),
        ("encoder:width=9,heads=3", "such as width=6."),
        ("encoder:width=3,heads=5", "such as width=10."),
        ("encoder:width=999999,heads=1", "even"),
        ("encoder:width=999998,heads=1", "GB are free. Take a smaller network."),
        ("bilstm:width=999998", "the bilstm needs"),
    ],
)
def test_sizes_that_cannot_be_are_refused(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        network(text, (9,), 3, WORDS)
