"""The options of a data set's name, as tables that ``ground.spec`` reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...ground.spec import Reader, Spec, SpecError

Values = Mapping[str, int | str]  # '' where nothing is asked


@dataclass(frozen=True)
class NameOption:
    """One option of a data set's name.

    Args:
        summary: what it says, for people.
        default: its value where it is not written; '' for none.
        read: how its value is read; see ``ground.spec``.
        needs: the option without which it says nothing.
        resizes: whether it changes how many rows there are.
    """

    summary: str
    default: int | str
    read: Reader
    needs: str = ""
    resizes: bool = True


def read_options(options: Mapping[str, NameOption], asked: Spec) -> dict[str, int | str]:
    """All options of a data set, with the values that are asked for and else their defaults.

    Raises:
        SpecError: as ``Spec.options``, or an option without the one that it needs.
    """
    given = asked.options({key: option.read for key, option in options.items()})
    for key in given:
        needs = options[key].needs
        if needs and needs not in given:
            name = asked.name.text
            raise SpecError(
                f"{name}:{key}={given[key]} says nothing without {needs}; write for example"
                f" {name}:{needs}=3,{key}={given[key]}.",
                asked.whole,
                asked.name.place,
            )
    return {key: given.get(key, option.default) for key, option in options.items()}


def changed(options: Mapping[str, NameOption], values: Values) -> Values:
    """The options that are not as usual, in the order of the table."""
    return {key: values[key] for key, option in options.items() if values[key] != option.default}


def as_words(options: Mapping[str, NameOption]) -> dict[str, Any]:
    """For people and JSON: what each option says, and its value where it is not written."""
    return {
        key: option.summary + (f" (default: {option.default})" if option.default != "" else "")
        for key, option in options.items()
    }
