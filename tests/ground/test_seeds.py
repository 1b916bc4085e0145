import numpy as np
import pytest

from candidly.ground.seeds import draw, hashed, philox, words


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((0,), 1003224347),
        ((1,), 1051079061),
        ((2,), 366063960),
        ((1, 0), 785910682),
        ((1, 1), 1442673865),
        ((5, 2), 783820527),
        (("Lost", "PRODEN", 0, 0), 973119192),
        (("Lost", "PRODEN", 1, 0), 722568781),
    ],
)
def test_hashed_is_the_benchmarks(arguments, expected):
    assert hashed(*arguments) == expected


def test_draw_depends_on_seed_name_and_time_alone():
    first = draw(3, "order", 5).random(4)
    draw(3, "init").random(100)
    assert np.array_equal(first, draw(3, "order", 5).random(4))
    others = [draw(4, "order", 5), draw(3, "init", 5), draw(3, "order", 6)]
    assert not any(np.array_equal(first, other.random(4)) for other in others)


def hexadecimal(text):
    return [int(word, 16) for word in text.split()]


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ("0 0 0 0", "0 0", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        (
            "ffffffff ffffffff ffffffff ffffffff",
            "ffffffff ffffffff",
            "408f276d 41c83b0e a20bc7c6 6d5451fd",
        ),
        (
            "243f6a88 85a308d3 13198a2e 03707344",
            "a4093822 299f31d0",
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_philox_gives_the_published_answers(counter, key, expected):
    """Random123's kat_vectors, philox4x32 of 10 rounds."""
    found = philox(np.array(hexadecimal(counter)), np.array(hexadecimal(key)))
    assert found.tolist() == hexadecimal(expected)
    assert found.dtype == np.uint32


def test_words_of_a_row_do_not_depend_on_its_neighbours_or_its_place():
    rows = np.array([[5, 900, 7], [7, 5, 2**32 - 1]])
    seeds = np.array([[3], [2**40 + 3]])
    found = words(seeds, "view weak 0 0", 12, rows)
    assert found.shape == (2, 3, 4)
    for k in range(2):
        for j in range(3):
            alone = words(seeds[k, 0], "view weak 0 0", 12, rows[k, j])
            assert np.array_equal(found[k, j], alone)
    assert np.array_equal(words(3, "a", 1, rows[1]), words(3, "a", 1, rows[1, ::-1])[::-1])


def test_several_blocks_of_words_at_once_are_each_of_them():
    seeds, rows, blocks = np.array([3, 2**40 + 3, 5]), np.array([5, 900, 7]), np.array([[0], [9]])
    found = words(seeds, "x", 12, rows, blocks)
    assert found.shape == (2, 3, 4)
    for block, each in zip((0, 9), found):
        assert np.array_equal(each, words(seeds, "x", 12, rows, block))


def test_words_depend_on_everything_they_are_named_by():
    first = words(3, "x", 5, 7)
    others = [
        *(words(4, "x", 5, 7), words(2**32 + 3, "x", 5, 7), words(3, "y", 5, 7)),
        *(words(3, "x", 6, 7), words(3, "x", 5, 8), words(3, "x", 5, 7, block=1)),
    ]
    assert not any(np.isin(first, other).any() for other in others)
