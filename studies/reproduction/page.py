"""docs/studies/reproduction.md: what it says, section by section, and the figures beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from candidly.show.words import listed
from studies.kit.words import prose

from .agreement import CONFIGS, beside_published
from .numbers import LIMIT, TITLES, Sources, compare
from .validation import validation_study
from .variants import variants
from .what_was_run import what_was_run

LIMITS = """Three of the benchmark's thirteen tables, those of the smallest real candidate sets;
    none of pictures was trained at its size. A number within two combined standard errors of the
    published one is not shown to be the same: on Lost such an error is three to four points. The
    splits are the benchmark's, so that what both share by chance is not seen."""


@dataclass(frozen=True)
class Page:
    text: str
    images: Mapping[str, str]  # file name -> SVG


def make_page(sources: Sources) -> Page:
    """The page and its figures: the same text from the same sources."""
    images: dict[str, str] = {}
    parts = [_introduction(sources), *what_was_run(sources)]
    for dataset in TITLES:
        parts += beside_published(sources, dataset, images)
    parts += variants(sources, images) + validation_study(sources, images)
    parts += ["## What this does not say", prose(LIMITS)]
    return Page("\n\n".join(parts) + "\n", images)


def _answer(sources: Sources) -> str:
    told = []
    for name, title in TITLES.items():
        sweep = sources.sweeps.get(name)
        if sweep is not None and (found := compare(sources.tables[name], sweep)):
            agree = sum(one.agrees for one in found)
            configs = sweep.settings["configs"]
            told.append(f"{agree} of {len(found)} numbers on {title} ({configs} configurations)")
    if not told:
        return "Nothing is there to compare yet."
    return f"""**By the released program's rules candidly comes within {LIMIT} combined standard
        errors of {listed(told)}.** The published numbers are of {CONFIGS} configurations; why
        others differ is said at each table, or that it is not explained."""


def _introduction(sources: Sources) -> str:
    return "\n\n".join(
        [
            "# Reproduction",
            prose(_answer(sources)),
            prose(
                """How candidly's numbers compare with the published ones of the benchmark it takes
                its protocol from (Wang et al., ICLR 2025), what the defects of that benchmark's
                program change, and what clean validation labels are better used for. Written by"""
            ),
            "```text\npython -m studies.reproduction\n```",
            prose(
                """from the results directories in `studies/reproduction/results` and from the
                published numbers in `candidly bench published`; only the reasons for disagreements
                are hand-written, in `studies/reproduction/explanations.toml`. A test compares the
                page with the committed results: `test_the_page_is_what_the_committed_results_say`.
                A row counts once all its planned runs are finished; until then the page shows how
                many are, and no accuracy. The accuracies are of the test rows, in percent."""
            ),
        ]
    )
