import numpy as np
import pytest

from candidly.ground.numbers import count_of, whole


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), np.array(3)])
def test_whole_numbers_pass_as_ints(value):
    assert whole(value, "workers", 1, 3) == 3
    assert type(whole(value, "workers")) is int


@pytest.mark.parametrize(
    "value",
    [True, np.True_, np.array(True), 1.5, 2.0, np.float32(2), "2", b"2", None, [2], np.array([2])],
    ids=repr,
)
def test_what_is_no_whole_number_is_refused_by_name_and_value(value):
    with pytest.raises(ValueError, match=r"^workers is ") as refused:
        whole(value, "workers", low=1)
    shown = value.item() if getattr(value, "shape", None) == () else value
    assert f"workers is {shown!r}, but" in str(refused.value)
    assert "a whole number of at least 1" in str(refused.value)


@pytest.mark.parametrize(
    ("value", "low", "high", "allowed"),
    [
        (0, 1, None, "must be a whole number of at least 1"),
        (9, None, 8, "must be a whole number of at most 8"),
        (9, 1, 8, "must be a whole number from 1 to 8"),
        (-1, 0, 8, "must be a whole number from 0 to 8"),
    ],
)
def test_the_bounds_are_named(value, low, high, allowed):
    with pytest.raises(ValueError, match=allowed):
        whole(value, "k", low, high)


def test_there_need_be_no_bounds():
    assert whole(-(10**30), "k") == -(10**30)
    with pytest.raises(ValueError, match=r"k is 'x', but must be a whole number$"):
        whole("x", "k")


def test_one_thing_is_no_plural():
    assert [count_of(n, "label") for n in (0, 1, 2000)] == ["0 labels", "1 label", "2,000 labels"]
    assert count_of(1, "class", "classes") == "1 class"
    assert count_of(3, "class", "classes") == "3 classes"
