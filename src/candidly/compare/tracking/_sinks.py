"""Sinks by name, as a person writes them: ``tensorboard:FOLDER``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ground.spec import read
from ._follow import Sink
from ._tensorboard import TensorBoardSink

SINKS: Mapping[str, Callable[[str], Sink]] = {"tensorboard": TensorBoardSink}


def make_sink(text: str) -> Sink:
    """The sink that a text names.

    Args:
        text: a name of ``SINKS``, a colon, and where it writes.

    Raises:
        UnknownName: there is none of that name; suggests the nearest.
        ValueError: nothing says where it writes.
        ModuleNotFoundError: it needs a package that is not there.
    """
    asked = read(text, "tracker", "tensorboard:FOLDER")
    name, make = asked.lookup(SINKS, "tracker")
    return make(asked.argument(f"{name}:FOLDER"))
