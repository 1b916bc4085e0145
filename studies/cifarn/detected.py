"""The section of docs/studies/cifarn.md on detectors of wrong labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from candidly.errors.detectors import DETECTORS
from candidly.errors.detectors.comparison_document import ANCHOR
from candidly.show.words import percent
from studies.kit.words import grid

from .detection import EPOCHS, FOLD_EPOCHS, FOLDS, NEAR
from .labels import SETS
from .numbers import Study

MEASURES = {
    "f1": "F1 of the own cut",
    "roc_auc": "AUROC of the scores",
    "average_precision": "Average precision of the scores",
    "precision_at_wrong": "Precision at the true number of wrong labels",
}
OWN = "probabilities"  # the features of most rows
FEATURES = {
    OWN: "log-probabilities out of fold",
    "pixels": "pixels",
    "patches": "patch features, learned without labels",
}
Line = Mapping[str, Any]


def detection(study: Study) -> dict[str, Any]:
    """What the section says."""
    there = [name for name in SETS if name in study.detection]
    of = study.detection
    return {
        "detectors": len(DETECTORS),
        "n": of[there[0]]["n"],
        "wrong": [f"{name} {of[name]['wrong']:,}" for name in there],
        "folds": FOLDS,
        "fold_epochs": FOLD_EPOCHS,
        "epochs": EPOCHS,
        "right": [of[name]["right_probs"] for name in there],
        "absent": [name for name in SETS if name not in there],
        "cuts": [_highest(study, name, "f1") for name in there],
        "orders": [_highest(study, name, "roc_auc") for name in there],
        "tables": [(title, _table(study, there, measure)) for measure, title in MEASURES.items()],
        "neighbours": _neighbours(study, there),
        "rules": _rules(study, there),
    }


def line_of(study: Study, labels: str, detector: str, features: str = OWN) -> Line:
    """One detector's line on a set of labels."""
    return next(
        row
        for row in study.detection[labels]["rows"]
        if (row["detector"], row["features"]) == (detector, features)
    )


def best(study: Study, labels: str, measure: str) -> tuple[str, float]:
    """The detector with the highest value, and the value."""
    values = {name: line_of(study, labels, name)[measure] for name in DETECTORS}
    name = max((n for n, value in values.items() if value is not None), key=values.__getitem__)
    return name, values[name]


def anchor(wrong: int, n: int) -> float:
    """F1 of flagging everything: 2 e / (1 + e).

    >>> anchor(1, 4)
    0.4
    """
    return 2 * wrong / (n + wrong)


def _highest(study: Study, labels: str, measure: str) -> str:
    name, value = best(study, labels, measure)
    if measure != "f1":
        return f"{labels} {percent(value, 1)} (`{name}`)"
    some = study.detection[labels]
    everything = percent(anchor(some["wrong"], some["n"]), 1)
    return f"{labels} {percent(value, 1)} (`{name}`; flagging everything {everything})"


def _table(study: Study, there: Sequence[str], measure: str) -> str:
    rows = []
    for name in (*DETECTORS, ANCHOR):
        values = [line_of(study, labels, name)[measure] for labels in there]
        if any(value is not None for value in values):
            named = f"`{name}`" if name in DETECTORS else f"*{name}*"
            rows.append([named, *(percent(value, 1) for value in values)])
    return grid(["detector", *there], rows)


def _neighbours(study: Study, there: Sequence[str]) -> str:
    rows = [
        [f"`{detector}`", words]
        + [
            " / ".join(
                percent(line_of(study, labels, detector, features)[measure], 1)
                for measure in ("f1", "roc_auc")
            )
            for labels in there
        ]
        for detector in NEAR
        for features, words in FEATURES.items()
    ]
    return grid(["detector", "neighbours in", *there], rows, numbers=False)


def _rules(study: Study, there: Sequence[str]) -> str:
    rows = []
    for line in study.rules:
        name = line["labels"]
        numbers = (line["precision"], line["recall"], line["f1"])
        found = percent(best(study, name, "f1")[1], 1) if name in there else "–"
        trivial = percent(anchor(line["wrong"], line["n"]), 1)
        rows.append([name, line["rule"], *(percent(each, 1) for each in numbers), found, trivial])
    header = ["label set", "flagged where", "precision", "recall", "F1"]
    return grid([*header, "best detector above", "flag everything"], rows, numbers=False)
