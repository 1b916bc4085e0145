"""Sinks by name, as a person writes them: ``tensorboard:FOLDER``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ground.names import lookup
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
    name, colon, where = text.partition(":")
    name, make = lookup(SINKS, name, "tracker")
    if not (colon and where):
        raise ValueError(f"{text!r} does not say where to write. Write {name}:FOLDER.")
    return make(where)
