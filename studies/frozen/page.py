"""docs/studies/frozen.md, from the committed results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from studies.cifarn import numbers as cifarn
from studies.cifarn import runs as cifarn_runs
from studies.kit.cells import percent
from studies.kit.rows import BASE, Rows
from studies.kit.template import rendered
from studies.kit.words import minus

from . import tables
from .numbers import AHEAD, BEHIND, SAME, against
from .pixels import beside_pixels
from .runs import (
    BATCH,
    BY_CLASS,
    DECAY,
    ENCODER,
    EPOCHS,
    EVEN,
    HIDDEN,
    LABEL_SETS,
    MADE,
    PEOPLES,
    PER_EPOCH,
    PICTURES,
    SPLITS,
    VALIDATION,
    WITH_HIDDEN,
    hidden,
)

PAGE = "studies/frozen.md"
COMMAND = "python -m studies.frozen"
OF_PIXELS = Path(__file__).parents[1] / "cifarn" / "results"
PIXELS = ("worst", "rand1", "aggre")  # label sets of both


def make_page(study: Mapping[str, Rows]) -> tuple[str, dict[str, str]]:
    """The page's text; it has no figures."""
    deeper = {hidden(name): study[hidden(name)] for name in WITH_HIDDEN if hidden(name) in study}
    study = {name: study[name] for name in LABEL_SETS if name in study}
    found = against(study)
    small = cifarn.read_study(OF_PIXELS)
    pixels = {
        name: {one: cifarn.mean(row.selected) for one, row in small.tables[name].items()}
        for name in PIXELS
    }
    values = {
        "command": COMMAND,
        "counted": tables.counted(study, found),
        "drawn": _drawn(study, found) if set(study) & set(MADE) else None,
        "deeper": _deeper(study, found, deeper),
        "pictures": PICTURES,
        "encoder": ENCODER,
        "epochs": EPOCHS,
        "per_epoch": PER_EPOCH,
        "batch": BATCH,
        "decay": DECAY,
        "splits": SPLITS,
        "validation": VALIDATION,
        "even": EVEN,
        "by_class": BY_CLASS,
        "gains": tables.gains(study, found),
        "hidden": HIDDEN,
        "deeper_gains": tables.gains(deeper, against(deeper)) if deeper else "",
        "deeper_epochs": tables.epochs(deeper),
        "by_epoch": tables.epochs(study),
        "of_pixels": small.about["train"],
        "pixel_epochs": cifarn_runs.EPOCHS,
        "pixels": beside_pixels(found, pixels, BASE),
    }
    return rendered(Path(__file__).with_name("page.md"), values), {}


def _drawn(study: Mapping[str, Rows], found: tables.Found) -> dict[str, Any]:
    """Whether labels that are drawn, wrong as often, tell what people's labels tell."""
    people = PEOPLES[0]
    made = [name for name in MADE if name in study]
    sets = (people, *made)
    names = [name for name in study[people] if all((each, name) in found for each in sets)]
    gained = {each: [found[each, name].gain.difference or 0.0 for name in names] for each in sets}
    first = gained.pop(people)
    orders = {each: kendalltau(first, some).statistic for each, some in gained.items()}
    means = {people: np.mean(first)} | {each: np.mean(some) for each, some in gained.items()}
    return {
        "base": [f"{percent(study[each][BASE].selected)} on {each}" for each in sets],
        "names": len(names),
        "gained": [f"{minus(100 * float(mean), 1)} on {each}" for each, mean in means.items()],
        "people": people,
        "orders": [f"{tau:.2f} with {each}" for each, tau in orders.items()],
    }


def _deeper(
    study: Mapping[str, Rows], found: tables.Found, deeper: Mapping[str, Rows]
) -> list[dict[str, Any]]:
    """Whether a hidden layer, which can learn noise by heart, changes what methods bring."""
    tests = against(deeper)
    told = []
    for name in WITH_HIDDEN:
        if name not in study or hidden(name) not in deeper:
            continue
        rows, flat = deeper[hidden(name)], study[name]
        names = [each for each in rows if each != BASE and (name, each) in found]
        gained = [
            [one.gain.difference or 0.0 for one in (found[name, each], tests[hidden(name), each])]
            for each in names
        ]
        verdicts = [tests[hidden(name), each].verdict for each in names]
        before, after = zip(*gained, strict=True)
        told.append(
            {
                "name": name,
                "selected": percent(rows[BASE].selected),
                "last": percent(rows[BASE].last),
                "flat_selected": percent(flat[BASE].selected),
                "flat_last": percent(flat[BASE].last),
                "of": len(names),
                "ahead": verdicts.count(AHEAD),
                "behind": verdicts.count(BEHIND),
                "same": verdicts.count(SAME),
                "after": 100 * float(np.mean(after)),
                "before": 100 * float(np.mean(before)),
                "tau": kendalltau(before, after).statistic,
            }
        )
    return told
