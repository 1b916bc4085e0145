"""Detectors on the pictures of the study, a file of results for each set of labels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from candidly import Labelled
from candidly.errors.crossval import Network, cross_validate
from candidly.errors.detectors import DETECTORS, Detection, compare, judge
from studies.detectors.features import features_of
from studies.kit.pages import write_text

from .labels import SETS, learned, read_labelled, read_labels
from .runs import BATCH, NET

EPOCHS = 20  # of every training but el2n's and those that the probabilities are from
FOLDS, FOLD_EPOCHS = 5, 12
SEED = 0
RANDOM = ("rand1", "rand2", "rand3")
NEAR = tuple(name for name, each in DETECTORS.items() if each.needs == ("features",))
LEAST = 1e-6  # of a probability, before its logarithm


def out_of_fold(data: Labelled) -> np.ndarray:
    """Probabilities (n, q) of networks that did not learn from the row."""
    updates = (data.n - data.n // FOLDS) // BATCH
    network = Network("ce", steps=FOLD_EPOCHS * updates, net=NET, hyper={"batch_size": BATCH})
    return cross_validate(network, data, FOLDS, seed=SEED).probs


def detect_all(data: Labelled, patches: np.ndarray) -> dict[str, Any]:
    """Every detector on one set of labels, judged.

    Args:
        patches: features of the pictures that no label went into, (n, d).
    """
    assert data.truth is not None
    probs = out_of_fold(data)
    places = np.log(probs.clip(LEAST)).astype(np.float32)
    rows = compare(data, probs=probs, features=places, epochs=EPOCHS, net=NET, seed=SEED)
    found = [{"features": "probabilities", **row.values()} for row in rows]
    for name, features in (("pixels", None), ("patches", patches)):
        near = compare(data, NEAR, features=features, seed=SEED)
        found += [{"features": name, **row.values()} for row in near if row.detector in NEAR]
    return {
        "n": data.n,
        "wrong": int((data.given != data.truth).sum()),
        "right_probs": float((probs.argmax(1) == data.truth).mean()),
        "rows": found,
    }


def add_missing(found: dict[str, Any], data: Labelled) -> dict[str, Any]:
    """What was found before, and detectors that came since and need no more than one training.

    Raises:
        ValueError: another one came; its set has to be run again.
    """
    there = {row["detector"] for row in found["rows"]}
    left = [name for name in DETECTORS if name not in there]
    if more := [name for name in left if DETECTORS[name].needs != ("record",)]:
        raise ValueError(f"{', '.join(more)} needs more: delete the results of this set of labels")
    rows = compare(data, left, epochs=EPOCHS, net=NET, seed=SEED)
    new = [{"features": "probabilities", **row.values()} for row in rows]
    return {**found, "rows": [*found["rows"], *(row for row in new if row["detector"] in left)]}


def rules(data: Path) -> list[dict[str, Any]]:
    """What the other label columns alone say of a set's labels, over all 50,000."""
    given = {name: read_labels(name, data).given for name in SETS}
    truth = read_labels("aggre", data).truth
    found = []
    for name, rule, flagged in _flags(given):
        detection = Detection(flagged.astype(float), flagged)
        judged = judge(detection, given[name] != truth)
        found.append({"labels": name, "rule": rule, **judged.values()})
    return found


def _flags(given: dict[str, np.ndarray]) -> Iterator[tuple[str, str, np.ndarray]]:
    answers = np.stack([given[name] for name in RANDOM])
    for name in SETS:
        differ = answers != given[name]
        if name == "worst":
            yield name, "an annotator says otherwise", differ.any(0)
        elif name == "aggre":
            yield name, "two annotators at least say otherwise", differ.sum(0) >= 2
        else:
            others = answers[[place for place, other in enumerate(RANDOM) if other != name]]
            alone = (others != given[name]).all(0)
            yield name, "neither of the other two agrees", alone
            yield name, "the other two agree on another class", alone & (others[0] == others[1])


def run_detection(data: Path, cache: Path, results: Path) -> None:
    """Every set of labels that has no results yet, or none of a detector."""
    write_text(results / "rules.json", rules(data))
    patches = None
    for name in SETS:
        path = results / f"detection-{name}.json"
        found = json.loads(path.read_text()) if path.exists() else {"rows": []}
        if {row["detector"] for row in found["rows"]} >= set(DETECTORS):
            continue
        print(f"detectors on {name}", flush=True)
        some = learned(read_labelled(name, data, cache / "data"))
        if found["rows"]:
            write_text(path, add_missing(found, some))
            continue
        if patches is None:
            patches = features_of(np.asarray(some.inputs))
        write_text(path, detect_all(some, patches))
