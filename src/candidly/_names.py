"""Looking names up in the explicit tables."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TypeVar

Value = TypeVar("Value")


def nearest(name: str, names: Iterable[str]) -> str:
    """How to end a sentence about an unknown name: ``; did you mean 'X'?``, or a full stop."""
    by_folded = {_fold(known): known for known in names}
    close = difflib.get_close_matches(_fold(name), by_folded, n=1, cutoff=0.5)
    return f"; did you mean {by_folded[close[0]]!r}?" if close else "."


def lookup(table: Mapping[str, Value], name: str, what: str) -> tuple[str, Value]:
    """The table's own spelling of ``name`` and its entry, whatever the case and punctuation.

    Raises:
        KeyError: nothing of that name; the message suggests the nearest one and lists the rest.
    """
    by_folded = {_fold(known): known for known in table}
    known = by_folded.get(_fold(name))
    if known is None:
        choices = ", ".join(table)
        raise UnknownName(f"no {what} named {name!r}{nearest(name, table)} Choose from: {choices}.")
    return known, table[known]


def _fold(name: str) -> str:
    # a plus is part of a name: ELR and ELR+ are two
    return "".join(c for c in name.lower() if c.isalnum() or c == "+")


class UnknownName(KeyError):
    """A name that is in no table. Prints as its message, without KeyError's quotes."""

    def __str__(self) -> str:
        return str(self.args[0])
