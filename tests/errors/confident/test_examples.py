"""The examples in docstrings, run."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest

from candidly.errors import confident

FOLDER = Path(confident.__file__).parent
MODULES = ["candidly.errors", "candidly.errors.estimator", "candidly.errors.confident"]
MODULES += [f"{confident.__name__}.{path.stem}" for path in sorted(FOLDER.glob("[!_]*.py"))]
MODULES += [f"{confident.__name__}.{path.stem}" for path in sorted(FOLDER.glob("_[!_]*.py"))]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"np": np}).failed == 0
