"""docs/studies/reproduction.md: what it says, section by section, and the figures beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from studies.kit.template import rendered

from .agreement import CONFIGS, beside_published
from .numbers import LIMIT, TITLES, Sources, compare
from .validation import validation_study
from .variants import variants
from .what_was_run import what_was_run


@dataclass(frozen=True)
class Page:
    text: str
    images: Mapping[str, str]  # file name -> SVG


def make_page(sources: Sources) -> Page:
    """The page and its figures: the same text from the same sources."""
    images: dict[str, str] = {}
    values = {
        "told": _told(sources),
        "limit": LIMIT,
        "configs": CONFIGS,
        "what_was_run": "\n\n".join(what_was_run(sources)),
        "beside": ["\n\n".join(beside_published(sources, name, images)) for name in TITLES],
        "variants": "\n\n".join(variants(sources, images)),
        "validation": "\n\n".join(validation_study(sources, images)),
    }
    return Page(rendered(Path(__file__).with_name("page.md"), values), images)


def _told(sources: Sources) -> list[str]:
    """How many numbers agree, by data set."""
    told = []
    for name, title in TITLES.items():
        sweep = sources.sweeps.get(name)
        if sweep is not None and (found := compare(sources.tables[name], sweep)):
            agree = sum(one.agrees for one in found)
            configs = sweep.settings["configs"]
            told.append(f"{agree} of {len(found)} numbers on {title} ({configs} configurations)")
    return told
