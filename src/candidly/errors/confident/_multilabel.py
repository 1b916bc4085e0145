"""Multi-label data: every class a question of its own, one against the rest."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...data.ingest.labels import LabelColumn, label_sets
from ...data.ingest.prob_rows import ProbRows
from ...data.ingest.probabilities import Probs, open_source
from ...data.labels.text import BAR
from ...ground.arrays import ENTRY_SLACK, as_array, door, same_rows
from ...ground.names import lookup
from ...ground.numbers import whole
from . import _cells, _select
from ._evidence import Evidence, examine
from ._labels import matched
from ._scores import BY, ScoreBy, blocks, weighted_entropy

if TYPE_CHECKING:
    import polars as pl

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
        tags: bool (n, m), as they were given.
        ids: (n,) names of the examples, where a file has them; None otherwise.
    """

    by_tag: np.ndarray
    by: str
    scores: np.ndarray
    tags: np.ndarray
    ids: np.ndarray | None = None

    @cached_property
    def mask(self) -> np.ndarray:
        """Examples of which any tag is doubted: bool (n,)."""
        return np.asarray(self.by_tag.any(1))

    @cached_property
    def indices(self) -> np.ndarray:
        """The flagged examples, the most suspicious first, ties by index: int64."""
        rows = np.flatnonzero(self.mask)
        return rows[np.argsort(self.scores[rows], kind="stable")]

    def table(self, classes: Sequence[str] | None = None, separator: str = BAR) -> pl.DataFrame:
        """A row per flagged example, the most suspicious first.

        Columns: index (the row, from 0); id, where a file has them; given and proposed tags, then
        those that the classifier would add (missing) and take away (too much), as texts;
        self-confidence (low is suspicious), see ``scores_multilabel``.

        Args:
            classes: names of the m tags; their numbers by default.
            separator: what stands between two of them.
        """
        import polars as pl

        names = np.array([*map(str, classes or range(self.tags.shape[1]))], object)
        rows = self.indices
        given, doubted = self.tags[rows], self.by_tag[rows]
        sets = {"given": given, "proposed": given ^ doubted, "missing": doubted & ~given}
        sets |= {"too much": doubted & given}
        texts = {
            name: pl.Series([separator.join(names[row]) for row in marks], dtype=pl.String)
            for name, marks in sets.items()
        }
        named = {} if self.ids is None else {"id": self.ids[rows].tolist()}
        return pl.DataFrame({"index": rows, **named, **texts, "self-confidence": self.scores[rows]})

    def by_tag_table(self, classes: Sequence[str] | None = None) -> pl.DataFrame:
        """A row per tag, those with most doubts first.

        Columns: tag; given, how many examples have it; missing, to how many the classifier would
        add it; too much, from how many it would take it away.
        """
        import polars as pl

        names = [*map(str, classes or range(self.tags.shape[1]))]
        doubted = self.by_tag & self.tags
        counts = {"given": self.tags.sum(0), "missing": (self.by_tag & ~self.tags).sum(0)}
        table = pl.DataFrame({"tag": names, **counts, "too much": doubted.sum(0)})
        most = -self.by_tag.sum(0)
        return table[np.argsort(most, kind="stable").tolist()]


@door
def find_multilabel(
    tags: Any,
    probs: Probs,
    by: str = "noise rate",
    *,
    keep: int = 1,
    fraction: float = 1.0,
    fold: FoldBy = "moving average",
    classes: Sequence[str] | None = None,
    **options: Any,
) -> TagIssues:
    """Examples whose tags may be wrong: each tag, there or not, as a label of two classes.

    Args:
        tags: bool or 0 and 1, (n, m); or a file, or its ``LabelColumn``, of which each cell holds
            all tags of a row. Its ids decide which row is whose, where both have some.
        probs: float (n, m) in [0, 1], of each tag by itself; rows need not sum to 1.
        by: ``noise rate``, ``class``, ``both``, ``confident`` or ``predicted``; see ``find``.
        keep, fraction: see ``find``; of every tag.
        fold: the fold of the scores that ``indices`` are sorted by, see ``scores_multilabel``.
        classes: for a file, names of the tags in the order of the columns; by default those of the
            columns, else 0 to m - 1.
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
    source, marks, ids = _opened(tags, probs, classes)
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
    return TagIssues(found, by, quality, marks, ids)


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
    source, marks, _ = _opened(tags, probs)
    result = np.empty(source.n, source.dtype)
    for start, stop, rows in blocks(source):
        _check(rows, start, source)
        own = np.where(marks[start:stop], rows, 1 - rows)
        each = np.clip(_by_entropy(rows, own) if by == "entropy" else own, 0, 1)
        result[start:stop] = _FOLDS[fold](each, alpha, temperature)
    return result


def _opened(
    tags: Any, probs: Probs, classes: Sequence[str] | None = None
) -> tuple[ProbRows, np.ndarray, np.ndarray | None]:
    """The probabilities, the tags as bool (n, m), and names of rows.

    Columns of probabilities are in the order of the tags' where both name them, and rows in that of
    the tags' where both name these.
    """
    if isinstance(tags, str | Path | LabelColumn):
        source = probs if isinstance(probs, ProbRows) else open_source(probs, classes=classes)
        column, source, classes = matched(tags, source, classes)
        marks = read_tags(label_sets(column, classes, source.m), source)
        return source, marks, column.ids
    if isinstance(probs, ProbRows):
        return probs, read_tags(tags, probs), None
    same_rows(tags=tags, probs=probs)
    names = [str(name) for name in getattr(tags, "columns", ())]
    source = open_source(probs, classes=names if names and not names[0].isdecimal() else None)
    return source, read_tags(tags, source), None


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
