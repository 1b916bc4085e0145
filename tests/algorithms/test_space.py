"""Hyper-parameter draws against the benchmark's own vectors (specification, section 6)."""

import pytest

from candidly.algorithms import algorithm, configuration
from candidly.algorithms._space import COMMON, one_of, power_of_ten, power_of_two

COMMON_VECTORS = {
    (1, 0): (1.1906162909e-4, 9.7431077810e-5, 128),
    (2, 0): (3.2079291369e-4, 6.0352033553e-4, 64),
    (1, 1): (9.2420786366e-5, 1.6797314086e-6, 32),
    (3, 0): (4.0753017105e-4, 5.8202860296e-6, 128),
}


@pytest.mark.parametrize(("where", "expected"), COMMON_VECTORS.items())
def test_common_draws(where, expected):
    drawn = configuration(COMMON, *where)
    assert (drawn["lr"], drawn["weight_decay"]) == pytest.approx(expected[:2], rel=1e-9)
    assert drawn["batch_size"] == expected[2]


def test_draws_named_by_the_benchmarks_text():
    # the streams of POP and of image batches, which have published vectors too
    space = {
        "window": one_of(5, (3, 4, 5, 6, 7), "rollWindow"),
        "warm_up": one_of(20, (10, 15, 20)),
        "theta": power_of_ten(1e-3, -4.5, -2.5),
        "inc": power_of_ten(1e-3, -4.5, -2.5),
        "images": power_of_two(256, 6, 9, "batch_size"),
    }
    drawn = configuration(space, 1, 0)
    assert (drawn["window"], drawn["warm_up"], drawn["images"]) == (7, 20, 256)
    assert drawn["theta"] == pytest.approx(1.4598643689e-4, rel=1e-9)
    assert drawn["inc"] == pytest.approx(2.1990780534e-3, rel=1e-9)
    assert configuration(space, 2, 0)["window"] == 3


def test_lws_draws():
    space = algorithm("LWS").settings()
    assert [configuration(space, c, 0)["beta"] for c in (0, 1, 2)] == [2, 1, 1]


def test_configuration_0_is_the_defaults_on_every_split():
    defaults = configuration(COMMON, 0, 0)
    assert defaults == {"lr": 1e-3, "weight_decay": 1e-5, "batch_size": 128}
    assert configuration(COMMON, 0, 4) == defaults


def test_common_draws_are_shared_by_all_algorithms():
    drawn = [configuration(algorithm(n).settings(), 7, 3) for n in ("PRODEN", "LWS", "CC")]
    assert len({(d["lr"], d["weight_decay"], d["batch_size"]) for d in drawn}) == 1
