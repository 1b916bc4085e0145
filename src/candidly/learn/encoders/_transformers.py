"""transformers, where it is installed, without what it prints while a folder is read."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...ground.extras import install
from ...ground.problem import Refusal

LOCAL = {"local_files_only": True, "trust_remote_code": False}  # of from_pretrained


@contextmanager
def quietly() -> Iterator[Any]:
    """The module.

    Raises:
        Refusal: it is not installed.
    """
    try:
        transformers = importlib.import_module("transformers")
    except ImportError:
        raise Refusal(
            "models in folders need the package transformers, which is not installed.",
            f"run {install('text')}",
        ) from None
    loud = transformers.utils.logging.get_verbosity()
    transformers.utils.logging.set_verbosity_error()
    try:
        yield transformers
    finally:
        transformers.utils.logging.set_verbosity(loud)
