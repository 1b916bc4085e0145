"""docs/studies/frozen-sets.md, from the committed results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from studies.frozen import tables
from studies.frozen.numbers import AHEAD, BEHIND, against
from studies.frozen.pixels import beside_pixels
from studies.frozen.runs import BATCH, ENCODER, SPLITS, VALIDATION
from studies.images import numbers as images
from studies.images.runs import EPOCHS
from studies.images.runs import SPLITS as PIXEL_SPLITS
from studies.kit.cells import percent
from studies.kit.rows import Rows
from studies.kit.template import rendered
from studies.kit.words import minus

from .runs import (
    ALL_SETS,
    BASE,
    LABEL_SETS,
    LONG,
    LONGER,
    OF_LONG,
    ORACLE,
    PER_RECORD,
    RECORDS,
    STEPS,
)

PAGE = "studies/frozen-sets.md"
COMMAND = "python -m studies.frozen_sets"
OF_PIXELS = Path(__file__).parents[1] / "images" / "results"
PIXELS = {"flip-0.3": "flip", "instance": "instance", "cifar10h": "people"}  # label sets of both


def make_page(study: Mapping[str, Rows]) -> tuple[str, dict[str, str]]:
    """The page's text; it has no figures."""
    found = against(study, BASE, (ORACLE,))
    usual = {name: study[name] for name in LABEL_SETS if name in study}
    longer = {name: study[name] for name in LONGER if name in study}
    study = usual | longer
    small = images.read_study(OF_PIXELS)
    pixels = {
        name: {one: row.mean("CR") for one, row in small[there].rows.items()}
        for name, there in PIXELS.items()
    }
    values = {
        "command": COMMAND,
        "base": BASE,
        "counted": tables.counted(
            usual, {key: one for key, one in found.items() if key[0] in usual}
        ),
        "in_all": tables.counted(study, found),
        "longer": [_longer(rows, name, found) for name, rows in longer.items()],
        "rising": [f"{_rising(rows)} on {name}" for name, rows in usual.items()],
        "long": LONG,
        "of_long": len(OF_LONG) - 2,
        "encoder": ENCODER,
        "steps": STEPS,
        "batch": BATCH,
        "records": RECORDS,
        "per_record": PER_RECORD,
        "splits": SPLITS,
        "validation": VALIDATION,
        "of_people": bool({"cifar10h", "cifar10s"} & set(study)),
        "label_sets": [(name, _of(name, study)) for name in study],
        "gains": tables.gains(study, found),
        "oracle": ORACLE,
        "by_record": tables.epochs(study),
        "of_pixels": small["flip"].about["train"],
        "pixel_epochs": EPOCHS,
        "pixel_splits": PIXEL_SPLITS,
        "pixels": beside_pixels(found, pixels, BASE),
        "some_sets": _some_sets(usual),
    }
    return rendered(Path(__file__).with_name("page.md"), values), {}


def _of(name: str, study: Mapping[str, Rows]) -> str:
    of = ALL_SETS[name]
    if of.times > 1:
        return f"{of.times} times as many updates of some algorithms, and of each record"
    oracle = study[name].get(ORACLE)
    true = "" if oracle is None else f"; from true labels {percent(oracle.selected)} %"
    return f"{of.rows:,} pictures; {of.about}{true}"


def _some_sets(usual: Mapping[str, Rows]) -> str:
    """Which algorithms are not trained on every label set, by those that they are trained on."""
    names: dict[tuple[str, ...], list[str]] = {}
    for one in dict.fromkeys(name for rows in usual.values() for name in rows):
        names.setdefault(tuple(label for label in usual if one in usual[label]), []).append(one)
    return "; ".join(
        f"{', '.join(f'`{one}`' for one in some)} on {' and '.join(where)}"
        for where, some in names.items()
        if len(where) < len(usual)
    )


def _rising(rows: Rows) -> int:
    """How many algorithms end at their best."""
    return sum(np.mean(row.last) >= np.mean(row.best) - 0.001 for row in rows.values())


def _longer(rows: Rows, name: str, found: tables.Found) -> dict[str, Any]:
    """Whether those that are behind are so because their training was too short."""
    short = name.removesuffix(f", {LONG} ×")
    behind = [one for one in rows if _verdict(found, short, one) == BEHIND]
    return {
        "name": short,
        "still": sum(_verdict(found, name, one) == BEHIND for one in behind),
        "moves": _moves(found, short, name, behind),
        "ahead": sum(_verdict(found, name, one) == AHEAD for one in rows),
    }


def _verdict(found: tables.Found, label_set: str, name: str) -> str:
    one = found.get((label_set, name))
    return "" if one is None else one.verdict


def _moves(found: tables.Found, short: str, name: str, behind: list[str]) -> list[str]:
    """How far each is from the plain one, before and after."""

    def points(label_set: str, one: str) -> str:
        return minus(100 * (found[label_set, one].gain.difference or 0), 1)

    return [f"`{one}` {points(short, one)} to {points(name, one)}" for one in behind]
