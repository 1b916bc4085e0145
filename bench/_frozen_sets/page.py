"""docs/frozen-sets.md, from the committed results."""

from __future__ import annotations

from collections.abc import Mapping

from _frozen_study import tables
from _frozen_study.numbers import against
from _frozen_study.runs import BATCH, ENCODER, SPLITS, VALIDATION
from _text_study.cells import percent
from _text_study.numbers import Rows

from .runs import BASE, LABEL_SETS, ORACLE, PER_RECORD, RECORDS, STEPS

PAGE = "frozen-sets.md"
COMMAND = "python bench/frozen_sets.py"
PLAIN = f"`{BASE}`"


def make_page(study: Mapping[str, Rows]) -> tuple[str, dict[str, str]]:
    """The page's text; it has no figures."""
    found = against(study, BASE, (ORACLE,))
    study = {name: study[name] for name in LABEL_SETS if name in study}
    parts = [
        "# Candidate sets on what a frozen encoder sees",
        f"Written by `{COMMAND}` from `bench/results/frozen_sets`.",
        tables.answer(study, found, PLAIN, "CIFAR-10 and its people's sets"),
        "## What was run",
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
        "are in [image-study.md](image-study.md).",
    ]
    return "\n\n".join(parts) + "\n", {}


def _of(name: str, study: Mapping[str, Rows]) -> str:
    of = LABEL_SETS[name]
    oracle = study[name].get(ORACLE)
    true = "" if oracle is None else f"; from true labels {percent(oracle.selected)} %"
    return f"{of.rows:,} pictures; {of.about}{true}."


def _about(study: Mapping[str, Rows]) -> str:
    tested = "the 10,000 official test pictures"
    if {"cifar10h", "cifar10s"} & set(study):
        tested += "; where people labelled these, on 10,000 training pictures"
    return (
        f"CIFAR-10's pictures, seen by [`{ENCODER}`](encoders.md) at 96 pixels: 1,280 numbers a "
        "picture, standardised, which stay as they are. A linear layer learns from candidate sets "
        f"for {STEPS:,} updates in batches of {BATCH}, by Adam, each algorithm with its default "
        f"settings, but that warm-ups last a fifth of the training; {RECORDS} records are "
        f"{PER_RECORD} updates apart. {SPLITS} splits draw {100 * VALIDATION:g} % of the pictures "
        f"to learn from for validation anew, and all are tested on {tested}."
    )
