"""The option ``--hyper NAME=VALUE``."""

from __future__ import annotations

from typing import Annotated

import typer

Hyper = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Give a hyper-parameter this value, such as noise_rate=0.4, instead of a default or a "
        "drawn one; repeat it, or use commas.",
    ),
]


def hyper_of(texts: list[str] | None) -> dict[str, int | float]:
    """Values by name.

    Raises:
        ValueError: no name, or no number.
    """
    parts = [part for text in texts or () for part in text.split(",")]
    return dict(map(_value, parts))


def _value(text: str) -> tuple[str, int | float]:
    name, _, number = text.partition("=")
    try:
        return name.strip(), int(number) if number.strip().isdecimal() else float(number)
    except ValueError:
        raise ValueError(
            f"--hyper {text!r} is no NAME=VALUE with a number, such as noise_rate=0.4."
        ) from None
