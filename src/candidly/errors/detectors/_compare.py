"""Several detectors on the same data with known truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ...data.labels.labelled import Labelled
from ...ground.arrays import door
from ...ground.names import lookup
from ...ground.progress import OnProgress
from ..crossval import cross_validate
from ._cost import Measurement, measured
from ._detection import Detection
from ._judge import Judgement, judge, wrong_labels
from ._subject import Subject, make_subject
from ._table import DETECTORS, Need, check_taken

ANCHOR = "flag everything"


@dataclass(frozen=True)
class ComparedDetector:
    """One detector, judged.

    Attributes:
        detector: its name, or that of the anchor.
        judgement: against the truth.
        seconds: of CPU, with what it shares with others (probabilities that were made here, the
            watched training, neighbours) counted in full.
        extra_bytes: the most memory at any moment over what the process had, likewise; None where
            the system does not tell.
    """

    detector: str
    judgement: Judgement
    seconds: float
    extra_bytes: int | None

    def values(self) -> dict[str, Any]:
        """All numbers by name, on one level."""
        extra = None if self.extra_bytes is None else self.extra_bytes / 1e6
        return {
            "detector": self.detector,
            **self.judgement.values(),
            "CPU s": self.seconds,
            "extra MB": extra,
        }


# what several detectors share is made once, before any of them runs
SHARED: Mapping[Need, Callable[[Subject], Any]] = {
    "probs": lambda s: s.evidence,
    "record": lambda s: s.record,
    "features": lambda s: s.neighbours,
}


@door
def compare(
    data: Labelled,
    detectors: Sequence[str] | None = None,
    *,
    probs: np.ndarray | None = None,
    features: np.ndarray | None = None,
    metric: str | None = None,
    seed: int = 0,
    epochs: int | None = None,
    runs: int | None = None,
    net: str | None = None,
    recipe: str | None = None,
    watch: OnProgress | None = None,
) -> list[ComparedDetector]:
    """Judges detectors on the same labels, probabilities, features and seed.

    Args:
        data: with ``given`` and ``truth`` on every row; detectors do not see the truth.
        detectors: names of ``DETECTORS``; by default all.
        probs: out-of-sample probabilities, the same for all that need them; made by
            ``errors.cross_validate`` with logistic regression when there are none.
        features, metric, seed, epochs, runs, net, recipe: see ``detect``; at least one of the
            detectors reads what is given.
        watch: called with pieces of work done and in all.

    Returns:
        a row per detector, and one for flagging everything.

    Raises:
        KeyError, ValueError, FloatingPointError: see ``detect``; a label or a truth is missing.
    """
    asked = list(DETECTORS) if detectors is None else detectors
    names = list(dict.fromkeys(lookup(DETECTORS, name, "detector")[0] for name in asked))
    options = {"metric": metric, "epochs": epochs, "runs": runs, "net": net, "recipe": recipe}
    taken = check_taken(names, {"probs": probs, "features": features, **options})
    wrong = wrong_labels(data)
    subject = make_subject(data, seed=seed, **taken)
    needed = [need for need in SHARED if any(need in DETECTORS[name].needs for name in names)]
    report = watch or (lambda done, total: None)
    total = len(needed) + len(names)
    shared: dict[Need, list[Measurement]] = {need: [] for need in needed}
    if "probs" in needed and probs is None:
        made = measured(partial(cross_validate, "logistic", subject.data, seed=seed))
        shared["probs"].append(made)
        subject = replace(subject, probs=made.value.probs)
    for done, need in enumerate(needed, 1):
        shared[need].append(measured(partial(SHARED[need], subject)))
        report(done, total)
    rows = []
    for done, name in enumerate(names, len(needed) + 1):
        detector = DETECTORS[name]
        own = measured(partial(detector.run, subject))
        costs = [own, *(cost for need in detector.needs for cost in shared.get(need, ()))]
        found = replace(own.value, ids=data.ids)
        rows.append(ComparedDetector(name, judge(found, wrong, data.ids), *_together(costs)))
        report(done, total)
    everything = Detection(np.zeros(data.n), np.ones(data.n, bool), ids=data.ids)
    return [*rows, ComparedDetector(ANCHOR, judge(everything, wrong, data.ids), 0.0, 0)]


def _together(costs: Sequence[Measurement]) -> tuple[float, int | None]:
    """Seconds added up, and the largest memory."""
    known = [cost.extra_bytes for cost in costs if cost.extra_bytes is not None]
    return sum(cost.seconds for cost in costs), max(known) if len(known) == len(costs) else None
