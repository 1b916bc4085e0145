"""The option ``--hyper NAME=VALUE``."""

from __future__ import annotations

from typing import Annotated

import typer

from ..ground.spec import figure, pairs

HELP = (
    "Give a hyper-parameter this value, such as noise_rate=0.4, instead of a default or a drawn "
    "one; repeat it, or use commas"
)
Hyper = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help=f"{HELP}.",
    ),
]
HyperByData = Annotated[
    list[str] | None,
    typer.Option(
        "--hyper",
        metavar="[DATA/]NAME=VALUE",
        help=f"{HELP}; on one data set: lost/noise_rate=0.1.",
    ),
]


def hyper_of(texts: list[str] | None) -> dict[str, int | float]:
    """Values by name.

    Raises:
        ValueError: no name, no number, or a name twice.
    """
    return pairs(",".join(texts), "--hyper", figure) if texts else {}
