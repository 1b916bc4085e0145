import numpy as np
import pytest

from candidly.seeds import draw, hashed


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
