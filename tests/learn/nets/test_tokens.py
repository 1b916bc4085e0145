"""Torch modules that take texts: from_torch with ``words``, and mixing in a stack's module."""

import pytest
import torch
from torch import nn

from candidly.data.inputs.tokens import Words
from candidly.learn.nets import Module, from_torch

WORDS = Words(20)


class Mean(nn.Module):
    """Mean of ReLU of embeddings, and a linear head."""

    embeds = True

    def __init__(self, drop=0.0):
        super().__init__()
        self.table = nn.Embedding(21, 8, padding_idx=0)
        self.layer, self.drop = nn.Linear(8, 16), nn.Dropout(drop)
        self.head = nn.Linear(16, 3)

    def forward(self, x, embed=False):
        if not x.is_floating_point():
            x = torch.cat([self.table(x), (x > 0)[..., None].float()], -1)
        if embed:
            return x
        inside = (x[..., -1:] > 0).float()
        hidden = self.drop(torch.relu(self.layer(x[..., :-1])))
        return self.head((hidden * inside).sum(1) / inside.sum(1).clamp(min=1))


class Wrong(Mean):
    def forward(self, x, embed=False):
        out = super().forward(x, embed)
        return out[..., :-1] if embed else out


class Other(Mean):
    """Of embeddings something else than of tokens."""

    def forward(self, x, embed=False):
        out = super().forward(x, embed)
        return out + 1 if x.is_floating_point() and not embed else out


def tokens(*lengths):
    x = torch.randint(1, 21, (len(lengths), max(lengths)))
    for row, length in enumerate(lengths):
        x[row, length:] = 0
    return x


def test_padding_beyond_a_trials_longest_changes_nothing():
    net = from_torch(Mean, (30,), 3, words=WORDS)
    module = Module(net, [1, 2])
    x = torch.stack([tokens(5, 3), tokens(4, 4).new_zeros(2, 5)])
    x[1, :, :4] = tokens(4, 4)
    wide = torch.cat([x, torch.zeros(2, 2, 9, dtype=torch.int64)], -1)
    assert torch.equal(module(x).logits, module(wide).logits)
    alone = Module(net, [2])
    assert torch.equal(module(x).logits[1:], alone(x[1:, :, :4]).logits)


def test_texts_are_mixed_at_features_or_at_embeddings():
    net = from_torch(Mean, (30,), 3, words=WORDS)
    x = tokens(5, 3, 4)[None]

    def mix(values):
        return 0.7 * values + 0.3 * values.flip(1)

    pooled = Module(net, [1], mix_at="pooled")
    features = pooled.trunk(x)
    assert torch.equal(pooled.mixed(x, mix).logits, pooled.head(mix(features)))
    early = Module(net, [1], mix_at="embeddings")
    model = Mean()
    values = {name: leaf[0].detach() for name, leaf in early.parameters.items()}
    model.load_state_dict(values)
    expected = model(mix(model(x[0], embed=True)[None])[0])
    torch.testing.assert_close(early.mixed(x, mix).logits[0], expected)
    early.mixed(x, mix).logits.sum().backward()
    table = early.parameters["table.weight"].grad[0]
    assert set(table.abs().sum(1).nonzero().flatten().tolist()) == set(x.unique().tolist()) - {0}


def test_numbers_are_mixed_as_they_are():
    net = from_torch(lambda: nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3)), (4,), 3)
    module, x = Module(net, [1, 2]), torch.randn(2, 6, 4)
    mixed = module.mixed(x, lambda v: 0.5 * v + 0.5 * v.flip(1)).logits
    assert torch.equal(mixed, module(0.5 * x + 0.5 * x.flip(1)).logits)


@pytest.mark.parametrize(
    ("make", "message"),
    [(Wrong, "not 1 where a token is"), (Other, "is not that of the tokens")],
)
def test_a_module_with_wrong_embeddings_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        from_torch(make, (30,), 3, words=WORDS)


def test_embeddings_that_cannot_be_mixed_are_a_sentence():
    class Plain(Mean):
        embeds = False

    module = Module(from_torch(Plain, (9,), 3, words=WORDS), [1], mix_at="embeddings")
    with pytest.raises(ValueError, match="Use mix_at=pooled"):
        module.mixed(tokens(3, 2)[None], lambda v: v)
