"""Hyper-parameter draws against the benchmark's own vectors (specification, section 6)."""

import numpy as np
import pytest

from candidly.learn.algorithms import ALGORITHMS, algorithm, common, configuration
from candidly.learn.algorithms._space import COMMON, one_of, power_of_two


def labels_of(page):
    return (page.name, *(f"{page.name}:{variant}" for variant in page.variants))


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


PICTURES = {(0, 0): 256, (1, 0): 256, (2, 0): 128, (1, 1): 64}  # twice a table's


@pytest.mark.parametrize(("where", "batch"), PICTURES.items())
def test_pictures_come_in_larger_batches_and_differ_in_nothing_else(where, batch):
    drawn = configuration(algorithm("CC").settings(common(kind="images")), *where)
    assert drawn == configuration(algorithm("CC").settings(), *where) | {"batch_size": batch}


def test_batches_of_pictures_are_64_128_or_256():
    space = common(kind="images")
    drawn = [configuration(space, config, 0)["batch_size"] for config in range(1, 200)]
    assert set(drawn) == {64, 128, 256}


def test_other_optimisers_have_rates_of_their_own_scale():
    sgd, adamw, adam = (configuration(common(name), 0, 0) for name in ("sgd", "adamw", "adam"))
    assert adam == configuration(COMMON, 0, 0)
    assert sgd == {"lr": 0.05, "weight_decay": 5e-4, "batch_size": 128}
    assert adamw == adam | {"weight_decay": 1e-2}
    drawn = [configuration(common("sgd"), config, 0) for config in range(1, 200)]
    assert all(10**-2.5 <= one["lr"] < 10**-0.5 for one in drawn)
    assert all(10**-4.5 <= one["weight_decay"] < 10**-2.5 for one in drawn)
    assert {one["batch_size"] for one in drawn} == {32, 64, 128}


def test_a_page_may_have_a_rate_of_its_own_under_any_recipe():
    assert algorithm("sgd-ema").settings(common("sgd"))["lr"].default == 0.1


DRAWN = {
    # algorithm: (defaults, draws of (1, 0), draws of (2, 0))
    "LWS": ({"beta": 2}, {"beta": 1}, {"beta": 1}),
    "POP": (
        {"window": 5, "warm_up": 20, "theta": 1e-3, "inc": 1e-3},
        {"window": 7, "warm_up": 20, "theta": 1.4598643689e-4, "inc": 2.1990780534e-3},
        {"window": 3, "warm_up": 20, "theta": 4.7638e-4, "inc": 4.7118e-4},
    ),
    "IDGP": ({"warm_up": 10}, {"warm_up": 20}, {"warm_up": 10}),
    "VALEN": (
        {"warm_up": 1000, "neighbours": 3},
        {"warm_up": 2000, "neighbours": 3},
        {"warm_up": 3000, "neighbours": 4},
    ),
    "FREDIS": (
        {"inc": 1e-6, "dec": 1e-6, "times": 2, "change_size": 500}
        | {"interval": 20, "lam": 10, "alpha": 1},
        {"inc": 1e-6, "dec": 1e-2, "times": 1, "change_size": 500}
        | {"interval": 10, "lam": 10, "alpha": 1e-3},
        {"inc": 1e-3, "dec": 1e-1, "times": 1, "change_size": 100}
        | {"interval": 10, "lam": 1, "alpha": 1},
    ),
    "ABLE": (
        {"size": 128, "weight": 1, "temperature": 0.07},
        {"size": 128, "weight": 1, "temperature": 0.03},
        {"size": 64, "weight": 1, "temperature": 0.03},
    ),
    "DIRK": (
        {"size": 128, "queue": 8192, "warm_up": 178, "momentum": 0.99, "weight": 1}
        | {"dist_temperature": 0.4, "feat_temperature": 0.07},
        {"size": 128, "queue": 4096, "warm_up": 178, "momentum": 0.5, "weight": 0.7}
        | {"dist_temperature": 0.6, "feat_temperature": 0.05},
        {"size": 64, "queue": 4096, "warm_up": 178, "momentum": 0.9, "weight": 1}
        | {"dist_temperature": 0.6, "feat_temperature": 0.07},
    ),
}


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("config", [0, 1, 2])
def test_draws_of_each_algorithm_are_the_benchmarks(name, config):
    space = algorithm(name).settings()
    drawn = configuration(space, config, 0)
    for what, expected in DRAWN[name][config].items():
        assert drawn[what] == pytest.approx(expected, rel=1e-4), what
    assert set(space) == {*COMMON, *DRAWN[name][0]}


def test_image_batches_are_drawn_from_the_same_stream():
    assert configuration({"b": power_of_two(256, 6, 9, "batch_size")}, 1, 0) == {"b": 256}


def test_the_printed_default_of_valen_is_there_by_name():
    defaults = configuration(algorithm("VALEN:table8").settings(), 0, 0)
    assert defaults["warm_up"] == 5000
    drawn = [configuration(algorithm(n).settings(), 3, 1) for n in ("VALEN", "VALEN:table8")]
    assert drawn[0] == drawn[1]


def test_configuration_0_is_the_defaults_on_every_split():
    defaults = configuration(COMMON, 0, 0)
    assert defaults == {"lr": 1e-3, "weight_decay": 1e-5, "batch_size": 128}
    assert configuration(COMMON, 0, 4) == defaults


def test_common_draws_are_shared_by_all_algorithms():
    drawn = [configuration(algorithm(n).settings(), 7, 3) for n in ("PRODEN", "LWS", "CC")]
    assert len({(d["lr"], d["weight_decay"], d["batch_size"]) for d in drawn}) == 1


@pytest.mark.parametrize(
    ("within", "inside", "outside"),
    [
        ("[0, 1)", (0, 0.5, 0.999), (-1e-9, 1, 2)),
        ("(0, 1]", (1e-9, 1), (0, -1, 1.01)),
        ("(-inf, 1)", (-100, 0.9), (1,)),
        ("", (-1e30, 0, 1e30), ()),
    ],
)
def test_values_must_lie_in_their_interval(within, inside, outside):
    setting = one_of(0.5, (0.5,), within=within)
    for value in inside:
        setting.check("x", value)
    for value in outside:
        with pytest.raises(ValueError, match=f"x is {value:g}; it must lie in") as refused:
            setting.check("x", value)
        assert within in str(refused.value)
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="finite"):
            setting.check("x", value)


def test_batch_sizes_are_whole_numbers_of_python_or_numpy():
    setting = algorithm("CC").settings()["batch_size"]
    for size in (1, 32, np.int64(32), np.uint8(7)):
        setting.check("batch_size", size)
    for size in (32.0, 32.5, np.float32(32)):
        with pytest.raises(ValueError, match=r"batch_size is 32.*; give a whole number"):
            setting.check("batch_size", size)


# hyper-parameters whose values are whole numbers in every search, and need not be
REAL = {"alpha", "beta", "cap", "lam", "lambda_u", "lr_u", "lr_v", "scale", "weight_decay_row"}
COUNTS = [
    (label, name, setting)
    for page in ALGORITHMS.values()
    for label in labels_of(page)
    for name, setting in algorithm(label).settings().items()
    if isinstance(setting.default, int) and name not in REAL
]


@pytest.mark.parametrize(("label", "name", "setting"), COUNTS)
def test_a_count_is_a_whole_number_in_its_interval(label, name, setting):
    setting.check(name, 2)
    with pytest.raises(ValueError, match=rf"^{name} is 2\.5; give a whole number\.$"):
        setting.check(name, 2.5)
    with pytest.raises(ValueError, match=rf"^{name} is -1; it must lie in "):
        setting.check(name, -1)


@pytest.mark.parametrize("yes", [True, np.True_])
def test_true_is_no_number(yes):
    for name in ("lr", "batch_size"):
        with pytest.raises(ValueError, match=f"^{name} is True; give a number"):
            COMMON[name].check(name, yes)


def test_every_default_and_every_draw_lies_in_its_interval():
    pages = [algorithm(label) for page in ALGORITHMS.values() for label in labels_of(page)]
    for page in pages:
        for config in range(8):
            for name, value in configuration(page.settings(), config, 0).items():
                page.settings()[name].check(f"{page.label}'s {name}", value)
