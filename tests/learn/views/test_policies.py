"""What pictures draw from policies: how often, how much, and each by itself."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch

import _pillow_views as pillow
from candidly.ground.seeds import words
from candidly.learn.views import PICTURES, policies, policy_view, weak
from candidly.learn.views._draws import below, between
from candidly.learn.views.policies import AUTOAUGMENT, FIRST, FUNCTIONS, RANDAUGMENT, by_policy
from candidly.learn.written.policy import OPERATIONS, Operation
from pillow_pictures import by_pillow, pictures

VIEWS = ["strong", "strong-plench", "autoaugment"]


def drawing(rows, seed=3, when=7):
    return lambda block: words(seed, "x", when, np.asarray(rows), block)


def test_names_with_magnitudes_and_functions_are_the_same():
    assert list(FUNCTIONS) == list(OPERATIONS)
    assert set(pillow.OPERATIONS) == set(OPERATIONS)


@pytest.mark.parametrize("shape", [(3, 32, 32), (1, 9, 14)], ids=str)
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_policy_of_one_operation_is_pillows_anywhere_in_its_range(name, shape):
    m, possible = 40, OPERATIONS[name]
    low, high = (possible.low, possible.high) if possible else (0, 0)
    pixels, draw = pictures(m, shape), drawing(range(m))
    number = draw(FIRST)[:, 2]
    values = between(number, low, high)
    if possible and possible.whole:
        values = low + below(number, int(high - low) + 1)
    found = by_policy(((Operation(name, 1, low, high),),))(pixels, draw)
    assert torch.equal(found, by_pillow(pillow.OPERATIONS[name], pixels, values))
    for end in (low, high):
        found = by_policy(((Operation(name, 1, end, end),),))(pixels, draw)
        assert torch.equal(
            found, by_pillow(pillow.OPERATIONS[name], pixels, np.full(m, float(end)))
        )


OWN = (
    (Operation("rotate", 0.7, -40, 40), Operation("equalize", 0.5), Operation("invert")),
    (Operation("posterize", 0.9, 2, 5), Operation("brightness", 0.5, 0.5, 2, either=True)),
    (Operation("translate-x", 0.8, -0.4, 0.4),),
    (Operation("identity", 0.3),),
)


def slow(image, drawn, first_block=FIRST):
    """One picture through ``OWN``, as its words of each block say."""
    sub = OWN[int(drawn[first_block][0]) * len(OWN) >> 32]
    for number, one in enumerate(sub):
        _, chance, amount, _ = (int(word) for word in drawn[first_block + number])
        value = one.low + (one.high - one.low) * amount / 2**32
        if one.name == "posterize":
            value = one.low + (amount * int(one.high - one.low + 1) >> 32)
        if one.either:
            value = one.high if amount >= 2**31 else one.low
        if chance / 2**32 < one.probability:
            image = pillow.OPERATIONS[one.name](image, value)
    return image


def test_sub_policies_of_different_lengths_are_done_in_their_order():
    pixels, draw = pictures(200, (3, 12, 17)), drawing(range(200))
    before = pixels.clone()
    drawn = np.stack([draw(block) for block in range(FIRST + 3)], 1)

    def of_row(image, row):
        return slow(image, drawn[row])

    expected = by_pillow(of_row, pixels, np.arange(200))
    found = by_policy(OWN)(pixels, draw)
    assert torch.equal(found, expected)
    seen = weak(pixels, draw)
    assert torch.equal(policy_view(OWN)(pixels, draw), by_pillow(of_row, seen, np.arange(200)))
    assert torch.equal(pixels, before)
    assert by_policy(OWN)(pixels[:0], drawing([])).shape == (0, 3, 12, 17)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("shape", [(3, 32, 32), (1, 16, 20), (2, 8, 8)], ids=str)
def test_a_picture_does_not_depend_on_its_neighbours(view, shape):
    change, m = PICTURES[view], 60
    pixels, rows = pictures(m, shape), np.random.default_rng(1).permutation(1000)[:m]
    before = pixels.clone()
    found = change(pixels, drawing(rows))
    assert found.dtype == torch.uint8
    assert found.shape == pixels.shape
    assert torch.equal(pixels, before)
    order = np.random.default_rng(2).permutation(m)
    assert torch.equal(change(pixels[order], drawing(rows[order])), found[order])
    some = range(0, m, 4)
    alone = [change(pixels[i : i + 1], drawing(rows[i : i + 1])) for i in some]
    assert torch.equal(torch.cat(alone), found[::4])


# what is drawn, by functions that only note it

N = 30_000


class Notes:
    """Operations of a policy that change nothing, and note for which rows they were called."""

    def __init__(self, monkeypatch, change, n=N):
        self.calls = []

        def noting(name):
            def function(pixels, values=None):
                self.calls.append((name, pixels.flatten().numpy(), values))
                return pixels

            return function

        monkeypatch.setattr(policies, "FUNCTIONS", {name: noting(name) for name in FUNCTIONS})
        rows = torch.arange(n).view(n, 1, 1, 1)
        assert torch.equal(change(rows, drawing(range(n))), rows)

    def drawn(self):
        """Names (n, steps), and magnitudes, NaN where there is none."""
        steps, n = sum(len(rows) for _, rows, _ in self.calls) // N, N
        names, values = np.empty((n, steps), object), np.full((n, steps), np.nan)
        count = np.zeros(n, int)
        for name, rows, own in self.calls:
            names[rows, count[rows]] = name
            if own is not None:
                values[rows, count[rows]] = own
            count[rows] += 1
        assert (count == steps).all()
        return names, values


def close(counts, expected):
    """Whether counts of N are those of a share, to five standard deviations."""
    share = np.asarray(expected) / N
    return np.all(np.abs(counts - expected) <= 5 * np.sqrt(N * share * (1 - share)) + 1e-9)


def test_three_operations_are_drawn_uniformly_with_replacement(monkeypatch):
    change = policies.rand_augment()
    notes = Notes(monkeypatch, change)
    names, _ = notes.drawn()
    assert names.shape == (N, 3)
    assert len(notes.calls) == 3 * 14  # each operation once a draw, for all rows that drew it
    for step in range(3):
        counts = Counter(names[:, step])
        assert counts.keys() == RANDAUGMENT.keys()
        assert close(np.array([*counts.values()]), N / 14)
    for one, other in [(0, 1), (1, 2), (0, 2)]:
        pairs = Counter(zip(names[:, one], names[:, other]))
        assert len(pairs) == 14**2
        assert close(np.array([*pairs.values()]), N / 14**2)


@pytest.mark.parametrize("most_bits", [8, 7])
def test_magnitudes_are_uniform_over_their_ranges(monkeypatch, most_bits):
    ranges = RANDAUGMENT if most_bits == 8 else policies.RANDAUGMENT_PLENCH
    names, values = Notes(monkeypatch, policies.rand_augment(ranges)).drawn()
    expected = {  # spec 2.6
        "auto-contrast": None,
        "brightness": (0.05, 0.95),
        "color": (0.05, 0.95),
        "contrast": (0.05, 0.95),
        "equalize": None,
        "identity": None,
        "posterize": (4, most_bits),
        "rotate": (-30, 30),
        "sharpness": (0.05, 0.95),
        "shear-x": (-0.3, 0.3),
        "shear-y": (-0.3, 0.3),
        "solarize": (0, 256),
        "translate-x": (-0.3, 0.3),
        "translate-y": (-0.3, 0.3),
    }
    assert set(names.ravel()) == set(expected)
    for name, ends in expected.items():
        own = values[names == name]
        if ends is None:
            assert np.isnan(own).all()
            continue
        low, high = ends
        if name == "posterize":
            kinds, counts = np.unique(own, return_counts=True)
            assert kinds.tolist() == list(range(4, most_bits + 1))
            assert np.ptp(counts) < 5 * np.sqrt(2 * counts.mean())
            continue
        share = np.sort((own - low) / (high - low))
        assert share[0] >= 0
        assert share[0] < 0.003
        assert 0.997 < share[-1] < 1
        # largest distance to the uniform distribution: 2.2 is passed once in ten thousand times
        even = np.arange(len(share)) / len(share)
        assert np.abs(share - even).max() * np.sqrt(len(share)) < 2.2


def test_a_draws_magnitude_has_nothing_to_do_with_which_operation_or_with_the_next(monkeypatch):
    names, values = Notes(monkeypatch, policies.rand_augment()).drawn()
    both = (names[:, 0] == "rotate") & (names[:, 1] == "rotate")
    assert abs(np.corrcoef(values[both, 0], values[both, 1])[0, 1]) < 5 / np.sqrt(both.sum())


def test_autoaugment_draws_each_pair_as_often_and_each_operation_with_its_probability(monkeypatch):
    assert len(AUTOAUGMENT) == 25
    assert {len(pair) for pair in AUTOAUGMENT} == {2}
    names, values = Notes(monkeypatch, by_policy(AUTOAUGMENT)).drawn()
    chosen = below(drawing(range(N))(FIRST)[:, 0], 25)
    assert close(np.bincount(chosen), N / 25)
    for number, pair in enumerate(AUTOAUGMENT):
        mine = chosen == number
        for step, one in enumerate(pair):
            # a picture draws one of a pair's operations whether or not the other one is done
            done = mine & (names[:, step] == one.name)
            assert set(names[mine, step]) <= {one.name, "identity"}
            assert close(done.sum(), N / 25 * one.probability)
            own = np.unique(values[done, step])
            if one.probability and OPERATIONS[one.name]:
                assert own.tolist() == sorted({one.low, one.high})
                if one.either and one.low < one.high:
                    assert close((values[done, step] == one.low).sum(), done.sum() / 2)
    both = np.mean((names != "identity").all(1))
    assert abs(both - np.mean([a.probability * b.probability for a, b in AUTOAUGMENT])) < 0.015


# the paper's appendix: operation, probability in tenths, level; of two operations each
PAPERS = """
invert 1 7 contrast 2 6; rotate 7 2 translate-x 3 9; sharpness 8 1 sharpness 9 3; shear-y 5 8
translate-y 7 9; auto-contrast 5 8 equalize 9 2; shear-y 2 7 posterize 3 7; color 4 3 brightness
6 7; sharpness 3 9 brightness 7 9; equalize 6 5 equalize 5 1; contrast 6 7 sharpness 6 5; color
7 7 translate-x 5 8; equalize 3 7 auto-contrast 4 8; translate-y 4 3 sharpness 2 6; brightness 9
6 color 2 8; solarize 5 2 invert 0 3; equalize 2 0 auto-contrast 6 0; equalize 2 8 equalize 6 4;
color 9 9 equalize 6 6; auto-contrast 8 4 solarize 2 8; brightness 1 3 color 7 0; solarize 4 5
auto-contrast 9 3; translate-y 9 9 translate-y 7 9; auto-contrast 9 2 solarize 8 3; equalize 8 8
invert 1 3; translate-y 7 9 auto-contrast 9 1
"""


def test_autoaugments_pairs_are_the_papers():
    pairs = [pair.split() for pair in PAPERS.split(";")]
    assert (
        tuple(
            tuple(policies.at_level(n, int(p) / 10, int(k)) for n, p, k in (words[:3], words[3:]))
            for words in pairs
        )
        == AUTOAUGMENT
    )


@pytest.mark.parametrize(
    ("name", "level", "ends"),
    [
        ("rotate", 2, (-20 / 3, 20 / 3)),
        ("rotate", 9, (-30, 30)),
        ("shear-y", 9, (-0.3, 0.3)),
        ("translate-x", 9, (-10 / 32, 10 / 32)),
        ("brightness", 9, (0.1, 1.9)),
        ("color", 0, (1, 1)),
        ("sharpness", 3, (0.7, 1.3)),
        ("posterize", 7, (5, 5)),
        ("posterize", 9, (4, 4)),
        ("posterize", 0, (8, 8)),
        ("solarize", 9, (0, 0)),
        ("solarize", 0, (256, 256)),
        ("invert", 3, (0, 0)),
    ],
)
def test_autoaugments_ten_levels_span_its_ranges(name, level, ends):
    found = policies.at_level(name, 0.5, level)
    assert (found.low, found.high) == pytest.approx(ends)
    assert found.either == (name in policies.SIGNED)
    possible = OPERATIONS[name]
    if possible:
        assert possible.low <= found.low <= found.high <= possible.high


@pytest.mark.parametrize(("word", "share"), [(0, 2**-31), (2**32 - 1, 1 - 2**-32)])
def test_words_at_their_ends_do_nothing_of_probability_zero_and_all_of_one(word, share):
    pixels = torch.zeros(5, 1, 2, 2, dtype=torch.uint8)

    def inverted(probability):
        change = by_policy(((Operation("invert", probability),),))
        return (
            change(pixels, lambda blocks: np.full((len(blocks), 5, 4), word, np.uint32))
            .unique()
            .tolist()
        )

    assert inverted(0.0) == [0]
    assert inverted(1.0) == [255]
    assert inverted(share) == [255 if word == 0 else 0]
