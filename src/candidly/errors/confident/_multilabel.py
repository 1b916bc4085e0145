"""Multi-label data: every class a question of its own, one against the rest."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ...data.ingest.prob_rows import ProbRows
from ...data.ingest.probabilities import Probs, open_source
from ...ground.arrays import ENTRY_SLACK, as_array, door, same_rows
from ...ground.names import lookup
from ...ground.numbers import whole
from . import _cells, _select
from ._evidence import Evidence, examine
from ._scores import BY, ScoreBy, blocks, weighted_entropy

ALPHA = 0.8  # weight of the next lower score in the moving average
TEMPERATURE = 0.1  # of the soft minimum
AT_ONCE_BYTES = 1 << 28  # of columns that one reading of a source gathers

FoldBy = Literal["moving average", "softmin"]


@dataclass(frozen=True)
class TagIssues:
    """Examples with tags to look at.

    Attributes:
        by_tag: bool (n, m), which tags, or lack of them, are doubted.
        by: the method.
        scores: float (n,), see ``scores_multilabel``; what ``indices`` are sorted by.
    """

    by_tag: np.ndarray
    by: str
    scores: np.ndarray

    @cached_property
    def mask(self) -> np.ndarray:
        """Examples of which any tag is doubted: bool (n,)."""
        return np.asarray(self.by_tag.any(1))

    @cached_property
    def indices(self) -> np.ndarray:
        """The flagged examples, the most suspicious first, ties by index: int64."""
        rows = np.flatnonzero(self.mask)
        return rows[np.argsort(self.scores[rows], kind="stable")]


@door
def find_multilabel(
    tags: Any,
    probs: Probs,
    by: str = "noise rate",
    *,
    keep: int = 1,
    fraction: float = 1.0,
    fold: FoldBy = "moving average",
    **options: Any,
) -> TagIssues:
    """Examples whose tags are probably wrong: each tag, there or not, as a label of two classes.

    Args:
        tags: bool or 0 and 1, (n, m).
        probs: float (n, m) in [0, 1], of each tag by itself; rows need not sum to 1.
        by: ``noise rate``, ``class``, ``both``, ``confident`` or ``predicted``; see ``find``.
        keep, fraction: see ``find``; of every tag.
        fold: of the scores that ``indices`` are sorted by, see ``scores_multilabel``.
        options: collisions and workers of ``examine``.

    Raises:
        ValueError, TypeError, KeyError: what is wrong, by name or row.

    >>> tags = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1]])
    >>> probs = np.array([[0.9, 0.2], [0.8, 0.1], [0.1, 0.9], [0.2, 0.9], [0.9, 0.05]])
    >>> find_multilabel(tags, probs, "confident").by_tag.nonzero()
    (array([4]), array([1]))
    """
    by, method = lookup(_select.METHODS, by, "way to find label errors of several tags")
    _cells.check_fraction(fraction)
    _select.check_for(by, whole(keep, "keep", low=0), fraction, None)
    source = _opened(tags, probs)
    marks = read_tags(tags, source)
    quality = scores_multilabel(marks, source, fold=fold)  # checks the probabilities, too
    found = np.zeros(marks.shape, dtype=bool)
    for tag, column in _columns(source):
        mine = marks[:, tag]
        if mine.all() or not mine.any():
            continue  # of two classes one was never given, so nothing is doubted
        evidence = _examined(mine, column, pairs=by in ("noise rate", "both"), **options)
        found[:, tag] = _select.flagged(evidence, method, keep, fraction)
    if same := [tag for tag in range(source.m) if marks[:, tag].all() or not marks[:, tag].any()]:
        named = ", ".join(map(str, same[:10])) + (", ..." if len(same) > 10 else "")
        warnings.warn(
            f"tags that all examples have, or none, cannot be told wrong: {named}.", stacklevel=3
        )
    return TagIssues(found, by, quality)


@door
def scores_multilabel(
    tags: Any,
    probs: Probs,
    by: ScoreBy = "self-confidence",
    *,
    fold: FoldBy = "moving average",
    alpha: float = ALPHA,
    temperature: float = TEMPERATURE,
) -> np.ndarray:
    """How good each example's tags look, the worst of them above all.

    Args:
        tags: bool or 0 and 1, (n, m).
        probs: float (n, m) in [0, 1], of each tag by itself.
        by: score of a tag, as a label of two classes; see ``scores``. ``margin`` and
            ``self-confidence`` are the same there.
        fold: ``moving average``: from the highest score s to the lowest,
            s <- alpha s_next + (1 - alpha) s; ``softmin``: sum of s softmax((1 - s) / temperature).

    Returns:
        float (n,), like the probabilities, in [0, 1]; low is suspicious.

    Source: Thyagarajan et al., Identifying incorrect annotations in multi-label classification
    data, 2022.

    >>> scores_multilabel(np.array([[1, 0]]), np.array([[0.75, 0.5]]))
    array([0.55])
    """
    by = lookup(dict.fromkeys(BY), by, "score")[0]  # type: ignore[assignment]
    fold = lookup(dict.fromkeys(("moving average", "softmin")), fold, "fold")[0]  # type: ignore[assignment]
    if not 0 <= alpha <= 1 or temperature <= 0:
        raise ValueError(
            f"alpha is {alpha} and temperature {temperature}; 0 <= alpha <= 1, temperature > 0."
        )
    source = probs if isinstance(probs, ProbRows) else _opened(tags, probs)
    marks = read_tags(tags, source)
    result = np.empty(source.n, source.dtype)
    for start, stop, rows in blocks(source):
        _check(rows, start, source)
        own = np.where(marks[start:stop], rows, 1 - rows)
        each = np.clip(_by_entropy(rows, own) if by == "entropy" else own, 0, 1)
        result[start:stop] = _FOLDS[fold](each, alpha, temperature)
    return result


def _opened(tags: Any, probs: Probs) -> ProbRows:
    """The probabilities, with columns in the order of the tags' where both name them."""
    same_rows(tags=tags, probs=probs)
    names = [str(name) for name in getattr(tags, "columns", ())]
    return open_source(probs, classes=names if names and not names[0].isdecimal() else None)


def read_tags(tags: Any, source: ProbRows) -> np.ndarray:
    """Tags as bool (n, m).

    Raises:
        ValueError, TypeError: another shape, or entries that are neither 0 nor 1.
    """
    if source.n == 0 or source.m == 0:
        raise ValueError(f"{source.name} holds no examples, or no tags.")
    tags = as_array(tags, "tags")
    if tags.shape != (source.n, source.m):
        raise ValueError(f"`tags` has shape {tags.shape}; `probs` has ({source.n}, {source.m}).")
    if tags.dtype != bool:
        if len(bad := np.argwhere((tags != 0) & (tags != 1))):
            row, tag = bad[0].tolist()
            raise ValueError(f"`tags` is {tags[row, tag]} at row {row}, tag {tag}; use 0 and 1.")
        tags = tags.astype(bool)
    return tags


def _check(rows: np.ndarray, start: int, source: ProbRows) -> None:
    sound = (rows >= -ENTRY_SLACK) & (rows <= 1 + ENTRY_SLACK)  # not of NaN
    if not sound.all():
        row, tag = np.argwhere(~sound)[0].tolist()
        raise ValueError(
            f"{source.name} is {rows[row, tag]} at row {start + row}, tag {tag}; it lies in [0, 1]."
        )


def _columns(source: ProbRows) -> Iterator[tuple[int, np.ndarray]]:
    """(tag, its probabilities, (n,)), several tags to a reading of the source."""
    at_once = max(1, AT_ONCE_BYTES // (source.n * source.dtype.itemsize))
    for first in range(0, source.m, at_once):
        some = np.empty((min(at_once, source.m - first), source.n), source.dtype)
        for start, stop, rows in blocks(source):
            some[:, start:stop] = rows[:, first : first + at_once].T
        yield from enumerate(some, first)


def _examined(marks: np.ndarray, column: np.ndarray, **options: Any) -> Evidence:
    inside = np.clip(column, 0, 1)
    with warnings.catch_warnings():  # one per tag would be noise
        warnings.simplefilter("ignore", UserWarning)
        return examine(marks.astype(np.int16), np.stack([1 - inside, inside], 1), **options)


def _by_entropy(rows: np.ndarray, own: np.ndarray) -> np.ndarray:
    inside = np.clip(rows, 0, 1).ravel()
    both = np.stack([1 - inside, inside], 1)
    return weighted_entropy(both, own.ravel()).reshape(own.shape)


def _moving_average(scores: np.ndarray, alpha: float, temperature: float) -> np.ndarray:
    """The fold from the highest score to the lowest, by the weights that it comes to."""
    m = scores.shape[1]
    weights = alpha * (1 - alpha) ** np.arange(m, dtype=np.float64)  # from the lowest up
    weights[-1] = (1 - alpha) ** (m - 1)
    return np.sort(scores, axis=1) @ weights


def _softmin(scores: np.ndarray, alpha: float, temperature: float) -> np.ndarray:
    powers = (scores.min(1, keepdims=True) - scores) / temperature  # the greatest is 0
    weights = np.exp(powers)
    return (scores * weights).sum(1) / weights.sum(1)


_FOLDS = {"moving average": _moving_average, "softmin": _softmin}
