"""Pages of claims: what all of them come to, and a page a paper, with a paragraph a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from candidly.show.words import listed
from studies.kit.words import grid, prose

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
from .on_published import READ
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
    parts = [_head(claims, findings), _summary(papers, claims, findings)]
    pages = {PAGE: [*parts, _published(claims), _rule()]}
    for paper in papers:
        own = [claim for claim in claims if claim.paper == paper.key]
        pages[page_of(paper)] = _of_paper(paper, own, findings)
    return {name: "\n\n".join(parts) + "\n" for name, parts in pages.items()}


def page_of(paper: Paper) -> str:
    """Where a paper's page is, in docs."""
    return f"{FOLDER}/{paper.key}.md"


def verdict_of(claim: Claimed, findings: Findings) -> str:
    found = findings.get(claim.id)
    return OPEN if found is None else found.verdict


def _head(claims: Sequence[Claimed], findings: Findings) -> str:
    count = Counter(verdict_of(claim, findings) for claim in claims)
    return "\n\n".join(
        [
            "# What four papers claim, and what holds here",
            prose(
                f"""{len(claims)} takeaways, findings and conclusions of four papers, in our own
                words. Of these claims {count[HOLDS]} hold in the committed results, {count[NOT]} do
                not hold, {count[UNTOLD]} cannot be told from them, {count[FIXED]} cannot fail, and
                {count[OPEN]} have not been measured; each of these says what it would need."""
            ),
            f"Written by `{COMMAND}` from `studies/claims/claims.toml` and the results of "
            "`studies`; not edited by hand.",
            prose(
                """Where networks were trained, a verdict is about our set-up, which is smaller than
                the paper's: the networks are small, the trainings are short, and data sets are
                parts of theirs or others; what "does not hold" here may hold there. Where released
                votes and published counts were counted again, it is about these. Each verdict says
                what differs. Most of what cannot be told is general and was measured on one or two
                data sets: intervals within a data set say nothing of another one."""
            ),
        ]
    )


def _summary(papers: Sequence[Paper], claims: Sequence[Claimed], findings: Findings) -> str:
    rows = []
    for paper in papers:
        own = Counter(verdict_of(c, findings) for c in claims if c.paper == paper.key)
        link = f"[{paper.title}]({page_of(paper).removeprefix('studies/')})"
        rows.append([link, *(str(own[name]) for name in VERDICTS)])
    return grid(["Paper", *VERDICTS], rows)


def _published(claims: Sequence[Claimed]) -> str:
    """What the numbers that the papers printed say, before any of ours."""
    statements = {claim.id: claim.statement for claim in claims}
    found = {name: read() for name, read in READ.items()}
    rows = [
        [name, statements[name], one.tables, one.counts, "yes" if one.stands else "**no**"]
        for name, one in found.items()
    ]
    stands = sum(one.stands for one in found.values())
    return "\n\n".join(
        [
            "## What the papers' own tables say",
            prose(
                f"""Before any run of ours: {len(found)} claims that the tables printed in the same
                papers decide (`candidly bench published`). {stands} are so in them,
                {len(found) - stands} are not. These are counts of cells as printed, without
                intervals, and say nothing of other data; reasons that a claim gives besides are not
                decided. "Most" is more than half of the cells, "level" less than 1 point apart,
                "clear" more than 1, "large" and "considerable" more than 5; "every" takes each
                cell, "can" and "some" take one."""
            ),
            grid(["Claim", "Statement", "Tables", "In them", "So?"], rows, numbers=False),
        ]
    )


def _rule() -> str:
    return "\n\n".join(
        [
            "## How a verdict is reached",
            prose(
                f"""Each claim is turned into one or more effects, numbers with an interval of
                {100 * LEVEL:.0f} %. A claim *holds* where the whole interval lies where the claim
                has the effect (above 0, below 0, or nearer to 0 than a margin), *does not hold*
                where none of the interval lies there, and *cannot be told* otherwise. One function
                of `studies/claims/judging.py` decides; no verdict is written by hand."""
            ),
            prose(
                f"""For each claim it is written what would have to be drawn again to see whether it
                holds elsewhere, its *unit*, and what would speak against it. Both were committed
                before the verdicts were made from them; the list of claims was made before any
                verdict, and how an effect is measured was written by people who could see results.
                A general claim's unit is the *data set*: each counts once, intervals are Student's
                over data sets, and fewer than {LEAST} tell nothing. That something happens is shown
                by *one case*, whose interval allows for how many were looked at, and refuted by no
                number of them. A claim about *these files* is about counts and files that it names;
                nothing is drawn again. And some claims *cannot fail*: no result could speak against
                them, so that none speaks for them."""
            ),
            prose(
                f"""A claim about all of several cases holds where it holds in each, and does not
                where it does not in one; a claim that something happens holds where it does in
                one case, and does not where it does in none. The intervals of these cases hold
                together (Bonferroni). Over random splits of one data set, which share rows,
                intervals are those of `candidly.stats.corrected_t`; where all splits have the same
                test rows, those of `OneTestSet`. "Level" means less than
                {100 * MARGIN:.0f} point apart, "clear" more than that, "large" and "considerable"
                more than {100 * LARGE:.0f} points, "most" more than {100 * HALF:.0f} % and "many"
                more than {100 * MANY:.0f} % of cases. What is only counted has no interval and is
                simply compared; and what tests can show but their silence cannot refute holds or
                cannot be told. Claims that say nothing of levels or cases are judged by their
                mean."""
            ),
            prose(
                """Claims are also many: of a hundred intervals of 95 %, five may miss. A single
                verdict is no proof, and the effect with its interval says more than the word."""
            ),
        ]
    )


def _of_paper(paper: Paper, claims: Sequence[Claimed], findings: Findings) -> list[str]:
    rows = [
        [
            f"[{claim.id}](#{claim.id.lower()})" if findings.get(claim.id) else claim.id,
            claim.section,
            claim.statement,
            verdict_of(claim, findings),
        ]
        for claim in claims
    ]
    count = Counter(verdict_of(claim, findings) for claim in claims)
    told = ", ".join(f"*{name}* {count[name]}" for name in VERDICTS)
    parts = [
        f"# {paper.title}: what the paper claims, and what holds here",
        prose(f"Verdicts on {len(claims)} claims: {told}."),
        prose(
            f"""The paper is {paper.source}. What a verdict means is said in
            [Claims](../claims.md). Written by `{COMMAND}` from `studies/claims/claims.toml` and
            the results of `studies`; not edited by hand."""
        ),
        grid(["Claim", "Section", "Statement", "Verdict"], rows, numbers=False),
    ]
    for claim in claims:
        found = findings.get(claim.id)
        if found is not None:
            parts += paragraphs(claim, found)
    left = [claim for claim in claims if findings.get(claim.id) is None]
    if left:
        parts += ["## Not measured, and what is needed", _needs(left)]
    return parts


def paragraphs(claim: Claimed, found: Finding) -> list[str]:
    """What is said of one verdict."""
    said = f" {found.said}" if found.said else ""
    effects = f"{'; '.join(map(str, found.effects))}." if found.effects else ""
    verdict = found.verdict[0].upper() + found.verdict[1:]
    rule = " This is presumed by a rule of a contest, not claimed as a finding." * claim.rule
    return [
        f"## {claim.id}",
        prose(f"{claim.statement} **{verdict}.** {effects}{said}{rule}"),
        prose(_unit(claim, found)),
        prose(f"Data: {found.data}. Different from the paper: {found.differs}."),
        f"Trials: `{found.command}`",
    ]


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


def _needs(claims: Sequence[Claimed]) -> str:
    lines = [
        f"{claim.id}: {claim.needs.rstrip(chr(46)) or 'results of ' + listed(claim.results)}."
        for claim in claims
    ]
    return "\n".join("* " + prose(line).replace("\n", "\n  ") for line in lines)
