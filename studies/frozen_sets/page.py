"""docs/studies/frozen-sets.md, from the committed results."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from studies.frozen import tables
from studies.frozen.numbers import AHEAD, BEHIND, against
from studies.frozen.runs import BATCH, ENCODER, SPLITS, VALIDATION
from studies.kit.cells import percent
from studies.kit.rows import Rows

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
PLAIN = f"`{BASE}`"


def make_page(study: Mapping[str, Rows]) -> tuple[str, dict[str, str]]:
    """The page's text; it has no figures."""
    found = against(study, BASE, (ORACLE,))
    usual = {name: study[name] for name in LABEL_SETS if name in study}
    longer = {name: study[name] for name in LONGER if name in study}
    study = usual | longer
    parts = [
        "# Candidate sets on what a frozen encoder sees",
        tables.answer(
            usual,
            {key: one for key, one in found.items() if key[0] in usual},
            PLAIN,
            "CIFAR-10 and its people's sets",
        ),
        *([_longer(study, longer, found)] if longer else []),
        "## What was run",
        f"Written by `{COMMAND}` from `studies/frozen_sets/results`.",
        _about(study),
        "\n".join(f"* **{name}**: {_of(name, study)}" for name in study),
        f"## Each algorithm against {BASE}",
        tables.rules(found, PLAIN),
        tables.gains(study, found),
        "## Best, selected and last record",
        "Test accuracy in %, means of the splits. The selected record is the one with the highest "
        "covering rate on validation rows, of which candidate sets alone are known; the best one "
        f"is best on the test pictures, which nobody can choose by. `{ORACLE}` learns from the "
        "true labels.",
        tables.epochs(study),
        "## What this does not say",
        "One encoder, one data set, a linear layer, default settings of each algorithm, with what "
        "starts late by default started earlier. ImageNet, which the encoder learned from, has "
        "most of CIFAR-10's classes. What contrastive algorithms need views of pictures for, they "
        "have none of here: the two views of a row are the row. What takes more than ten times as "
        "long as `CC` is trained on two of the label sets. From pixels and on a small scale all "
        "are in [images.md](images.md).",
    ]
    return "\n\n".join(parts) + "\n", {}


def _of(name: str, study: Mapping[str, Rows]) -> str:
    of = ALL_SETS[name]
    if of.times > 1:
        return f"{of.times} times as many updates of some algorithms, and of each record."
    oracle = study[name].get(ORACLE)
    true = "" if oracle is None else f"; from true labels {percent(oracle.selected)} %"
    return f"{of.rows:,} pictures; {of.about}{true}."


def _longer(study: Mapping[str, Rows], longer: Mapping[str, Rows], found: tables.Found) -> str:
    """Whether those that are behind are so because their training was too short."""
    told = []
    for name, rows in longer.items():
        short = name.removesuffix(f", {LONG} ×")
        behind = [one for one in rows if _verdict(found, short, one) == BEHIND]
        still = [one for one in behind if _verdict(found, name, one) == BEHIND]
        now = sum(_verdict(found, name, one) == AHEAD for one in rows)
        told.append(
            f"on {short} {len(still)} of the {len(behind)} that were behind still are "
            f"({_moves(found, short, name, behind)}), and {now} ahead"
        )
    rising = {
        name: sum(np.mean(row.last) >= np.mean(row.best) - 0.001 for row in study[name].values())
        for name in study
        if name not in longer
    }
    many = ", ".join(f"{count} on {name}" for name, count in rising.items())
    return (
        f"Some algorithms end at their best, within 0.1 points ({many}), so that a longer training "
        f"may give more. With {LONG} times as many updates of {len(OF_LONG) - 2} of them, "
        f"`{BASE}`'s too: {'; '.join(told)}."
    )


def _verdict(found: tables.Found, label_set: str, name: str) -> str:
    one = found.get((label_set, name))
    return "" if one is None else one.verdict


def _moves(found: tables.Found, short: str, name: str, behind: list[str]) -> str:
    """How far each is from the plain one, before and after."""

    def points(label_set: str, one: str) -> str:
        difference = found[label_set, one].gain.difference or 0
        return f"{100 * difference:+.1f}".replace("-", "−")

    return ", ".join(f"`{one}` {points(short, one)} to {points(name, one)}" for one in behind)


def _about(study: Mapping[str, Rows]) -> str:
    tested = "the 10,000 official test pictures"
    if {"cifar10h", "cifar10s"} & set(study):
        tested += "; where people labelled these, on 10,000 training pictures"
    return (
        f"CIFAR-10's pictures, seen by [`{ENCODER}`](../encoders.md) at 96 pixels: 1,280 numbers a "
        "picture, standardised, which stay as they are. A linear layer learns from candidate sets "
        f"for {STEPS:,} updates in batches of {BATCH}, by Adam, each algorithm with its default "
        f"settings, but that warm-ups last a fifth of the training; {RECORDS} records are "
        f"{PER_RECORD} updates apart. {SPLITS} splits draw {100 * VALIDATION:g} % of the pictures "
        f"to learn from for validation anew, and all are tested on {tested}."
    )
