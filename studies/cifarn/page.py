"""docs/studies/cifarn.md and its figures, from the committed results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from candidly.learn.algorithms.costs import cost_of
from candidly.show.words import listed, percent
from studies.kit.oracles import is_oracle
from studies.kit.template import rendered
from studies.kit.words import grid

from .beside import beside_gaps, common_gaps, own_orders, ranks, synthetic, without_views
from .detected import anchor, best, detection
from .figures import curve_figure, gap_figure
from .numbers import (
    BASE,
    CRITERION,
    Row,
    Study,
    Table,
    beside_the_board,
    fall,
    learned,
    mean,
    panels,
    spread,
    trained,
)
from .published import BOARDS
from .runs import (
    BATCH,
    CHANGED,
    EPOCHS,
    EVERY,
    LABEL_SETS,
    NET,
    PLAIN_EPOCHS,
    STEPS,
    VARIANTS,
)
from .words import accuracy, points

PAGE, IMAGE = "studies/cifarn.md", "cifarn-"
COMMAND = "python -m studies.cifarn"
FIRST = 5  # algorithms that are named as leading
SMALL, MUCH = 0.01, 0.05  # of accuracy


def make_page(study: Study) -> tuple[str, dict[str, str]]:
    """The page's text, and its figures as SVG by file name."""
    first = LABEL_SETS[0]
    table, without = study.tables[first], learned(study)
    images = {
        f"{IMAGE}gap.svg": gap_figure(
            table, _order(table), f"Best, selected and last epoch on {first}"
        )
    }
    if without:
        title = "Test accuracy by epoch, pictures as they are"
        images[f"{IMAGE}curves.svg"] = curve_figure(panels(study), without, title)
    several = {each: splits_of(study.tables[each]) > 1 for each in trained(study)}
    of_pages, done = _pages(study)
    values = {
        "command": COMMAND,
        "image": IMAGE,
        "first": first,
        "base": BASE,
        "ahead": [
            f"{listed([f'`{name}`' for name in leaders(study.tables[each])[:FIRST]])} on {each}"
            for each, known in several.items()
            if known
        ],
        "single": [each for each, known in several.items() if not known],
        "spread": spread(table),
        "usual": _usual(study),
        "board": _board(table),
        "found": _found(study),
        "pages": of_pages,
        "done": done,
        "about": study.about,
        "steps": STEPS,
        "net": NET,
        "batch": BATCH,
        "epochs": EPOCHS,
        "plain_epochs": PLAIN_EPOCHS,
        "once": [name for name, row in table.items() if len(row.selected) == 1],
        "label_sets": _label_sets(study),
        "changed": _changed(),
        "missing": _missing(study),
        "criterion": CRITERION,
        "choosing": _choosing(study),
        "much": MUCH,
        "broken": [name for name in _order(table) if (table[name].gained.mean or 0) >= MUCH],
        "tables": [_table(study, label_set) for label_set in trained(study)],
        "beside_gaps": beside_gaps(study),
        "common_gaps": common_gaps(study),
        "without_views": without_views(study),
        "ranks": ranks(study),
        "own_orders": own_orders(study),
        "synthetic": synthetic(study),
        "detection": detection(study),
        "oracle": accuracy(mean(table["supervised-oracle"].best)),
    }
    return rendered(Path(__file__).with_name("page.md"), values), images


def _order(table: Table) -> list[str]:
    """By the selected epoch, the highest first."""
    return sorted(table, key=lambda name: (-np.nan_to_num(mean(table[name].selected)), name))


def leaders(table: Table) -> list[str]:
    """By the selected epoch, without what is told the truth."""
    return [name for name in _order(table) if not is_oracle(name)]


def splits_of(table: Mapping[str, Row]) -> int:
    """The most splits that an algorithm has."""
    return max(len(row.selected) for row in table.values())


def _usual(study: Study) -> dict[str, float] | None:
    """How far cross-entropy ends below its best epoch, with views and without."""
    if BASE not in learned(study):
        return None
    parts = {"views": LABEL_SETS[0], "plain": f"{LABEL_SETS[0]}-plain"}
    return {views: fall(study.tables[part][BASE]) for views, part in parts.items()}


def _board(table: Table) -> dict[str, Any] | None:
    found, names = beside_the_board(table, BOARDS[0], LABEL_SETS[0])
    return None if found is None else {"tau": found.value, "p": found.p, "names": names}


def _found(study: Study) -> dict[str, Any] | None:
    """What the best detector adds to flagging everything."""
    first = LABEL_SETS[0]
    some = study.detection.get(first)
    if some is None:
        return None
    name, f1 = best(study, first, "f1")
    return {"name": name, "f1": f1, "anchor": anchor(some["wrong"], some["n"])}


def _pages(study: Study) -> tuple[int, int]:
    """How many algorithms learn from given labels, and how many were trained."""
    done = {name for label_set in trained(study) for name in study.tables[label_set]}
    pages, there = set(EVERY) - set(VARIANTS), done - set(VARIANTS)
    return len(pages), len(pages if there >= pages else there)


def _label_sets(study: Study) -> str:
    rows = [
        [
            f"{line['labels']}{', synthetic' if line['synthetic'] else ''}",
            f"{line['n']:,}",
            f"{line['wrong']:,}",
            percent(line["wrong"] / line["n"]),
        ]
        for line in study.labels
    ]
    return grid(["label set", "pictures", "wrong labels", "%"], rows)


def _changed() -> list[str]:
    """Hyper-parameters that differ from their defaults, by those that have them."""
    return [
        f"{listed([f'`{name}`' for name in names])} "
        + ", ".join(f"`{key}` {value}" for key, value in hyper.items())
        for names, hyper in CHANGED.values()
    ]


def _choosing(study: Study) -> list[dict[str, Any]]:
    """What selecting by noisy labels loses against the best epoch and gains on the last."""
    said = []
    for label_set in trained(study):
        rows = [row for row in study.tables[label_set].values() if row.lost.mean is not None]
        lost = [row.lost.mean for row in rows]
        gained = [row.gained.mean for row in rows if row.gained.mean is not None]
        said.append(
            {
                "label_set": label_set,
                "lost": float(np.mean(lost)),
                "near": sum(value <= SMALL for value in lost),
                "of": len(rows),
                "gained": points(float(np.mean(gained))),
            }
        )
    return said


def _table(study: Study, label_set: str) -> dict[str, Any]:
    table = study.tables[label_set]
    rows = [
        [
            f"`{name}`",
            *(accuracy(mean(each)) for each in (row.best, row.selected, row.last)),
            points(row.lost.mean),
            points(row.gained.mean),
            f"{row.seconds:.0f}",
            f"{row.seconds / table[BASE].seconds:.1f}",
            f"{declared(name):.1f}",
        ]
        for name, row in ((name, table[name]) for name in _order(table))
    ]
    columns = ["algorithm", "best", "selected", "last", "lost", "gained", "seconds"]
    return {
        "label_set": label_set,
        "splits": splits_of(table),
        "diverged": [name for name, row in table.items() if row.diverged],
        "table": grid([*columns, f"times {BASE}", "declared"], rows),
    }


def declared(name: str) -> float:
    """Passes through the network for an update, times those of ``BASE``."""
    return cost_of(name.partition(":")[0], pictures=True)


def missing(study: Study) -> Mapping[str, list[str]]:
    """By label set, the algorithms that learn from given labels and were not trained there."""
    absent = {
        label_set: [name for name in EVERY if name not in study.tables.get(label_set, {})]
        for label_set in LABEL_SETS
    }
    return {label_set: names for label_set, names in absent.items() if names}


def _missing(study: Study) -> list[str]:
    absent = missing(study)
    return [
        f"on {label_set} "
        + (listed([f"`{name}`" for name in names]) if label_set in trained(study) else "all")
        for label_set, names in absent.items()
    ]
