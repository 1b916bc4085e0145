"""An option of a sweep takes the numbers that its settings take, and no others."""

from __future__ import annotations

import math
from typing import get_args

import pytest

from candidly.cli._types import Bounded
from candidly.cli.bench.options import RUN
from candidly.compare.sweep.settings import Settings, make_settings

OPTIONS = {
    name: option.parser
    for name, (annotated, _) in RUN.items()
    for option in get_args(annotated)[1:]
    if name in Settings.model_fields and isinstance(option.parser, Bounded)
}


def taken(name, value):
    try:
        return getattr(make_settings(datasets=("lost",), algorithms=("CC",), **{name: value}), name)
    except ValueError:
        return None


def test_every_number_of_the_settings_has_an_option_with_bounds():
    numbers = {
        name
        for name, field in Settings.model_fields.items()
        if {int, float} & {field.annotation, *get_args(field.annotation)}
    }
    assert numbers == set(OPTIONS)


@pytest.mark.parametrize("name", OPTIONS)
def test_bounds_are_the_same(name):
    option = OPTIONS[name]
    whole = Settings.model_fields[name].annotation is not float
    step = 1 if whole else 1e-9
    open_ends = not whole
    for end, out in ((option.low, -1), (option.high, 1)):
        end = int(end) if whole else end
        inside, outside = end, end + out * step
        if open_ends:
            inside, outside = end - out * 1e-6, end
        assert taken(name, inside) == pytest.approx(inside)
        assert taken(name, outside) is None
        assert option(str(inside)) == pytest.approx(inside)
        with pytest.raises(Exception, match=str(math.trunc(abs(outside)))[:3]):
            option(repr(outside))
