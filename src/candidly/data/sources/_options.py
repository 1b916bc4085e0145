"""Names of data sets with options: ``NAME:key=value,...``, read and written in one way."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...ground.names import UnknownName, nearest, shortened

Values = Mapping[str, int | str]  # '' where nothing is asked


@dataclass(frozen=True)
class NameOption:
    """One option of a data set's name.

    Args:
        summary: what it says, for people.
        default: its value where it is not written; '' for none.
        read: text -> value; raises ValueError with the end of a sentence, what it must be.
        needs: the option without which it says nothing.
        resizes: whether it changes how many rows there are.
    """

    summary: str
    default: int | str
    read: Callable[[str], int | str]
    needs: str = ""
    resizes: bool = True


def words(*known: str) -> Callable[[str], str]:
    """The reader of an option that is one of these words."""

    def read(text: str) -> str:
        if text not in known:
            raise ValueError(f"choose from {', '.join(known)}")
        return text

    return read


def number(low: int, high: int) -> Callable[[str], int]:
    """The reader of an option that is a whole number from low to high."""

    def read(text: str) -> int:
        plain = re.fullmatch("[0-9]{1,10}", text)
        if not plain or not low <= int(text) <= high:
            raise ValueError(f"give a whole number from {low} to {high}")
        return int(text)

    return read


def read_options(name: str, options: Mapping[str, NameOption], text: str) -> dict[str, int | str]:
    """All options of a data set, with the values in ``text`` and else their defaults.

    Raises:
        UnknownName: no such option; suggests the nearest and lists the rest.
        ValueError: no options at all, a value that an option cannot have, or one said twice.
    """
    if not options:
        raise ValueError(f"{name} has no options: leave out what stands behind its name.")
    given: dict[str, int | str] = {}
    for part in text.split(","):
        key, _, value = (one.strip() for one in part.partition("="))
        if key not in options:
            raise UnknownName(
                f"{name} has no option {shortened(key)}{nearest(key, options)} It has"
                f" {', '.join(options)}; candidly data show {name} explains them."
            )
        if key in given:
            raise ValueError(f"{name} says {key} twice.")
        try:
            given[key] = options[key].read(value)
        except ValueError as error:
            raise ValueError(f"{name}:{key}={shortened(value)[1:-1]}: {error}.") from None
    for key in given:
        needs = options[key].needs
        if needs and needs not in given:
            raise ValueError(
                f"{name}:{key}={given[key]} says nothing without {needs}; write for example"
                f" {name}:{needs}=3,{key}={given[key]}."
            )
    return {key: given.get(key, option.default) for key, option in options.items()}


def written(options: Mapping[str, NameOption], values: Values) -> str:
    """The options that are not as usual, in the order of the table: the one way to write them."""
    return ",".join(f"{key}={values[key]}" for key in changed(options, values))


def changed(options: Mapping[str, NameOption], values: Values) -> list[str]:
    """The options that are not as usual, in the order of the table."""
    return [key for key, option in options.items() if values[key] != option.default]


def names_in(texts: Sequence[str]) -> list[str]:
    """The names in texts where commas stand between names and between the options of one.

    >>> names_in(["lost,cifar10h:k=3,seed=1", "digits"])
    ['lost', 'cifar10h:k=3,seed=1', 'digits']
    """
    names: list[str] = []
    for text in texts:
        open_ = False  # whether the name before has options, which may go on
        for part in (part.strip() for part in text.split(",")):
            if open_ and re.match(r"[a-z]+\s*=", part):
                names[-1] += f",{part}"
            elif part:
                names.append(part)
                open_ = re.match(r"[\w .&!-]+:\s*[a-z]+\s*=", part) is not None
    return names


def as_words(options: Mapping[str, NameOption]) -> dict[str, Any]:
    """For people and JSON: what each option says, and its value where it is not written."""
    return {
        key: option.summary + (f" (default: {option.default})" if option.default != "" else "")
        for key, option in options.items()
    }
