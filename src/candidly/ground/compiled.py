"""Compiled loops: kept from run to run where there is a folder for it, and compiled afresh else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def compiler(**options: Any) -> Callable[[Callable], Any]:
    """A decorator that compiles a loop with these options of ``numba.njit``, without the GIL.

    Numba keeps what it compiled beside the file, in the user's cache folder, or in what
    NUMBA_CACHE_DIR names. Where none of them can be written it refuses; then each process compiles
    for itself. A folder in a place that all users share would do as well, were it not that what
    lies there is executed.
    """

    def decorate(function: Callable) -> Any:
        try:
            return numba.njit(nogil=True, cache=True, **options)(function)
        except RuntimeError:  # "no locator available": nowhere to keep it
            return numba.njit(nogil=True, **options)(function)

    return decorate
