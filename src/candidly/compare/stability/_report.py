"""What a stability report holds: plain values, the same in text, page and JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, is_dataclass
from types import UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

from ._corrections import Correction

# of the JSON form; 2: crossings are established after Holm's correction; 3: labels of one version;
# 4: true labels on a premise
SCHEMA = 5


@dataclass(frozen=True)
class Accuracy:
    """Right answers of how many, with an interval: Wilson's, below 40 items the exact one.

    ``share``, ``low`` and ``high`` are in [0, 1], and None of no items.
    """

    right: int
    of: int
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Accuracies:
    """A model's accuracies, by the items and labels they are about.

    Attributes:
        original: on all items D, original labels.
        corrected: on the kept items P, corrected labels.
        kept_original: on P, original labels.
        benign: on B, where both labels agree.
        changed_original, changed_corrected: on C by either label.
    """

    original: Accuracy
    corrected: Accuracy
    kept_original: Accuracy
    benign: Accuracy
    changed_original: Accuracy
    changed_corrected: Accuracy


@dataclass(frozen=True)
class RankedModel:
    """A model and its places.

    Attributes:
        model: its name.
        top1: accuracies.
        top5: the same for the five most probable classes; None without probabilities.
        rank_original, rank_corrected: competition ranks by ``top1.original`` and ``.corrected``.
        range_original, range_corrected: ranks that tests over all pairs leave possible, all models
            together at the report's level.
        rank_benign: by accuracy on B, the "cleaned" set.
        ranks_changed: on C, by original top-1, corrected top-1, original top-5, corrected top-5;
            None for top-5 unless every model has probabilities.
    """

    model: str
    top1: Accuracies
    top5: Accuracies | None
    rank_original: int
    rank_corrected: int
    range_original: tuple[int, int]
    range_corrected: tuple[int, int]
    rank_benign: int
    ranks_changed: tuple[int | None, int | None, int | None, int | None]


@dataclass(frozen=True)
class ModelPair:
    """Two models on the kept items, corrected labels; the first has at least as many right.

    Attributes:
        first, second: names.
        difference, low, high: of accuracies, with Tango's interval.
        bootstrap: the same by resampling within B and within C; None without resamples.
        only_first, only_second: items on which one alone is right.
        p: McNemar's exact p.
        adjusted: the same after Holm over the pairs that are listed.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    bootstrap: tuple[float, float] | None
    only_first: int
    only_second: int
    p: float
    adjusted: float


@dataclass(frozen=True)
class Neighbour:
    """Neighbours in the corrected ranking: what it takes to turn them round.

    Attributes:
        first, second: names.
        differing, unchecked: items on which they predict differently; of these, not yet verified.
        lead: right answers between them.
        budget: wrong labels that can never turn or tie them; None: no number of them can.
        expected_errors: upper bound of the wrong labels among ``unchecked``, from the audit.
        status: secure, open or reversed, by what was checked; see ``checking_plan``.
        p_secure, p_reversed: behind it, adjusted.
        to_check: about how many items of the plan are still to check; None: nobody can say.
    """

    first: str
    second: str
    differing: int
    unchecked: int
    lead: int
    budget: int | None
    expected_errors: float | None
    status: str
    p_secure: float
    p_reversed: float
    to_check: int | None


@dataclass(frozen=True)
class Crossing:
    """A prevalence of wrong labels beyond which ``behind`` is better than ``ahead``.

    Attributes:
        prevalence: N×, in (0, 1).
        low, high: of this pair by itself, from Tango's intervals of both differences (MOVER).
        bootstrap: percentiles; None without resamples.
        established: both differences behind it exclude 0 after Holm's correction over all pairs.
        adjusted: Holm p of the crossing, over all pairs of models.
        already: it lies below the prevalence as it is.
        x_removed, x_mixture: the two knobs that lead there, None if already crossed.
    """

    ahead: str
    behind: str
    prevalence: float
    low: float
    high: float
    bootstrap: tuple[float, float] | None
    established: bool
    adjusted: float
    already: bool
    x_removed: float | None
    x_mixture: float | None


@dataclass(frozen=True)
class TauStep:
    """Kendall's tau b between the two rankings, from one prevalence to another."""

    start: float
    stop: float
    tau: float | None


@dataclass(frozen=True)
class Order:
    """The ranking by corrected labels from one prevalence to another, in competition ranks."""

    start: float
    stop: float
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class Association:
    """How alike two rankings are: Spearman's and Kendall's coefficient, permutation p."""

    of: str
    spearman: float | None
    spearman_p: float | None
    kendall: float | None
    kendall_p: float | None


@dataclass(frozen=True)
class UncheckedErrors:
    """Wrong labels that nobody has seen: the end of a 95 % interval, None without an audit."""

    unchecked: int
    audited: int
    errors: int
    bound: float | None


@dataclass(frozen=True)
class TrueAccuracy:
    """How often a model is right on true labels, with a 95 % interval; all in [0, 1]."""

    model: str
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class OnPremise:
    """What is so of true labels, if errors strike clear and unclear rows alike.

    Attributes:
        model: whose probabilities it is told from.
        headline: how many labels are wrong, in a sentence.
        accuracies: of the models, in the order of the report.
    """

    model: str
    headline: str
    accuracies: tuple[TrueAccuracy, ...]


@dataclass(frozen=True)
class Report:
    """Whether a benchmark's ranking survives its label errors.

    Attributes:
        verdict: one sentence.
        left_open: another on which places tests leave open, and whether more wrong labels would
            turn them; '' where there is nothing to say.
        versions: of the labels. With 1 nothing is said of wrong labels that were found: sizes are
            None, accuracies by corrected labels are those by original ones, and crossings, orders,
            tau, associations and corrections are empty.
        notes: what else must be said.
        sizes: the sizes of the sets, by letter; see ``Case``.
        prevalence: c, changed of kept items, with its interval.
        errors: changed and pruned of all items.
        missed: wrong labels that may be left.
        alpha: one minus the level of intervals and tests.
        resamples, seed: of the bootstrap.
        pairs_are: "adjacent" or "all".
        standings: the models, the best by corrected labels first.
        pairs: comparisons.
        neighbours: R - 1 of them, in order of rank.
        secure: how many first places are settled: tests that hold for all pairs together say that
            who has one is better than all behind it.
        budget: wrong labels that cannot change those places; None: no number can, or none is
            secure.
        together: runs of ranks within which these tests leave the order open, (first, last).
        crossings, crossings_original: by corrected and by original labels.
        orders: the rankings by corrected labels as the prevalence grows to 1; ranks follow
            ``standings``.
        tau: between the rankings by original and corrected labels, likewise.
        associations: the associations of rankings.
        corrections: this correction, and others beside it.
        to_check: about how many items to check for every place to be secure; None: some are tied.
        checks: numbers of the next items to check, at most 100.
        premise: accuracies on true labels on a premise, where nobody corrected them and a model has
            probabilities that tell; else None.
    """

    verdict: str
    left_open: str
    versions: int
    notes: tuple[str, ...]
    sizes: dict[str, int | None]
    prevalence: Accuracy
    errors: Accuracy
    missed: UncheckedErrors
    alpha: float
    resamples: int
    seed: int
    pairs_are: str
    standings: tuple[RankedModel, ...]
    pairs: tuple[ModelPair, ...]
    neighbours: tuple[Neighbour, ...]
    secure: int
    budget: int | None
    together: tuple[tuple[int, int], ...]
    crossings: tuple[Crossing, ...]
    crossings_original: tuple[Crossing, ...]
    orders: tuple[Order, ...]
    tau: tuple[TauStep, ...]
    associations: tuple[Association, ...]
    corrections: tuple[Correction, ...]
    to_check: int | None
    checks: tuple[Any, ...]
    premise: OnPremise | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold; what is undefined is None."""
        return {"schema": SCHEMA, **asdict(self)}


def read_report(value: dict[str, Any]) -> Report:
    """The report whose ``as_dict`` this was, also after a way through JSON.

    Raises:
        ValueError: it was written by another version, or is none.
    """
    if value.get("schema") != SCHEMA:
        raise ValueError(
            f"this is no stability report of schema {SCHEMA} (it says {value.get('schema')!r}); "
            "make it again."
        )
    return _built(Report, value)


def _built(kind: Any, value: Any) -> Any:
    """A value of a type from this file: classes from mappings, tuples from lists."""
    if is_dataclass(kind):
        types, make = get_type_hints(kind), cast(Any, kind)
        return make(**{f.name: _built(types[f.name], value[f.name]) for f in fields(kind)})
    inner = get_args(kind)
    if get_origin(kind) is UnionType:
        return None if value is None else _built(inner[0], value)
    if get_origin(kind) is tuple:
        each = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
        return tuple(_built(one, item) for one, item in zip(each, value))
    return value
