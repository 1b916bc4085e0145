"""The examples in docstrings, run."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest

from candidly import detectors

MODULES = sorted(path.stem for path in Path(detectors.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = (
        detectors
        if name == "__init__"
        else importlib.import_module(f"candidly.errors.detectors.{name}")
    )
    assert doctest.testmod(module, extraglobs={"np": np}).failed == 0
