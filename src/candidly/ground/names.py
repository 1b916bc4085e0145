"""Looking names up in the explicit tables."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeVar

Value = TypeVar("Value")


def nearest(name: str, names: Iterable[str]) -> str:
    """How to end a sentence about an unknown name: ``; did you mean 'X'?``, or a full stop."""
    by_folded = {folded(known): known for known in names}
    close = difflib.get_close_matches(folded(name)[:200], by_folded, n=1, cutoff=0.5)
    return f"; did you mean {by_folded[close[0]]!r}?" if close else "."


def lookup(table: Mapping[str, Value], name: str, what: str) -> tuple[str, Value]:
    """The table's own spelling of ``name`` and its entry, whatever the case and punctuation.

    Raises:
        KeyError: nothing of that name; the message suggests the nearest one and lists the rest.
        ValueError: no string.
    """
    named(name, what, next(iter(table), ""))
    known = same(table, name)
    if known is None:
        choices = ", ".join(table)
        raise UnknownName(
            f"no {what} named {shortened(name)}{nearest(name, table)} Choose from: {choices}."
        )
    return known, table[known]


def same(names: Iterable[str], name: str) -> str | None:
    """The one of ``names`` that means the same, whatever the case and punctuation; None for none.

    >>> same(["CAVL", "ELR", "ELR+"], "elr+"), same(["drop-words"], "Drop_Words"), same([], "x")
    ('ELR+', 'drop-words', None)
    """
    return {folded(known): known for known in names}.get(folded(name))


def named(name: object, what: str, example: str) -> str:
    """``name`` as it is, if it is a string.

    Raises:
        ValueError: something else, such as the thing itself in place of its name.
    """
    if not isinstance(name, str):
        raise ValueError(f"{what} is a {type(name).__name__}; give its name, such as {example!r}.")
    return name


def made_by(value: object, kinds: type | tuple[type, ...], name: str, maker: str) -> None:
    """Refuse an argument of another kind, and say what makes one of this kind.

    Raises:
        ValueError: it is another.
    """
    if not isinstance(value, kinds):
        raise ValueError(f"{name} is a {type(value).__name__}; make it with {maker}.")


@lru_cache(4096)
def folded(name: str) -> str:
    """A name without its case and punctuation, as names are looked up."""
    # a plus is part of a name: ELR and ELR+ are two
    return "".join(c for c in name.lower() if c.isalnum() or c == "+")


def shortened(value: object, most: int = 60) -> str:
    """What somebody wrote, as a message quotes it: of what is long, the beginning.

    >>> shortened("cat"), shortened("x" * 100, 5)
    ("'cat'", "'xxxxx…' (100 characters)")
    """
    said = repr(value)
    if len(said) <= most + 2:
        return said
    return f"{said[: most + 1]}…{said[-1]} ({len(str(value))} characters)"


class UnknownName(KeyError):
    """A name that is in no table. Prints as its message, without KeyError's quotes."""

    def __str__(self) -> str:
        return str(self.args[0])
