"""The examples in docstrings, run."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest

from candidly import validation

MODULES = sorted(path.stem for path in Path(validation.__file__).parent.glob("_*.py"))


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    where = "candidly.people.validation" + ("" if name == "__init__" else f".{name}")
    module = importlib.import_module(where)
    assert doctest.testmod(module, extraglobs={"np": np}).failed == 0
