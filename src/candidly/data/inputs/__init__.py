"""Inputs as values: columns of different kinds and how they become numbers, and pictures.

Each has ``take(rows)`` and ``shape``. ``Table`` holds columns as they are; ``fit_encoding`` learns
from the training rows alone how they become numbers, and ``Encoding`` is what it learned, as plain
JSON. ``Pictures`` are pixels of one size, and stay so until a batch is made of them.
"""

from ._arrays import UNNAMED, as_inputs, checked_features, checked_inputs, kind_of_inputs
from ._columns import KINDS, as_kind, as_polars, parsed
from ._images import Pictures
from ._numerals import MISSING, check_thousands, looks_like_number, numerals
from ._table import Table
from .encoding import Encoding, Prepared, encoded, fit_encoding, prepare
from .kinds import InputKind

__all__ = [
    "KINDS",
    "MISSING",
    "UNNAMED",
    "Encoding",
    "InputKind",
    "Pictures",
    "Prepared",
    "Table",
    "as_inputs",
    "as_kind",
    "as_polars",
    "check_thousands",
    "checked_features",
    "checked_inputs",
    "encoded",
    "fit_encoding",
    "kind_of_inputs",
    "looks_like_number",
    "numerals",
    "parsed",
    "prepare",
]
