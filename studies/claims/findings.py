"""Which function speaks to which claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from . import (
    on_both,
    on_errors,
    on_models,
    on_people,
    on_pictures,
    on_sources,
    on_tables,
    on_tables_criteria,
    on_tables_programs,
    on_texts,
    on_texts_more,
)
from .judging import Finding, by_unit
from .shelf import Shelf
from .table import Claimed

FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    **on_tables.FINDINGS,
    **on_tables_criteria.FINDINGS,
    **on_tables_programs.FINDINGS,
    **on_pictures.FINDINGS,
    **on_people.FINDINGS,
    **on_both.FINDINGS,
    **on_errors.FINDINGS,
    **on_models.FINDINGS,
    **on_texts.FINDINGS,
    **on_texts_more.FINDINGS,
    **on_sources.FINDINGS,
}


def find(shelf: Shelf, claims: Sequence[Claimed]) -> dict[str, Finding | None]:
    """What is there for each claim; None where the results that would speak to it are not."""
    return {claim.id: _find(shelf, claim) for claim in claims}


def _find(shelf: Shelf, claim: Claimed) -> Finding | None:
    if claim.id not in FINDINGS or not any(map(shelf.there, claim.results)):
        return None
    found = FINDINGS[claim.id](shelf)
    return None if found is None else by_unit(found, claim.unit)
