"""Names of a package that load on first use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

Getattr = Callable[[str], Any]
Dir = Callable[[], list[str]]


def lazy(package: str, where: Mapping[str, str]) -> tuple[Getattr, Dir, list[str]]:
    """The ``__getattr__``, ``__dir__`` and ``__all__`` of a package whose names load on first use.

    Type checkers do not see them. They read the same names from imports under ``TYPE_CHECKING``,
    which ``tests/test_faces.py`` holds against ``where``.

    Args:
        package: its ``__name__``.
        where: public name -> the module, as seen from the package, that has it. Where the name is
            a module itself: '' if it lies in the package, ``ROOM.`` if it lies in that room.

    >>> get, names, everything = lazy("candidly.learn", {"fit": "model", "nets": ""})
    >>> get("fit").__name__, get("nets").__name__, everything
    ('fit', 'candidly.learn.nets', ['fit', 'nets'])
    """

    def get(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        holder = where[name]
        if not holder or holder.endswith("."):
            value = import_module(f"{package}.{holder}{name}")
        else:
            value = getattr(import_module(f"{package}.{holder}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *where})

    return get, names, sorted(where)
