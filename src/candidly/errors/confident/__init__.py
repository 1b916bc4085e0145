"""Which labels are wrong? Confident learning on given labels and out-of-sample probabilities.

Functions take ``given`` (n,) and ``probs`` (n, m): arrays, tensors, memory maps, paths of files or
folders of files, or (probabilities) an iterable of chunks; ``examine`` lists the options that all
share. Each reads the probabilities twice at most; who wants several answers reads them once and
gives the ``Evidence`` instead of both.

>>> import numpy as np
>>> given = np.array([0, 0, 1, 1, 1])
>>> probs = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9], [0.95, 0.05]])
>>> find(given, probs).indices
array([4])

Source: Northcutt, Jiang & Chuang, JAIR 2021; Northcutt, Athalye & Mueller, NeurIPS 2021.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ...data.ingest.probabilities import Probs
from ...ground.arrays import door
from ...ground.names import lookup
from ...ground.numbers import whole
from ...ground.spread import held
from . import _cells, _matrices, _select, _sets, _table
from ._corrected import corrected
from ._doubts import COMMON, IN_SAMPLE, Gain, of_many
from ._ensemble import ensemble_scores
from ._evidence import EPSILON, Evidence, examine
from ._gather import gathered, gathered_either
from ._health import FEW, Health, health
from ._matrices import NoiseMatrices, PriorBy
from ._multilabel import TagIssues, find_multilabel, scores_multilabel
from ._scores import OF_COLUMNS, adjusted, scores
from ._select import METHODS
from ._sets import SetEvidence, examine_sets, holds_sets

if TYPE_CHECKING:
    import polars as pl

FindBy = Literal[
    "noise rate", "class", "both", "confident", "predicted", "margin", "self-confidence"
]
COUNTS = ("off-diagonal", "calibrated", "expected")  # of ``Counts``, as ``find`` names them


class Counts(NamedTuple):
    """How many labels may be wrong, by three definitions that differ.

    Attributes:
        off_diagonal: examples that are confidently another class than given, near-ties aside.
        calibrated: the expected number, from the calibrated joint, rounded.
        expected: the same from the joint before it was rounded to integers: the share of wrong
            labels times their number, by which the NeurIPS 2021 paper cuts its ranking by margin.
    """

    off_diagonal: int
    calibrated: int
    expected: float

    def named(self, name: str) -> int:
        """One of ``COUNTS``, to the nearest integer."""
        return round(self[COUNTS.index(name)])


@dataclass(frozen=True)
class Issues:
    """Labels to look at.

    Attributes:
        mask: bool (n,).
        by: the method.
        rank: what ``indices`` are sorted by.
        evidence: what it was found from.
        warnings: sentences, where this tells more of the probabilities than of the labels; they
            were issued as ``UserWarning``, too.
        chance: float64 (n,), each label's chance of being wrong, on a premise; see
            ``errors.estimate``. None where it was not estimated.
    """

    mask: np.ndarray
    by: str
    rank: str
    evidence: Evidence | SetEvidence
    warnings: tuple[str, ...] = ()
    chance: np.ndarray | None = None

    @cached_property
    def indices(self) -> np.ndarray:
        """The flagged examples, the most suspicious first, ties by index: int64."""
        rows = np.flatnonzero(self.mask)
        return rows[
            np.argsort(_table.doubt(self.evidence, self.rank, self.chance, rows), kind="stable")
        ]

    def table(
        self,
        *,
        everything: bool = False,
        entropy: bool = False,
        classes: Sequence[str] | None = None,
    ) -> pl.DataFrame:
        """A row per flagged example, in the order of ``indices``.

        Columns: index; id, where the labels' file has them, else part (its name) and row in it,
        where probabilities come in several; given, predicted, guess (null for
        none) and proposed class: the guess where the example is confidently another class, else
        the prediction; the chance of a wrong label, where it was estimated; scores, see ``scores``;
        and a column ``by METHOD`` of whether each method flags it, with its usual settings and as
        far as the evidence allows.

        Args:
            everything: a row per example, with a column ``flagged``; unlabelled ones last.
            entropy: that score, too, for which probabilities are read again.
            classes: names for the numbers of classes.
        """
        found = self.evidence, self.mask, self.rank, self.chance
        return _table.table(*found, everything, entropy, classes)


@door
def thresholds(given: Any, probs: Probs = None, **options: Any) -> np.ndarray:
    """Mean self-confidence of each class's examples: float64 (m,); 2 for a class never given."""
    return gathered_either(given, probs, options).thresholds


@door
def confident_joint(
    given: Any, probs: Probs = None, *, calibrate: bool = True, **options: Any
) -> np.ndarray:
    """Examples by (given, confident guess): int64 (m, m), at least 1 on the diagonal.

    Args:
        calibrate: scale rows to how often each label was given, in integers.
    """
    evidence = gathered(given, probs, options)
    cells = evidence.calibrated if calibrate else _cells.floored(evidence.confident)
    return cells.dense()


@door
def joint(given: Any, probs: Probs = None, *, rounded: bool = True, **options: Any) -> np.ndarray:
    """The joint distribution of given and true labels: float64 (m, m), sums to 1.

    Args:
        rounded: from calibrated counts in integers, as summaries have it; else without rounding.
    """
    evidence = gathered(given, probs, options)
    if rounded:
        matrix = evidence.calibrated.dense(more=1)
        return matrix / matrix.sum()
    cells = _cells.floored(evidence.confident)
    shares = cells.dense(more=1) * (evidence.given_counts / cells.row_sums)[:, None]
    return shares / shares.sum()


@door
def noise_matrices(given: Any, probs: Probs = None, **options: Any) -> NoiseMatrices:
    """P(given | true) and P(true | given): float64 (m, m) each, columns sum to 1."""
    return _matrices.noise_matrices(gathered(given, probs, options).calibrated.dense(more=5))


@door
def prior(given: Any, probs: Probs = None, *, by: PriorBy = "count", **options: Any) -> np.ndarray:
    """The share of each true class: float64 (m,), sums to 1; see ``_matrices.prior``."""
    evidence = gathered(given, probs, options)
    shares = evidence.given_counts / evidence.given_counts.sum()
    return _matrices.prior(evidence.calibrated.dense(more=5), shares, by=by)


@door
def counts(given: Any, probs: Probs = None, **options: Any) -> Counts:
    """How many labels may be wrong, by name of the definition."""
    evidence = gathered(given, probs, options)
    off = evidence.without_near_ties(_select.by_guess(evidence, evidence.calibrated))
    return Counts(
        int(off.sum()),
        int(evidence.calibrated.aside.count.sum()),
        _cells.expected_wrong(evidence.confident, evidence.given_counts),
    )


@door(apart=["quotas"])
def find(
    given: Any,
    probs: Probs = None,
    by: FindBy = "noise rate",
    *,
    count: Literal["off-diagonal", "calibrated", "expected"] | int | None = None,
    rank: Literal["margin", "self-confidence"] = "margin",
    keep: int = 1,
    fraction: float = 1.0,
    quotas: np.ndarray | None = None,
    **options: Any,
) -> Issues:
    """Labels that a method of confident learning flags, or candidate sets that may lack the truth.

    A flag is a reason to look, and their number none to believe: classes that overlap are flagged
    like errors. How many labels are wrong, ``errors.estimate`` says.

    Args:
        given: labels (n,), or candidate sets, bool (n, m); for these the mass of the candidates
            takes the place of their label's probability, and ``by`` is ``margin``,
            ``self-confidence``, ``predicted`` or ``confident``.
        by: ``noise rate``: for every pair of classes, as many as are estimated, those that look
            most like the other; ``class``: per class, the least self-confident; ``both``: in both;
            ``confident``: confidently another class; ``predicted``: the prediction differs;
            ``margin``, ``self-confidence``: the ``count`` lowest of all.
        count: for the last two: ``off-diagonal``, ``calibrated`` or ``expected`` (see ``counts``;
            the last, to the nearest integer, with ``margin`` is the rule of the NeurIPS 2021
            paper), or a number; by default the first.
        rank: order of ``indices``.
        keep: examples of a class that stay at least; for ``noise rate``, ``class`` and ``both``,
            like what follows.
        fraction: of the estimated errors to take, in [0, 1].
        quotas: int (m,), how many to take per class instead of the estimate.

    Raises:
        ValueError, TypeError, KeyError: what is wrong, by name or row; an option that ``by`` would
            not look at.

    Warns:
        UserWarning: more than half of the labels are flagged, unless ``count`` is a number; and
            what ``examine`` says of the probabilities, such as that they agree with the labels no
            better than guesses.
    """
    known = {**METHODS, **OF_COLUMNS}
    by = lookup(known, by, "way to find label errors")[0]  # type: ignore[assignment]
    rank = lookup(OF_COLUMNS, rank, "rank")[0]  # type: ignore[assignment]
    keep = whole(keep, "keep", low=0)
    _cells.check_fraction(fraction)
    _select.check_for(by, keep, fraction, quotas)
    if count is not None and by not in OF_COLUMNS:
        raise ValueError(
            f"count={count!r}: by={by!r} decides itself how many; a count is for by='margin' and "
            "'self-confidence'."
        )
    with held(options.get("on"), options.get("workers")):
        evidence = gathered_either(given, probs, options, pairs=by in ("noise rate", "both"))
        if isinstance(evidence, SetEvidence):
            mask = _sets.flagged(evidence, by, "off-diagonal" if count is None else count)
        elif by in OF_COLUMNS:
            mask = _select.lowest(evidence, by, _number(evidence, count))
        else:
            mask = _select.flagged(evidence, METHODS[by], keep, fraction, quotas)
    many: tuple[str, ...] = ()
    if not isinstance(count, int | np.integer):
        many = tuple(of_many(int(np.count_nonzero(mask)), evidence.number_labelled))
    for sentence in many:
        warnings.warn(sentence, stacklevel=3)
    return Issues(mask, by, rank, evidence, (*evidence.doubts, *many))


def _number(evidence: Evidence, count: Any) -> int:
    if count is not None and not isinstance(count, str):
        return whole(count, "count", 0, evidence.n)
    name = lookup(dict.fromkeys(COUNTS), count or COUNTS[0], "count")[0]
    return counts(evidence).named(name)


__all__ = [
    "COMMON",
    "COUNTS",
    "EPSILON",
    "FEW",
    "IN_SAMPLE",
    "METHODS",
    "OF_COLUMNS",
    "Counts",
    "Evidence",
    "FindBy",
    "Gain",
    "Health",
    "Issues",
    "NoiseMatrices",
    "SetEvidence",
    "TagIssues",
    "adjusted",
    "confident_joint",
    "corrected",
    "counts",
    "ensemble_scores",
    "examine",
    "examine_sets",
    "find",
    "find_multilabel",
    "gathered",
    "health",
    "holds_sets",
    "joint",
    "noise_matrices",
    "prior",
    "scores",
    "scores_multilabel",
    "thresholds",
]
