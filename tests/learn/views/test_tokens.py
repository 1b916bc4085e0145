"""Views of texts: words left out at random."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from candidly.ground.seeds import words
from candidly.learn.views import view_of_tokens

SPECIAL = (29, 30)


def draw(rows, seed=0):
    return lambda block: words(seed, "view", 3, np.asarray(rows), block)


def texts(*lengths, seed=0):
    g = np.random.default_rng(seed)
    found = np.zeros((len(lengths), max(lengths)), np.int64)
    for row, length in enumerate(lengths):
        found[row, :length] = g.integers(1, 29, length)
    return torch.from_numpy(found)


@pytest.mark.parametrize(
    ("name", "rate"), [("drop-words:0.3", 0.3), ("strong", 0.2), ("distill", 0.1)]
)
def test_each_word_is_left_out_with_its_chance(name, rate):
    ids = texts(*[40] * 500)
    seen = view_of_tokens(name)(ids, draw(range(500)))
    share = 1 - float((seen > 0).double().mean())
    assert abs(share - rate) < 4 * (rate * (1 - rate) / 20_000) ** 0.5


def test_what_is_kept_stays_in_order_with_padding_behind():
    ids = torch.arange(1, 29)[None].expand(50, 28).contiguous()
    seen = view_of_tokens("strong")(ids, draw(range(50)))
    assert seen.shape == ids.shape
    for row in seen:
        kept = row[row > 0]
        assert (kept.diff() > 0).all()
        assert not row[len(kept) :].any()
    assert len({tuple(row.tolist()) for row in seen}) > 40


def test_special_ones_are_kept_and_no_text_is_left_without_a_word():
    ids = texts(1, 2, 3)
    ids[:, 0] = 29
    ids[2, 2] = 30
    seen = [view_of_tokens("drop-words:0.95", SPECIAL)(ids, draw(range(3), s)) for s in range(50)]
    for one in seen:
        assert (one[:, 0] == 29).all()
        assert (one[2] == 30).sum() == 1
        assert ((one > 0) & (one != 29) & (one != 30)).any(1).tolist() == [False, True, True]


def test_a_row_depends_on_itself_alone_whatever_stands_beside_it():
    ids = texts(7, 12, 5)
    change = view_of_tokens("drop-words:0.4")
    whole = change(ids, draw([4, 9, 2]))
    alone = change(ids[:1, :7], draw([4]))
    wide = change(torch.nn.functional.pad(ids, (0, 9)), draw([4, 9, 2]))
    assert torch.equal(alone[0], whole[0, :7])
    assert torch.equal(wide[:, :12], whole)
    assert torch.equal(change(ids, draw([4, 9, 2])), whole)
    assert not torch.equal(change(ids, draw([4, 9, 2], seed=1)), whole)


def test_dropout_leaves_the_words_to_the_network():
    ids = texts(4, 2)
    for name in ("plain", "weak", "dropout"):
        assert view_of_tokens(name)(ids, draw([0, 1])) is ids


def test_a_view_of_pictures_is_none_of_texts():
    with pytest.raises(ValueError, match="texts have no view 'autoaugment'"):
        view_of_tokens("autoaugment")
