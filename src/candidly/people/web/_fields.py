"""What browsers send, read: numbers within bounds, forms with a bounded number of fields."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from urllib.parse import parse_qsl

from ...ground.names import shortened
from ..review import Rules

NUMBER = re.compile(r"[+-]?(\d{1,20}(\.\d{0,20})?|\.\d{1,20})(e[+-]?\d{1,3})?", re.ASCII | re.I)
OTHERS, OF_ITEM = 64, 8  # fields of a form, and of an item on it beside its labels
WHOLE = re.compile(r"\d{1,15}", re.ASCII)


def decimal(text: str, what: str, low: float = -math.inf, high: float = math.inf) -> float:
    """A finite number from ``low`` to ``high``.

    >>> decimal(" 2.5e1", "pay", 0, 100)
    25.0

    Raises:
        ValueError: none, or one beyond the bounds.
    """
    text = text.strip()
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise ValueError(f"{what} is {shortened(text)}, which is no number; write one like 12.5.")
    if not low <= value <= high:
        raise ValueError(f"{what} is {value:g}; it can be {low:g} to {high:g}.")
    return value


def whole(text: str, what: str) -> int:
    """A whole number from 0 on, of 15 digits at most.

    Raises:
        ValueError: none.
    """
    if not WHOLE.fullmatch(text):
        raise ValueError(f"{what} is {shortened(text)}, which is no whole number; write digits.")
    return int(text)


def small_form(rules: Rules) -> int:
    """Bytes of a form with a note of 2,000 characters of any alphabet."""
    return 32 * 1024


def card_form(rules: Rules) -> int:
    """Bytes of the form of a card, with a note about every item and all labels chosen."""
    return small_form(rules) + rules.batch * (32 * 1024 + 64 * len(rules.classes))


def form_fields(body: bytes, rules: Rules) -> Sequence[tuple[str, str]]:
    """Names and values of a form, in order.

    Raises:
        ValueError: more fields than a page of this project can hold.
    """
    most = OTHERS + rules.batch * (OF_ITEM + len(rules.classes))
    if body.count(b"&") >= most:
        raise ValueError(
            f"The form holds more fields than a page has, which are {most} at most; load the page"
            " again."
        )
    return parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)


def has_nul(values: Sequence[str]) -> bool:
    """Whether one of them holds a character of code 0, which PostgreSQL cannot keep."""
    return any("\0" in value for value in values)
