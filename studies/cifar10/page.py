"""docs/studies/cifar10.md and its figures, from the committed report and what was trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from candidly.compare.stability import Report
from candidly.show.grid import Column, Grid
from candidly.show.words import in_percent
from studies.kit.rankings import figures, ranking, table
from studies.kit.template import rendered

from .beside import LINK_COLUMNS, LINK_NOTE, beside_published, from_the_table_alone, link_cells
from .models import NETWORKS, SCALES
from .published import OF, Link, link
from .sizes import IMAGE, SIZES, Training, signed, size_figure, sizes_of

PAGE = "studies/cifar10.md"
COMMAND = "python -m studies.cifar10"
FEWEST = 3  # networks whose sizes are known, for a correlation


def make_page(report: Report, made: Training) -> tuple[str, dict[str, str]]:
    """The page's text, and its figures as SVG by file name.

    Args:
        made: how the predictions came about: ``scale``, one of ``SCALES`` or another word where
            they were given; ``networks``, by name how each was trained, or nothing.
    """
    images = figures(report, IMAGE) | {f"{IMAGE}sizes.svg": size_figure(report, made)}
    values = {
        "command": COMMAND,
        "image": IMAGE,
        "ranking": ranking(report),
        "correlation": signed,
        "answer": answer(report, made),
        "reduced": made["scale"] == "reduced",
        "trained": _trained(report, made["networks"]) if made["scale"] in SCALES else None,
        "size_table": table(_size_grid(report, made)) if sizes_known(report, made) else "",
        "of": OF,
        "beside": beside_published(report, made),
        "alone": from_the_table_alone(),
        "full": SCALES["full"],
    }
    return rendered(Path(__file__).with_name("page.md"), values), images


# the answer


MEASURES = {  # what is ranked: its name, and of a model's accuracies which
    "original labels, all pictures": "original",
    "corrected labels, kept pictures": "corrected",
    "original labels, changed pictures": "changed_original",
    "corrected labels, changed pictures": "changed_corrected",
}


def size_links(report: Report, made: Training, size: str) -> dict[str, Link]:
    """How a network's size goes with its accuracy, by what is measured."""
    known = [s for s in report.standings if sizes_of(made, s.model)[size]]
    sizes = [sizes_of(made, s.model)[size] for s in known]
    return {
        name: link(sizes, [getattr(s.top1, which).share for s in known])
        for name, which in MEASURES.items()
    }


def sizes_known(report: Report, made: Training) -> bool:
    """Whether enough networks have a size to ask how it goes with accuracy."""
    return sum(sizes_of(made, s.model)["parameters"] > 0 for s in report.standings) >= FEWEST


def answer(report: Report, made: Training) -> dict[str, Any] | None:
    """Whether a smaller network ranks higher on corrected labels; nothing without sizes."""
    if not sizes_known(report, made):
        return None
    links = size_links(report, made, "parameters")
    changed, kept = (links[f"corrected labels, {which} pictures"] for which in ("changed", "kept"))
    before = links["original labels, all pictures"].spearman.value
    said = {
        "no": "**No, or not so that these pictures could show it**",
        "smaller": "**Yes, in this sample**",
        "larger": "**No, larger ones do**",
    }[_better(changed, report.alpha)]
    without = None
    if made["scale"] == "reduced" and _better(kept, report.alpha) == "smaller":
        others = tuple(s for s in report.standings if not s.model.startswith("vgg"))
        rest = size_links(replace(report, standings=others), made, "parameters")
        without = rest["corrected labels, kept pictures"]
    return {
        "said": said,
        "changed": changed,
        "kept": kept,
        "before": before,
        "moved": abs(kept.spearman.value - before),
        "without_vggs": without,
    }


def _better(found: Link, alpha: float) -> str:
    """Which networks have more right answers: smaller or larger ones, or no."""
    if not found.spearman.p <= alpha:  # also where it is not defined
        return "no"
    return "smaller" if found.spearman.value < 0 else "larger"


# how the predictions came about


def _trained(report: Report, networks: Mapping[str, Any]) -> dict[str, Any]:
    return next(iter(networks.values())) | {  # all were trained alike
        "minutes": sum(network["seconds"] for network in networks.values()) / 60,
        "whole": [name for name in networks if NETWORKS[name].narrow == name],
        "left_out": [name for name in NETWORKS if name not in networks],
        "table": table(_training_grid(report, networks)),
    }


def _training_grid(report: Report, networks: Mapping[str, Any]) -> Grid:
    rows = [
        (
            *(s.model, networks[s.model]["net"], networks[s.model]["parameters"]),
            networks[s.model]["multiply_adds"] / 1e6,
            *(in_percent(s.top1.original.share), networks[s.model]["seconds"]),
        )
        for s in report.standings
    ]
    return Grid(
        "What was trained, the best first",
        (
            *(Column("network", "name"), Column("as candidly names it", "name")),
            *(Column("parameters", form=","), Column("multiply-adds, million", form=".1f")),
            *(Column("accuracy %", form=".2f"), Column("training, s", form=".0f")),
        ),
        rows,
        ("Seconds of one core; accuracy by original labels on all test pictures.",),
        keys=2,
    )


# size


def _size_grid(report: Report, made: Training) -> Grid:
    rows = [
        (f"{size.replace('_', '-')}, {name}", *link_cells(found))
        for size in SIZES
        for name, found in size_links(report, made, size).items()
    ]
    return Grid(
        "Rank correlation of a network's size with its accuracy",
        (Column("size and accuracy", "name"), *LINK_COLUMNS),
        rows,
        (f"{LINK_NOTE} Negative: smaller networks are better.",),
    )
