"""What a run's answer is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...errors.detectors import Detection, judge
from ...ground.seeds import draw
from ._answers import Flags, Rejected, detection, predictions
from ._data import Truth
from ._protocol import LabelSet

MEASURES: Mapping[str, str] = {"learning": "accuracy", "detection": "F1"}


@dataclass(frozen=True)
class RunScore:
    """One run, scored.

    Attributes:
        score: the score of the task, in [0, 1]; None where there is no answer that counts.
        reason: why there is none; '' where there is.
        values: further numbers by name.
        hits: learning: bool (m,), which of the test rows are predicted right; detection: bool (n,),
            which rows are flagged. None without an answer.
    """

    score: float | None
    reason: str = ""
    values: Mapping[str, float | None] | None = None
    hits: np.ndarray | None = None


def subset_rows(tested: int, subset: str, seed: int) -> np.ndarray:
    """The test rows that the runs with a seed are scored on, the same for all submissions.

    They follow from (seed, subset) alone: nothing that ran before changes them.

    Returns:
        int64; ``bootstrap``: (tested,), drawn with replacement; a number: so many different rows.
    """
    rng = draw(seed, "subset of test rows")
    if subset == "bootstrap":
        return rng.integers(0, tested, tested)
    return rng.permutation(tested)[: int(subset)]


def score_learning(
    files: Mapping[str, bytes], one: LabelSet, truth: Truth, subset: str, seed: int
) -> RunScore:
    """Accuracy of predictions on the seed's test rows; on all of them, beside it."""
    try:
        predicted = predictions(files, len(truth.tested), one.classes)
    except Rejected as error:
        return RunScore(None, f"rejected: {error}.")
    right = predicted == truth.tested
    rows = subset_rows(len(right), subset, seed)
    return RunScore(
        float(right[rows].mean()), values={"on all test rows": float(right.mean())}, hits=right
    )


def score_detection(
    files: Mapping[str, bytes], one: LabelSet, truth: Truth, subset: str, seed: int
) -> RunScore:
    """F1 = 2 TP / (flagged + wrong) of the flags, 0 / 0 being 1; with scores, AUROC and the like.

    A precision or recall whose denominator is 0 is None.
    """
    try:
        found = detection(files, truth)
    except Rejected as error:
        return RunScore(None, f"rejected: {error}.")
    return judged(found, truth.wrong)


def judged(found: Flags, wrong: np.ndarray) -> RunScore:
    """A detection against which labels are wrong: bool (n,)."""
    known = found.scores if found.scores is not None else found.flagged.astype(np.float64)
    judgement = judge(Detection(known, found.flagged), wrong)
    values = {
        "precision": judgement.precision,
        "recall": judgement.recall,
        "flagged": float(judgement.flagged or 0),
    }
    if found.scores is not None:
        values |= {
            "AUROC": judgement.roc_auc,
            "average precision": judgement.average_precision,
            "precision at the true number": judgement.precision_at_wrong,
        }
    return RunScore(judgement.f1, values=values, hits=found.flagged)


SCORERS = {"learning": score_learning, "detection": score_detection}


def anchors(task: str, truth: Truth, classes: int) -> dict[str, float]:
    """Scores that take no method, by what is done: to be printed beside every result."""
    if task == "learning":
        most = int(np.bincount(truth.given, minlength=classes).argmax())
        return {
            "guess": 1 / classes,
            "the most frequent label": float((truth.tested == most).mean()),
        }
    rate = float(truth.wrong.mean())
    return {
        "flag every label": 2 * rate / (1 + rate),
        "flag none": 0.0 if rate else 1.0,
    }
