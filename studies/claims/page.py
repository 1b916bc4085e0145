"""Pages of claims: what all of them come to, and a page a paper, with a paragraph a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from candidly.show.words import listed
from studies.kit.template import rendered
from studies.kit.words import grid

from .judging import (
    FIXED,
    HALF,
    HOLDS,
    LARGE,
    LEAST,
    LEVEL,
    MANY,
    MARGIN,
    NOT,
    UNTOLD,
    Finding,
)
from .on_published import READ, Read
from .table import DATA_SETS, NOTHING, ONE_CASE, Claimed, Paper

PAGE, FOLDER = "studies/claims.md", "studies/claims"
COMMAND = "python -m studies.claims"
OPEN = "not measured"
VERDICTS = (HOLDS, NOT, UNTOLD, FIXED, OPEN)

Findings = Mapping[str, Finding | None]  # by claim; None where there are no results yet


def make_pages(
    papers: Sequence[Paper], claims: Sequence[Claimed], findings: Findings
) -> dict[str, str]:
    """The pages' texts, by their places in docs."""
    published = {name: read() for name, read in READ.items()}
    values = {
        "command": COMMAND,
        "claims": claims,
        "count": _counts(claims, findings),
        "summary": _summary(papers, claims, findings),
        "published": published,
        "stand": sum(one.stands for one in published.values()),
        "published_table": _published(claims, published),
        "level": LEVEL,
        "least": LEAST,
        "margin": MARGIN,
        "large": LARGE,
        "half": HALF,
        "many": MANY,
    }
    pages = {PAGE: rendered(Path(__file__).with_name("page.md"), values)}
    for paper in papers:
        own = [claim for claim in claims if claim.paper == paper.key]
        pages[page_of(paper)] = _of_paper(paper, own, findings)
    return pages


def _counts(claims: Sequence[Claimed], findings: Findings) -> dict[str, int]:
    return dict.fromkeys(VERDICTS, 0) | Counter(verdict_of(claim, findings) for claim in claims)


def page_of(paper: Paper) -> str:
    """Where a paper's page is, in docs."""
    return f"{FOLDER}/{paper.key}.md"


def verdict_of(claim: Claimed, findings: Findings) -> str:
    found = findings.get(claim.id)
    return OPEN if found is None else found.verdict


def _summary(papers: Sequence[Paper], claims: Sequence[Claimed], findings: Findings) -> str:
    rows = []
    for paper in papers:
        own = Counter(verdict_of(c, findings) for c in claims if c.paper == paper.key)
        link = f"[{paper.title}]({page_of(paper).removeprefix('studies/')})"
        rows.append([link, *(str(own[name]) for name in VERDICTS)])
    return grid(["Paper", *VERDICTS], rows)


def _published(claims: Sequence[Claimed], found: Mapping[str, Read]) -> str:
    """What the numbers that the papers printed say, before any of ours."""
    statements = {claim.id: claim.statement for claim in claims}
    rows = [
        [name, statements[name], one.tables, one.counts, "yes" if one.stands else "**no**"]
        for name, one in found.items()
    ]
    return grid(["Claim", "Statement", "Tables", "In them", "So?"], rows, numbers=False)


def _of_paper(paper: Paper, claims: Sequence[Claimed], findings: Findings) -> str:
    rows = [
        [
            f"[{claim.id}](#{claim.id.lower()})" if findings.get(claim.id) else claim.id,
            claim.section,
            claim.statement,
            verdict_of(claim, findings),
        ]
        for claim in claims
    ]
    count = _counts(claims, findings)
    there = [(claim, one) for claim in claims if (one := findings.get(claim.id)) is not None]
    values = {
        "paper": paper,
        "claims": len(claims),
        "told": [f"*{name}* {many}" for name, many in count.items()],
        "command": COMMAND,
        "table": grid(["Claim", "Section", "Statement", "Verdict"], rows, numbers=False),
        "found": [(claim, one, _unit(claim, one)) for claim, one in there],
        "needs": [
            (claim.id, claim.needs.rstrip(".") or f"results of {listed(claim.results)}")
            for claim in claims
            if findings.get(claim.id) is None
        ],
    }
    return rendered(Path(__file__).with_name("paper.md"), values)


def _unit(claim: Claimed, found: Finding) -> str:
    """What is drawn again, and what would speak against the claim."""
    if claim.unit == NOTHING:
        return f"Cannot fail: {claim.fails}."
    of, against = "", "Fails if"
    if claim.unit == DATA_SETS:
        of, against = f" ({found.sets} here)", "Fails if, over data sets,"
    if claim.unit == ONE_CASE:
        against = "It could fail only if"
    return f"Unit: {claim.unit}{of}. {against} {claim.fails}."
