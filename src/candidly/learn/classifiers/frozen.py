"""Fitted classifiers as plain arrays: saved without pickle, and asked without scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...ground.arrays import door
from ...ground.compiled import compiler

AT_ONCE = 4096  # rows
LEAST = 1e-6  # of a classifier's probability, before its logarithm
FLOOR = 1e-9  # the same of all together


@dataclass(frozen=True, eq=False)
class Linear:
    """Softmax of x · ``weights`` + ``bias``: float64 (d, classes) and (classes,)."""

    weights: np.ndarray
    bias: np.ndarray

    def probs(self, x: Any) -> np.ndarray:
        return _softmax(np.asarray(x @ self.weights) + self.bias)

    def check(self, d: int, classes: int) -> None:
        _shaped("weights", self.weights, (d, classes))
        _shaped("bias", self.bias, (classes,))


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees whose leaves are added up.

    Attributes:
        first: int64 (trees,), the node where each begins. column: int64 (trees,), the class that
            a leaf's first number is of.
        feature: int64, of each node, -1 for leaves. threshold: float64; up to it one goes to
            ``left``, an int64 node, else to ``right``.
        value: float64 (nodes, width), of leaves.
        bias: float64 (classes,).
        mean: the sums are probabilities times the trees; else logits.
        single: inputs are rounded to float32 first.
    """

    first: np.ndarray
    column: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    bias: np.ndarray
    flags: np.ndarray  # mean, single

    def probs(self, x: Any) -> np.ndarray:
        mean, single = self.flags.tolist()
        table = np.asarray(x.toarray() if hasattr(x, "toarray") else x, np.float64)
        if single:
            table = table.astype(np.float32).astype(np.float64)
        total = np.tile(self.bias, (len(table), 1))
        parts = (self.feature, self.threshold, self.left, self.right, self.value)
        _walk(np.ascontiguousarray(table), self.first, self.column, *parts, total)
        return total / len(self.first) if mean else _softmax(total)

    def check(self, d: int, classes: int) -> None:
        nodes, trees = len(self.feature), len(self.first)
        for name in ("threshold", "left", "right"):
            _shaped(name, getattr(self, name), (nodes,))
        _shaped("column", self.column, (trees,))
        _shaped("bias", self.bias, (classes,))
        _shaped("flags", self.flags, (2,))
        width = self.value.shape[1] if self.value.ndim == 2 else 0
        _shaped("value", self.value, (nodes, width))
        inner = np.flatnonzero(self.feature >= 0)
        there = (self.feature >= -1).all() and (self.feature < d).all()
        there &= ((self.first >= 0) & (self.first < nodes)).all() and trees > 0 < width
        there &= ((self.column >= 0) & (self.column + width <= classes)).all()
        for side in (self.left[inner], self.right[inner]):  # downwards, so that every walk ends
            there &= bool(((side > inner) & (side < nodes)).all())
        if not there:
            raise ValueError("its trees lead nowhere")


@dataclass(frozen=True, eq=False)
class FrozenPart:
    """One classifier: what is done to its inputs, and its head.

    Attributes:
        head: a ``Linear`` or ``Trees``.
        shown: int64, the classes that it has.
        idf: float64 (d,), the weights of words; empty for numbers.
        kept: int64, the columns that the head sees; empty for all.
    """

    head: Linear | Trees
    shown: np.ndarray
    idf: np.ndarray = field(default_factory=lambda: np.zeros(0))
    kept: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))

    def probs(self, x: Any) -> np.ndarray:
        """Probabilities of the classes that it has, float64 (n, shown)."""
        if len(self.idf):
            x = weighed_words(x, self.idf)
        if len(self.kept):
            x = x[:, self.kept]
        return self.head.probs(x)


FLOATS = ("weights", "temperatures", "bias", "idf", "threshold", "value")  # int64 are all others
HEADS: Mapping[str, type] = {"linear": Linear, "trees": Trees}


@dataclass(frozen=True, eq=False)
class Frozen:
    """A weighted mean of classifiers.

    Attributes:
        parts: the classifiers. weights: float64, one each, that sum to 1.
        temperatures: float64, one each, that ``at_temperature`` has; 0 for as they are.
        d, q: numbers of features and classes.
    """

    parts: Sequence[FrozenPart]
    weights: np.ndarray
    temperatures: np.ndarray
    d: int
    q: int

    @door
    def log_probs(self, x: Any) -> np.ndarray:
        """float32 (n, q), of numbers (n, d) or sparse counts.

        Raises:
            ValueError: other features.
        """
        if x.shape[1] != self.d:
            raise ValueError(f"there are {x.shape[1]} features; this classifier has {self.d}.")
        found = np.empty((x.shape[0], self.q), np.float32)
        for start in range(0, x.shape[0], AT_ONCE):
            some = x[start : start + AT_ONCE]
            probs = np.zeros((some.shape[0], self.q))
            for weight, t, part in zip(self.weights, self.temperatures, self.parts):
                its = part.probs(some)
                probs[:, part.shown] += weight * (at_temperature(its, t) if t else its)
            found[start : start + AT_ONCE] = np.log(np.maximum(probs, FLOOR))
        return found

    def arrays(self) -> dict[str, np.ndarray]:
        """By name, for a file; ``thawed`` takes them."""
        found = {"weights": self.weights, "temperatures": self.temperatures}
        for number, part in enumerate(self.parts):
            kind = next(name for name, made in HEADS.items() if isinstance(part.head, made))
            found |= {f"{number}/{name}": getattr(part, name) for name in ("shown", "idf", "kept")}
            found |= {f"{number}/{kind}/{name}": a for name, a in vars(part.head).items()}
        return found


@door
def thawed(arrays: Mapping[str, np.ndarray], d: int, q: int) -> Frozen:
    """What ``Frozen.arrays`` gave.

    Raises:
        ValueError, KeyError: arrays that cannot be that.
    """
    for name, array in arrays.items():
        wanted = "float64" if name.rpartition("/")[2] in FLOATS else "int64"
        if array.dtype != wanted or not np.isfinite(array).all():
            raise ValueError(f"its {name} is no {wanted}, or not finite")
    weights = arrays["weights"]
    if weights.ndim != 1 or not len(weights) or not (weights >= 0).all():
        raise ValueError("its weights are none")
    temperatures = arrays["temperatures"]
    _shaped("temperatures", temperatures, weights.shape)
    if not (np.isfinite(temperatures) & (temperatures >= 0)).all():
        raise ValueError("its temperatures are none")
    parts = []
    for number in range(len(weights)):
        prefix = f"{number}/"
        mine = {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
        kinds = {name.partition("/")[0] for name in mine if "/" in name}
        kind = kinds.pop() if len(kinds) == 1 else ""
        head = {n.removeprefix(f"{kind}/"): a for n, a in mine.items() if "/" in n}
        part = FrozenPart(HEADS[kind](**head), mine["shown"], mine["idf"], mine["kept"])
        if len(part.idf):
            _shaped("idf", part.idf, (d,))
        if not ((part.shown >= 0) & (part.shown < q)).all() or part.shown.ndim != 1:
            raise ValueError("it has other classes")
        if not ((part.kept >= 0) & (part.kept < d)).all() or part.kept.ndim != 1:
            raise ValueError("it has other features")
        part.head.check(len(part.kept) or d, len(part.shown))
        parts.append(part)
    return Frozen(parts, weights, temperatures, d, q)


@door
def frozen(fitted: Any, shown: np.ndarray, d: int, q: int) -> Frozen:
    """A fitted ``Blend``, or another pipeline of ``CLASSIFIERS``, as arrays.

    Args:
        shown: int64, what its labels 0, 1, ... are among the q classes.
        d: features.
    """
    if hasattr(fitted, "members_"):  # a ``Blend``
        parts = [_part(member, shown[fitted.classes_]) for member in fitted.members_]
        return Frozen(parts, np.array(fitted.weights_), np.array(fitted.temperatures_), d, q)
    return Frozen([_part(fitted, shown)], np.ones(1), np.zeros(1), d, q)


def _part(pipeline: Any, shown: np.ndarray) -> FrozenPart:
    idf, kept, shift, scale = np.zeros(0), np.zeros(0, np.int64), 0.0, 1.0
    for _, step in pipeline.steps[:-1]:
        if hasattr(step, "idf_"):
            idf = np.array(step.idf_, np.float64)
        elif hasattr(step, "get_support"):
            kept = np.flatnonzero(step.get_support())
        elif hasattr(step, "scale_"):
            shift, scale = step.mean_, step.scale_
    last = pipeline.steps[-1][1]
    return FrozenPart(_head(last, shift, scale), shown[last.classes_], idf, kept)


def _head(last: Any, shift: Any, scale: Any) -> Linear | Trees:
    if hasattr(last, "coef_"):
        weights = (last.coef_ / scale).T
        bias = last.intercept_ - np.dot(shift * np.ones(len(weights)), weights)
        if weights.shape[1] == 1:  # of two classes, the second's
            weights = np.hstack([np.zeros_like(weights), weights])
            bias = np.array([0.0, *bias])
        return Linear(np.array(weights, np.float64), np.array(bias, np.float64))
    if hasattr(last, "feature_log_prob_"):
        return Linear(np.array(last.feature_log_prob_.T), np.array(last.class_log_prior_))
    if hasattr(last, "estimators_"):
        return _of_forest(last)
    return _of_boosting(last)


def _of_forest(last: Any) -> Trees:
    each = []
    for one in last.estimators_:
        tree = one.tree_
        value = tree.value[:, 0, :]
        value = value / value.sum(1, keepdims=True)
        feature = np.where(tree.children_left >= 0, tree.feature, -1)
        each.append((feature, tree.threshold, tree.children_left, tree.children_right, value))
    columns = np.zeros(len(each), np.int64)
    return _joined(each, columns, np.zeros(len(last.classes_)), mean=True, single=True)


def _of_boosting(last: Any) -> Trees:
    two = len(last.classes_) == 2
    each, columns = [], []
    for round_ in last._predictors:
        for k, predictor in enumerate(round_):
            nodes = predictor.nodes
            leaf = nodes["is_leaf"].astype(bool)
            feature = np.where(leaf, -1, nodes["feature_idx"].astype(np.int64))
            parts = (nodes[name] for name in ("num_threshold", "left", "right"))
            each.append((feature, *parts, nodes["value"][:, None]))
            columns.append(k + two)
    bias = np.ravel(last._baseline_prediction).astype(np.float64)
    bias = np.array([0.0, *bias]) if two else bias
    return _joined(each, np.array(columns, np.int64), bias, mean=False, single=False)


def _joined(each: list, column: np.ndarray, bias: np.ndarray, mean: bool, single: bool) -> Trees:
    """Trees in one row of nodes; what a leaf has of thresholds and children is made plain."""
    sizes = np.array([len(feature) for feature, *_ in each])
    first = np.concatenate([[0], sizes.cumsum()[:-1]]).astype(np.int64)
    feature, threshold, left, right, value = (np.concatenate(part) for part in zip(*each))
    leaf, offset = feature < 0, np.repeat(first, sizes)
    left, right = (np.where(leaf, -1, side.astype(np.int64) + offset) for side in (left, right))
    return Trees(
        first=first,
        column=column,
        feature=feature.astype(np.int64),
        threshold=np.where(leaf, 0.0, threshold).astype(np.float64),
        left=left,
        right=right,
        value=np.where(leaf[:, None], value, 0.0).astype(np.float64),
        bias=bias,
        flags=np.array([mean, single], np.int64),
    )


def at_temperature(probs: np.ndarray, t: float, least: float = LEAST) -> np.ndarray:
    """Probabilities (n, classes) to the power of 1 / t, divided by their rows' sums.

    Args:
        least: what a smaller probability counts as.

    >>> at_temperature(np.array([[0.8, 0.2]]), 0.5).round(4)
    array([[0.9412, 0.0588]])
    """
    powers = np.maximum(probs, least)
    powers = (powers / powers.max(1, keepdims=True)) ** (1 / t)
    return np.asarray(powers / powers.sum(1, keepdims=True))


def weighed_words(counts: Any, idf: np.ndarray) -> Any:
    """(1 + ln count) · idf, each row of length 1: scipy CSR of CSR."""
    weighed = counts.astype(np.float64, copy=True)
    np.log(weighed.data, out=weighed.data)
    weighed.data += 1
    weighed.data *= idf[weighed.indices]
    lengths = np.sqrt(np.asarray(weighed.multiply(weighed).sum(1)).ravel())
    weighed.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(weighed.indptr))
    return weighed


def _softmax(logits: np.ndarray) -> np.ndarray:
    exps = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(exps / exps.sum(1, keepdims=True))


def _shaped(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"its {name} is {array.shape}, not {shape}")


@compiler()
def _walk(x, first, column, feature, threshold, left, right, value, total):
    """Add to each row's total the leaves that it comes to."""
    for i in range(len(x)):
        for t in range(len(first)):
            node = first[t]
            while feature[node] >= 0:
                node = left[node] if x[i, feature[node]] <= threshold[node] else right[node]
            for k in range(value.shape[1]):
                total[i, column[t] + k] += value[node, k]
