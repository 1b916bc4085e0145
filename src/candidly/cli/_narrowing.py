"""Candidate sets narrowed before they are written or learned from: the option, and the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from ..data.ingest import Roles
from ._progress import reading
from ._types import share
from ._words import held

if TYPE_CHECKING:
    from ..data.labels.labelled import Labelled
    from ..learn.model import Narrowed

MASS = 0.95  # where nothing is said
Mass = Annotated[
    Any,
    share(
        "Of a set those candidates stay, the likeliest first, that have this share of what the "
        "probabilities give to it. (default: 0.95)"
    ),
]


def narrowed_by(data: Labelled, by: str, mass: float | None, roles: Roles) -> Narrowed:
    """The candidate sets that stay; what was assumed of the file is told behind."""
    from ..learn.model import narrow

    with held(), reading("encoding", "encoded") as watch:
        return narrow(data, by, MASS if mass is None else mass, roles=roles, watch=watch)
