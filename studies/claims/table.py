"""The table of claims, claims.toml: what is claimed, where, and what could speak to it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DATA_SETS, ONE_CASE, FILES, NOTHING = "data sets", "one case", "these files", "nothing"
UNITS = (DATA_SETS, ONE_CASE, FILES, NOTHING)
FILE = Path(__file__).with_name("claims.toml")


@dataclass(frozen=True)
class Paper:
    """One of the papers.

    Attributes:
        key: as claims name it. title: of its part of the page. source: authors, title, venue.
    """

    key: str
    title: str
    source: str


@dataclass(frozen=True)
class Claimed:
    """One entry of the table.

    Attributes:
        section: of the paper. statement: in our own words.
        unit: what is drawn again where the claim is to hold elsewhere, one of ``UNITS``.
        fails: what would speak against it; of what cannot fail, why nothing can.
        measure: what would have to be measured.
        results: places in the repository, what can speak to it; none: ``needs`` says what is
        lacking. rule: whether it is presumed by a contest's rule.
        numbers: published ones that the verdict needs.
    """

    id: str
    paper: str
    section: str
    statement: str
    unit: str
    fails: str
    measure: str
    results: tuple[str, ...]
    needs: str = ""
    rule: bool = False
    numbers: Mapping[str, Any] = field(default_factory=dict)


def read_claims(path: Path = FILE) -> tuple[list[Paper], list[Claimed]]:
    """Papers and claims, in the order of the file.

    Raises:
        ValueError: an id comes twice, a paper or a unit is unknown, or neither results nor needs
            are there.
    """
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    papers = [Paper(key, **about) for key, about in read["papers"].items()]
    claims = [Claimed(**{**entry, "results": tuple(entry["results"])}) for entry in read["claim"]]
    known, seen = {paper.key for paper in papers}, set()
    for claim in claims:
        if claim.id in seen:
            raise ValueError(f"{path}: the id {claim.id} comes twice. Give one of them another.")
        if claim.paper not in known:
            raise ValueError(f"{path}: {claim.id} is of {claim.paper!r}; name a paper above.")
        if claim.unit not in UNITS:
            raise ValueError(
                f"{path}: {claim.id} has the unit {claim.unit!r}; name one of {UNITS}."
            )
        if not claim.results and not claim.needs:
            raise ValueError(f"{path}: {claim.id} has no results; say in `needs` what is lacking.")
        seen.add(claim.id)
    return papers, claims
